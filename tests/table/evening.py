"""A robots' game played by hands: every action of a record as something done on the table or told by a tap.

What readers can see is done and not told: sowings, camels, palms, palaces, victims on tiles. What they cannot see (bids,
cards, how a djinn was paid, victims held by players) is tapped first, and the pieces follow.
"""

from __future__ import annotations

from random import Random

from naqala.rules.actions import Action, Kill, Place, Power, Sow
from naqala.rules.board import distance
from naqala.rules.events import Controlled
from naqala.rules.model import Game
from naqala.rules.notation import to_json
from naqala.rules.record import Record
from naqala.rules.sowing import Sowing

from tests.table.hands import MANNERS, Stage, sow

SCOOPS = ("at once", "at once", "in two grabs")


def play_record(record: Record, seed: int, actions: int | None = None) -> Stage:
    """The stage after hands have played the record, or its beginning."""
    dice = Random(seed)
    stage = Stage(record.opening, dice)
    stage.now = 1500
    game = record.opening
    for step in record.steps[:actions]:
        _act(stage, game, step.action, dice)
        for event in step.events:
            if isinstance(event, Controlled):
                stage.wait(900, 2000)
                stage.put(stage.beside("camel", event.player), event.tile)
        stage.wait(2500, 4000)
        game = step.game
    return stage


def _act(stage: Stage, game: Game, action: Action, dice: Random) -> None:
    if isinstance(action, Sow):
        sow(stage, Sowing(action.start, action.drops), dice.choice(MANNERS), dice.choice(SCOOPS))
        stage.wait(1500, 2500)
        return
    if not _is_seen(game, action):
        stage.tap(**to_json(action))
        stage.wait(200, 900)
    if isinstance(action, Place):
        stage.put(stage.beside(action.what), action.tile)
        stage.wait(1500)
    elif isinstance(action, Kill):
        for victim in action.victims:
            if victim.tile:
                stage.put(stage.on(victim.tile, which=victim.meeple)[0], None)
        stage.wait(3500, 4500)
    elif isinstance(action, Power) and action.tile:
        _aim(stage, action, action.tile)


def _aim(stage: Stage, action: Power, tile: str) -> None:
    for letter in action.meeples:
        stage.put(stage.beside("meeple", letter), tile)
    what = {"Enki": "palm", "Bouraq": "palace"}.get(action.djinn)
    if what:
        stage.put(stage.beside(what), tile)


def _is_seen(game: Game, action: Action) -> bool:
    """Whether the table alone tells the whole action."""
    if isinstance(action, Kill):
        reach = len(game.turn.collected) + action.fakirs
        near = [victim for victim in action.victims if victim.tile]
        needed = max((distance(str(game.turn.tile), str(v.tile)) for v in near), default=0)
        thrifty = action.fakirs == 0 or needed == reach
        return len(near) == len(action.victims) > 0 and not action.card and thrifty
    return isinstance(action, Place)
