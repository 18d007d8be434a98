"""The frame of an evening: a new game, its set-up, resuming, giving up, help. Each function is one command."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from naqala.rules import notation
from naqala.rules.actions import Power
from naqala.rules.model import EDITIONS, SWITCHES
from naqala.rules.reading import BadPosition, a_name
from naqala.session import catching, following, opening, showing
from naqala.session import commands as c
from naqala.session.chronicle import COMPANION, HANDS, NOTE, Chronicle
from naqala.session.missed import Missed
from naqala.session.refusal import Refused
from naqala.session.snapshot import OVER, PLAY, SETUP, WELCOME, DjinnsDrawn, Snapshot
from naqala.table.pieces import CAMEL_COLOURS

if TYPE_CHECKING:
    from naqala.session.session import Session

AUTHORS = {c.OWNER, HANDS, COMPANION}  # of entries, besides the players: nobody else is called so
CARDS = ("dealt", "physical")
LONGEST_NAME = 24  # of a player, for the phones


def new_game(session: Session, wanted: c.NewGame) -> None:
    """Begin to set up. A game in play is given up first, and only on purpose; one that is over is put away."""
    if session.snapshot.stage == PLAY:
        raise Refused("game_in_play")
    _possible(wanted)
    if session.snapshot.stage == OVER:
        _put_away(session)
    session.wanted = wanted
    shown = Snapshot(session.table)
    session.publish(
        stage=SETUP,
        seats=opening.seats(wanted.players, wanted.colours),
        edition=wanted.edition,
        cards=wanted.cards,
        help=wanted.help,
        language=wanted.language,
        game=shown.game,
        choices=shown.choices,
        reading=shown.reading,
        log=shown.log,
    )
    showing.show_setup(session)


def _possible(wanted: c.NewGame) -> None:
    """Refuse what could not be read back from the journal: names, the house's rules, whatever the wizard lets through."""
    names = wanted.players
    if not 2 <= len(names) <= len(CAMEL_COLOURS) or len(set(names)) != len(names) or {*names} & AUTHORS:
        raise Refused("players", players=names)
    try:
        if any(len(a_name(name, "players")) > LONGEST_NAME for name in names):
            raise Refused("players", players=names)
    except BadPosition:
        raise Refused("players", players=names) from None
    known = {name: value in SWITCHES.get(name, ()) for name, value in wanted.switches}
    if not all(known.values()) or wanted.edition not in EDITIONS or wanted.cards not in CARDS:
        raise Refused("invalid", reason="no such edition, switch or way of dealing cards")
    if len(set(wanted.colours)) != len(wanted.colours):
        raise Refused("invalid", reason="two players cannot have camels of one colour")


def begin(session: Session, asked: c.Begin) -> None:
    """The set-up is as it should be: the opening goes to the journal, the hands are followed."""
    if session.wanted is None or session.snapshot.stage != SETUP:
        raise Refused("no_setup")
    if asked.ready and opening.problems(session.wanted, session.evidence):
        raise Refused("stale")
    game = opening.opened(session.wanted, session.evidence, session.pick)
    kept = opening.written(game, session.wanted)
    session.ledger.begin(game, kept)
    session.wanted = None
    _take_up(session, **opening.settings(kept))


def resume(session: Session, asked: c.Resume) -> None:
    """Go on with the unfinished game: the journal is told again, the hands are followed from its last entry on."""
    waiting = session.snapshot.unfinished
    if waiting is None or session.snapshot.stage not in (WELCOME, SETUP):
        raise Refused("nothing_to_resume")
    game = session.ledger.resume(waiting.game_id)
    session.wanted = None
    catching.prepare(session)
    _take_up(session, drawn=_still_drawn(session.in_hand), **opening.settings(game.opening))
    catching.greeted(session)
    session.go_on()


def _take_up(session: Session, **settings: Any) -> None:
    """Begin to follow the game of the ledger, new or resumed: what lies there is compared with it."""
    session.saw(opening.bound(session.evidence, settings["seats"], session.in_hand.game))
    session.unrecorded = session.missed.known is None
    following.rewatch(session)
    following.look(session)
    showing.show(session, stage=PLAY, unfinished=None, problems=(), **settings)


def _put_away(session: Session) -> None:
    """No game any more."""
    evidence = replace(session.evidence, tags=session.box)
    session.watcher = session.wanted = session.guided = None
    session.saw(evidence)
    session.ledger.put_away()
    session.missed = Missed()
    session.publish(
        Snapshot(session.table),
        link=session.snapshot.link,
        readers=session.snapshot.readers,
        sight=evidence,
        unfinished=session.ledger.unfinished(),
    )


def _still_drawn(chronicle: Chronicle) -> DjinnsDrawn | None:
    """Djinns that were turned up just before the end, and of which none was chosen yet."""
    last = chronicle.log[-1] if chronicle.log else None
    if last is None or last.kind != NOTE or "drawn" not in last.body:
        return None
    power = notation.from_json(last.body["power"])
    assert isinstance(power, Power)
    return DjinnsDrawn(power.player, power.djinn, tuple(last.body["drawn"]), power)


def abort(session: Session, asked: c.Abort) -> None:
    """Give up a game, in play or waiting to be resumed; its record stays. Before it has begun only the set-up is given up:
    another one that waits goes on waiting."""
    if session.snapshot.stage == PLAY:
        session.in_play(asked.step)
        session.ledger.end("aborted")
    elif session.snapshot.stage == WELCOME:
        if session.snapshot.unfinished is None:
            raise Refused("no_game")
        session.ledger.end("aborted", session.snapshot.unfinished.game_id)
    _put_away(session)


def set_help(session: Session, asked: c.SetHelp) -> None:
    """Help on or off, for everybody alike."""
    session.publish(help=asked.on)
    showing.direct(session)


def look(session: Session, asked: c.Look) -> None:
    """Let the referee's waiting run on to now."""
    session.tick()
