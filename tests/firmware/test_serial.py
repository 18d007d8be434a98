"""The firmware on the real MicroPython behind a pseudo-terminal, pyserial on the other side: as a host meets it."""

from __future__ import annotations

import os
import pty
import subprocess
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import serial
from naqala_protocol import (
    FROM_CONTROLLER,
    VERSION,
    Alive,
    Config,
    Decoder,
    Fault,
    Focus,
    Hello,
    Log,
    Resync,
    Seen,
    encode,
)

ROOT = Path(__file__).parents[2]
HELLO = Hello(VERSION, "host", 0, 0, 0, "host", ())
TAG = "e004010203040506"


class Port:
    """A host's end of the line."""

    def __init__(self, device: str) -> None:
        self.serial = serial.Serial(device, 115200, timeout=0.05, exclusive=True)
        self.decoder = Decoder(FROM_CONTROLLER)
        self.heard: list[Any] = []

    def say(self, message: Any) -> None:
        self.serial.write(encode(message))

    def until(self, wanted: Callable[[Any], bool], seconds: float = 60) -> Any:
        """The first message from now on that is wanted."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self.decoder.feed(self.serial.read(4096))
            self.heard += found
            for message in found:
                if wanted(message):
                    return message
        raise AssertionError(f"not heard; the last: {self.heard[-5:]}")


@pytest.fixture
def device(micropython: Path) -> Iterator[str]:
    master, slave = pty.openpty()
    tty.setraw(slave)
    command = [
        micropython,
        "-X",
        "heapsize=192k",
        str(ROOT / "tests/firmware/scripted_main.py"),
        "serial",
    ]
    firmware = subprocess.Popen(command, stdin=master, stdout=master, cwd=ROOT)
    try:
        yield os.ttyname(slave)
    finally:
        firmware.kill()
        firmware.wait()
        os.close(master)
        os.close(slave)


def test_hello_sweep_drop_lift_and_fault(device: str) -> None:
    port = Port(device)
    port.say(HELLO)
    hello = port.until(lambda m: isinstance(m, Hello))
    assert (hello.name, hello.wired) == ("scripted", 30)
    port.say(Resync(None))
    readers = set()
    port.until(lambda m: isinstance(m, Seen) and (readers.add(m.reader) or len(readers) == 30))
    port.say(Config("put", f"7 {TAG}"))
    port.until(lambda m: isinstance(m, Seen) and m.reader == 7 and m.tags == (TAG,))
    port.say(Config("put", "7"))
    port.until(lambda m: isinstance(m, Seen) and m.reader == 7 and m.tags == ())
    port.say(Config("break", "9 busy"))
    port.until(lambda m: isinstance(m, Fault) and (m.reader, m.code) == (9, "busy"))
    port.say(Config("break", "9 -"))
    port.until(lambda m: isinstance(m, Fault) and (m.reader, m.code) == (9, "ok"))
    alive = port.until(lambda m: isinstance(m, Alive))
    assert alive.free > 20_000
    numbers = [m.seq for m in port.heard if isinstance(m, Seen | Fault)]
    assert numbers[-30:] == list(range(numbers[-30], numbers[-30] + 30))
    assert (port.decoder.noise, port.decoder.bad) == (0, 0)


def test_the_host_may_come_and_go_and_misses_nothing(device: str) -> None:
    first = Port(device)
    first.say(HELLO)
    first.until(lambda m: isinstance(m, Log) and m.text.startswith("self-test"))
    last = first.until(lambda m: isinstance(m, Alive)).seq
    for number in range(30):
        first.say(Config("put", f"{number} {TAG[:-2]}{number:02x}"))
    first.serial.flush()
    first.serial.close()  # gone before it hears of any
    second = Port(device)
    second.until(lambda m: isinstance(m, Alive) and m.seq >= last + 30)  # all said, to nobody who noted it
    second.serial.reset_input_buffer()
    second.say(HELLO)
    second.until(lambda m: isinstance(m, Hello))
    second.say(Resync(last + 1))
    seen: dict[int, Seen] = {}
    second.until(lambda m: isinstance(m, Seen) and (seen.setdefault(m.seq, m) and len(seen) == 30))
    assert sorted(seen) == list(range(last + 1, last + 31))
    assert {line.reader for line in seen.values()} == set(range(30))


def test_every_byte_is_harmless_ctrl_c_included(device: str) -> None:
    port = Port(device)
    port.say(HELLO)
    port.until(lambda m: isinstance(m, Hello))
    port.serial.write(bytes(range(256)) * 4 + b"\x03\x03\r\x01\x04\n")
    port.say(Focus((3, 4)))
    port.say(HELLO)
    port.until(lambda m: isinstance(m, Hello))
    noise = port.until(lambda m: isinstance(m, Alive) and dict(m.counters)["noise"] > 0)
    assert dict(noise.counters)["noise"] <= 10
