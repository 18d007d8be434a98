"""One marker's turn by example: control, the five tribes, the five kinds of tile, sale."""

from __future__ import annotations

from typing import Any

from naqala.rules import events as e
from naqala.rules.scoring import score

from tests.rules.table import broken, done, gold, invalid, table, told

VILLAGE = {"type": "village", "points": 5}
SACRED = {"type": "sacred_place", "points": 6}
OASIS = {"type": "oasis", "points": 8}
SMALL = {"type": "small_market", "points": 6}
LARGE = {"type": "large_market", "points": 4}


def on(kind: dict[str, Any], meeples: str = "", **more: Any) -> dict[str, Any]:
    return {**kind, "meeples": meeples, **more}


# --- sowing and control -------------------------------------------------------------------------------------


def test_collects_every_one_of_its_colour() -> None:
    game = table({"A1": "YB", "A3": "YYW", "A2": "W"})
    after = done(game, "Ann sow A1>A2B>A3Y")
    assert (after.player("Ann").viziers, after.tile("A3").meeples, after.tile("A2").meeples) == (3, "W", "WB")


def test_a_five_meeple_loop_collects_three_merchants() -> None:
    # Small market B2, oasis B3, large market C3, sacred place C2; one merchant lies on the oasis already.
    game = table(
        {"B2": on(SMALL, "GGBRY"), "B3": on(OASIS, "G"), "C3": LARGE, "C2": SACRED}, row=["fish"] * 4
    )
    after = done(game, "Ann sow B2>B3G>C3B>C2R>B2Y>B3G")
    assert after.turn.collected == "GGG"
    assert after.player("Ann").goods == ("fish",) * 3
    assert (after.tile("B2").meeples, after.tile("C3").meeples, after.tile("C2").meeples) == ("Y", "B", "R")
    assert after.bag == "GGG"


def test_an_illegal_sowing_names_every_breach_and_changes_nothing() -> None:
    game = table({"C3": "GRY", "C4": "G"})
    assert broken(game, "Ann sow C3>C4G>C3R") == [
        "no_immediate_backtracking",
        "ends_on_its_own_colour",
        "takes_every_meeple",
    ]
    assert game == table({"C3": "GRY", "C4": "G"})


def test_marks_control() -> None:
    game = table({"A1": "Y", "A2": on(SACRED, "YY"), "B1": "W", "B2": "WB"})
    after = done(game, "Ann sow A1>A2Y")
    assert (after.tile("A2").camel, after.player("Ann").camels) == ("Ann", 7)
    assert e.Controlled("Ann", "A2", "sowing") in told(game, "Ann sow A1>A2Y")
    assert done(game, "Ann sow B1>B2W").tile("B2").camel is None  # the builder still stands there
    assert done(table({"A1": "Y", "A2": "Y"}), "Ann sow A1>A2Y").tile("A1").camel is None  # only the end tile


def test_an_owned_tile_never_changes_hands() -> None:
    game = table({"A1": "Y", "A2": {"meeples": "Y", "camel": "Bob"}})
    after = done(game, "Ann sow A1>A2Y")
    assert (after.tile("A2").camel, after.player("Ann").camels) == ("Bob", 8)


def test_without_a_camel_the_tile_stays_free() -> None:
    game = table({"A1": "Y", "A2": on(OASIS, "Y")}, ann={"camels": 0})
    after = done(game, "Ann sow A1>A2Y")
    assert (after.tile("A2").camel, after.ending, after.turn.phase) == (None, None, "tile")


def test_control_comes_before_the_tribe() -> None:
    game = table({"A1": "G", "A2": "G"}, row=["fish", "silk"])
    kinds = [type(event) for event in told(game, "Ann sow A1>A2G")]
    assert kinds == [e.Lifted, e.Dropped, e.Collected, e.Controlled, e.CardTaken, e.CardTaken, e.PhaseBegun]


def test_moving_is_compulsory_while_any_legal_sowing_exists() -> None:
    game = table({"A1": "Y", "A2": "Y"})
    assert invalid(game, "Ann pass") == "there is a legal sowing, so it must be done"
    assert invalid(game, "Ann end") == "end has no place now: phase sow of Ann"


# --- tribes -------------------------------------------------------------------------------------------------


def test_viziers_are_kept() -> None:
    after = done(table({"A1": "Y", "A2": "YYB"}), "Ann sow A1>A2Y")
    assert (after.player("Ann").viziers, after.bag, after.turn.phase) == (3, "", "end")


def test_elders_are_kept() -> None:
    after = done(table({"A1": "W", "A2": "WB"}), "Ann sow A1>A2W")
    assert (after.player("Ann").elders, after.bag) == (2, "")


