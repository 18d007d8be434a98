"""What the link tests share: an inbox to wait at, and controllers behind pseudo-terminals."""

from __future__ import annotations

import os
import pty
import queue
import select
import threading
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from naqala import link as links
from naqala.link import Arrived, Options
from naqala_protocol import Seen

from tests.link.model import ModelController


class Inbox:
    """Collects a link's events; `until` waits for the one that is wanted."""

    def __init__(self) -> None:
        self.queue: queue.Queue[object] = queue.Queue()
        self.events: list[object] = []

    def __call__(self, event: object) -> None:
        self.queue.put(event)

    def until(self, wanted: Callable[[object], bool], timeout: float = 60) -> object:
        """The next event of that kind; those before it are kept in `events`."""
        end = time.monotonic() + timeout
        while True:
            try:
                event = self.queue.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"not within {timeout} s, but {self.events[-8:]}") from None
            self.events.append(event)
            if wanted(event):
                return event

    def of(self, kind: type) -> Callable[[object], bool]:
        return lambda event: isinstance(event, kind)


def seen(reader: int, *tags: str) -> Callable[[object], bool]:
    """Whether an event is the line that says just these tags on this reader."""
    return lambda event: (
        isinstance(event, Arrived)
        and isinstance(event.message, Seen)
        and (event.message.reader, set(event.message.tags)) == (reader, set(tags))
    )


class PtyController:
    """A model controller behind a pseudo-terminal at a fixed path, like a cable: plugged in, pulled, plugged in."""

    def __init__(
        self, path: Path, controller: ModelController, spoil: Callable[[bytes], bytes] = bytes
    ) -> None:
        self.path, self.controller, self.spoil = path, controller, spoil
        self.lock = threading.Lock()
        self.deaf = False
        self._master = self._slave = -1

    def plug(self, reboot: bool = False) -> None:
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.path.symlink_to(os.ttyname(self._slave))
        self._wake_r, self._wake_w = os.pipe()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        with self.lock:
            self._write(self.controller.reboot() if reboot else self.controller.start())

    def pull(self) -> None:
        self.path.unlink()
        os.write(self._wake_w, b"x")
        self._thread.join()
        for fd in (self._master, self._slave, self._wake_r, self._wake_w):
            os.close(fd)
        self._master = -1

    def put(self, reader: int, *tags: str) -> None:
        with self.lock:
            line = self.controller.put(reader, *tags)
            if self._master >= 0:
                self._write([line])

    def say(self, data: bytes) -> None:
        with self.lock:
            os.write(self._master, data)

    def _write(self, lines: list[bytes]) -> None:
        for line in lines:
            os.write(self._master, self.spoil(line))

    def _run(self) -> None:
        alive = time.monotonic() + 1
        while True:
            ready, _, _ = select.select(
                [self._master, self._wake_r], [], [], max(0, alive - time.monotonic())
            )
            if self._wake_r in ready:
                return
            with self.lock:
                if ready:
                    answers = self.controller.receive(os.read(self._master, 4096))
                    self._write([] if self.deaf else answers)
                if time.monotonic() >= alive:
                    alive += 1
                    self._write([] if self.deaf else [self.controller.alive()])


@pytest.fixture
def plug(tmp_path: Path) -> Iterator[Callable[..., PtyController]]:
    """Plug controllers in: `plug("oak")` is a controller of that name at `tmp_path/tty-oak`."""
    cables: list[PtyController] = []

    def plug(name: str, spoil: Callable[[bytes], bytes] = bytes, **how: int) -> PtyController:
        cable = PtyController(tmp_path / f"tty-{name}", ModelController(name, **how), spoil)
        cables.append(cable)
        cable.plug()
        return cable

    yield plug
    for cable in cables:
        if cable.path.is_symlink():
            cable.pull()


@pytest.fixture
def open_link(tmp_path: Path) -> Iterator[Callable[..., tuple[links.Link, Inbox]]]:
    """Open and start links; those over serial look at the ports of this test. Stopped at its end."""
    opened: list[links.Link] = []

    def open_link(text: str = "serial", **options: object) -> tuple[links.Link, Inbox]:
        inbox = Inbox()
        link = links.open(text, Options(**{"ports": (str(tmp_path / "tty-*"),), **options}))
        opened.append(link)
        link.start(inbox)
        return link, inbox

    yield open_link
    for link in opened:
        link.stop()
