"""Diagnostics for the owner: each reader and the link in numbers, raw lines live, and the transcript to take along."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from flask import Blueprint, Response, abort, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

import naqala
from naqala.dashboard import viewers
from naqala.dashboard.language import N_, say, say_n
from naqala.dashboard.pages import table_scene
from naqala.dashboard.tables import session_of, setting
from naqala.dashboard.taps import number, owner_only, tell
from naqala.journal import Journal
from naqala.rules import position
from naqala.session import commands as c
from naqala.session.snapshot import Snapshot

blueprint = Blueprint("diagnostics", __name__)
RAW_LINES = 60
STRANGERS = "strangers"  # the counter that says whether a broker lets anybody publish

# What is the matter with a reader, by the code of its state; the wire's own words are in protocol/README.md.
STATES: dict[str, str] = {
    "ok": N_("answers"),
    "silent": N_("says nothing"),
    "blind": N_("does not see its own tile"),
    "absent": N_("is not there"),
    "busy": N_("does not get ready"),
    "brownout": N_("has too little power"),
    "field": N_("makes no field"),
    "stranger": N_("is another chip than expected"),
    "incomplete": N_("does not read every tag"),
    "foreign": N_("meets another field, such as a phone's"),
    "hot": N_("is too hot"),
    "refused": N_("refuses a command"),
}
SICK = frozenset(STATES) - {"ok", "silent", "blind", "incomplete"}  # no measurement can come
# Counters of the link (ours) and of the controller, in the order in which they are told.
COUNTERS: dict[str, str] = {
    "lines": N_("good lines"),
    "noise": N_("pieces that are no line"),
    "bad": N_("wrong checksums"),
    "unknown": N_("unknown words"),
    "malformed": N_("unreadable lines"),
    "repeats": N_("lines told twice"),
    "gaps": N_("missing numbers"),
    "resyncs": N_("lines asked for again"),
    "lost": N_("lines lost"),
    "reboots": N_("restarts of the controller"),
    "drops": N_("times the link was down"),
    "round_trip_ms": N_("answer to a hello, ms"),
    "uptime": N_("seconds since the controller's start"),
    "sweep": N_("round of all readers, ms"),
    "free": N_("free bytes"),
    "reads": N_("tags read"),
    "collisions": N_("answers that collided"),
    "garbles": N_("garbled answers"),
    "ghosts": N_("tags that were not confirmed"),
    "unresolved": N_("collisions left open"),
    "faults": N_("faults of readers"),
    "misses": N_("tags overlooked"),
    "probes": N_("short questions"),
    "incomplete": N_("incomplete readings"),
}


def state(code: str) -> str:
    """The state of a reader in words; the code stays for those who look it up."""
    return f"{say(STATES[code])} ({code})" if code in STATES and code != "ok" else say(STATES.get(code, code))


def counted(counters: Iterable[tuple[str, int]]) -> list[tuple[str, int | str]]:
    """Counters with their names in words. A controller that cannot count its free bytes tells none: that is no number."""
    return [
        (
            say(COUNTERS[name]) if name in COUNTERS else name,
            say("not told") if name == "free" and not count else count,
        )
        for name, count in counters
    ]


def ago(milliseconds: int | None) -> str:
    """How long since a reader answered: "0.4 s ago"."""
    if milliseconds is None:
        return "-"
    if milliseconds < 60_000:
        return say("%(seconds)s s ago", seconds=f"{milliseconds / 1000:.1f}")
    return say_n("%(n)s minute ago", "%(n)s minutes ago", milliseconds // 60_000)


def raw_lines(table: str) -> list[str]:
    """What the table recorded in its newest game, as lines of a transcript."""
    session_of(table)
    journal: Journal | None = setting("journal")
    games = journal.games(table) if journal is not None else ()
    if journal is None or not games:
        return []
    lines = journal.lines(games[-1].id)
    return [f"@{line.at_ms - lines[0].at_ms} {line.text}" for line in lines]


def transcript_lines(table: str) -> list[str]:
    """The whole transcript: where it began, which reader lies under which tile, what each tag is, what was seen.

    An opening is public, and taps are not among the lines, for they may name cards that were drawn.
    """
    snapshot = session_of(table).snapshot
    found = ["naqala-transcript 1"]
    if snapshot.opening is not None:
        found.append(f"position {position.to_text(snapshot.opening)}")
    if snapshot.sight is not None:
        found += [f"reader {reader} {tile}" for reader, tile in sorted(snapshot.sight.readers.items())]
        found += [f"tag {tag} {piece}" for tag, piece in sorted(snapshot.sight.tags.items())]
    return found + raw_lines(table)


@blueprint.get("/t/<table>/diagnostics")
def diagnostics(table: str) -> str:
    """Readers, link, raw lines."""
    snapshot = session_of(table).snapshot
    owner_only(viewers.who(table))
    context = table_scene(snapshot, viewers.screen())
    stream = url_for("stream.stream", table=table, page="diagnostics")
    return render_template(
        "diagnostics.html", stream=stream, crashed=snapshot.crash is not None, **context, **numbers(table)
    )


@blueprint.post("/t/<table>/tune")
def tune(table: str) -> AnyResponse:
    """Measure a reader's coil, or stop measuring."""
    session_of(table)
    by = owner_only(viewers.who(table))
    reader = None if "stop" in request.form else number("reader")
    return tell(table, c.TuneCoil(by, reader), url_for("diagnostics.diagnostics", table=table))