def test_merchants_take_the_first_cards_and_leave_the_gap() -> None:
    game = table({"A1": "G", "A2": "GGB"}, row=["fish", "fakir", "silk", "gold"])
    after = done(game, "Ann sow A1>A2G")
    ann = after.player("Ann")
    assert (ann.goods, ann.fakirs, after.row, after.bag) == (("silk", "fish"), 1, ("gold",), "GGG")


def test_merchants_take_all_there_are() -> None:
    after = done(table({"A1": "G", "A2": "GGB"}, row=["ivory"]), "Ann sow A1>A2G")
    assert (after.player("Ann").goods, after.row) == (("ivory",), ())


BLUE_AROUND = dict.fromkeys(("B2", "C2", "D2", "B3"), SACRED)  # four blue tiles around C3


def test_builders_with_two_fakirs_beside_four_blue_tiles() -> None:
    game = table({**BLUE_AROUND, "C4": "B", "C3": on(SMALL, "BBY")}, ann={"fakirs": 2})
    game = done(game, "Ann sow C4>C3B")
    assert (game.turn.phase, game.turn.collected, game.bag) == ("build", "BBB", "BBB")
    assert gold(game, "Ann build fakirs 2") == {("Ann", "builders"): 20}
    assert gold(game, "Ann build") == {("Ann", "builders"): 12}
    assert done(game, "Ann build fakirs 2").discards == ("fakir", "fakir")


def test_builders_on_a_blue_tile_count_it_too() -> None:
    game = table({**BLUE_AROUND, "C4": "B", "C3": on(VILLAGE, "BBY")}, ann={"fakirs": 2})
    assert gold(done(game, "Ann sow C4>C3B"), "Ann build fakirs 2") == {("Ann", "builders"): 25}


def test_builders_far_from_blue_build_for_nothing_and_it_is_recorded() -> None:
    game = done(table({"C4": "B", "C3": on(SMALL, "BY")}), "Ann sow C4>C3B")
    assert invalid(game, "Ann end") == "end has no place now: phase build of Ann"
    after = done(game, "Ann build")
    assert (after.player("Ann").gold, after.turn.phase) == (50, "tile")


def test_pays_the_price_of_fakirs_for_builders() -> None:
    game = table(phase="build", turn={"tile": "C3", "collected": "BB"}, ann={"fakirs": 1})
    assert broken(game, "Ann build fakirs 2") == ["pays_the_price"]


def killers(tiles: dict[str, Any] | None = None, count: int = 2, **more: Any) -> Any:
    """Ann's assassins, so many, have met on C3."""
    return table(tiles, phase="kill", turn={"tile": "C3", "collected": "R" * count}, **more)


def test_kills_within_reach() -> None:
    game = killers({"C5": "B", "E4": "G", "C1": "YY"}, ann={"fakirs": 1})
    assert done(game, "Ann kill C5:B").bag == "B"
    assert broken(game, "Ann kill E4:G") == ["kills_within_reach"]  # three steps with two assassins
    assert done(game, "Ann kill E4:G fakirs 1").discards == ("fakir",)
    assert broken(game, "Ann kill C5:G") == ["kills_within_reach"]  # nobody of that colour is there
    assert broken(game, "Ann kill C1:Y C1:Y") == ["kills_within_reach"]  # one dies, not two
    assert broken(game, "Ann kill nobody") == ["kills_within_reach"]
    assert broken(game, "Ann kill E4:G fakirs 2") == ["pays_the_price"]


def test_the_end_tile_itself_is_within_reach() -> None:
    game = table({"C4": "R", "C3": on(OASIS, "RRY")})
    game = done(game, "Ann sow C4>C3R")
    after = done(game, "Ann kill C3:Y")
    assert (after.tile("C3").camel, after.bag) == ("Ann", "YRRR")  # a third assassin wins the tile


def test_assassins_may_kill_a_vizier_or_elder_of_an_opponent() -> None:
    game = killers({"C5": "B"}, bob={"viziers": 1, "elders": 1}, ann={"elders": 1})
    assert done(game, "Ann kill Y of Bob").player("Bob").viziers == 0
    assert done(game, "Ann kill W of Bob").bag == "W"
    assert broken(game, "Ann kill W of Ann") == ["kills_within_reach"]
    assert broken(game, "Ann kill Y of Cy") == ["kills_within_reach"]
    assert broken(game, "Ann kill B of Bob") == ["kills_within_reach"]
    assert invalid(game, "Ann kill Y of Zed") == "nobody is called 'Zed'"


def test_spares_the_protected() -> None:
    game = killers({"C5": "B"}, bob={"viziers": 1, "djinns": ["Boaz"]})
    assert broken(game, "Ann kill Y of Bob") == ["spares_the_protected"]


