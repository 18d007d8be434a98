"""What a robot asks people to move: the steps of one action, and how far the hands are.

    planned(game, Sow("Robo", "C3", (("C4", "B"), ("D4", "Y"))), "strong", standing=12)
    Plan(steps=(Step("lift", "C3", "BY"), Step("drop", "C4", "B"), Step("drop", "D4", "Y"),
                Step("keep", "D4", "YYY"), Step("camel", "D4")))

The steps are made of the rules' own events, so they can never say anything else than what the record will hold. A plan stands
until the record has its action. At a table with readers the referee confirms it, and the hands' way is compared with the plan
while they move; where nobody watches, one command says "done as told".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from naqala.rules import events as e
from naqala.rules.actions import Action, Kill, Place, Sow
from naqala.rules.game import play
from naqala.rules.model import Game
from naqala.session.chronicle import NOTE, Chronicle
from naqala.table.readings import Doing

KEPT = "YW"  # a move's viziers and elders stay with the player, the others go into the bag
LIFT, DROP, KEEP, BAG, CAMEL, PLACE, ARRIVE, GIVE, ROB = KINDS = (
    "lift",  # take all meeples of a tile in hand
    "drop",  # put one of them down
    "keep",  # take meeples off a tile and lay them before the robot
    "bag",  # take meeples off a tile and put them into the bag
    "camel",  # put one of the robot's camels down
    "place",  # put a palm or palace down
    "arrive",  # put meeples from the bag on a tile
    "give",  # meeples that a player holds go into the bag
    "rob",  # or to the robot
)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing for a hand to do. `what` is letters of meeples or the name of a piece, `player` whose they are."""

    kind: str
    tile: str = ""
    what: str = ""
    player: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What people shall move for a robot. Without an action the record has it already, and only the pieces are to follow.

    `standing` is the number of actions that stood when it was made. `strayed`: the hands did something else for the robot, which
    is legal and stands; people take it back, or let it be.
    """

    player: str
    level: str
    standing: int
    steps: tuple[Step, ...]
    action: Action | None = None
    strayed: bool = False


def steps_of(events: Iterable[e.Event]) -> tuple[Step, ...]:
    """What hands have to do so that the table shows these events; most need nothing."""
    return tuple(step for event in events for step in _steps(event))


def _steps(event: e.Event) -> Iterable[Step]:
    match event:
        case e.Lifted(_, tile, meeples):
            yield Step(LIFT, tile, meeples)
        case e.Dropped(_, tile, meeple, _):
            yield Step(DROP, tile, meeple)
        case e.Collected(player, tile, meeple, count):
            yield Step(KEEP if meeple in KEPT else BAG, tile, meeple * count, player)
        case e.Killed(_, meeple, _, tile, of):
            yield Step(BAG, tile, meeple) if tile else Step(GIVE, "", meeple, of or "")
        case e.Kept(player, meeple, _, tile, of):
            yield Step(KEEP, tile, meeple, player) if tile else Step(ROB, "", meeple, of or "")
        case e.Controlled(player, tile, _):
            yield Step(CAMEL, tile, "camel", player)
        case e.Placed(_, what, tile, _):
            yield Step(PLACE, tile, what)
        case e.MeeplesArrived(_, tile, meeples, _):
            yield Step(ARRIVE, tile, meeples)
        case e.Spent(player, elders, _, _) if elders:
            yield Step(GIVE, "", "W" * elders, player)
        case _:
            pass


def by_hand(action: Action) -> bool:
    """Whether people make this action on the board, and the record follows; everything else a robot tells by itself."""
    if isinstance(action, Kill):
        seen = action.victims and all(victim.tile for victim in action.victims)
        return bool(seen) and not action.fakirs and not action.card
    return isinstance(action, Sow | Place)


def planned(game: Game, action: Action, level: str, standing: int) -> Plan:
    """The plan of an action that people are to make."""
    player = str(game.turn.player)
    return Plan(player, level, standing, steps_of(play(game, action)[1]), action)


# --- how it goes on ---------------------------------------------------------------------------------------------


def same(one: Action | None, other: Action | None) -> bool:
    """Whether two actions are one: meeples of a sowing may have been dropped in another order on the way."""
    if isinstance(one, Sow) and isinstance(other, Sow):
        ends = one.drops[-1:] == other.drops[-1:] and one.start == other.start
        return ends and sorted(one.drops) == sorted(other.drops)
    return one == other


def carried_over(plan: Plan | None, chronicle: Chronicle) -> Plan | None:
    """The plan after something was written down: as it was after a mere note, strayed from when the hands made another move for
    the robot, else gone."""
    if plan is None:
        return None
    if chronicle.log[-1].kind == NOTE:
        return plan
    done = chronicle.record.actions[plan.standing :]
    if plan.action is None or plan.strayed or len(done) != 1 or same(done[0], plan.action):
        return None
    return replace(plan, strayed=True) if getattr(done[0], "player", None) == plan.player else None


@dataclass(frozen=True, slots=True)
class Progress:
    """How many steps are done; `off` is a tile where a hand has been that the plan does not name next."""

    done: int = 0
    off: str = ""


def progress(plan: Plan, reading: Any) -> Progress:
    """How far the hands are, from what the referee sees of a move in flight."""
    if not isinstance(reading, Doing) or not plan.steps or plan.steps[0].kind != LIFT:
        return Progress()
    wanted = [step.tile for step in plan.steps if step.kind in (LIFT, DROP)]
    for number, tile in enumerate(reading.path):
        if number >= len(wanted) or tile != wanted[number]:
            return Progress(number, tile)
    return Progress(len(reading.path))


def next_tile(plan: Plan | None, reading: Any) -> str:
    """The tile whose lamp is lit for the next step; "" when the next step is not on the board."""
    if plan is None or plan.strayed:
        return ""
    done = progress(plan, reading).done
    return plan.steps[done].tile if done < len(plan.steps) else ""
