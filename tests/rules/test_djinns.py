"""Every djinn by example, and the table against the cards."""

from __future__ import annotations

from typing import Any

import pytest
from naqala.rules import events as e
from naqala.rules.djinns import DJINNS, E_AND_E_OR_F, E_OR_F, FREE, PROMO, F
from naqala.rules.model import Game
from naqala.rules.scoring import score

from tests.rules.table import broken, done, gold, invalid, table, told

OASIS = {"type": "oasis"}
VILLAGE = {"type": "village"}
SACRED = {"type": "sacred_place"}


def test_22_djinns_of_141_points() -> None:
    cards = [djinn for name, djinn in DJINNS.items() if name != PROMO]
    assert (len(cards), sum(djinn.points for djinn in cards)) == (22, 141)


# Read off the cards a second time, by hand: points, cost, shape.
CARDS = {
    "Al-Amin": (5, FREE, "scoring"),
    "Anun-Nak": (8, E_OR_F, "power"),
    "Ba'al": (6, FREE, "reaction"),
    "Boaz": (6, FREE, "permission"),
    "Bouraq": (6, E_OR_F, "power"),
    "Echidna": (4, E_AND_E_OR_F, "modifier"),
    "Enki": (8, E_OR_F, "power"),
    "Hagis": (10, E_OR_F, "modifier"),
    "Haurvatat": (8, FREE, "scoring"),
    "Iblis": (8, E_OR_F, "modifier"),
    "Jafaar": (6, FREE, "scoring"),
    "Kandicha": (6, FREE, "reaction"),
    "Kumarbi": (6, F, "bidding"),
    "Lamia": (10, E_OR_F, "modifier"),
    "Leta": (4, E_AND_E_OR_F, "power"),
    "Marid": (6, FREE, "reaction"),
    "Monkir": (6, FREE, "reaction"),
    "Nekir": (6, FREE, "reaction"),
    "Shamhat": (6, FREE, "scoring"),
    "Sibittis": (4, E_AND_E_OR_F, "power"),
    "Sloar": (8, F, "power"),
    "Utug": (4, E_AND_E_OR_F, "power"),
    "Dhenim": (6, FREE, "reaction"),
}


@pytest.mark.parametrize("name", CARDS)
def test_points_cost_and_shape(name: str) -> None:
    card = DJINNS[name]
    assert (card.points, card.cost, card.shape) == CARDS[name]


def ann(*djinns: str, **held: Any) -> dict[str, Any]:
    return {"djinns": list(djinns), **held}


def points(game: Game, category: str) -> int:
    return int(getattr(score(game)[0], category))


# --- scoring ------------------------------------------------------------------------------------------------


def test_al_amin() -> None:
    held = {"goods": {"fish": 1, "silk": 1}, "fakirs": 5}
    assert points(table(ann=ann("Al-Amin", **held)), "goods") == 13  # two wilds make a suit of four
    assert points(table(ann=ann(**held)), "goods") == 3
    game = table(phase="end", ann=ann("Al-Amin", **held))
    assert broken(game, "Ann sell fish+silk+fakir") == ["sells_different_goods"]  # never in a sale


def test_haurvatat() -> None:
    tiles = {"A1": {"camel": "Ann", "palms": 2, "palaces": 1}, "A2": {"camel": "Bob", "palms": 1}}
    assert points(table(tiles, ann=ann("Haurvatat")), "palms") == 10
    assert points(table(tiles, ann=ann()), "palms") == 6
    assert points(table(tiles, ann=ann("Haurvatat")), "palaces") == 5


def test_jafaar() -> None:
    held = {"viziers": 3}
    bob = {"viziers": 3}
    assert points(table(ann=ann("Jafaar", **held), bob=bob), "viziers") == 9 + 10  # Cy has fewer, Bob has not
    assert points(table(ann=ann(**held), bob=bob), "viziers") == 3 + 10


def test_shamhat() -> None:
    assert points(table(ann=ann("Shamhat", elders=3)), "elders") == 12
    assert points(table(ann=ann(elders=3)), "elders") == 6


