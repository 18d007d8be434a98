"""What a tag stands for, and the list of all tags as a file people can read and edit.

In: piece words (`meeple Y`, `camel Ann`, `palm`, `palace`, `tile A1`) or the text of a `tags.csv`. Out: `Piece` values
and a registry, tag -> piece. Tags are lower case here, whatever a reader or an editor made of them.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping

from naqala.rules.board import NUMBER, TRIBES
from naqala.rules.tiles import TILE_TYPES
from naqala.transcript import Piece

MEEPLE, CAMEL, PALM, PALACE, TILE = KINDS = ("meeple", "camel", "palm", "palace", "tile")
# The word a player uses for a meeple of each tribe.
COLOURS: dict[str, str] = {"Y": "yellow", "W": "white", "G": "green", "B": "blue", "R": "red"}
COLUMNS = ("tag", "piece", "name", "note")

Registry = Mapping[str, Piece]


class BadPiece(Exception):
    """Not a piece, or not a list of pieces: one line that says what and where."""


def spoken(known: Piece) -> str:
    """As a sentence for players names it: "white one", "camel of Ann", "palm"."""
    if known.kind == MEEPLE:
        return f"{COLOURS[known.which]} one"
    return f"camel of {known.which}" if known.kind == CAMEL else str(known)


def printed(words: str) -> tuple[str, int] | None:
    """Type and points of a tile's tag (`sacred_place 15`): known in every layout; None for one that names its place."""
    kind, _, points = words.partition(" ")
    known = kind in TILE_TYPES and points.isdecimal() and int(points) in TILE_TYPES[kind].points
    return (kind, int(points)) if known else None


def piece(text: str) -> Piece:
    """The piece these words name; BadPiece when they name none."""
    kind, _, name = text.strip().partition(" ")
    name = name.strip()
    fits = {
        MEEPLE: len(name) == 1 and name in TRIBES,
        CAMEL: bool(name),
        PALM: not name,
        PALACE: not name,
        TILE: name in NUMBER or printed(name) is not None,
    }
    if not fits.get(kind, False):
        shown = text if len(text) <= 40 else text[:37] + "..."
        raise BadPiece(
            f"no such piece: {shown!r} (meeple Y|W|G|B|R, camel NAME, palm, palace, tile A1..F5 or tile TYPE POINTS)"
        )
    return Piece(kind, name)


def is_tag(word: str) -> bool:
    """8 to 16 hex digits."""
    return 8 <= len(word) <= 16 and not word.strip("0123456789abcdefABCDEF")


# --- tags.csv -----------------------------------------------------------------------------------------------


def read_tags(text: str) -> dict[str, Piece]:
    """The registry in a `tags.csv`; BadPiece names the line that is wrong. Blank lines and `#` lines are left alone."""
    found: dict[str, Piece] = {}
    rows = csv.reader(io.StringIO(text.lstrip("\ufeff")))
    for row in rows:
        cells = [cell.strip() for cell in row]
        if (
            not any(cells)
            or cells[0].startswith("#")
            or [cell.lower() for cell in cells[:2]] == ["tag", "piece"]
        ):
            continue
        where = f"line {rows.line_num}"
        if not is_tag(cells[0]):
            raise BadPiece(f"{where}: a tag has 8 to 16 hex digits, not {cells[0][:40]!r}")
        try:
            known = piece(" ".join(cells[1:3]))
        except BadPiece as error:
            raise BadPiece(f"{where}: {error}") from None
        tag = cells[0].lower()
        if tag in found:
            raise BadPiece(f"{where}: tag {tag} stands here twice ({found[tag]} and {known})")
        found[tag] = known
    return found


def write_tags(tags: Registry, notes: Mapping[str, str] | None = None) -> str:
    """The text of a `tags.csv`: one line per tag, kinds and names together, so that a person finds a piece."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(COLUMNS)
    for tag, known in sorted(
        tags.items(), key=lambda item: (KINDS.index(item[1].kind), item[1].which, item[0])
    ):
        rows.writerow((tag, known.kind, known.which, (notes or {}).get(tag, "")))
    return out.getvalue()


def counted(tags: Registry, kinds: Iterable[str] = KINDS) -> dict[Piece, int]:
    """How many tags stand for each piece."""
    found: dict[Piece, int] = {}
    for known in tags.values():
        if known.kind in kinds:
            found[known] = found.get(known, 0) + 1
    return found
