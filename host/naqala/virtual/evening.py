"""A game begun on a virtual table: link, journal and session put together, the box laid out, the opening accepted.

In: a virtual link, a journal, who plays. Out: a session in play, or a table that stands as the record has it. What a person
would do by hand and wizard before the first bid; used by `naqala demo` and wherever robots play whole games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from naqala.journal import Journal
from naqala.session import commands as c
from naqala.session.session import Session
from naqala.table.pieces import CAMEL_COLOURS
from naqala.virtual.link import VirtualLink
from naqala.virtual.standing import as_recorded

PATIENCE_S = 300.0  # for an answer of the session: a busy machine is slow, not wrong
SWEEP_MS = 200
MOST_SWEEPS = 300  # a minute of the table's time
NOTICED_MS = 5_000  # as long as a person looks at a page that does not answer
LOOK_MS = 50


class NoGame(Exception):
    """The game could not begin: one line says why."""


def opened(link: VirtualLink, journal: Journal, seed: int | None = None) -> Session:
    """A session that follows this table. With pace `fast` nothing but the table's own clock moves it: it takes in what was
    said before that clock goes on, so the same seed gives the same evening on a quick machine and on a busy one."""
    table, fast = link.table, link.pace is None
    chance = None if seed is None else Random(seed)
    session = Session(
        table.name,
        journal,
        link,
        table.readers(),
        table.tags(),
        chance,
        link.clock,
        wakes=not fast,
        resumes=False,
    )
    session.start()
    if fast:
        link.settle = lambda: session.tell(c.Look(c.OWNER), PATIENCE_S)
    return session


def lay_as_recorded(link: VirtualLink, session: Session) -> bool:
    """Lay everything as the record has it: a virtual table is put away with the companion. False when there is no game."""
    shown = session.snapshot
    if shown.game is None:
        return False
    colours = {seat.name: seat.colour for seat in shown.seats}
    known = shown.sight.tags if shown.sight is not None else {}
    own = {tag: piece.which for tag, piece in known.items() if piece.kind == "tile"}
    for spot, tags in as_recorded(shown.game, link.table, colours, own).items():
        link.table.move(tags, spot)
    return True


def begin(
    link: VirtualLink, session: Session, names: Sequence[str], cards: str = "dealt", *, demo: bool = False
) -> None:
    """Tell who plays, and accept the set-up as soon as every piece was seen: a missed read heals with the next sweep."""
    wanted = c.NewGame(c.OWNER, tuple(names), CAMEL_COLOURS[: len(names)], cards=cards, demo=demo)
    answer = session.tell(wanted, PATIENCE_S)
    for _ in range(MOST_SWEEPS):
        answer = session.tell(c.Begin(c.OWNER, session.snapshot.step, ready=True), PATIENCE_S)
        if answer.accepted:
            return
        link.rest(SWEEP_MS)
    raise NoGame(f"the game cannot begin: {answer.why} {dict(answer.facts)}")


def lay_out_anew(link: VirtualLink, session: Session) -> None:
    """Shuffle and lay out everything. When the first reader has noticed, nobody can begin with what lay there before."""
    before = _seen(session)
    link.table.set_up(link.chance)
    end = link.clock() + NOTICED_MS  # a table whose cable is pulled holds nobody up for long
    while _seen(session) == before and link.clock() < end and link.rest(LOOK_MS):
        pass


def _seen(session: Session) -> Mapping[int, frozenset[str]]:
    sight = session.snapshot.sight
    return {} if sight is None else sight.on
