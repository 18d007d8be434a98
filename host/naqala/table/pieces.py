"""What a tag stands for, and the list of all tags as a file people can read and edit.

In: piece words (`meeple Y`, `camel Ann`, `palm`, `palace`, `tile A1`) or the text of a `tags.csv`. Out: `Piece` values
and a registry, tag -> piece. Tags are lower case here, whatever a reader or an editor made of them.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping

from naqala.rules.board import NUMBER, TRIBES
from naqala.rules.tiles import TILE_TYPES
from naqala.transcript import Piece

MEEPLE, CAMEL, PALM, PALACE, TILE = KINDS = ("meeple", "camel", "palm", "palace", "tile")
# Of the camels in the box, one for each player.
CAMEL_COLOURS = ("pink", "blue", "orange", "black")
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
    for number, _, cells in _rows(text):
        if (
            not any(cells)
            or cells[0].startswith("#")
            or [cell.lower() for cell in cells[:2]] == ["tag", "piece"]
        ):
            continue
        where = f"line {number}"
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


def write_tags(tags: Registry, before: str = "") -> str:
    """The text of a `tags.csv`: one line per tag, kinds and names together, so that a person finds a piece. What people wrote
    into the file `before` stays: `#` lines, notes, the order of lines; new tags come at its end."""
    left = dict(tags)
    kept = [_rewritten(raw, cells, left) for _, raw, cells in _rows(before)] or [",".join(COLUMNS)]
    new = sorted(left.items(), key=lambda item: (KINDS.index(item[1].kind), item[1].which, item[0]))
    lines = [line.rstrip("\r\n") for line in kept if line is not None]
    return "\n".join([*lines, *(_line(tag, known) for tag, known in new)]) + "\n"


def _rows(text: str) -> Iterator[tuple[int, str, list[str]]]:
    """Each row of a file: the number of its last line, as it is written, and its cells."""
    lines = list(io.StringIO(text.lstrip("\ufeff")))
    rows, begun = csv.reader(lines), 0
    try:
        for row in rows:
            yield rows.line_num, "".join(lines[begun : rows.line_num]), [cell.strip() for cell in row]
            begun = rows.line_num
    except csv.Error as error:
        raise BadPiece(f"line {rows.line_num}: {error}") from None


def _rewritten(raw: str, cells: list[str], left: dict[str, Piece]) -> str | None:
    """A row for what its tag stands for now, which is taken from `left`; None when the tag is gone."""
    tag = cells[0].lower() if cells else ""
    if not is_tag(tag):
        return raw
    known = left.pop(tag, None)
    if known is None:
        return None
    return raw if piece(" ".join(cells[1:3])) == known else _line(tag, known, *cells[3:])


def _line(tag: str, known: Piece, *notes: str) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow((tag, known.kind, known.which, *(notes or ("",))))
    return out.getvalue()


def counted(tags: Registry, kinds: Iterable[str] = KINDS) -> dict[Piece, int]:
    """How many tags stand for each piece."""
    found: dict[Piece, int] = {}
    for known in tags.values():
        if known.kind in kinds:
            found[known] = found.get(known, 0) + 1
    return found
