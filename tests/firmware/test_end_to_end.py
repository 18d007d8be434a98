"""Simulated chips, the firmware on the real MicroPython, a real wire, and the host's own links: the whole line."""

from __future__ import annotations

import os
import pty
import queue
import subprocess
import sys
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import naqala.link
import pytest
from naqala.link import Arrived, LinkUp
from naqala_protocol import Config, Fault, Focus, Log, Seen

from tests.link.broker import Mosquitto

ROOT = Path(__file__).parents[2]
SCRIPT = str(ROOT / "tests/firmware/table_main.py")
Inbox = queue.Queue[Any]


def tag(number: int) -> str:
    return f"e0040150000{number:05x}"


def interpreter(name: str, micropython: Path) -> list[str]:
    return [sys.executable] if name == "cpython" else [str(micropython), "-X", "heapsize=768k"]


@pytest.fixture(params=["micropython", "cpython"])
def device(request: pytest.FixtureRequest, micropython: Path) -> Iterator[str]:
    master, slave = pty.openpty()
    tty.setraw(slave)
    words = interpreter(request.param, micropython)
    firmware = subprocess.Popen([*words, SCRIPT, "serial"], stdin=master, stdout=master, cwd=ROOT)
    yield os.ttyname(slave)
    firmware.kill()
    firmware.wait()
    os.close(master)
    os.close(slave)


def until(inbox: Inbox, wanted: Callable[[Any], bool], seconds: float = 60) -> Any:
    """The first event that is wanted; messages are unwrapped."""
    end = time.monotonic() + seconds
    while True:
        event = inbox.get(timeout=max(0.01, end - time.monotonic()))
        found = event.message if isinstance(event, Arrived) else event
        if wanted(found):
            return found


def test_over_usb_with_the_hosts_serial_link(device: str) -> None:
    inbox: Inbox = queue.Queue()
    link = naqala.link.open(f"serial:{device}")
    link.start(inbox.put)
    try:
        up = until(inbox, lambda m: isinstance(m, LinkUp))
        assert (up.hello.name, up.hello.wired) == ("virtual", 30)
        readers: set[int] = set()
        until(inbox, lambda m: isinstance(m, Seen) and (readers.add(m.reader) or len(readers) == 30))
        for number in (1, 2, 3):
            link.send(Config("place", f"{tag(number)} 17"))
        until(inbox, lambda m: isinstance(m, Seen) and m.reader == 17 and len(m.tags) == 3)
        link.send(Focus((16, 18)))
        link.send(Config("place", f"{tag(3)} 18"))
        until(inbox, lambda m: isinstance(m, Seen) and (m.reader, m.tags) == (18, (tag(3),)))
        until(inbox, lambda m: isinstance(m, Seen) and (m.reader, m.tags) == (17, (tag(1), tag(2))))
        link.send(Config("fault", "4 stuck"))
        until(inbox, lambda m: isinstance(m, Fault) and (m.reader, m.code) == (4, "busy"))
        counters = link.health().counters
        assert (counters.malformed, counters.lost) == (0, 0)
        assert counters.bad + counters.noise <= 1  # the line in whose middle the port was opened
    finally:
        link.stop()


def test_over_mqtt_with_the_hosts_link_while_the_broker_restarts(micropython: Path, tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    broker.start()
    words = interpreter("micropython", micropython)
    firmware = subprocess.Popen([*words, SCRIPT, "mqtt", str(broker.port)], cwd=ROOT)
    inbox: Inbox = queue.Queue()
    link = naqala.link.open(f"mqtt://127.0.0.1:{broker.port}/virtual")
    link.start(inbox.put)
    try:
        until(inbox, lambda m: isinstance(m, LinkUp))
        readers: set[int] = set()
        until(inbox, lambda m: isinstance(m, Seen) and (readers.add(m.reader) or len(readers) == 30))
        for reader in range(30):
            link.send(Config("place", f"{tag(reader)} {reader}"))
        numbers: list[int] = []
        there: set[int] = set()
        orders: list[str] = []

        def take(message: Any) -> None:
            if isinstance(message, Seen) and message.tags:
                numbers.append(message.seq)
                there.add(message.reader)
            elif isinstance(message, Log) and message.text.endswith("done"):
                orders.append(message.text)

        until(inbox, lambda m: take(m) or len(orders) == 30)  # every tag lies there, few have been seen
        broker.stop()
        broker.await_knock("naqala-virtual")  # the rest is seen while nobody can be told
        broker.start()
        until(inbox, lambda m: take(m) or there == set(range(30)))
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert link.health().counters.lost == 0
    finally:
        link.stop()
        firmware.kill()
        firmware.wait()
        broker.stop()


def test_naqala_tune_shows_the_gain_of_a_coil(device: str) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from naqala.cli import main; main()",
            "tune",
            f"serial:{device}",
            "17",
            "--seconds",
            "6",
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line]
    assert len(lines) > 3, done.stdout + done.stderr
    assert all(line.startswith("reader 17  gain  600  best  600  ####") for line in lines), done.stdout


def test_naqala_tune_refuses_what_is_no_reader() -> None:
    words = [sys.executable, "-c", "from naqala.cli import main; main()", "tune", "serial", "64"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "naqala: a reader is a number from 0 to 63, not 64\n"
