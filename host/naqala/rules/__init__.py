"""The rulebook as values and functions: no I/O, no clock, no randomness, no tags. See README.md in this folder."""

from naqala.rules.actions import Action
from naqala.rules.breach import Breach, IllegalMove, InvalidAction
from naqala.rules.events import Event
from naqala.rules.game import play
from naqala.rules.model import Game
from naqala.rules.reading import BadPosition

__all__ = [
    "Action",
    "BadPosition",
    "Breach",
    "Event",
    "Game",
    "IllegalMove",
    "InvalidAction",
    "play",
]
