"""Game and table side by side: what stands there by the record, what stands there as seen, and what differs.

In: a Game, a Table, counts (`Stand`). Out: counts and a `Surplus`, per tile and piece how many more are seen than the
record has. Pieces without any tag are never missed, and of a silent tile nothing is claimed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from naqala.rules.actions import Correct, Standing
from naqala.rules.board import NUMBER, TILES
from naqala.rules.model import Game, in_tribe_order
from naqala.table.evidence import Evidence, Stand, stand
from naqala.table.pieces import CAMEL, MEEPLE, PALACE, PALM
from naqala.table.readings import Step
from naqala.table.remedy import Surplus, repair
from naqala.transcript import Piece


def expected(game: Game) -> Stand:
    """What stands on the tiles by the record."""
    return Stand(
        game.meeples,
        tuple((tile.camel,) if tile.camel else () for tile in game.tiles),
        tuple(tile.palms for tile in game.tiles),
        tuple(tile.palaces for tile in game.tiles),
    )


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


def cleared(seen: Stand, *accepted: Surplus) -> Stand:
    """The table with accepted differences taken out, as if they were put right."""
    if not any(accepted):
        return seen
    meeples = [Counter(letters) for letters in seen.meeples]
    camels = [Counter(names) for names in seen.camels]
    counts = {PALM: list(seen.palms), PALACE: list(seen.palaces)}
    for surplus in accepted:
        for (tile, piece), count in surplus.items():
            number = NUMBER[tile]
            if piece.kind == MEEPLE:
                meeples[number][piece.which] -= count
            elif piece.kind == CAMEL:
                camels[number][piece.which] -= count
            else:
                counts[piece.kind][number] -= count
    return Stand(
        tuple(in_tribe_order("".join((+letters).elements())) for letters in meeples),
        tuple(tuple(sorted((+names).elements())) for names in camels),
        tuple(max(0, count) for count in counts[PALM]),
        tuple(max(0, count) for count in counts[PALACE]),
    )


def difference(seen: Stand, record: Stand, seeable: frozenset[Piece]) -> Surplus:
    """Per tile and piece: seen less recorded. Pieces of which no tag is registered are left out."""
    found: dict[tuple[str, Piece], int] = {}
    if seen == record:
        return found
    for number, tile in enumerate(TILES):
        if seen.meeples[number] != record.meeples[number]:
            _count(found, tile, MEEPLE, seen.meeples[number], record.meeples[number])
        if seen.camels[number] != record.camels[number]:
            _count(found, tile, CAMEL, seen.camels[number], record.camels[number])
        for kind, here, there in ((PALM, seen.palms, record.palms), (PALACE, seen.palaces, record.palaces)):
            if here[number] != there[number]:
                found[tile, Piece(kind)] = here[number] - there[number]
    return {key: count for key, count in found.items() if count and (key[1] in seeable or count > 0)}


def _count(
    found: dict[tuple[str, Piece], int],
    tile: str,
    kind: str,
    here: str | tuple[str, ...],
    there: str | tuple[str, ...],
) -> None:
    counts = Counter(here)
    counts.subtract(Counter(there))
    for name, count in counts.items():
        if count:
            found[tile, Piece(kind, name)] = count


# --- getting back in step -----------------------------------------------------------------------------------


def guided_repair(game: Game, evidence: Evidence) -> tuple[Step, ...]:
    """ "The record is right": single instructions that bring the table there, the shortest first. Empty when it is."""
    seen = silenced(stand(evidence), evidence, game, {})
    return repair(difference(seen, expected(game), frozenset(evidence.tags.values())))


def take_over(game: Game, evidence: Evidence, tile: str | None = None) -> Correct:
    """ "The table is right": the action that makes the game take over what is seen, on one tile or on all.

    Only what differs is taken over, so that a piece without a tag stays where the record has it.
    """
    seen = silenced(stand(evidence), evidence, game, {})
    surplus = difference(seen, expected(game), frozenset(evidence.tags.values()))
    changed = {name for name, _ in surplus}
    return Correct(
        tuple(_as_seen(game, surplus, name) for name in TILES if name in changed and tile in (None, name))
    )


def _as_seen(game: Game, surplus: Surplus, tile: str) -> Standing:
    old = game.tile(tile)
    letters, camel, palms, palaces = Counter(old.meeples), old.camel, old.palms, old.palaces
    for (where, piece), count in sorted(surplus.items(), key=lambda item: item[1]):
        if where != tile:
            continue
        if piece.kind == MEEPLE:
            letters[piece.which] += count
        elif piece.kind == CAMEL:
            # Two camels on one tile cannot be recorded: the one that stood there stays.
            camel = (piece.which if camel is None else camel) if count > 0 else None
        elif piece.kind == PALM:
            palms += count
        else:
            palaces += count
    return Standing(tile, in_tribe_order("".join((+letters).elements())), camel, palms, palaces)
