"""The rulebook as values and functions: no I/O, no clock, no randomness, no tags. See README.md in this folder."""

from naqala.rules.actions import Action
from naqala.rules.breach import Breach, IllegalMove, InvalidAction
from naqala.rules.choices import Choice, filled, legal
from naqala.rules.events import Event
from naqala.rules.game import play
from naqala.rules.model import Game
from naqala.rules.reading import BadPosition
from naqala.rules.record import BadRecord, Record
from naqala.rules.scoring import Score, score, story, winners

__all__ = [
    "Action",
    "BadPosition",
    "BadRecord",
    "Breach",
    "Choice",
    "Event",
    "Game",
    "IllegalMove",
    "InvalidAction",
    "Record",
    "Score",
    "filled",
    "legal",
    "play",
    "score",
    "story",
    "winners",
]