def test_no_victim_within_the_declared_reach_is_an_empty_list() -> None:
    game = killers({"C5": "B"}, 1, ann={"fakirs": 1}, bob={"elders": 1, "djinns": ["Boaz"]})
    assert done(game, "Ann kill nobody").turn.phase == "end"  # nobody must spend a fakir to find one
    assert broken(game, "Ann kill nobody fakirs 1") == ["kills_within_reach"]
    assert told(game, "Ann kill nobody") == (e.PhaseBegun("end", "Ann"),)


def test_a_kill_that_empties_a_tile_wins_it_but_not_its_action() -> None:
    game = killers({"C3": OASIS, "C4": on(SACRED, "B", points=15)})
    after = done(game, "Ann kill C4:B")
    assert after.tile("C4").camel == "Ann"
    assert (after.turn.phase, after.turn.tile) == ("tile", "C3")


def test_the_first_of_two_tiles_gets_the_last_camel() -> None:
    game = table({"C2": "R", "C3": on(SMALL, "R"), "C4": "B"}, ann={"camels": 1})
    after = done(game, "Ann sow C2>C3R", "Ann kill C4:B")
    assert (after.tile("C3").camel, after.tile("C4").camel) == ("Ann", None)


def test_an_owned_tile_emptied_by_a_kill_keeps_its_owner() -> None:
    after = done(killers({"C4": {"meeples": "B", "camel": "Bob"}}), "Ann kill C4:B")
    assert after.tile("C4").camel == "Bob"


def test_the_guides_assassin_turn_is_worth_26() -> None:
    # An oasis (8) is won by the sowing, a sacred place (15) by the kill, and the oasis gets its palm (3).
    game = table({"C2": "R", "C3": on(OASIS, "R"), "C5": on(SACRED, "W", points=15)})
    game = done(game, "Ann sow C2>C3R", "Ann kill C5:W", "Ann place palm C3")
    ann = score(game)[0]
    assert (ann.tiles, ann.palms, ann.total - ann.gold) == (23, 3, 26)


# --- tiles --------------------------------------------------------------------------------------------------


def at(kind: dict[str, Any], **more: Any) -> Any:
    """Ann has ended on C3, a tile of this kind, and its action is next."""
    tiles = {"C3": kind} | more.pop("tiles", {})
    return table(tiles, phase="tile", turn={"tile": "C3", "collected": "YY"}, **more)


def test_places_what_the_tile_asks() -> None:
    game = at(OASIS)
    assert broken(game, "Ann place palace C3") == ["places_what_the_tile_asks"]
    assert broken(game, "Ann place palm C4") == ["places_what_the_tile_asks"]
    assert broken(game, "Ann end") == ["places_what_the_tile_asks"]
    assert broken(at(OASIS, ann={"goods": {"fish": 1}}), "Ann sell fish") == ["places_what_the_tile_asks"]
    assert broken(at(SMALL), "Ann place palm C3") == ["places_what_the_tile_asks"]


def test_oasis() -> None:
    after = done(at(OASIS), "Ann place palm C3")
    assert (after.tile("C3").palms, after.palms, after.turn.phase) == (1, 11, "end")


def test_village() -> None:
    after = done(at(VILLAGE, tiles={"A1": {"palaces": 2}}), "Ann place palace C3")
    assert (after.tile("C3").palaces, after.palaces) == (1, 7)


def test_an_empty_supply_asks_nothing() -> None:
    game = table({"A1": "Y", "A2": on(OASIS, "YB")}, supply={"palms": 0})
    after = done(game, "Ann sow A1>A2Y")
    assert after.turn.phase == "end"
    assert invalid(after, "Ann place palm A2") == "place has no place now: phase end of Ann"


def test_a_tile_owned_by_another_is_used_all_the_same() -> None:
    game = at({**OASIS, "camel": "Bob"})
    assert done(game, "Ann place palm C3").tile("C3").palms == 1


def test_small_market() -> None:
    game = at(SMALL, row=["fish", "fakir", "silk", "gold"])
    after = done(game, "Ann buy silk")
    assert (after.player("Ann").goods, after.player("Ann").gold) == (("silk",), 47)
    assert after.row == ("fish", "fakir", "gold")
    assert done(game, "Ann buy fakir").player("Ann").fakirs == 1
    assert done(game, "Ann end").turn.player == "Bob"  # nobody has to buy


def test_large_market() -> None:
    game = at(LARGE, row=["fish", "fakir", "silk", "gold", "fish", "ivory", "spice"])
    after = done(game, "Ann buy ivory fish")
    assert (after.player("Ann").goods, after.player("Ann").gold) == (("ivory", "fish"), 44)
    assert after.row == ("fakir", "silk", "gold", "fish", "spice")  # the leftmost fish


