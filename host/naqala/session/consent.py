"""Asking the others: what reaches into another's turn or changes somebody's points waits until all the others agree.

One question at a time is open (`Snapshot.asked`), of four kinds: an undo, "use what's on the table", "allow this move
anyway", and what stands on a tile whose reader is dead. It says what would change before anybody agrees: the tiles before and after, and everybody's points.

    Ann:   three of my camels are on the board: use what is there    -> asked: A1 no camel -> camel of Ann, Ann +15 points ...
    Bob:   yes                                                        -> waiting for Cy
    Cy:    yes                                                        -> a note that Bob and Cy agreed, and the correction

The points are differences that follow from what everybody sees, so that nothing is told of anybody's hand. What is done when all have
agreed, and whether it is still what they agreed to, stands in `agreed`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from naqala.rules.actions import Action
from naqala.rules.board import TILES
from naqala.rules.game import play
from naqala.rules.model import Game
from naqala.session import commands as c
from naqala.session.chronicle import points_changed
from naqala.session.refusal import Refused
from naqala.session.snapshot import Question, TileChange

if TYPE_CHECKING:
    from naqala.session.session import Session

UNDO, CORRECTION, OVERRIDE, TILE = ("undo", "correction", "override", "tile")  # what can be asked


def changes(
    game: Game, actions: Sequence[Action]
) -> tuple[tuple[TileChange, ...], tuple[tuple[str, int], ...]]:
    """What these actions would change: tiles before and after, and points by player. Raises what `play` raises."""
    after = game
    for action in actions:
        after, _ = play(after, action)
    tiles = tuple(
        TileChange.of(name, old, new)
        for name, old, new in zip(TILES, game.tiles, after.tiles, strict=True)
        if old != new
    )
    return tiles, points_changed(game, after)


def needed(game: Game, actions: Sequence[Action]) -> bool:
    """Whether somebody's points would change."""
    return bool(changes(game, actions)[1])


def ask(session: Session, by: str, kind: str, actions: Sequence[Action], about: str = "") -> None:
    """Ask all the others. While another's question is open nobody asks anything else; the same player may ask anew."""
    before = session.snapshot.asked
    if before is not None and before.by != by:
        raise Refused("question_open", player=before.by)
    others = tuple(seat.name for seat in session.snapshot.seats if seat.name != by)
    tiles, points = changes(session.in_hand.game, actions) if kind != UNDO else ((), ())
    number = session.snapshot.version + 1  # no other question of this session has it
    session.publish(asked=Question(number, by, kind, tuple(actions), about, tiles, points, (), others))


def answered(session: Session, told: c.Consent) -> Question | None:
    """Take in one answer: the question when it was the last yes, else None. The owner answers for those without a phone. After the
    last yes the question stays open until what was asked for is on disk: a full disk may ask for that yes once more."""
    session.in_play(told.step)
    asked = session.snapshot.asked
    answering = _answers_for(told, asked) if asked is not None else ()
    if asked is None or not answering:
        raise Refused("nothing_asked")
    if not told.agreed:
        session.publish(asked=None)
        return None
    waiting = tuple(name for name in asked.waiting_for if name not in answering)
    asked = replace(asked, agreed=(*asked.agreed, *answering), waiting_for=waiting)
    if waiting:
        session.publish(asked=asked)
    return None if waiting else asked


def _answers_for(told: c.Consent, asked: Question) -> tuple[str, ...]:
    """Those who are still asked and for whom this answer counts."""
    if told.number != asked.number:
        return ()
    if told.by != c.OWNER:
        return (told.by,) if told.by in asked.waiting_for else ()
    if told.players is None or not told.agreed:
        return asked.waiting_for
    return tuple(name for name in asked.waiting_for if name in told.players)