# --- answers ------------------------------------------------------------------------------------------------


def at_a_sacred_place(**more: Any) -> Game:
    return table({"C3": SACRED}, phase="tile", turn={"tile": "C3", "collected": "WW"}, **more)


def test_ba_al() -> None:
    game = at_a_sacred_place(djinn_row=["Enki", "Ba'al"], ann=ann(elders=2))
    assert gold(game, "Ann summon Ba'al elders 2") == {}  # not for itself
    others = at_a_sacred_place(djinn_row=["Enki"], ann=ann(elders=2), bob=ann("Ba'al"))
    assert gold(others, "Ann summon Enki elders 2") == {("Bob", "Ba'al"): 2}
    own = at_a_sacred_place(djinn_row=["Enki"], ann=ann("Ba'al", elders=2))
    assert gold(own, "Ann summon Enki elders 2") == {("Ann", "Ba'al"): 1}
    drawn = table(phase="end", ann=ann("Sibittis", elders=2), bob=ann("Ba'al"))
    line = "Ann power Sibittis elders 2 drawn Enki Leta Utug keep Leta"
    assert gold(drawn, line) == {("Bob", "Ba'al"): 2}


def test_marid() -> None:
    tiles = {
        "A1": "YBW",
        "A2": {"camel": "Bob"},
        "A3": {"camel": "Ann"},
        "A4": {"meeples": "W", "camel": "Bob"},
    }
    line = "Ann sow A1>A2Y>A3B>A4W"
    assert gold(table(tiles, bob=ann("Marid")), line) == {("Bob", "Marid"): 4}
    assert gold(table(tiles, ann=ann("Marid")), line) == {("Ann", "Marid"): 1}
    # By ownership at that moment: the tile won by this very move paid nothing for its own last drop.
    assert gold(table({"A1": "Y", "A2": "Y"}, ann=ann("Marid")), "Ann sow A1>A2Y") == {}


def test_monkir() -> None:
    village = {"C3": VILLAGE}
    turn = {"tile": "C3", "collected": "YY"}
    assert gold(table(village, phase="tile", turn=turn, bob=ann("Monkir")), "Ann place palace C3") == {
        ("Bob", "Monkir"): 2
    }
    own = table(village, phase="end", ann=ann("Monkir", "Bouraq", elders=1))
    assert gold(own, "Ann power Bouraq elders 1 tile C3") == {("Ann", "Monkir"): 1}
    palm = table({"C3": OASIS}, phase="tile", turn=turn, bob=ann("Monkir"))
    assert gold(palm, "Ann place palm C3") == {}


def killers(tiles: dict[str, Any] | None = None, **more: Any) -> Game:
    return table(tiles, phase="kill", turn={"tile": "C3", "collected": "RR"}, **more)


def test_nekir() -> None:
    assert gold(killers({"C4": "B"}, bob=ann("Nekir")), "Ann kill C4:B") == {("Bob", "Nekir"): 2}
    assert gold(killers({"C4": "B"}, ann=ann("Nekir")), "Ann kill C4:B") == {("Ann", "Nekir"): 1}
    assert gold(killers(bob=ann("Nekir")), "Ann kill nobody") == {}
    two = done(
        killers({"C4": "BB"}, ann=ann("Iblis", elders=1), bob=ann("Nekir")), "Ann power Iblis elders 1"
    )
    assert gold(two, "Ann kill C4:B C4:B") == {("Bob", "Nekir"): 2}  # once per killing, not per victim


def test_dhenim() -> None:
    game = table({"A1": "Y", "A2": "YYB"}, bob=ann("Dhenim"), switches={"promo_dhenim": "per_taking"})
    assert gold(game, "Ann sow A1>A2Y") == {("Bob", "Dhenim"): 2}
    own = table({"A1": "Y", "A2": "YYB"}, ann=ann("Dhenim"), switches={"promo_dhenim": "per_taking"})
    assert gold(own, "Ann sow A1>A2Y") == {("Ann", "Dhenim"): 1}
    elders = table({"A1": "W", "A2": "W"}, bob=ann("Dhenim"), switches={"promo_dhenim": "per_taking"})
    assert gold(elders, "Ann sow A1>A2W") == {}


