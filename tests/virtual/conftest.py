"""A house with one virtual table in real time: its session, its pages, a server for a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from naqala import dashboard
from naqala import link as links
from naqala.dashboard import keys
from naqala.dashboard.stream import close_streams
from naqala.journal import Journal
from naqala.session import commands as c
from naqala.session.session import Session
from naqala.virtual import evening, page
from naqala.virtual.link import VirtualLink
from naqala.web.server import Server


class House:
    """One virtual table in real time, its session and its pages."""

    def __init__(self, folder: Path, seed: int = 3, more: str = "") -> None:
        link = links.open(f"virtual:oak?seed={seed}{more}")
        assert isinstance(link, VirtualLink)
        self.link, self.table = link, link.table
        self.journal = Journal.open(str(folder / "journal.sqlite"))
        self.session: Session = evening.opened(link, self.journal, seed)
        self.home = folder
        settings = dashboard.Settings(folder, "", self.journal)
        self.app: Flask = dashboard.create_app({"oak": self.session}, settings)
        page.add(self.app, {"oak": (link, self.session)})
        self.token = keys.load_keys(folder).owner
        self._server: Server | None = None

    def open_game(self) -> None:
        """A game of Ann and Bob, before the first bid."""
        evening.begin(self.link, self.session, ("Ann", "Bob"))

    def begin(self) -> None:
        self.open_game()
        while self.session.snapshot.game.turn.phase == "bid":
            choice = self.session.snapshot.choices[0]
            action = {"do": "bid", "player": choice.player, "spot": choice.action.spot}
            assert self.session.tell(c.Tap(str(choice.player), self.session.snapshot.step, action)).accepted

    def serve(self, port: int = 0) -> str:
        """The pages for a browser; the owner's address without its token."""
        self._server = Server(self.app, "127.0.0.1", port)
        self._server.start()
        return f"http://127.0.0.1:{self._server.port}"

    def close(self) -> None:
        if self._server is not None:
            self._server.stop()
        close_streams(self.app)
        self.session.stop()
        self.journal.close()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path)
    yield house
    house.close()
