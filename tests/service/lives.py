"""A host that lives again and again: `python -m tests.service.lives SOCKET` forks one when a line on its input asks for it.

The process imports everything once and has no threads, so a life begins in milliseconds. A life is a real session (or the
whole service) on a real journal and a real link. It connects to SOCKET, says its process id, resumes its game, obeys taps,
and says what it begins to write (`begun N`) and what its viewers were shown (`shown N`). It ends by SIGKILL only.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from pathlib import Path
from random import Random
from typing import Any

from naqala import link
from naqala.journal import Journal
from naqala.service import Service
from naqala.session import commands as c
from naqala.session.missed import mark
from naqala.session.session import Session
from naqala.settings import Settings
from naqala.table.evidence import FRAME
from naqala.table.pieces import read_tags

HOLD = threading.Event()


class Voice:
    """Lines to the test, each in one piece."""

    def __init__(self, path: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r")

    def say(self, *words: object) -> None:
        self.socket.sendall((" ".join(map(str, words)) + "\n").encode())


def tell_of_writing(voice: Voice) -> None:
    """Say what is about to be written, from inside the journal; a life that was told to `hold` goes no further than that."""
    append = Journal.append

    def said(journal: Journal, game: int, number: int, *entry: Any) -> Any:
        voice.say("begun", number)
        written = append(journal, game, number, *entry)
        if HOLD.is_set():
            threading.Event().wait()  # on disk, and nobody will ever be shown it
        return written

    Journal.append = said  # type: ignore[method-assign,assignment]


def show(session: Session, voice: Voice) -> None:
    """What every viewer sees, as soon as it is there."""
    shown = session.snapshot
    said, swept = -1, False
    while True:
        if not swept and shown.reading is not None:
            swept = True
            voice.say("swept", 1)
        if len(shown.log) != said:
            said = len(shown.log)
            voice.say("shown", said)
        shown = session.wait(shown.version, 60)


def live(voice: Voice, told: dict[str, str]) -> None:
    home = Path(told["home"])
    tell_of_writing(voice)
    if told["kind"] == "service":
        tables = dict(one.split("=", 1) for one in told["link"].split("|"))
        service = Service(Settings(tables=tables, journal=str(home / "journal.sqlite")), home, port=0)
        place = service.start()
        sessions = service.sessions
    else:
        journal = Journal.open(str(home / "journal.sqlite"))
        tags = read_tags((home / "tags.csv").read_text())
        way = link.open(told["link"], link.Options(mark=mark(journal, "oak")))
        session = Session("oak", journal, way, FRAME, tags, Random(1))
        session.start()
        sessions = {"oak": session}
    session = sessions["oak"]
    if session.snapshot.unfinished is not None:
        assert session.tell(c.Resume("owner"), 60).accepted
    threading.Thread(target=show, args=(session, voice), daemon=True).start()
    voice.say("ready", place.owner if told["kind"] == "service" else "-")
    for line in voice.lines:
        asked = json.loads(line)
        obey(sessions[asked.get("table", "oak")], voice, asked)


def obey(session: Session, voice: Voice, asked: dict[str, Any]) -> None:
    """`new` begins a game once the whole table was seen, `seen` waits for a line of the table and tells how many entries
    there are then; anything else is a tap of the owner's, with `hold` one that the life does not outlive."""
    if "seen" in asked:
        while max(session.snapshot.sight.last.values(), default=0) < asked["seen"]:
            session.wait(session.snapshot.version, 1)
        voice.say("answer", len(session.snapshot.log))
        return
    if "new" in asked:
        while session.snapshot.sight is None or len(session.snapshot.sight.on) < 30:
            session.wait(session.snapshot.version, 1)
        players = tuple(asked["new"])
        session.tell(c.NewGame("owner", players, ("pink", "blue", "orange", "black"), cards="physical"))
        answer = session.tell(c.Begin("owner", 0))
    else:
        if asked.get("hold"):
            HOLD.set()
        answer = session.tell(c.Tap("owner", asked["step"], asked["tap"]), 60)
    voice.say("answer", answer.accepted, answer.why, dict(answer.facts))


def main(path: str) -> None:
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            voice = Voice(path)
            try:
                voice.say("pid", os.getpid())
                live(voice, json.loads(line))
            finally:
                os._exit(1)
        _, status = os.waitpid(pid, 0)
        print(os.WTERMSIG(status) if os.WIFSIGNALED(status) else -1, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
