"""Every switch, each value by example: what the table decides where the rulebook is silent."""

from __future__ import annotations

from typing import Any

from naqala.rules.choices import legal
from naqala.rules.djinns import in_the_box
from naqala.rules.model import Game

from tests.rules.table import broken, done, gold, table, told

OASIS = {"type": "oasis"}


def ann(*djinns: str, **held: Any) -> dict[str, Any]:
    return {"djinns": list(djinns), **held}


def two_turns_of_ann(**switches: str) -> Game:
    """Two players; Ann has used Enki with her first marker and now plays the second."""
    game = table(
        {"A1": OASIS, "C1": "Y", "C2": "YY", "C3": "YYB"},
        phase="end",
        players=2,
        ann=ann("Enki", elders=2),
        bid_order=["Ann"],
        track=[
            {"spot": 3, "player": "Ann"},
            {"spot": 0, "player": "Bob"},
            {"spot": 0, "player": "Bob"},
        ],
        switches=switches,
    )
    return done(game, "Ann power Enki elders 1 tile A1", "Ann end")


def test_djinn_once_per_round() -> None:
    game = two_turns_of_ann()
    assert game.turn.player == "Ann"
    assert broken(game, "Ann power Enki elders 1 tile A1") == ["once_per_turn"]


def test_djinn_once_per_marker() -> None:
    game = two_turns_of_ann(djinn_once_per="marker")
    assert done(game, "Ann power Enki elders 1 tile A1").tile("A1").palms == 2


def test_djinn_once_per_marker_lets_kumarbi_help_every_bid() -> None:
    held = ann("Kumarbi", fakirs=3)
    order = ["Ann", "Ann", "Bob", "Bob"]
    game = table(phase="bid", players=2, ann=held, bid_order=order, switches={"djinn_once_per": "marker"})
    assert done(game, "Ann bid 3 fakirs 1", "Ann bid 5 fakirs 1").player("Ann").gold == 46


def short_bag(value: str) -> Game:
    held = ann("Anun-Nak", elders=1, fakirs=1)
    return table(phase="end", bag="BG", ann=held, switches={"anun_nak_short_bag": value})


def test_anun_nak_short_bag_draw_what_there_is() -> None:
    after = done(short_bag("draw_what_there_is"), "Ann power Anun-Nak fakirs 1 tile C3 meeples BG")
    assert (after.tile("C3").meeples, after.bag) == ("GB", "")


def test_anun_nak_short_bag_needs_three() -> None:
    game = short_bag("needs_three")
    line = "Ann power Anun-Nak fakirs 1 tile C3 meeples BG"
    assert broken(game, line) == ["places_what_the_tile_asks"]
    # The paid elder makes it three.
    assert done(game, "Ann power Anun-Nak elders 1 tile C3 meeples WBG").tile("C3").meeples == "WGB"


def lamia_and_enki(value: str) -> Game:
    game = table(
        {"C3": OASIS, "F5": OASIS},
        phase="tile",
        turn={"tile": "C3", "collected": "YY"},
        ann=ann("Lamia", "Enki", elders=3),
        switches={"lamia_hagis_scope": value},
    )
    return done(game, "Ann power Lamia elders 1")


def test_lamia_hagis_scope_any_placement() -> None:
    game = lamia_and_enki("any_placement")
    after = done(game, "Ann power Enki elders 1 tile E4")  # beside the oasis F5
    assert (after.tile("E4").palms, after.turn.active) == (1, ())
    assert broken(after, "Ann place palm D4") == ["places_what_the_tile_asks"]  # it is used up


def test_lamia_hagis_scope_tile_action_only() -> None:
    game = lamia_and_enki("tile_action_only")
    assert broken(game, "Ann power Enki elders 1 tile E4") == ["places_what_the_tile_asks"]
    after = done(game, "Ann power Enki elders 1 tile F5")
    assert after.turn.active == ("Lamia",)  # it waits for the tile's own palm
    assert done(after, "Ann place palm D4").tile("D4").palms == 1


def kandicha_and_nekir(value: str) -> Game:
    return table(
        {"C4": "YB"},
        phase="kill",
        turn={"tile": "C3", "collected": "RR"},
        ann=ann("Kandicha", "Iblis", elders=1),
        bob=ann("Nekir"),
        switches={"kandicha_feeds_nekir": value},
    )


def test_kandicha_feeds_nekir_no() -> None:
    game = kandicha_and_nekir("no")
    assert gold(game, "Ann kill C4:Y") == {}  # kept instead of killed
    assert gold(game, "Ann kill C4:B") == {("Bob", "Nekir"): 2}
    both = done(game, "Ann power Iblis elders 1")
    assert gold(both, "Ann kill C4:Y C4:B") == {("Bob", "Nekir"): 2}  # the other of two died


def test_kandicha_feeds_nekir_yes() -> None:
    assert gold(kandicha_and_nekir("yes"), "Ann kill C4:Y") == {("Bob", "Nekir"): 2}


def large_market(value: str) -> Game:
    return table(
        {"C3": {"type": "large_market"}},
        phase="tile",
        turn={"tile": "C3", "collected": "YY"},
        row=["fish", "silk"],
        switches={"large_market_take_one": value},
    )


def test_large_market_take_one_no() -> None:
    assert broken(large_market("no"), "Ann buy fish") == ["takes_from_the_front"]
    assert done(large_market("no"), "Ann buy fish silk").row == ()


def test_large_market_take_one_yes() -> None:
    after = done(large_market("yes"), "Ann buy fish")
    assert (after.row, after.player("Ann").gold) == (("silk",), 44)
    assert done(large_market("yes"), "Ann buy fish silk").row == ()


def test_hand_visibility_changes_no_rule() -> None:
    """It is for those who show the game, see tests/dashboard/test_secrets.py."""
    private, public = (
        table({"A1": "Y", "A2": "YYB"}, switches={"hand_visibility": value})
        for value in ("private", "public")
    )
    assert private.switch("hand_visibility") == table().switch("hand_visibility") == "private"
    assert [choice.action for choice in legal(private)] == [choice.action for choice in legal(public)]
    assert told(private, "Ann sow A1>A2Y") == told(public, "Ann sow A1>A2Y")


def vizier_taken(value: str) -> Game:
    return table({"A1": "Y", "A2": "YYB"}, bob=ann("Dhenim"), switches={"promo_dhenim": value})


def test_promo_dhenim_off() -> None:
    assert "Dhenim" not in in_the_box(table())
    assert len(in_the_box(table())) == 22


def test_promo_dhenim_per_taking() -> None:
    assert gold(vizier_taken("per_taking"), "Ann sow A1>A2Y") == {("Bob", "Dhenim"): 2}


def test_promo_dhenim_per_vizier() -> None:
    assert gold(vizier_taken("per_vizier"), "Ann sow A1>A2Y") == {("Bob", "Dhenim"): 6}


def test_edition_changes_words_only() -> None:
    fakir, slave = (table({"A1": "Y", "A2": "Y"}, edition=edition) for edition in ("fakir", "slave"))
    assert (fakir.edition, slave.edition) == ("fakir", "slave")
    assert done(slave, "Ann sow A1>A2Y").players == done(fakir, "Ann sow A1>A2Y").players
