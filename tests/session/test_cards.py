"""Cards that the companion deals: nobody names what is drawn, and nobody chooses for another."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from naqala.rules.actions import Power, Reveal
from naqala.rules.choices import legal
from naqala.rules.model import Game
from naqala.session import commands as c
from naqala.session import dealer
from naqala.session.session import Session

from tests.session.conftest import Table, tap


def standing(phase: str = "end", djinns: tuple[str, ...] = ("Sloar",), **turn: Any) -> dict[str, Any]:
    """Ann's turn, with these djinns and what pays for them."""
    players = [
        {"name": "Ann", "djinns": list(djinns), "fakirs": 3, "elders": 3},
        {"name": "Bob", "elders": 2},
    ]
    tiles = {"C3": {"meeples": "WWW", "type": "village", "points": 5}, "D3": {"meeples": "G"}}
    named = {"player": "Ann", "phase": phase, "tile": "D3"} | turn
    return {"tiles": tiles, "players": players, "turn": named, "bag": "YYYY"}


@pytest.mark.parametrize("named", [{}, {"card": "ivory"}, {"card": ["gold"]}])
def test_the_companion_draws_the_card_whatever_a_phone_names(table: Table, named: dict[str, Any]) -> None:
    session = table.resume(standing())
    session.pick = lambda count: 0  # always the first of the pile
    assert tap(session, "Ann", do="power", player="Ann", djinn="Sloar", fakirs=1, **named).accepted
    action = session.snapshot.log[-1].action
    assert isinstance(action, Power)
    assert action.card == first_of_the_pile(session)


def first_of_the_pile(session: Session) -> tuple[str, ...]:
    """The first card of the pile of the game before."""
    choice = next(
        choice
        for choice in legal(session.in_hand.record.at(0))
        if isinstance(choice.action, Power) and choice.action.fakirs == 1
    )
    return (choice.asks[0].options[0],)


def test_a_victims_card_is_drawn_whatever_a_phone_names(table: Table) -> None:
    position = standing("kill", ("Kandicha",), collected="RR")
    session = table.resume(position)
    choice = next(choice for choice in session.snapshot.choices if choice.asks and not choice.action.fakirs)
    (victim,) = choice.action.victims
    session.pick = lambda count: 0
    answer = tap(
        session,
        "Ann",
        do="kill",
        player="Ann",
        victims=[{"tile": victim.tile, "meeple": victim.meeple}],
        card=choice.asks[0].options[-1],
    )
    assert answer.accepted, answer
    assert session.snapshot.log[-1].action.card == choice.asks[0].options[:1]


def test_people_name_the_card_they_drew_when_the_cards_are_theirs(table: Table) -> None:
    session = table.resume(standing(), cards="physical")
    assert tap(session, "Ann", do="power", player="Ann", djinn="Sloar", fakirs=1, card="gold").accepted
    assert session.snapshot.log[-1].action.card == ("gold",)


def test_nobody_names_the_cards_of_the_clean_up(table: Table) -> None:
    session = table.resume(standing())
    drawn = dealer.completed(to_be_turned_up(session), Reveal(("gold",) * 9, ()), lambda count: 0)
    assert isinstance(drawn, Reveal)
    assert drawn == dealer.completed(to_be_turned_up(session), Reveal(), lambda count: 0)


def to_be_turned_up(session: Session) -> Game:
    game = session.snapshot.game
    return replace(game, turn=replace(game.turn, player=None, phase="reveal"), row=())


def test_nobody_chooses_the_djinn_that_another_keeps(table: Table) -> None:
    session = table.resume(standing(djinns=("Sibittis",)))
    assert tap(session, "Ann", do="power", player="Ann", djinn="Sibittis", elders=1, fakirs=1).accepted
    waiting = session.snapshot.drawn
    assert waiting is not None and waiting.player == "Ann"
    for keep in waiting.drawn:
        answer = tap(session, "Bob", do="power", player="Bob", djinn="Sibittis", keep=keep)
        assert (answer.accepted, answer.why) == (False, "choose_a_djinn")
    assert session.snapshot.game.player("Ann").djinns == ("Sibittis",)
    kept = waiting.drawn[1]
    action = {"do": "power", "player": "Ann", "djinn": "Sibittis", "keep": kept}
    assert session.tell(c.Tap(c.OWNER, session.snapshot.step, action)).accepted, "the host acts for everybody"
    assert session.snapshot.game.player("Ann").djinns == ("Sibittis", kept)
