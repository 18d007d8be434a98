"""Enrolment: a handful of pieces of one kind on any reader becomes known, and what is odd about them is said.

In: the registry so far, the tags that a reader sees, the kind of piece and how many were put there. Out: the new registry and
`Finding`s: tags registered, known already as the same (a second registration), known as something else, fewer tags than
pieces (a dead tag, or two with the same number), more of a kind than the box holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from naqala.rules.board import MEEPLES, TILES
from naqala.rules.model import PALACE as A_PALACE
from naqala.rules.model import PALM as A_PALM
from naqala.rules.model import SUPPLY, camels_at_the_start
from naqala.rules.opening import BOX_TILES
from naqala.table.pieces import CAMEL, MEEPLE, PALACE, PALM, TILE, Registry, counted, printed, spoken
from naqala.transcript import Piece

MOST_CAMELS = camels_at_the_start(2)  # in a game of two; the other games use fewer of them


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to tell the person who enrols. `what`: new, again, other, taught, dead, too_many."""

    what: str
    text: str
    tags: tuple[str, ...] = ()


def in_the_box(piece: Piece) -> int:
    """How many pieces of this kind there are."""
    if piece.kind == MEEPLE:
        return MEEPLES[piece.which]
    if piece.kind == TILE and (kind := printed(piece.which)) is not None:
        return BOX_TILES.count(kind)  # the same print may be on several tiles
    return {CAMEL: MOST_CAMELS, PALM: SUPPLY[A_PALM], PALACE: SUPPLY[A_PALACE], TILE: 1}[piece.kind]


def enrol(
    known: Registry, seen: Iterable[str], piece: Piece, count: int | None = None, teach: bool = False
) -> tuple[dict[str, Piece], tuple[Finding, ...]]:
    """Register the tags of a handful as pieces of one kind. `count` is how many pieces were put there, if it is known.

    A tag that stands for something else stays what it is, unless `teach` says that this piece is to be taught anew.
    """
    tags = sorted({tag.lower() for tag in seen})
    found: list[Finding] = []
    result = dict(known)
    new = [tag for tag in tags if tag not in known]
    again = [tag for tag in tags if known.get(tag) == piece]
    other = [tag for tag in tags if tag in known and known[tag] != piece]
    result.update(dict.fromkeys(new, piece))
    if new:
        found.append(Finding("new", f"{len(new)} registered as {spoken(piece)}.", tuple(new)))
    if again:
        found.append(Finding("again", f"{len(again)} known already as {spoken(piece)}.", tuple(again)))
    for tag in other:
        if teach:
            result[tag] = piece
            found.append(Finding("taught", f"Tag {tag} was {known[tag]} and is {piece} now.", (tag,)))
        else:
            found.append(
                Finding("other", f"Tag {tag} is {known[tag]} already: take it away or teach it anew.", (tag,))
            )
    if count is not None and len(tags) < count:
        found.append(_dead(count, len(tags)))
    held = counted(result).get(piece, 0)
    if held > in_the_box(piece):
        found.append(
            Finding("too_many", f"{held} tags are {spoken(piece)}, but the box holds {in_the_box(piece)}.")
        )
    return result, tuple(found)


def _dead(count: int, read: int) -> Finding:
    text = (
        f"{count} pieces, but {read} tags: {count - read} cannot be read, or two carry the same number. "
        "Put them down one by one to find which."
    )
    return Finding("dead", text)


def missing_pieces(known: Registry, players: Iterable[str] = ()) -> dict[Piece, int]:
    """How many pieces of each kind still have no tag, for a box with these players' camels."""
    wanted: Mapping[Piece, int] = {
        **{Piece(MEEPLE, letter): count for letter, count in MEEPLES.items()},
        **{Piece(kind): SUPPLY[kind] for kind in (PALM, PALACE)},
        **{Piece(CAMEL, name): MOST_CAMELS for name in players},
        **{Piece(TILE, tile): 1 for tile in TILES},
    }
    have = counted(known)
    return {
        piece: count - have.get(piece, 0) for piece, count in wanted.items() if count > have.get(piece, 0)
    }
