"""Ways of a sowing: different sequences of drops from a start tile to a wanted last drop.

They bring the same, but leave different boards to the next players. There can be thousands, so only some are given, by the
caller's dice spread over all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from naqala.rules.board import TILES
from naqala.rules.sowing import Drop
from naqala.rules.walks import ONWARD, STANDS_ON, reach

Way = tuple[Drop, ...]


def ways(meeples: Sequence[str], start: int, end: int, colour: str, most: int, dice: Random) -> list[Way]:
    """Up to so many different ways, each leaving another board."""
    hand = meeples[start]
    lies = start != end and colour in meeples[end]
    found: dict[tuple[Drop, ...], Way] = {}
    for tried, way in enumerate(_walked(start, hand, end, colour, lies, dice)):
        found.setdefault(tuple(sorted(way)), way)
        if len(found) >= most or tried >= 4 * most:
            break
    return list(found.values())


def _walked(stance: int, hand: str, end: int, colour: str, met: bool, dice: Random) -> Iterator[Way]:
    """Ways from a stance; `met` says whether the last meeple finds its colour on the end tile."""
    if len(hand) == 1:
        if met and hand == colour:
            for onto in ONWARD[stance]:
                if STANDS_ON[onto] == end:
                    yield ((TILES[end], colour),)
        return
    ends, returns = reach(len(hand) - 1)
    steps = [(onto, letter) for onto in ONWARD[stance] for letter in sorted(set(hand))]
    dice.shuffle(steps)
    for onto, letter in steps:
        rest = hand.replace(letter, "", 1)
        tile = STANDS_ON[onto]
        meets = met or (letter == colour and tile == end)
        bits = ends[onto] if meets else returns[onto]
        if colour in rest and bits >> end & 1 and (meets or rest.count(colour) > 1):
            for way in _walked(onto, rest, end, colour, meets, dice):
                yield ((TILES[tile], letter), *way)


def after(meeples: Sequence[str], start: int, way: Way, numbers: dict[str, int]) -> list[str]:
    """What lies on the board after a sowing and its collecting."""
    board = list(meeples)
    board[start] = ""
    for tile, letter in way:
        board[numbers[tile]] += letter
    end, colour = way[-1]
    board[numbers[end]] = board[numbers[end]].replace(colour, "")
    return board
