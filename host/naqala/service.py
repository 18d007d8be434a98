"""The parts put together: a journal, a session for each table, and the dashboard in front of them.

In: settings. Out: a running service that is started once and stopped once. When a table cannot be opened it does not start:
one line says why, and nothing is left running.
"""

from __future__ import annotations

import gc
import socket
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from flask import Flask
from waitress.server import create_server

from naqala import dashboard, link
from naqala.dashboard.logbook import newest
from naqala.dashboard.stream import close_streams
from naqala.dashboard.view import show
from naqala.dashboard.viewers import THE_SCREEN
from naqala.journal import Journal
from naqala.session.missed import mark
from naqala.session.session import Session
from naqala.settings import Settings, SettingsError
from naqala.table.pieces import read_tags, write_tags
from naqala.table.sight import FRAME, turned
from naqala.transcript import Piece
from naqala.virtual import page
from naqala.virtual.link import VirtualLink

TAGS = "tags.csv"
# Pages are streams that stay open: each phone and screen holds a thread while it looks.
MOST_VIEWERS = 96
MOST_CONNECTIONS = 1000  # a browser opens up to six and keeps them: twenty phones fill the usual hundred
MOST_KEPT_BYTES = (
    65_536  # of what was sent to a viewer: the server's own 16 MB each let an evening grow by 150 MB
)
LOOK_UP_S = 1.0  # how long an announcer may take to notice that the service ends
PAGES_END_S = 3.0  # how long the pages that are open at the end may take: a stream looks up once a second


@dataclass(frozen=True)
class Place:
    """Where the pages are: `address` for this machine, `phones` for others on the network (empty: none can)."""

    address: str
    phones: str
    owner: str