@pytest.mark.parametrize("switch", ["per_taking", "per_vizier"])
def test_a_vizier_kept_through_kandicha_is_taken(switch: str) -> None:
    switches = {"promo_dhenim": switch}
    other = killers({"C4": "YW"}, ann=ann("Kandicha"), bob=ann("Dhenim"), switches=switches)
    assert gold(other, "Ann kill C4:Y") == {("Bob", "Dhenim"): 2}
    assert gold(other, "Ann kill C4:W") == {}
    own = killers({"C4": "Y"}, ann=ann("Kandicha", "Dhenim"), switches=switches)
    assert gold(own, "Ann kill C4:Y") == {("Ann", "Dhenim"): 1}
    killed = killers({"C4": "Y"}, bob=ann("Dhenim"), switches=switches)
    assert gold(killed, "Ann kill C4:Y") == {}  # it went into the bag


def test_kandicha() -> None:
    around = {"D4": SACRED, "D5": SACRED}
    tiles = {"C4": "GBYWR", **around}
    game = killers(tiles, ann=ann("Kandicha"), bob={"viziers": 1})
    merchant = done(game, "Ann kill C4:G card silk")
    assert (merchant.player("Ann").goods, merchant.bag) == (("silk",), "G")
    assert gold(game, "Ann kill C4:B") == {("Ann", "Kandicha"): 2}  # 1 x blue tiles round the victim's tile
    vizier = done(game, "Ann kill C4:Y")
    assert (vizier.player("Ann").viziers, vizier.bag, vizier.tile("C4").meeples) == (1, "", "WGBR")
    assert done(game, "Ann kill C4:W").player("Ann").elders == 1
    assert done(game, "Ann kill C4:R").bag == "R"
    held = done(game, "Ann kill Y of Bob")
    assert (held.player("Ann").viziers, held.player("Bob").viziers) == (1, 0)
    assert invalid(game, "Ann kill C4:G") == "Kandicha draws 1 from the pile, told were 0"
    assert invalid(game, "Ann kill C4:B card fish") == "no card is drawn for these victims"


def test_kandicha_keeping_a_tiles_last_meeple_gives_control() -> None:
    after = done(killers({"C4": "Y"}, ann=ann("Kandicha")), "Ann kill C4:Y")
    assert (after.tile("C4").camel, after.player("Ann").viziers) == ("Ann", 1)


def test_kandicha_with_two_merchants_draws_two_cards() -> None:
    game = killers({"C4": "GG"}, ann=ann("Kandicha", "Iblis", elders=1))
    after = done(game, "Ann power Iblis elders 1", "Ann kill C4:G C4:G card fish fakir")
    assert (after.player("Ann").goods, after.player("Ann").fakirs) == (("fish",), 1)


def test_kandicha_draws_what_there_is() -> None:
    cards = {"ivory": 2, "jewels": 2, "gold": 2, "papyrus": 4, "silk": 4, "spice": 4, "fish": 6, "wheat": 6}
    game = killers({"C4": "G"}, ann=ann("Kandicha"), bob={"goods": {**cards, "pottery": 6}, "fakirs": 18})
    assert done(game, "Ann kill C4:G").bag == "G"  # no card is left anywhere
    last = killers(
        {"C5": "G"}, ann=ann("Kandicha", fakirs=1), bob={"goods": {**cards, "pottery": 6}, "fakirs": 17}
    )
    after = done(last, "Ann kill C5:G fakirs 1 card fakir")  # the very fakir that was discarded
    assert (after.player("Ann").fakirs, after.discards) == (1, ())


# --- permission and bidding ---------------------------------------------------------------------------------


def test_boaz() -> None:
    game = killers({"C4": "Y"}, bob=ann("Boaz", viziers=1, elders=1))
    assert broken(game, "Ann kill Y of Bob") == ["spares_the_protected"]
    assert broken(game, "Ann kill W of Bob") == ["spares_the_protected"]
    assert done(game, "Ann kill C4:Y").bag == "Y"  # held meeples only
    assert done(killers(bob=ann("Boaz", viziers=1)), "Ann kill nobody").turn.phase == "end"


