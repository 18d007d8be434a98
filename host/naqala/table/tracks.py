"""Tracks: what became of each piece since table and record last agreed. In: evidence and homes. Out: `Track` values.

A track follows a piece, not a tag. Pieces of one kind are alike: when two white meeples stand on one tile and one of them
leaves, nobody can say which, so the one that came last is thought to leave first. Without that rule a hand that puts an elder
down beside another and takes the other one up again would look as if it had robbed the tile:

    C4 has W1.   W2 arrives.   W1 is lost, W2 stays.      as tags: W1 was taken away, W2 moved in
                                                          as tracks: W2's piece came and went, W1's never moved
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from naqala.table.evidence import Evidence, Stay
from naqala.table.pieces import TILE
from naqala.transcript import Piece

FORGOTTEN_MS = 3000  # a piece that was read at home for so long after it was read elsewhere never left


@dataclass(frozen=True, slots=True)
class Track:
    piece: Piece
    tag: str  # the tag that carries it now
    home: str | None  # where it stood when table and record last agreed; None: beside the board
    left: int | None = None  # when its home's reader lost it last; None when it never did
    stays: tuple[Stay, ...] = ()  # elsewhere, or at home again after it was lost; the oldest first

    back: bool = False  # it is read at home now
    places: tuple[Stay, ...] = ()  # the stays off its home that last
    moved: bool = False  # anything was seen of it but its standing at home


def track(piece: Piece, tag: str, home: str | None, left: int | None, stays: tuple[Stay, ...] = ()) -> Track:
    """A track with what follows from its stays."""
    back = home is not None and (left is None or any(stay.open and stay.tile == home for stay in stays))
    places = tuple(stay for stay in stays if stay.open and stay.tile != home)
    moved = left is not None or bool(stays)
    if left is not None and not back:
        left = max([left, *(stay.until for stay in stays if stay.tile == home and stay.until is not None)])
    return Track(piece, tag, home, left, stays, back, places, moved)


# Moment and number of the line, 1 when it leaves and 0 when it comes (so that of one line what comes is taken in first), tag, the
# stay that begins or ends (None: the one at home), its tile.
Event = tuple[int, int, int, str, Stay | None, str]


@dataclass(slots=True)
class _Token:
    """A track while it is being followed."""

    piece: Piece
    tag: str
    home: str | None
    left: int | None = None
    stays: list[Stay] = field(default_factory=list)


def tracks(evidence: Evidence, homes: Mapping[str, str], since: int, now: int) -> tuple[Track, ...]:
    """One track for each piece that has a home or was seen since then."""
    events: list[Event] = []
    tokens: dict[str, _Token] = {}
    silent = evidence.silent
    for tag, known in evidence.tags.items():
        home = homes.get(tag)
        held = _ended(evidence.stays.get(tag, ()), silent)
        if known.kind == TILE or (home is None and not held):
            continue
        token = tokens[tag] = _Token(known, tag, home)
        at_home = [stay for stay in held if stay.tile == home and stay.since <= since]
        for stay in held:
            if at_home and stay is at_home[-1]:
                if stay.until is not None:
                    events.append((stay.until, stay.lost, 1, tag, None, stay.tile))
            elif stay.until is None or (stay.until > since and not _over(stay, at_home, now)):
                events.append((stay.since, stay.seq, 0, tag, stay, stay.tile))
                if stay.until is not None:
                    events.append((stay.until, stay.lost, 1, tag, stay, stay.tile))
        if not at_home and home is not None and home not in silent:
            token.left = since  # nobody has read it where the record has it
    if events:
        _follow(sorted(events, key=lambda event: event[:3]), tokens)
        _uncross(tokens)
    return tuple(track(t.piece, tag, t.home, t.left, tuple(t.stays)) for tag, t in tokens.items())


def _over(stay: Stay, at_home: list[Stay], now: int) -> bool:
    """Whether a stay says nothing any more: the piece was read at home all the time, and for a while since."""
    if not at_home or stay.until is None:
        return False
    lost = at_home[-1].until
    return stay.until < (now if lost is None else lost) - FORGOTTEN_MS


def _ended(held: tuple[Stay, ...], silent: frozenset[str]) -> tuple[Stay, ...]:
    """A stay on a reader that fell silent lasts until the piece is read elsewhere."""
    if len(held) < 2 or not any(stay.open and stay.tile in silent for stay in held):
        return held
    return tuple(
        replace(stay, until=held[number + 1].since)
        if stay.open and stay.tile in silent and number + 1 < len(held)
        else stay
        for number, stay in enumerate(held)
    )


def _follow(events: list[Event], tokens: dict[str, _Token]) -> None:
    """Let tags come and go; where alike pieces stand together, the one that came last leaves first."""
    present: dict[tuple[str, Piece], list[str]] = {}
    for tag, token in tokens.items():
        if token.home is not None and token.left is None:
            present.setdefault((token.home, token.piece), []).append(tag)
    for moment, seq, leaves, tag, stay, tile in events:
        token = tokens[tag]
        there = present.setdefault((tile, token.piece), [])
        if not leaves:
            assert stay is not None
            token = _returned(tokens, tag, tile)
            token.stays.append(Stay(stay.tile, stay.since, stay.seq, None, stay.early))
            if tag not in there:
                there.append(tag)
            continue
        if tag in there:
            place = there.index(tag)
            last = there[-1]
            if place < len(there) - 1 and _only_here(tokens[tag], tile) and _only_here(tokens[last], tile):
                tokens[tag], tokens[last] = tokens[last], tokens[tag]
                tokens[tag].tag, tokens[last].tag = tag, last
            there.remove(tag)
        _leave(tokens[tag], tile, moment, seq)


def _returned(tokens: dict[str, _Token], tag: str, tile: str) -> _Token:
    """A piece that comes to a tile from which one of its kind is missing counts as that one, unless it stands there or came
    from there itself."""
    token = tokens[tag]
    if (
        token.home == tile
        or any(stay.open for stay in token.stays)
        or (token.home is not None and token.left is None)
    ):
        return token
    for other, lost in tokens.items():
        if (
            lost.home == tile
            and lost.piece == token.piece
            and lost.left is not None
            and not any(stay.open for stay in lost.stays)
            and other != tag
        ):
            tokens[tag], tokens[other] = lost, token
            lost.tag, token.tag = tag, other
            return lost
    return token


def _uncross(tokens: dict[str, _Token]) -> None:
    """Pieces of one kind that have changed places have not moved: a piece that stands where another of its kind is missing
    counts as that one, and the other one is where this one was thought to be."""
    for tag in list(tokens):
        token = tokens[tag]
        for stay in [stay for stay in token.stays if stay.open and stay.tile != token.home]:
            other = next((t for t in tokens if _misses(tokens[t], token, stay.tile)), None)
            if other is None:
                continue
            missing = tokens[other]
            away = [place for place in missing.stays if place.open]
            missing.stays = [place for place in missing.stays if not place.open] + [stay]
            token.stays = [place for place in token.stays if place is not stay] + away
            tokens[tag], tokens[other] = missing, token
            missing.tag, token.tag = tag, other
            break


def _misses(token: _Token, other: _Token, tile: str) -> bool:
    at_home = any(stay.open and stay.tile == tile for stay in token.stays)
    away = any(stay.open for stay in token.stays)
    same = token is not other and token.piece == other.piece and token.home == tile
    return same and token.left is not None and not at_home and away


def _only_here(token: _Token, tile: str) -> bool:
    """Whether it is read on this tile alone: one that is read twice cannot be taken for another."""
    open_stays = [stay.tile for stay in token.stays if stay.open]
    if token.home is not None and token.left is None:
        open_stays.append(token.home)
    return open_stays == [tile]


def _leave(token: _Token, tile: str, moment: int, seq: int) -> None:
    for number in range(len(token.stays) - 1, -1, -1):
        stay = token.stays[number]
        if stay.open and stay.tile == tile:
            if seq != stay.seq:
                token.stays[number] = Stay(tile, stay.since, stay.seq, moment, stay.early)
            else:
                del token.stays[number]  # came and went in one line: another of its kind took its place
            return
    if token.home == tile and token.left is None:
        token.left = moment
