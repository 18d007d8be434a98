"""Set-up check: is the table ready for the first turn? Everything that is not, in words and as values.

In: the evidence of a table after its first sweep, and the opening if one is agreed. Out: `Trouble`s, none when all is well: every tile lies
where its tag says, 3 meeples stand on each, 16 yellow, 20 white, 18 green, 18 blue and 18 red in all, no stranger, no double.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from naqala.rules.board import MEEPLES, TILES
from naqala.rules.model import Game
from naqala.table.compare import difference, expected
from naqala.table.evidence import Evidence, stand, turned
from naqala.table.pieces import CAMEL, COLOURS, MEEPLE, PALACE, PALM, TILE
from naqala.table.remedy import repair, sentence

EACH = 3  # meeples on every tile before the first turn


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that is not ready. `text` says it; `what` and `facts` are the same for a screen in another language."""

    what: str
    text: str
    tiles: tuple[str, ...] = ()
    facts: tuple[tuple[str, str | int], ...] = field(default=(), compare=False)


def check_setup(table: Evidence, opening: Game | None = None) -> tuple[Trouble, ...]:
    """Everything that stands between this table and the first turn; nothing when it can begin."""
    found = [*_readers(table), *_tiles(table), *_strangers(table), *_doubles(table), *_others(table)]
    silent = {trouble.tiles[0] for trouble in found if trouble.what == "silent_reader"}
    if opening is None:
        return (*found, *_three_each(table, silent), *_totals(table, bool(silent)))
    return (*found, *_as_agreed(table, opening, silent))


def _readers(table: Evidence) -> Iterator[Trouble]:
    for reader, tile in sorted(table.readers.items()):
        if reader in table.faults:
            code = table.faults[reader]
            text = f"The reader under {tile} reports a fault ({code})."
            yield Trouble("silent_reader", text, (tile,), (("code", code),))
        elif reader not in table.on:
            text = f"The reader under {tile} has not said anything yet."
            yield Trouble("silent_reader", text, (tile,), (("code", "silent"),))
        elif reader in table.blind:
            text = f"The reader under {tile} no longer sees its own tile."
            yield Trouble("silent_reader", text, (tile,), (("code", "blind"),))
    for tile in TILES:
        if tile not in table.readers.values():
            yield Trouble("no_reader", f"No reader is mapped to {tile}.", (tile,))


def _tiles(table: Evidence) -> Iterator[Trouble]:
    """Every tile known by its tag, each where it belongs. A whole board turned round is one trouble, not thirty."""
    if not any(piece.kind == TILE for piece in table.tags.values()):
        return
    shifted = table.shifted
    if len(shifted) > 1 and all(_opposite(tile) == place for tile, place in shifted.items()):
        yield Trouble(
            "turned_round", "The board lies turned round: turn it, or start with naqala play --turned."
        )
    else:
        for tile, place in sorted(shifted.items()):
            yield Trouble("shifted_tile", f"The tile of {tile} lies on {place}.", (tile, place))
    for reader, place in sorted(table.readers.items()):
        tiles = [t for t in table.on.get(reader, ()) if t in table.tags and table.tags[t].kind == TILE]
        if not tiles and reader in table.on and reader not in table.blind:
            yield Trouble("missing_tile", f"No tile is seen on {place}.", (place,))
        elif len(tiles) > 1:
            yield Trouble("two_tiles", f"Two tiles are seen on {place}.", (place,))


def _opposite(tile: str) -> str:
    return turned({0: tile})[0]


def _strangers(table: Evidence) -> Iterator[Trouble]:
    for tile, tags in sorted(table.unknown.items()):
        for tag in tags:
            text = f"Tag {tag} on {tile} is not registered: enrol it or take it away."
            yield Trouble("unknown_tag", text, (tile,), (("tag", tag),))


def _doubles(table: Evidence) -> Iterator[Trouble]:
    for tag, places in table.doubled.items():
        tiles = tuple(sorted(places))
        text = f"One piece ({table.tags[tag]}, tag {tag}) is read on {' and '.join(tiles)}: move it to the middle of its tile."
        yield Trouble("two_places", text, tiles, (("piece", str(table.tags[tag])),))


def _others(table: Evidence) -> Iterator[Trouble]:
    """Nothing but meeples stands on a tile before the first turn."""
    for tile, pieces in table.standing().items():
        for _, piece in pieces:
            if piece.kind in (CAMEL, PALM, PALACE):
                text = f"Take the {piece} from {tile}: the game has not begun."
                yield Trouble("too_early", text, (tile,), (("piece", str(piece)),))


def _three_each(table: Evidence, silent: set[str]) -> Iterator[Trouble]:
    seen = stand(table)
    for tile, letters in zip(TILES, seen.meeples, strict=True):
        if len(letters) != EACH and tile not in silent and tile in table.readers.values():
            text = f"{len(letters)} meeples stand on {tile}, not {EACH}."
            yield Trouble("not_three", text, (tile,), (("seen", len(letters)), ("wanted", EACH)))


def _totals(table: Evidence, partly: bool) -> Iterator[Trouble]:
    counts = Counter("".join(stand(table).meeples))
    for letter, count in MEEPLES.items():
        if counts[letter] > count or (counts[letter] < count and not partly):
            text = f"{counts[letter]} {COLOURS[letter]} meeples are seen, not {count}."
            facts = (("tribe", letter), ("seen", counts[letter]), ("wanted", count))
            yield Trouble("wrong_total", text, facts=facts)


def _as_agreed(table: Evidence, opening: Game, silent: set[str]) -> Iterator[Trouble]:
    """The way to an opening that is agreed, one instruction each, the shortest first."""
    meeples = {
        key: count
        for key, count in difference(stand(table), expected(opening), frozenset(table.tags.values())).items()
        if key[1].kind == MEEPLE and key[0] not in silent and key[0] in table.readers.values()
    }
    for step in repair(meeples):
        tiles = tuple(tile for tile in (step.take_from, *step.onto) if tile)
        facts = (("piece", step.piece), ("from", step.take_from or ""), ("onto", " ".join(step.onto)))
        yield Trouble("not_as_agreed", sentence(step), tiles, facts)
