"""How quick robots are, by the words of the page that offers them. `quick` is for whoever waits for the game, not a person."""

from __future__ import annotations

from naqala.hands.people import PACES as OF_PEOPLE
from naqala.hands.people import Pace

PACES = {
    "calm": OF_PEOPLE["slow"],
    "human": OF_PEOPLE["brisk"],
    "quick": Pace((300, 500), (200, 400), (200, 400), (500, 900), 600),
}