def test_kumarbi() -> None:
    game = table(phase="bid", ann=ann("Kumarbi", fakirs=3))
    after = done(game, "Ann bid 8 fakirs 2")
    assert (after.player("Ann").gold, after.track) == (
        47,
        ((8, "Ann"),),
    )  # two spots cheaper, the marker stays
    assert after.discards == ("fakir", "fakir")
    assert gold(game, "Ann bid 1 fakirs 3") == {}  # beyond price 0 they are wasted
    assert done(game, "Ann bid 1 fakirs 3").player("Ann").fakirs == 0
    assert broken(game, "Ann bid 8 fakirs 4") == ["pays_the_price"]
    assert broken(table(phase="bid", ann={"fakirs": 1}), "Ann bid 3 fakirs 1") == ["pays_the_price"]
    poor = table(phase="bid", ann=ann("Kumarbi", fakirs=1, gold=5))
    assert done(poor, "Ann bid 8 fakirs 1").player("Ann").gold == 0
    own_turn = table(phase="end", ann=ann("Kumarbi", fakirs=1))
    assert invalid(own_turn, "Ann power Kumarbi fakirs 1") == "Kumarbi has no power to be paid in a turn"


def test_kumarbi_once_per_round_for_both_markers() -> None:
    game = table(phase="bid", players=2, ann=ann("Kumarbi", fakirs=3), bid_order=["Ann", "Ann", "Bob", "Bob"])
    assert broken(done(game, "Ann bid 3 fakirs 1"), "Ann bid 5 fakirs 1") == ["once_per_turn"]


# --- modifiers ----------------------------------------------------------------------------------------------


def test_echidna() -> None:
    tiles = {"B2": SACRED, "C2": SACRED}
    game = table(
        tiles, phase="build", turn={"tile": "C3", "collected": "BB"}, ann=ann("Echidna", elders=2, fakirs=1)
    )
    paid = done(game, "Ann power Echidna elders 2")
    assert gold(paid, "Ann build fakirs 1") == {("Ann", "builders"): 12}  # (2 + 1) x 2, doubled
    assert gold(game, "Ann build fakirs 1") == {("Ann", "builders"): 6}
    assert "none is due now" in invalid(table(ann=ann("Echidna", elders=2)), "Ann power Echidna elders 2")
    assert "none is due now" in invalid(done(game, "Ann build"), "Ann power Echidna elders 2")


def test_iblis() -> None:
    game = killers(
        {"C4": "BGY", "C5": "W"},
        ann=ann("Iblis", fakirs=1),
        bob={"viziers": 1, "elders": 1},
        cy={"elders": 1},
    )
    paid = done(game, "Ann power Iblis fakirs 1")
    assert done(paid, "Ann kill C4:B C4:Y").bag == "YB"
    assert done(paid, "Ann kill Y of Bob W of Bob").bag == "YW"
    assert done(paid, "Ann kill C5:W").tile("C5").camel == "Ann"  # a single victim available: one dies
    assert done(paid, "Ann kill W of Cy").bag == "W"
    assert broken(paid, "Ann kill C4:B") == ["kills_within_reach"]  # where two can die, both must
    assert broken(paid, "Ann kill Y of Bob") == ["kills_within_reach"]
    assert broken(paid, "Ann kill C4:B C5:W") == ["kills_within_reach"]  # on one tile
    assert broken(paid, "Ann kill W of Bob W of Cy") == ["kills_within_reach"]  # by one opponent
    assert broken(game, "Ann kill C4:B C4:Y") == ["kills_within_reach"]  # not paid
    assert "none is due now" in invalid(table(ann=ann("Iblis", elders=1)), "Ann power Iblis elders 1")
    assert "none is due now" in invalid(killers(ann=ann("Iblis", elders=1)), "Ann power Iblis elders 1")


