"""Enrolling at a running table: what lies on one reader becomes pieces of one kind, in the registry and in its file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from naqala.session import commands as c
from naqala.session import following
from naqala.session.refusal import Refused
from naqala.table import enrol as registry
from naqala.table.pieces import TILE, BadPiece, piece

if TYPE_CHECKING:
    from naqala.session.session import Session

# Findings after which nothing is changed: the person looks again first.
IN_THE_WAY = ("other", "too_many")


def enrol(session: Session, asked: c.Enrol) -> None:
    """Register the tags on a reader. What stands for something else stays what it is, and nothing is registered."""
    try:
        kind = piece(asked.kind)
    except BadPiece as error:
        raise Refused("invalid", reason=str(error)) from None
    # The tile itself lies there as well; it is only meant when a tile is being registered.
    seen = [
        tag
        for tag in session.evidence.on.get(asked.reader, ())
        if kind.kind == TILE or tag not in session.box or session.box[tag].kind != TILE
    ]
    if not seen:
        raise Refused("nothing_there", reader=asked.reader)
    tags, findings = registry.enrol(session.box, seen, kind)
    trouble = [finding.text for finding in findings if finding.what in IN_THE_WAY]
    if trouble:
        raise Refused("known_otherwise", reason=" ".join(trouble))
    try:
        session.keep_tags({tag: known for tag, known in tags.items() if session.box.get(tag) != known})
    except OSError as error:
        raise Refused("tags_not_kept", reason=error.strerror or str(error)) from None
    except (BadPiece, ValueError) as error:  # somebody has edited the file meanwhile
        raise Refused("tags_not_kept", reason=str(error)) from None
    following.relearn(session, tags)
