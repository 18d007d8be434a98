"""The parts put together: a journal, a session for each table, and the dashboard in front of them.

In: settings. Out: a running service that is started once and stopped once. When a table cannot be opened it does not start:
one line says why, and nothing is left running.
"""

from __future__ import annotations

import gc
import json
import logging
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from flask import Flask

from naqala import dashboard, link
from naqala.dashboard.logbook import newest
from naqala.dashboard.safety import holders
from naqala.dashboard.stream import close_streams
from naqala.dashboard.view import show
from naqala.dashboard.viewers import THE_SCREEN
from naqala.journal import Journal
from naqala.session.missed import mark
from naqala.session.session import Session
from naqala.session.snapshot import Snapshot
from naqala.settings import Settings, SettingsError
from naqala.table.evidence import FRAME, turned
from naqala.table.pieces import read_tags, write_tags
from naqala.transcript import Piece
from naqala.virtual import page
from naqala.virtual.link import VirtualLink
from naqala.web.authority import Authority, addresses
from naqala.web.called import NAME, Called
from naqala.web.server import Server

log = logging.getLogger(__name__)

TAGS = "tags.csv"
LOOPBACK = ("127.0.0.1", "localhost")
# How long one thread may keep the others waiting: a drop passes from the link's thread to the session's, to the one that renders
# and to the one that sends, and each would wait for Python's usual 5 ms.
SWITCH_S = 0.0005
RENEW_EVERY_S = 12 * 3600.0
LOOK_UP_S = 1.0  # how long an announcer may take to notice that the service ends


@dataclass(frozen=True)
class Place:
    """Where the pages are: `address` for this machine, `phones` for others on the network (empty: none can), `secure` the same with
    https; `codes` lead straight to each table's names; `called` is a name for people who type (empty: the network has none)."""

    address: str
    phones: str
    owner: str
    secure: str = ""
    codes: Mapping[str, str] = field(default_factory=dict)
    called: str = ""


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
        https_port: int | None = None,
        https_first: bool = False,
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
        self._https_port = https_port  # None: no https
        self._https_first = https_first  # the code on the screen leads to https
        self._authority: Authority | None = None
        self._called: Called | None = None
        self._renewing: threading.Timer | None = None
        self._server: Server | None = None
        self._announcers: list[Announcer] = []

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
        sys.setswitchinterval(SWITCH_S)
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
        if self._https_port is not None:
            own = [self._host] if self._host not in ("0.0.0.0", *LOOPBACK) else []
            try:
                self._authority = Authority(self._home / "https", [f"{NAME}.local", *own])
            except OSError as error:  # an evening without https is better than none
                log.warning("no https: %s cannot be written: %s", self._home / "https", error.strerror)
        self._server = self._bound()
        self._port = self._server.port
        phones, secure = self._phones("http", self._port), ""
        if self._server.https_port is not None:
            secure = self._phones("https", self._server.https_port)
        first = secure if self._https_first and secure else phones
        shown = dashboard.Settings(self._home, first, self._journal, secure, self._authority)
        app = self._app = dashboard.create_app(self.sessions, shown)
        self._holder_of = holders(app)
        tables = {name: (way, self.sessions[name]) for name, way in self._virtual.items()}
        page.add(app, tables, self._robots, self._settings.ports, self.connect)
        self._server.start()
        self._keep_certificate()
        address = f"http://127.0.0.1:{self._port}"
        owner = dashboard.owner_address(shown, address)
        codes = dashboard.join_codes(shown, self.sessions)
        return Place(address, first, owner, secure, codes, self._name_us())

    def _bound(self) -> Server:
        """The server with its ports. Where the usual port of https is taken, any other will do: people reach it by a link."""
        bind = partial(Server, self._answer, self._host, self._port, known=self._holder, health=self._health)
        if self._authority is None:
            return bind()
        tls = self._authority.context()
        try:
            return bind(https_port=self._https_port, tls=tls)
        except OSError:
            return bind(https_port=0, tls=tls)

    def _keep_certificate(self) -> None:
        """Look twice a day whether the certificate is still right: addresses change, time passes, clocks jump."""
        if self._authority is None:
            return
        self._renewing = threading.Timer(RENEW_EVERY_S, self._renew)
        self._renewing.daemon = True
        self._renewing.start()

    def _renew(self) -> None:
        assert self._authority is not None
        try:
            self._authority.renew()
        except OSError as error:
            log.warning("the certificate for https could not be renewed: %s", error)
        self._keep_certificate()

    def _name_us(self) -> str:
        """Be called naqala.local in the network, if others may see us at all."""
        if self._host.startswith(("127.", "localhost")):
            return ""
        own = [one for one in addresses() if ":" not in one and not one.startswith("127.")]
        self._called = Called(own if self._host == "0.0.0.0" else [self._host], self._port)
        return self._called.name

    def _answer(self, environ: Any, start_response: Any) -> Any:
        assert self._app is not None
        return self._app(environ, start_response)

    def _holder(self, cookie: str) -> str:
        return self._holder_of(cookie)

    def _health(self) -> bytes:
        """For programs that watch over this one: whether it answers, and how each table is."""
        tables = {name: _state(session.snapshot) for name, session in list(self.sessions.items())}
        return json.dumps({"ok": True, "tables": tables}).encode() + b"\n"

    def _phones(self, scheme: str, port: int) -> str:
        """How others on the network reach this machine, when it lets them."""
        if self._host in LOOPBACK:
            return ""
        host = own_address() if self._host == "0.0.0.0" else self._host
        return f"{scheme}://{host}:{port}"

    def stop(self) -> None:
        """End pages, sessions and journal; whatever was accepted is on disk."""
        gc.unfreeze()
        if self._called is not None:
            self._called.close()
        if self._renewing is not None:
            self._renewing.cancel()
        if self._server is not None:
            self._server.stop()
        if self._app is not None:
            close_streams(self._app)
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


def _state(snapshot: Snapshot) -> str:
    """A table in one word: stopped, down, or up."""
    return "stopped" if snapshot.stopped else "up" if snapshot.link.up else "down"


def own_address() -> str:
    """This machine's address on its network, found without sending anything."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address reserved for documents: nothing is sent to it
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