def gauge(snapshot: Snapshot) -> dict[str, object] | None:
    """The coil that is being tuned, with what is the matter when no figure comes."""
    tuning = snapshot.tuning
    if tuning is None:
        return None
    reader = next((one for one in snapshot.readers if one.reader == tuning.reader), None)
    return {
        "reader": tuning.reader,
        "tile": reader.tile if reader is not None else "",
        "gain": tuning.gain,
        "best": tuning.best,
        "low": tuning.best * 4 // 5,  # tuning happens in the top fifth
        "trouble": state(reader.state) if reader is not None and reader.state in SICK else "",
    }


def numbers(table: str) -> dict[str, object]:
    """What the fragments of this page need beside the scene."""
    snapshot = session_of(table).snapshot
    link = snapshot.link
    return {
        "readers": snapshot.readers,
        "gauge": gauge(snapshot),
        "state_of": state,
        "ago": ago,
        "link": link,
        "link_counters": counted(pair for pair in link.counters if pair[0] != STRANGERS),
        "open_to_strangers": bool(dict(link.counters).get(STRANGERS)),
        "controller_counters": counted(link.controller_counters),
        "sweep": dict(link.controller_counters).get("sweep"),
        "raw": raw_lines(table)[-RAW_LINES:],
    }


@blueprint.get("/t/<table>/crash.txt")
def crash(table: str) -> Response:
    """Why the companion stopped following, and all that the table said before: what whoever mends it needs to see it again."""
    snapshot = session_of(table).snapshot
    owner_only(viewers.who(table))
    crashed = snapshot.crash
    if crashed is None:
        abort(404)
    link = snapshot.link
    head = [
        f"# naqala {naqala.__version__} stopped following table '{table}': {crashed.what}",
        f"# at {datetime.fromtimestamp(crashed.at_ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC; the way to it:",
        *(f"#   {frame}" for frame in crashed.frames),
        f"# stage {snapshot.stage}, step {snapshot.step}, link {link.kind}, controller {link.controller} {link.firmware}",
        "# counters: " + ", ".join(f"{name} {count}" for name, count in link.counters),
    ]
    first, *rest = transcript_lines(table)
    headers = {"Content-Disposition": 'attachment; filename="naqala-crash.txt"'}
    return Response("\n".join([first, *head, *rest]) + "\n", mimetype="text/plain", headers=headers)


@blueprint.get("/t/<table>/transcript.txt")
def transcript(table: str) -> Response:
    """What the table recorded, for a bug report."""
    session_of(table)
    owner_only(viewers.who(table))
    text = "\n".join(transcript_lines(table)) + "\n"
    headers = {"Content-Disposition": 'attachment; filename="naqala-transcript.txt"'}
    return Response(text, mimetype="text/plain", headers=headers)