def test_takes_from_the_front() -> None:
    row = ["fish", "fakir", "silk", "gold", "fish", "ivory", "spice"]
    assert broken(at(SMALL, row=row), "Ann buy gold") == ["takes_from_the_front"]
    assert broken(at(SMALL, row=row), "Ann buy fish silk") == ["takes_from_the_front"]
    assert broken(at(LARGE, row=row), "Ann buy spice fish") == ["takes_from_the_front"]
    assert broken(at(LARGE, row=row), "Ann buy silk silk") == ["takes_from_the_front"]
    assert broken(at(LARGE, row=row), "Ann buy silk") == ["takes_from_the_front"]


def test_a_large_market_with_one_card_left_still_costs_six() -> None:
    game = at(LARGE, row=["fish"])
    assert gold(game, "Ann buy fish") == {("Ann", "large_market"): -6}
    assert broken(at(LARGE), "Ann buy fish") == ["takes_from_the_front", "takes_from_the_front"]


def test_pays_the_price_of_a_market() -> None:
    assert broken(at(SMALL, row=["fish"], ann={"gold": 2}), "Ann buy fish") == ["pays_the_price"]


def test_a_market_is_only_where_the_sowing_ended() -> None:
    assert invalid(at(SACRED, row=["fish"]), "Ann buy fish") == "the end tile C3 is no market"
    assert (
        invalid(at(SMALL, djinn_row=["Enki"]), "Ann summon Enki elders 2")
        == "the end tile C3 is no sacred place"
    )


def test_sacred_place() -> None:
    game = at(SACRED, djinn_row=["Enki", "Boaz"], ann={"elders": 2, "fakirs": 1})
    after = done(game, "Ann summon Boaz elders 1 fakirs 1")
    assert (after.player("Ann").djinns, after.djinn_row) == (("Boaz",), ("Enki",))
    assert (after.bag, after.discards, after.player("Ann").elders) == ("W", ("fakir",), 1)
    assert done(game, "Ann summon Boaz elders 2").bag == "WW"
    assert invalid(game, "Ann summon Leta elders 2") == "Leta does not lie in the row"


def test_pays_the_price_of_a_djinn() -> None:
    game = at(SACRED, djinn_row=["Enki"], ann={"elders": 1, "fakirs": 2})
    assert broken(game, "Ann summon Enki fakirs 2") == ["pays_the_price"]
    assert broken(game, "Ann summon Enki elders 2") == ["pays_the_price"]
    assert broken(game, "Ann summon Enki elders 1") == ["pays_the_price"]


def test_a_djinn_just_taken_may_be_used_at_once() -> None:
    game = at(SACRED, djinn_row=["Enki"], tiles={"A1": OASIS}, ann={"elders": 3})
    assert done(game, "Ann summon Enki elders 2", "Ann power Enki elders 1 tile A1").tile("A1").palms == 1


# --- sale ---------------------------------------------------------------------------------------------------

HAND = {"ivory": 1, "jewels": 1, "gold": 1, "papyrus": 2, "silk": 2, "fish": 2}


def test_a_sale_of_six_different_and_three_doubles() -> None:
    game = at(SMALL, ann={"goods": HAND, "fakirs": 3})
    after = done(game, "Ann sell ivory+jewels+gold+papyrus+silk+fish papyrus+silk+fish")
    assert (after.player("Ann").gold, after.player("Ann").goods, after.player("Ann").fakirs) == (87, (), 3)
    assert len(after.discards) == 9


def test_sells_different_goods() -> None:
    game = at(SMALL, ann={"goods": HAND, "fakirs": 3})
    assert broken(game, "Ann sell fish+fish") == ["sells_different_goods"]
    assert broken(game, "Ann sell fish+fakir") == ["sells_different_goods"]
    assert broken(game, "Ann sell wheat") == ["sells_different_goods"]
    assert broken(game, "Ann sell ivory ivory") == ["sells_different_goods"]
    assert invalid(game, "Ann sell") == "nothing is sold"


def test_after_a_sale_powers_and_another_sale_but_no_tile_action() -> None:
    held = {"goods": HAND, "elders": 3, "djinns": ["Enki"]}
    game = done(at(SMALL, row=["fish"], tiles={"A1": OASIS}, ann=held), "Ann sell silk")
    assert invalid(game, "Ann buy fish") == "buy has no place now: phase end of Ann"
    assert done(game, "Ann power Enki elders 1 tile A1", "Ann sell fish").player("Ann").gold == 52
    sacred = done(at(SACRED, djinn_row=["Boaz"], ann=held), "Ann sell silk")
    assert invalid(sacred, "Ann summon Boaz elders 2") == "summon has no place now: phase end of Ann"
