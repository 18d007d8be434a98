"""The parts put together: a journal, a session for each table, and the dashboard in front of them.

In: settings. Out: a running service that is started once and stopped once. A table that cannot be opened is said in one
line and leaves the others alone.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waitress.server import create_server

from naqala import dashboard, link
from naqala.journal import Journal
from naqala.rules.board import COLUMNS, ROWS
from naqala.session.session import Session
from naqala.settings import Settings
from naqala.table.pieces import read_tags
from naqala.transcript import Piece
from naqala.virtual.link import VirtualLink

TAGS = "tags.csv"
# Pages are streams that stay open: each phone and screen holds a thread while it looks.
MOST_VIEWERS = 96


def readers_of_the_frame() -> dict[int, str]:
    """Reader -> tile as the frame is wired: row by row, six columns each."""
    return {
        row * len(COLUMNS) + column: COLUMNS[column] + ROWS[row] for row in range(5) for column in range(6)
    }


@dataclass(frozen=True)
class Place:
    """Where the pages are: `address` for this machine, `phones` for others on the network (empty: none can)."""

    address: str
    phones: str
    owner: str


class Service:
    """Everything that runs. `start` gives the address; `stop` ends it in the reverse order."""

    def __init__(self, settings: Settings, home: Path, host: str = "127.0.0.1", port: int = 8000) -> None:
        self.sessions: dict[str, Session] = {}
        self._settings = settings
        self._home = home
        self._host, self._port = host, port
        self._journal: Journal | None = None
        self._server: Any = None
        self._thread: threading.Thread | None = None

    def start(self) -> Place:
        """Open journal and tables, serve the pages. Raises JournalError, LinkError, OSError, each with one clear line."""
        self._home.mkdir(parents=True, exist_ok=True)
        self._journal = Journal.open(self._settings.journal_url)
        try:
            for name, text in self._settings.tables.items():
                self.sessions[name] = self._session(name, text)
            for session in self.sessions.values():
                session.start()
            return self._serve()
        except BaseException:
            self.stop()
            raise

    def _session(self, name: str, text: str) -> Session:
        assert self._journal is not None
        way = link.open(text, self._settings.link_options(announce=True))
        if isinstance(way, VirtualLink):
            table = way.table
            return Session(name, self._journal, way, table.readers(), table.tags(), clock=way.clock)
        return Session(name, self._journal, way, readers_of_the_frame(), self._tags())

    def _tags(self) -> Mapping[str, Piece]:
        path = self._home / TAGS
        return read_tags(path.read_text()) if path.exists() else {}

    def _serve(self) -> Place:
        shown = dashboard.Settings(self._home, self._phones(), self._journal)
        app = dashboard.create_app(self.sessions, shown)
        self._server = create_server(
            app, host=self._host, port=self._port, threads=MOST_VIEWERS, channel_timeout=3600
        )
        self._thread = threading.Thread(target=self._server.run, name="naqala-pages", daemon=True)
        self._thread.start()
        address = f"http://127.0.0.1:{self._server.effective_port}"
        return Place(address, self._phones(), dashboard.owner_address(shown, address))

    def _phones(self) -> str:
        """How others on the network reach this machine, when it lets them."""
        if self._host in ("127.0.0.1", "localhost"):
            return ""
        return (
            f"http://{own_address()}:{self._port}"
            if self._host == "0.0.0.0"
            else f"http://{self._host}:{self._port}"
        )

    def stop(self) -> None:
        """End pages, sessions and journal; whatever was accepted is on disk."""
        if self._server is not None:
            self._server.close()
        for session in self.sessions.values():
            session.stop()
        if self._journal is not None:
            self._journal.close()


def own_address() -> str:
    """This machine's address on its network, found without sending anything."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address reserved for documents: nothing is sent to it
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
