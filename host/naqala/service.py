"""The parts put together: a journal, a session for each table, and the dashboard in front of them.

In: settings. Out: a running service that is started once and stopped once. When a table cannot be opened it does not start:
one line says why, and nothing is left running.
"""

from __future__ import annotations

import gc
import json
import logging
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from flask import Flask

from naqala import dashboard, link
from naqala.dashboard import owner_house
from naqala.dashboard.safety import holders
from naqala.dashboard.stream import close_streams
from naqala.house_files import TAGS, HouseFiles
from naqala.journal import Journal
from naqala.link import phones
from naqala.outside import home_assistant, metrics
from naqala.outside.announcer import Announcer
from naqala.session.draft import Draft
from naqala.session.missed import mark
from naqala.session.session import Session
from naqala.session.snapshot import OVER, Snapshot
from naqala.settings import Settings
from naqala.table.sight import FRAME, turned
from naqala.transcript import Piece
from naqala.virtual import page
from naqala.virtual.link import VirtualLink
from naqala.web.authority import Authority, addresses
from naqala.web.called import NAME, Called, own_address
from naqala.web.renewing import Renewing
from naqala.web.server import Server

__all__ = ("TAGS", "Place", "Service")

log = logging.getLogger(__name__)

LOOPBACK = ("127.0.0.1", "localhost")
# How long one thread may keep the others waiting: a drop passes from the link's thread to the session's, to the one that renders
# and to the one that sends, and each would wait for Python's usual 5 ms.
SWITCH_S = 0.0005


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
        self._renewing: Renewing | None = None
        self._server: Server | None = None
        self._on_network: Server | None = None  # for phones that were let in later
        self._announcers: list[Announcer] = []
        self._files: HouseFiles | None = None

    def start(self) -> Place:
        """Open journal and tables, serve the pages. Raises SettingsError, JournalError, LinkError, each with one clear line,
        and OSError when the port cannot be used."""
        files = self._files = HouseFiles(self._settings, self._home)
        self._journal = files.open_journal()
        try:
            for name, text in self._settings.tables.items():
                self.sessions[name] = self._session(name, text)
                files.keeper.follow(name, self.sessions[name], OVER)
            for session in self.sessions.values():
                session.start()
            for announcer in self._announcers:
                announcer.start()
            place = self._serve(files)
            files.keeper.start()
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
        assert self._journal is not None and self._files is not None
        retained: tuple[tuple[str, str], ...] = ()
        if text.startswith("mqtt"):
            at_the_broker = unquote(urlsplit(text).path.strip("/"))
            retained = home_assistant.discovery(at_the_broker, self._settings.mqtt_discovery)
        options = self._settings.link_options(mark(self._journal, name), announce=True, retained=retained)
        way = link.open(text, options)
        if isinstance(way, VirtualLink):
            self._virtual[name] = way
            table = way.table
            draft = Draft(self._home, name)
            return Session(
                name, self._journal, way, table.readers(), table.tags(), clock=way.clock, draft=draft
            )
        if text == phones.KIND:
            return Session(name, self._journal, way, {}, {}, draft=Draft(self._home, name))
        readers = turned(FRAME) if self._turned else FRAME
        keep_tags = partial(self._keep_tags, name)
        draft = Draft(self._home, name)
        session = Session(
            name, self._journal, way, readers, self._files.tags(), keep_tags=keep_tags, draft=draft
        )
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
                if self._files is not None:
                    self._files.keeper.follow(name, session, OVER)
            return name

    def _snapshots(self) -> list[Snapshot]:
        return [session.snapshot for session in list(self.sessions.values())]

    def _keep_tags(self, table: str, changes: Mapping[str, Piece]) -> None:
        """Pieces were enrolled at one table: the other tables of the same box know them, too."""
        assert self._files is not None
        tags = self._files.keep_tags(changes)
        for name, session in list(self.sessions.items()):
            if name != table and name not in self._virtual:
                session.learn(tags)

    def _serve(self, files: HouseFiles) -> Place:
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
        let_in = self.let_phones_in if self._host in LOOPBACK else None
        shown = dashboard.Settings(
            self._home, first, self._journal, secure, files.keeper, self._authority, let_in
        )
        app = self._app = dashboard.create_app(self.sessions, shown)
        self._holder_of, self._largest = holders(app), owner_house.largest(app)
        tables = {name: (way, self.sessions[name]) for name, way in self._virtual.items()}
        page.add(app, tables, self._robots, self._settings.ports, self.connect)
        metrics.add(app, self._snapshots, files.keeper.newest)
        self._server.start()
        if self._authority is not None:
            self._renewing = Renewing(self._authority)
        address = f"http://127.0.0.1:{self._port}"
        owner = dashboard.owner_address(shown, address)
        codes = dashboard.join_codes(shown, self.sessions)
        return Place(address, first, owner, secure, codes, self._name_us())

    def let_phones_in(self) -> bool:
        """Answer on this machine's own network as well, without a restart; False where there is no network or its port is
        taken. The owner's pages stay where they are."""
        assert self._app is not None and self._server is not None
        with self._connecting:
            host = own_address()
            if self._on_network is not None or host in LOOPBACK:
                return self._on_network is not None
            bind = self._server_at(host)
            secure_port = self._server.https_port
            try:
                tls = self._authority.context() if self._authority is not None else None
                self._on_network = bind(https_port=secure_port, tls=tls)
            except OSError as error:
                log.warning("phones cannot join at %s:%s: %s", host, self._port, error.strerror)
                return False
            self._on_network.start()
            first, secure = (
                f"http://{host}:{self._port}",
                f"https://{host}:{secure_port}" if secure_port else "",
            )
            first = secure if self._https_first and secure else first
            shown = self._app.extensions["naqala-settings"]
            self._app.extensions["naqala-settings"] = replace(
                shown, address=first, secure=secure, let_in=None
            )
            return True

    def _bound(self) -> Server:
        """The server with its ports. Where the usual port of https is taken, any other will do: people reach it by a link."""
        bind = self._server_at(self._host)
        if self._authority is None:
            return bind()
        tls = self._authority.context()
        try:
            return bind(https_port=self._https_port, tls=tls)
        except OSError:
            return bind(https_port=0, tls=tls)

    def _server_at(self, host: str) -> partial[Server]:
        more = partial(Server, known=self._holder, health=self._health, large=self._large)
        return partial(more, self._answer, host, self._port)

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

    def _large(self, path: str, cookie: str) -> int:
        return self._largest(path, cookie)

    def _health(self) -> bytes:
        """For programs that watch over this one: whether it answers, and how each table is."""
        tables = {one.table: _state(one) for one in self._snapshots()}
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
            self._renewing.stop()
        for server in (self._on_network, self._server):
            if server is not None:
                server.stop()
        if self._app is not None:
            close_streams(self._app)
        for announcer in self._announcers:
            announcer.stop()
        for session in list(self.sessions.values()):
            session.stop()
        if self._files is not None:
            self._files.keeper.stop()
        if self._journal is not None:
            self._journal.close()


def _state(snapshot: Snapshot) -> str:
    """A table in one word: stopped, down, or up."""
    return "stopped" if snapshot.stopped else "up" if snapshot.link.up else "down"