class Service:
    """Everything that runs. `start` gives the address; `stop` ends it in the reverse order."""

    def __init__(
        self,
        settings: Settings,
        home: Path,
        host: str = "127.0.0.1",
        port: int = 8000,
        robots: Sequence[str] = (),
        turned: bool = False,
    ) -> None:
        self.sessions: dict[str, Session] = {}
        self._virtual: dict[str, VirtualLink] = {}
        self._connecting = threading.Lock()
        self._enrolling = threading.Lock()
        self._settings = settings
        self._home = home
        self._host, self._port = host, port
        self._robots = tuple(robots)  # players of virtual tables who are no people
        self._turned = turned  # frames of real tables stand half round: their last reader is under A1
        self._journal: Journal | None = None
        self._app: Flask | None = None
        self._server: Any = None
        self._thread: threading.Thread | None = None
        self._announcers: list[Announcer] = []
        self._over = False

    def start(self) -> Place:
        """Open journal and tables, serve the pages. Raises SettingsError, JournalError, LinkError, each with one clear line,
        and OSError when the port cannot be used."""
        try:
            self._home.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError(
                f"cannot make the folder {self._home}: {error.strerror}; choose another with --home"
            ) from None
        self._journal = Journal.open(self._settings.journal_url, mend=True)
        try:
            for name, text in self._settings.tables.items():
                self.sessions[name] = self._session(name, text)
            for session in self.sessions.values():
                session.start()
            for announcer in self._announcers:
                announcer.start()
            place = self._serve()
        except BaseException:
            self.stop()
            raise
        # What lives as long as the program is not to be looked through again and again: that would hold up a drop for
        # 40 ms each time.
        gc.collect()
        gc.freeze()
        return place

    def _session(self, name: str, text: str) -> Session:
        assert self._journal is not None
        way = link.open(text, self._settings.link_options(mark(self._journal, name), announce=True))
        if isinstance(way, VirtualLink):
            self._virtual[name] = way
            table = way.table
            return Session(name, self._journal, way, table.readers(), table.tags(), clock=way.clock)
        readers = turned(FRAME) if self._turned else FRAME
        keep_tags = partial(self._keep_tags, name)
        session = Session(name, self._journal, way, readers, self._tags(), keep_tags=keep_tags)
        if text.startswith("mqtt"):
            self._announcers.append(Announcer(session, way))
        return session

    def connect(self, controller: str) -> str:
        """Follow a controller that was plugged in while everything runs, as a table of its own; that table's name."""
        with self._connecting:
            for name, session in list(self.sessions.items()):
                if name not in self._virtual and session.snapshot.link.controller == controller:
                    return name
            name = controller if controller not in self._virtual else f"{controller}-real"
            if name not in self.sessions:
                session = self._session(name, f"serial:name={controller}")
                session.start()
                self.sessions[name] = session
            return name

    def _tags(self) -> Mapping[str, Piece]:
        path = self._home / TAGS
        try:
            return read_tags(path.read_text(encoding="utf-8")) if path.exists() else {}
        except OSError as error:
            raise SettingsError(f"cannot read {path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise SettingsError(f"cannot read {path}: it is no text") from None

    def _keep_tags(self, table: str, changes: Mapping[str, Piece]) -> None:
        """Pieces were enrolled at one table: they go into the file, with all that it holds by now, and to the other tables of
        the same box. The new file is written beside the old one, so that a full disk leaves the old one whole."""
        path, fresh = self._home / TAGS, self._home / f"{TAGS}.new"
        with self._enrolling:
            before = path.read_text(encoding="utf-8") if path.exists() else ""
            tags = {**read_tags(before), **changes}
            fresh.write_text(write_tags(tags, before), encoding="utf-8")
            fresh.replace(path)
            for name, session in list(self.sessions.items()):
                if name != table and name not in self._virtual:
                    session.learn(tags)

    def _serve(self) -> Place:
        # The app must know its own address, and with port 0 that is only known to the server.
        self._server = create_server(
            self._answer,
            host=self._host,
            port=self._port,
            threads=MOST_VIEWERS,
            connection_limit=MOST_CONNECTIONS,
            asyncore_use_poll=True,  # the other way ends at 1,024 files
            channel_timeout=3600,
            outbuf_high_watermark=MOST_KEPT_BYTES,
        )
        self._port = self._server.effective_port
        shown = dashboard.Settings(self._home, self._phones(), self._journal)
        app = self._app = dashboard.create_app(self.sessions, shown)
        tables = {name: (way, self.sessions[name]) for name, way in self._virtual.items()}
        page.add(app, tables, self._robots, self._settings.ports, self.connect)
        self._thread = threading.Thread(target=self._run_pages, name="naqala-pages", daemon=True)
        self._thread.start()
        address = f"http://127.0.0.1:{self._port}"
        return Place(address, self._phones(), dashboard.owner_address(shown, address))

    def _answer(self, environ: Any, start_response: Any) -> Any:
        assert self._app is not None
        return self._app(environ, start_response)

    def _run_pages(self) -> None:
        try:
            self._server.run()
        except OSError:
            if not self._over:  # at the end its sockets are closed under it
                raise

    def _phones(self) -> str:
        """How others on the network reach this machine, when it lets them."""
        if self._host in ("127.0.0.1", "localhost"):
            return ""
        host = own_address() if self._host == "0.0.0.0" else self._host
        return f"http://{host}:{self._port}"

    def stop(self) -> None:
        """End pages, sessions and journal; whatever was accepted is on disk."""
        self._over = True
        gc.unfreeze()
        if self._app is not None:
            close_streams(self._app)
        if self._server is not None:
            # First who is still answering, then the server: an answer that outlives it ends in a traceback.
            self._server.task_dispatcher.shutdown(timeout=PAGES_END_S)
            self._server.close()
        for announcer in self._announcers:
            announcer.stop()
        for session in list(self.sessions.values()):
            session.stop()
        if self._journal is not None:
            self._journal.close()


class Announcer:
    """Shows one table's public snapshot to other programs at the broker, whenever it has changed."""

    def __init__(self, session: Session, way: link.Link) -> None:
        self._session, self._link = session, way
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="naqala-announcer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._over.set()

    def _run(self) -> None:
        version = -1
        said: dict[str, Any] = {}
        while not self._over.is_set():
            snapshot = self._session.wait(version, LOOK_UP_S)
            if snapshot.version > version:
                version = snapshot.version
                # A sign of life of the controller is a new version, too, but nothing new to say.
                public = newest(show(snapshot, THE_SCREEN))
                shown = {key: value for key, value in public.items() if key != "version"}
                if shown != said:
                    self._link.publish(shown)
                    said = shown


def own_address() -> str:
    """This machine's address on its network, found without sending anything."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address reserved for documents: nothing is sent to it
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