def at_an_oasis(**more: Any) -> Game:
    return table(
        {"C3": OASIS} | more.pop("tiles", {}), phase="tile", turn={"tile": "C3", "collected": "YY"}, **more
    )


def test_lamia() -> None:
    game = at_an_oasis(ann=ann("Lamia", elders=2))
    assert broken(game, "Ann place palm D4") == ["places_what_the_tile_asks"]
    paid = done(game, "Ann power Lamia elders 1")
    assert done(paid, "Ann place palm D4").tile("D4").palms == 1  # one of the 8 neighbours, any kind of tile
    assert done(paid, "Ann place palm C3").turn.active == ()  # the tile itself stays legal and uses it up
    assert broken(paid, "Ann place palm C5") == ["places_what_the_tile_asks"]
    assert broken(paid, "Ann power Lamia elders 1") == ["once_per_turn"]


def test_lamia_while_a_placement_can_still_follow() -> None:
    tiles = {"C3": {**OASIS, "meeples": "Y"}, "C2": "Y"}
    assert done(table(tiles, ann=ann("Lamia", elders=1)), "Ann power Lamia elders 1").turn.active == (
        "Lamia",
    )
    dry = table({"C3": "Y", "C2": "Y"}, ann=ann("Lamia", elders=1))
    assert "none is due now" in invalid(dry, "Ann power Lamia elders 1")  # no sowing ends on an oasis
    late = table({"C3": OASIS}, phase="end", ann=ann("Lamia", elders=1))
    assert "none is due now" in invalid(late, "Ann power Lamia elders 1")
    enki = table({"C3": OASIS}, phase="end", ann=ann("Lamia", "Enki", elders=2))
    after = done(enki, "Ann power Lamia elders 1", "Ann power Enki elders 1 tile B2")
    assert (after.tile("B2").palms, after.turn.active) == (1, ())
    poor = table({"C3": OASIS}, phase="end", ann=ann("Lamia", "Enki", elders=1))
    assert "none is due now" in invalid(poor, "Ann power Lamia elders 1")  # nothing is left to pay Enki
    empty = at_an_oasis(ann=ann("Lamia", elders=1), supply={"palms": 0})
    assert "none is due now" in invalid(empty, "Ann power Lamia elders 1")


def test_hagis() -> None:
    game = table(
        {"C3": VILLAGE}, phase="tile", turn={"tile": "C3", "collected": "YY"}, ann=ann("Hagis", fakirs=1)
    )
    paid = done(game, "Ann power Hagis fakirs 1")
    after = done(paid, "Ann place palace B4")
    assert (after.tile("B4").palaces, after.tile("C3").palaces, after.turn.active) == (1, 0, ())
    assert broken(game, "Ann place palace B4") == ["places_what_the_tile_asks"]
    bouraq = table({"C3": VILLAGE}, phase="end", ann=ann("Hagis", "Bouraq", elders=2))
    done(bouraq, "Ann power Hagis elders 1", "Ann power Bouraq elders 1 tile D2")


# --- powers -------------------------------------------------------------------------------------------------


def test_anun_nak() -> None:
    tiles = {"A1": "Y", "A2": {"palms": 1}, "A3": {"camel": "Bob"}, "A4": {"palaces": 1}}
    game = table(tiles, bag="BBGR", phase="end", ann=ann("Anun-Nak", elders=1, fakirs=1))
    after = done(game, "Ann power Anun-Nak fakirs 1 tile C3 meeples BGR")
    assert (after.tile("C3").meeples, after.bag) == ("GBR", "B")
    for tile in ("A1", "A2", "A3", "A4"):
        line = f"Ann power Anun-Nak fakirs 1 tile {tile} meeples BGR"
        assert broken(game, line) == ["places_what_the_tile_asks"]
    # The paid elder is in the bag before the draw.
    assert done(game, "Ann power Anun-Nak elders 1 tile C3 meeples WBB").bag == "GR"
    line = "Ann power Anun-Nak fakirs 1 tile C3 meeples"
    assert invalid(game, f"{line} WBB") == "no such meeple W is in the bag"
    assert invalid(game, f"{line} BB") == "Anun-Nak draws 3 meeples, told were 2"
    empty = table(phase="end", ann=ann("Anun-Nak", fakirs=1))
    assert broken(empty, f"{line} B") == ["places_what_the_tile_asks"]  # an empty bag: refused


