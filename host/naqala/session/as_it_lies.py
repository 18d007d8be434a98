"""A move that people let stand although it breaks a rule: when it counts as made, and by which actions.

In: the session, whose table and record differ, and the sowing that the flag speaks of. Out: actions, written down in the
session's own thread. Before its last meeple is down such a move only goes on, and what was let stand is no flag any more.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from naqala.rules.actions import Action, Correct, Sow, Standing
from naqala.rules.breach import InvalidAction
from naqala.rules.game import play
from naqala.rules.model import in_tribe_order
from naqala.rules.sowing import Sowing
from naqala.session.chronicle import CORRECTION, OVERRIDE, forgiven_by
from naqala.table.pieces import MEEPLE
from naqala.table.readings import Doing, Reading, Wrong
from naqala.table.remedy import Surplus
from naqala.table.scene import differing

if TYPE_CHECKING:
    from naqala.session.session import Session


def goes_on(session: Session, reading: Wrong) -> bool:
    """A move whose breaches were let stand while it was made: as soon as it is all down it counts as made. Whether it does."""
    by = forgiven_by(session.in_hand, reading)
    made = as_made(session, reading.sowing) if by and reading.sowing is not None else ()
    if made:
        let_stand(session, made, str(by))
    return bool(made)


def still_made(session: Session, reading: Reading | None) -> Doing | None:
    """The move in flight that a flag speaks of, when people have let stand all that the flag objects to."""
    if not isinstance(reading, Wrong) or reading.sowing is None or not forgiven_by(session.in_hand, reading):
        return None
    hand = in_hand(session, reading.sowing)
    return Doing(hand, reading.sowing.start, reading.sowing.drops) if hand else None


def in_hand(session: Session, sowing: Sowing) -> str:
    """The meeples of a move that are neither put down nor left behind on its start tile."""
    lay = Counter(session.in_hand.game.tile(sowing.start).meeples)
    there = lay.copy()
    for (tile, piece), more in _surplus(session).items():
        if tile == sowing.start and piece.kind == MEEPLE:
            there[piece.which] += more
    left_behind = there - Counter(letter for tile, letter in sowing.drops if tile == sowing.start)
    return in_tribe_order("".join((lay - Counter(sowing.hand) - left_behind).elements()))


def _surplus(session: Session) -> Surplus:
    """What is seen beside the record, less what people let lie before."""
    assert session.watcher is not None
    found = differing(session.watcher, session.in_hand.game)
    return {key: n - session.watcher.lies.get(key, 0) for key, n in found.items()}


def as_made(session: Session, sowing: Sowing) -> tuple[Action, ...]:
    """The actions by which a move that is all down counts as made; none while it is not, or when the rules cannot hold it.
    Meeples of another tile that were carried along are put to those of the start tile first, as a correction."""
    game = session.in_hand.game
    if not sowing.drops or in_hand(session, sowing):
        return ()
    sow = Sow(str(game.turn.player), sowing.start, sowing.drops, as_it_lies=True)
    foreign = Counter(sowing.hand) - Counter(game.tile(sowing.start).meeples)
    made = (_brought_along(session, sowing.start, foreign), sow) if foreign else (sow,)
    try:
        for action in made:
            game, _ = play(game, action)
    except InvalidAction:
        return ()
    return made


def _brought_along(session: Session, start: str, foreign: Counter[str]) -> Correct:
    game = session.in_hand.game
    meeples = {start: Counter(game.tile(start).meeples) + foreign}
    for (tile, piece), more in _surplus(session).items():
        taken = min(-more, foreign[piece.which]) if piece.kind == MEEPLE and tile != start else 0
        if taken > 0:
            foreign = foreign - Counter({piece.which: taken})
            before = meeples.get(tile, Counter(game.tile(tile).meeples))
            meeples[tile] = before - Counter({piece.which: taken})
    return Correct(
        tuple(
            Standing(name, in_tribe_order("".join(letters.elements())), old.camel, old.palms, old.palaces)
            for name, letters in sorted(meeples.items())
            for old in (game.tile(name),)
        )
    )


def let_stand(session: Session, made: tuple[Action, ...], by: str) -> None:
    """Write them down; the referee goes on from there."""
    for action in made[:-1]:
        session.write(action, by, CORRECTION)
    session.write(made[-1], by, OVERRIDE)
    session.go_on()
