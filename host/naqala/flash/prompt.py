"""A controller at its MicroPython prompt: what is on it, files onto it, restart. mpremote speaks to it.

In: a serial port. Out: one exchange per method; what runs on the controller meanwhile is in the texts below.
"""

from __future__ import annotations

import contextlib
import io
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import serial
from mpremote.transport import TransportError, TransportExecError
from mpremote.transport_serial import SerialTransport
from naqala_protocol import Config, encode

from naqala.flash.compiled import File, FlashError
from naqala.link import ports

CHUNK = 512
PROMPT_S = 20.0  # a controller that is asked for its prompt restarts first

# What runs on the controller. Sizes and checksums of all that is ours, one line each.
LISTING = """
import os, hashlib, binascii
def show(folder):
    for entry in os.ilistdir(folder or '/'):
        path = folder + '/' + entry[0]
        if entry[1] & 0x4000:
            if folder or entry[0].startswith('naqala-'):
                show(path)
        elif folder or entry[0] in ('current', 'main.py', 'naqala.json') or entry[0].endswith('.der'):
            digest = hashlib.sha256()
            with open(path, 'rb') as file:
                piece = file.read(512)
                while piece:
                    digest.update(piece)
                    piece = file.read(512)
            print(binascii.hexlify(digest.digest()).decode(), path)
show('')
"""
COPY = """
def copy(source, target):
    with open(source, 'rb') as old, open(target, 'wb') as new:
        piece = old.read(512)
        while piece:
            new.write(piece)
            piece = old.read(512)
copy(%r, %r)
"""
REMOVE = """
import os
def remove(path):
    for entry in os.ilistdir(path):
        inner = path + '/' + entry[0]
        if entry[1] & 0x4000:
            remove(inner)
        else:
            os.remove(inner)
    os.rmdir(path)
remove(%r)
"""


def unheard(_written: int) -> None:
    """Progress that nobody asked for."""


class Prompt:
    """A controller at its MicroPython prompt. Every method is one exchange; TransportError when it breaks off."""

    def __init__(self, transport: SerialTransport) -> None:
        self._transport = transport

    def run(self, code: str) -> str:
        try:
            answer: bytes = self._transport.exec(code)
        except TransportExecError as error:
            last = error.error_output.strip().splitlines()[-1]
            raise FlashError(f"the controller could not do its part: {last}") from error
        return answer.decode()

    def version(self) -> tuple[tuple[int, ...], int, str]:
        """MicroPython's version, the bytecode it reads, the platform."""
        told = self.run(
            "import sys; print(list(sys.implementation[1])[:2], sys.implementation._mpy & 255, sys.platform)"
        )
        numbers, mpy, platform = told.rsplit(maxsplit=2)
        return tuple(json.loads(numbers)), int(mpy), platform

    def listing(self) -> dict[str, str]:
        """path -> checksum of everything of ours on the controller."""
        lines = (line.split(" ", 1) for line in self.run(LISTING).splitlines())
        return {path.strip(): digest for digest, path in lines}

    def read(self, path: str) -> str:
        return bytes(self._transport.fs_readfile(path)).decode()

    def make_folder(self, path: str) -> None:
        """It may be there already."""
        self.run(f"import os\ntry:\n os.mkdir({path!r})\nexcept OSError:\n pass")

    def send(self, path: str, data: bytes, progress: Callable[[int], object] = unheard) -> None:
        """Write a file under another name, check it, and only then give it its own; `progress` hears of bytes written."""
        done = 0

        def count(written: int, _size: int) -> None:
            nonlocal done
            progress(written - done)
            done = written

        self._transport.fs_writefile(path + ".new", data, chunk_size=CHUNK, progress_callback=count)
        self._settle(path, File(path, data).digest)

    def copy(self, source: str, path: str, digest: str) -> None:
        self.run(COPY % (source, path + ".new"))
        self._settle(path, digest)

    def _settle(self, path: str, digest: str) -> None:
        found = bytes(self._transport.fs_hashfile(path + ".new", "sha256")).hex()
        if found != digest:
            raise FlashError(f"{path} did not arrive whole; the old firmware stays; try again")
        self.run(f"import os\nos.rename({path + '.new'!r}, {path!r})")

    def remove(self, folder: str) -> None:
        self.run(REMOVE % folder)

    def restart(self) -> None:
        """Leave the prompt and let main.py run."""
        self._transport.exit_raw_repl()
        self._transport.serial.write(b"\x04")

    def close(self) -> None:
        self._transport.close()


@contextlib.contextmanager
def prompt_at(device: str) -> Iterator[Prompt]:
    """The controller's prompt; a running firmware is asked to give it up, which restarts the controller once."""
    transport = _reach(device)
    try:
        yield Prompt(transport)
    except (TransportError, OSError, serial.SerialException) as error:
        raise FlashError(
            f"the connection to {device} broke off ({error}); the old firmware stays; try again"
        ) from error
    finally:
        with contextlib.suppress(OSError, serial.SerialException):
            transport.close()


def _reach(device: str) -> SerialTransport:
    if device.startswith("/") and not Path(device).exists():
        raise FlashError(f"there is no port '{device}'; `naqala ports` lists those that are there")
    if device.startswith("/") and not Path(device).is_char_device():
        raise FlashError(f"'{device}' is no serial port; `naqala ports` lists those that are there")
    end = time.monotonic() + PROMPT_S
    problem: Exception | None = None
    while time.monotonic() < end:
        transport = None
        try:
            # mpremote prints what it cannot read; that is for us to say.
            with contextlib.redirect_stdout(io.StringIO()):
                transport = SerialTransport(device, ports.BAUD, timeout=2)
                transport.serial.write(b"\n" + encode(Config("stop", "repl")))
                transport.enter_raw_repl(soft_reset=False, timeout_overall=2)
            return transport
        except (TransportError, OSError, serial.SerialException) as error:
            problem = error
            if transport is not None:
                with contextlib.suppress(OSError, serial.SerialException):
                    transport.close()
            time.sleep(0.3)  # it may be restarting
    raise FlashError(
        f"no MicroPython prompt at {device} ({problem}); unplug the controller, plug it in, try again"
    )