def test_bouraq() -> None:
    game = table({"A1": VILLAGE, "A2": OASIS}, phase="end", ann=ann("Bouraq", elders=1))
    assert done(game, "Ann power Bouraq elders 1 tile A1").tile("A1").palaces == 1
    assert broken(game, "Ann power Bouraq elders 1 tile A2") == ["places_what_the_tile_asks"]
    none = table({"A1": VILLAGE}, phase="end", ann=ann("Bouraq", elders=1), supply={"palaces": 0})
    assert broken(none, "Ann power Bouraq elders 1 tile A1") == ["places_what_the_tile_asks"]


def test_enki() -> None:
    game = table({"A1": OASIS, "A2": VILLAGE}, phase="sow", ann=ann("Enki", fakirs=1))
    assert done(game, "Ann power Enki fakirs 1 tile A1").palms == 11
    assert broken(game, "Ann power Enki fakirs 1 tile A2") == ["places_what_the_tile_asks"]
    assert broken(game, "Ann power Enki elders 1 tile A1") == ["pays_the_price"]
    assert invalid(game, "Ann power Enki fakirs 1") == "Enki needs a tile"


def test_enki_taking_the_last_palm_frees_the_oasis_from_asking() -> None:
    game = at_an_oasis(ann=ann("Enki", elders=1), supply={"palms": 1})
    after = done(game, "Ann power Enki elders 1 tile C3")
    assert (after.palms, after.turn.phase) == (0, "end")
    assert done(after, "Ann end").turn.player == "Bob"


def test_leta() -> None:
    tiles = {"A1": "Y", "A2": {"palms": 1}, "A3": {"camel": "Bob"}}
    game = table(tiles, phase="end", ann=ann("Leta", elders=2))
    after = done(game, "Ann power Leta elders 2 tile C3")
    assert (after.tile("C3").camel, after.player("Ann").camels) == ("Ann", 7)
    for tile in tiles:
        assert broken(game, f"Ann power Leta elders 2 tile {tile}") == ["marks_control"]
    spent = table(phase="end", ann=ann("Leta", elders=2, camels=0))
    assert broken(spent, "Ann power Leta elders 2 tile C3") == ["marks_control"]


def test_utug() -> None:
    tiles = {"A1": "Y", "A2": {"meeples": "Y", "palms": 1}, "A3": {"meeples": "Y", "camel": "Bob"}, "A4": ""}
    game = table(tiles, phase="end", ann=ann("Utug", elders=1, fakirs=1, camels=1))
    after = done(game, "Ann power Utug elders 1 fakirs 1 tile A1")
    assert (after.tile("A1").camel, after.tile("A1").meeples, after.ending) == ("Ann", "Y", "last_camel")
    for tile in ("A2", "A3", "A4"):
        assert broken(game, f"Ann power Utug elders 1 fakirs 1 tile {tile}") == ["marks_control"]


def test_sibittis() -> None:
    game = table(phase="end", djinn_row=["Enki"], ann=ann("Sibittis", elders=2))
    after = done(game, "Ann power Sibittis elders 2 drawn Boaz Leta Utug keep Leta")
    assert after.player("Ann").djinns == ("Sibittis", "Leta")
    assert after.djinn_discards == ("Boaz", "Utug")
    line = "Ann power Sibittis elders 2 drawn"
    assert invalid(game, f"{line} Enki Leta Utug keep Leta") == "Enki cannot be drawn: it is not in the pile"
    assert invalid(game, f"{line} Leta Utug keep Leta") == "Sibittis draws 3 djinns, told were 2"
    assert invalid(game, f"{line} Boaz Leta Utug keep Sloar") == "Sibittis keeps one of the djinns drawn"


