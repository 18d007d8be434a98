"""What is read on the table, with tiles whose readers tell nothing as the record or a tap has them.

In: counts of what is read (`Stand`), the evidence, a game. Out: counts. The comparing itself is in `naqala.table.compare`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from naqala.referee.evidence import Evidence
from naqala.rules.board import NUMBER
from naqala.rules.model import Game, in_tribe_order
from naqala.table.compare import expected
from naqala.table.pieces import MEEPLE
from naqala.table.sight import Stand


def silenced(seen: Stand, evidence: Evidence, game: Game, told: Mapping[str, str]) -> Stand:
    """The same, silent tiles as the record or a tap has them, less the meeples that are read elsewhere; on a tile whose reader
    may not see all, what is read and what the record has."""
    silent, partial = evidence.silent, evidence.partial
    if not silent and not partial:
        return seen
    record = expected(game)
    meeples, camels = list(seen.meeples), list(seen.camels)
    palms, palaces = list(seen.palms), list(seen.palaces)
    for tile in sorted(silent | partial):
        number = NUMBER[tile]
        if tile in silent:
            moved = _read_elsewhere(evidence, tile) if tile not in told else Counter[str]()
            left = Counter(told.get(tile, record.meeples[number])) - moved
            meeples[number] = in_tribe_order("".join(left.elements()))
            camels[number] = record.camels[number]
            palms[number], palaces[number] = record.palms[number], record.palaces[number]
        else:  # what is read is there, and what is not read may be
            left = Counter(told.get(tile, record.meeples[number]))
            meeples[number] = in_tribe_order("".join((left | Counter(meeples[number])).elements()))
            camels[number] = tuple(sorted({*camels[number], *record.camels[number]}))
            palms[number] = max(palms[number], record.palms[number])
            palaces[number] = max(palaces[number], record.palaces[number])
    return Stand(tuple(meeples), tuple(camels), tuple(palms), tuple(palaces))


def _read_elsewhere(evidence: Evidence, tile: str) -> Counter[str]:
    """Meeples whose last place was this tile and that a working reader holds now."""
    places, found = evidence.places(), Counter[str]()
    for tag, stays in evidence.stays.items():
        here = any(stay.open and stay.tile == tile for stay in stays)
        if here and evidence.tags[tag].kind == MEEPLE and places.get(tag, tile) != tile:
            found[evidence.tags[tag].which] += 1
    return found
