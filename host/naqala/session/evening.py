"""The frame of an evening: a new game, its set-up, resuming, giving up, help. Each function is one command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from naqala.rules import notation
from naqala.rules.actions import Power
from naqala.session import catching, opening
from naqala.session import commands as c
from naqala.session.chronicle import NOTE, Chronicle
from naqala.session.refusal import Refused
from naqala.session.snapshot import OVER, PLAY, SETUP, WELCOME, DjinnsDrawn, Problem, Snapshot
from naqala.table.setup_check import check_setup

if TYPE_CHECKING:
    from naqala.session.session import Session


def new_game(session: Session, wanted: c.NewGame) -> None:
    """Begin to set up. A game in play is given up first, and only on purpose; one that is over is put away."""
    if session.snapshot.stage == PLAY:
        raise Refused("game_in_play")
    if not 2 <= len(wanted.players) <= 4 or len(set(wanted.players)) != len(wanted.players):
        raise Refused("players", players=wanted.players)
    if not all(name.strip() and len(name) <= 24 for name in wanted.players):
        raise Refused("players", players=wanted.players)
    if session.snapshot.stage == OVER:
        session.put_away()
    session.wanted = wanted
    shown = Snapshot(session.table)
    session.publish(
        stage=SETUP,
        seats=opening.settings(
            {"players": [{"name": n} for n in wanted.players], "companion": {"colours": wanted.colours}}
        )["seats"],
        edition=wanted.edition,
        cards=wanted.cards,
        help=wanted.help,
        language=wanted.language,
        game=shown.game,
        choices=shown.choices,
        reading=shown.reading,
        log=shown.log,
    )
    session.show_setup()


def begin(session: Session, asked: c.Begin) -> None:
    """The set-up is as it should be: the opening goes to the journal, the hands are followed."""
    if session.wanted is None or session.snapshot.stage != SETUP:
        raise Refused("no_setup")
    game = opening.opened(session.wanted, session.sight, session.clock(), session.pick)
    kept = opening.written(game, session.wanted)
    session.ledger.begin(game, kept)
    session.wanted = None
    session.take_up(**opening.settings(kept))


def resume(session: Session, asked: c.Resume) -> None:
    """Go on with the unfinished game: the journal is told again, the hands are followed from its last entry on."""
    waiting = session.snapshot.unfinished
    if waiting is None or session.snapshot.stage not in (WELCOME, SETUP):
        raise Refused("nothing_to_resume")
    game = session.ledger.resume(waiting.game_id)
    session.wanted = None
    catching.prepare(session)
    session.take_up(drawn=_still_drawn(session.in_hand), **opening.settings(game.opening))
    catching.greeted(session)
    session.go_on()


def _still_drawn(chronicle: Chronicle) -> DjinnsDrawn | None:
    """Djinns that were turned up just before the end, and of which none was chosen yet."""
    last = chronicle.log[-1] if chronicle.log else None
    if last is None or last.kind != NOTE or "drawn" not in last.body:
        return None
    power = notation.from_json(last.body["power"])
    assert isinstance(power, Power)
    return DjinnsDrawn(power.player, power.djinn, tuple(last.body["drawn"]), power)


def abort(session: Session, asked: c.Abort) -> None:
    """Give up a game, in play or waiting to be resumed; its record stays."""
    if session.snapshot.stage == PLAY:
        session.in_play(asked.step)
        session.ledger.end("aborted")
    elif session.snapshot.unfinished is not None:
        session.ledger.end("aborted", session.snapshot.unfinished.game_id)
    elif session.snapshot.stage not in (SETUP, OVER):
        raise Refused("no_game")
    session.put_away()


def set_help(session: Session, asked: c.SetHelp) -> None:
    """Help on or off, for everybody alike."""
    session.publish(help=asked.on)
    session.guide()


def look(session: Session, asked: c.Look) -> None:
    """Let the referee's waiting run on to now."""
    session.tick()


# Kinds of the set-up check that the pages know by another word; the others keep their own.
WORDS = {
    "silent_reader": "silent",
    "unknown_tag": "unknown",
    "two_places": "double",
    "missing_tile": "no_tile",
}


def problems(session: Session) -> tuple[Problem | str, ...]:
    """What is still missing before the game can begin, in the order in which people would put it right."""
    if session.wanted is None:
        return ()
    found: list[Problem | str] = []
    if opening.layout(session.wanted, session.sight) is None:
        found.append("layout_unknown")
    for trouble in check_setup(session.sight, session.clock()):
        tile = trouble.tiles[0] if trouble.tiles else ""
        facts = (("tiles", trouble.tiles), *trouble.facts)
        found.append(Problem(WORDS.get(trouble.what, trouble.what), tile, trouble.text, facts))
    return tuple(found)
