"""What readers made of a scene, as the text of a transcript; and single moves for tests that need just one.

>>> one = single(game, Sow("Ann", "C3", (("C4", "G"), ("D4", "R"))), seed=7, style="two_at_once", level="moderate")
>>> transcript.read(one.text)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random

from naqala.hands.noise import LEVELS, Disturbance, Places, disturbances
from naqala.hands.people import PACES, Person
from naqala.hands.readers import LANES, Lanes, Line, Readers
from naqala.hands.repairs import WrongMove
from naqala.hands.slips import Spoilt
from naqala.hands.styles import sowing
from naqala.hands.table import FRAME, Change, Scene, laid_out
from naqala.rules.actions import Sow
from naqala.rules.model import Game
from naqala.rules.position import to_json
from naqala.transcript import HEAD, write_head

BEGINS_MS = 4_000  # the first sweep is over
SETTLES_MS = 6_000  # after the last motion


@dataclass(frozen=True, slots=True)
class Recording:
    """A transcript and the troubles of its table."""

    text: str
    troubles: tuple[Disturbance, ...]


def recorded(
    opening: Game,
    scene: Scene,
    first: Mapping[str, Change],
    level: str,
    dice: Random,
    *,
    taps: Iterable[Line] = (),
    looked: bool = True,
    lanes: Lanes | None = None,
    settles_ms: int = SETTLES_MS,
) -> Recording:
    """What readers of this level see of everything that was done on the scene since `first`, and some time after that."""
    noise, pieces, end = LEVELS[level], scene.table.tags(), scene.now_ms + settles_ms
    troubles = disturbances(noise, Places(first, scene.changes), pieces, BEGINS_MS, scene.now_ms, dice)
    readers = Readers(noise, lanes or dice.choice(LANES), looked, dice)
    lines = [*readers.watch(first, scene.changes, troubles, end), *taps]
    head = [HEAD, *write_head(to_json(opening), FRAME, pieces)]
    body = [f"@{line.at_ms} {line.text}" for line in sorted(lines, key=lambda line: line.at_ms)]
    return Recording("\n".join([*head, *body]) + "\n", tuple(troubles))


@dataclass(frozen=True, slots=True)
class Single:
    """One move. `wrong_ms` is the moment at which it broke a rule; the changes are what hands did."""

    text: str
    changes: tuple[Change, ...]
    wrong_ms: int | None = None


def single(
    game: Game,
    action: Sow,
    seed: int,
    *,
    style: str = "one_by_one",
    scooping: str | None = "at_once",
    pace: str = "brisk",
    level: str = "neat",
    spoilt: Spoilt | None = None,
    lanes: Lanes | None = LANES[0],
    settles_ms: int = SETTLES_MS,
) -> Single:
    """One sowing, legal or spoilt and then not repaired. Without `scooping` the last group stays where it is."""
    dice = Random(f"single {seed}")
    scene = Scene(laid_out(game, dice), BEGINS_MS)
    first = scene.table.snapshot()
    person = Person(dice, PACES[pace], action.player)
    wrong_ms = None
    if spoilt is not None:
        motions, wrong = WrongMove(scene.table, person, action, spoilt).go_wrong()
        wrong_ms = scene.make(motions)[wrong]
    else:
        scene.make(sowing(scene.table, person, action.start, action.drops, style, scooping))
    made = recorded(game, scene, first, level, dice, lanes=lanes, settles_ms=settles_ms)
    return Single(made.text, tuple(scene.changes), wrong_ms)