def test_sibittis_short_of_cards_shuffles_the_discards() -> None:
    hidden, thrown = ["Boaz"], ["Leta"]
    rest = [name for name in DJINNS if name not in (*hidden, *thrown, "Sibittis", PROMO)]
    game = table(phase="end", ann=ann("Sibittis", elders=2), bob=ann(*rest), djinn_discards=thrown)
    after = done(game, "Ann power Sibittis elders 2 drawn Boaz Leta keep Boaz")
    assert (after.player("Ann").djinns, after.djinn_discards) == (("Sibittis", "Boaz"), ("Leta",))
    assert e.Reshuffled("djinns") in told(game, "Ann power Sibittis elders 2 drawn Boaz Leta keep Boaz")
    # The pile gives its own card before the discards are shuffled.
    wrong = "Ann power Sibittis elders 2 drawn Leta Boaz keep Boaz"
    assert invalid(game, wrong) == "Leta cannot be drawn: it is not in the pile"


def test_sibittis_without_any_djinn_left_is_refused() -> None:
    rest = [name for name in DJINNS if name not in ("Sibittis", PROMO)]
    game = table(phase="end", ann=ann("Sibittis", elders=2), bob=ann(*rest))
    assert invalid(game, "Ann power Sibittis elders 2") == "no card is left for Sibittis"


def test_sloar() -> None:
    game = table(phase="end", row=["ivory", "ivory"], ann=ann("Sloar", fakirs=1, elders=1))
    after = done(game, "Ann power Sloar fakirs 1 card fish")
    assert (after.player("Ann").goods, after.row, after.discards) == (
        ("fish",),
        ("ivory", "ivory"),
        ("fakir",),
    )
    assert (
        invalid(game, "Ann power Sloar fakirs 1 card ivory") == "ivory cannot be drawn: it is not in the pile"
    )
    assert broken(game, "Ann power Sloar elders 1 card fish") == ["pays_the_price"]
    assert invalid(game, "Ann power Sloar fakirs 1") == "Sloar draws 1 from the pile, told were 0"


# --- all of them --------------------------------------------------------------------------------------------


def test_once_per_turn() -> None:
    game = table({"A1": OASIS}, phase="end", ann=ann("Enki", elders=2))
    after = done(game, "Ann power Enki elders 1 tile A1")
    assert broken(after, "Ann power Enki elders 1 tile A1") == ["once_per_turn"]


def test_only_in_ones_own_turn() -> None:
    game = table({"A1": OASIS}, phase="end", bob=ann("Enki", elders=1))
    assert "it is not Bob's turn" in invalid(game, "Bob power Enki elders 1 tile A1")
    bidding = table({"A1": OASIS}, phase="bid", ann=ann("Enki", elders=1))
    assert invalid(bidding, "Ann power Enki elders 1 tile A1") == "power has no place now: phase bid of Ann"


@pytest.mark.parametrize(
    ("phase", "turn"),
    [
        ("sow", {}),
        ("build", {"tile": "C3", "collected": "BB"}),
        ("kill", {"tile": "C3", "collected": "RR"}),
        ("tile", {"tile": "C3", "collected": "YY"}),
        ("end", {}),
    ],
)
def test_at_any_moment_of_ones_turn(phase: str, turn: dict[str, Any]) -> None:
    game = table({"A1": OASIS, "C3": SACRED}, phase=phase, turn=turn, ann=ann("Enki", elders=1))
    after = done(game, "Ann power Enki elders 1 tile A1")
    assert (after.tile("A1").palms, after.turn.phase) == (1, phase)


def test_a_djinn_one_does_not_hold_and_one_without_cost() -> None:
    game = table(phase="end", ann=ann("Boaz", elders=1))
    assert invalid(game, "Ann power Enki elders 1 tile A1") == "Ann does not hold Enki"
    assert invalid(game, "Ann power Boaz elders 1") == "Boaz has no power to be paid in a turn"
    utug = table({"A1": "Y"}, phase="end", ann=ann("Utug", elders=2))
    assert invalid(utug, "Ann power Utug elders 2 tile A1 card fish") == "Utug has no use for card"
