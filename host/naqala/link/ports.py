"""Serial ports: which there are, who answers on them, and what to do about one that cannot be opened.

In: names of ports. Out: `Found` values, one per port, with a sentence for people. A controller is known by its
`hello`, not by its name or maker: any board and any adapter will do.
"""

from __future__ import annotations

import errno
import getpass
import os
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path

import serial
import serial.tools.list_ports
from naqala_protocol import FROM_CONTROLLER, VERSION, Decoder, Hello, encode

from naqala.link.inbox import Message, clock_ms

BAUD = 115_200
USUAL = ("/dev/ttyACM*", "/dev/ttyUSB*", "/dev/cu.usbmodem*", "/dev/cu.usbserial*")
ANSWER_MS = 1_200  # how long a port may take to answer
HELLO_AGAIN_S = 0.3
GRACE_MS = 300  # what the other ports get once one controller has answered
WRITE_S = 0.5

CONTROLLER, PROMPT, SILENT, BUSY, FORBIDDEN, GONE = (
    "controller",
    "micropython prompt",
    "no answer",
    "in use",
    "needs permission",
    "gone",
)


@dataclass(frozen=True)
class Found:
    """What a port turned out to be. `port` is open when a controller answered, and the caller's to close."""

    device: str
    state: str
    text: str = ""
    hello: Message = None
    port: serial.Serial | None = None
    data: bytes = b""  # all that was read, for the follower


def candidates(further: Iterable[str] = ()) -> list[str]:
    """Every port worth a hello: those named, the usual names, and what the system lists. USB adapters first."""
    listed = sorted(serial.tools.list_ports.comports(), key=lambda port: (port.vid is None, port.device))
    return list(dict.fromkeys([*matching(*further, *USUAL), *(port.device for port in listed)]))


def matching(*patterns: str) -> list[str]:
    """The ports that these wildcards name, each once."""
    named = [pattern for pattern in patterns if Path(pattern).name]  # '.' and '/' name no file
    found = [sorted(glob(pattern)) for pattern in named]  # noqa: PTH207 (Path's refuses patterns such as tty**)
    return list(dict.fromkeys(port for ports in found for port in ports))


def ask(device: str, name: str, stopped: Callable[[], bool] = lambda: False) -> Found:
    """Open one port for ourselves alone and say hello until someone answers."""
    try:
        port = serial.Serial(device, BAUD, timeout=HELLO_AGAIN_S, write_timeout=WRITE_S, exclusive=True)
    except (OSError, ValueError) as error:
        return refusal(device, error)
    try:
        found = _listen(port, name, stopped)
    except (OSError, serial.SerialException) as error:
        found = Found(device, GONE, f"{device} went away: {error}")
    if found.port is None:
        close(port)
    return found


def _listen(port: serial.Serial, name: str, stopped: Callable[[], bool]) -> Found:
    decoder = Decoder(FROM_CONTROLLER)
    heard = bytearray()
    hello = encode(Hello(VERSION, name, 0, 0, 0, "host", ()))
    end = clock_ms() + ANSWER_MS
    while clock_ms() < end and not stopped():
        port.write(hello)
        pause = clock_ms() + HELLO_AGAIN_S * 1000
        while clock_ms() < pause:
            data = port.read(1) + port.read(port.in_waiting)
            if not data:
                break
            heard += data
            for message in decoder.feed(data):
                if isinstance(message, Hello) and message.name != name:
                    text = f"'{message.name}', firmware {message.firmware}, {message.wired} readers"
                    return Found(port.port, CONTROLLER, text, message, port, bytes(heard))
    if b">>>" in heard:
        return Found(port.port, PROMPT, "MicroPython without our firmware: `naqala flash` installs it")
    return Found(port.port, SILENT, "nobody answers; not a controller, or it is still starting")


def ask_all(
    devices: list[str], name: str, wanted: str | None, stop: threading.Event | None = None
) -> list[Found]:
    """Ask several ports at once. Open ports are the caller's.

    When the wanted controller answers nobody else is waited for. When any will do (an empty name) the others get a
    moment more, so that the choice among several is not a race. None waits for all.
    """
    if not devices:
        return []
    end = clock_ms() + 2 * ANSWER_MS

    def one(device: str) -> Found:
        nonlocal end
        found = ask(device, name, lambda: clock_ms() >= end or (stop is not None and stop.is_set()))
        if found.hello is not None and wanted is not None and wanted in ("", found.hello.name):
            end = min(end, clock_ms() + (0 if wanted else GRACE_MS))
        return found

    with ThreadPoolExecutor(len(devices), thread_name_prefix="naqala-port") as pool:
        return list(pool.map(one, devices))


def who_answers(devices: list[str], name: str, wanted: str | None = None) -> list[Found]:
    """As `ask_all`, for those who only want to know: no port is left open."""
    found = ask_all(devices, name, wanted)
    for one in found:
        if one.port is not None:
            close(one.port)
    return [replace(one, port=None) for one in found]


def close(port: serial.Serial) -> None:
    """Let go of a port, also of one whose device is gone."""
    try:
        port.close()
    except OSError:
        port.fd = None


# --- a port that cannot be opened ----------------------------------------------------------------------------


def refusal(device: str, error: Exception) -> Found:
    """Why a port cannot be opened, and what to do."""
    number = getattr(error, "errno", None)
    if number in (errno.EACCES, errno.EPERM):
        return Found(device, FORBIDDEN, permission_text(device))
    if number in (errno.EBUSY, errno.EWOULDBLOCK) or "exclusively lock" in str(error):
        holder = holder_of(device)
        return Found(
            device, BUSY, f"{device} is in use by {holder or 'another program'}; close that one first"
        )
    if number in (errno.ENOENT, errno.ENXIO, errno.ENODEV) or not Path(device).exists():
        return Found(device, GONE, f"{device} is not there; is the controller plugged in?")
    return Found(device, SILENT, f"{device} cannot be opened as a serial port: {error}")


def permission_text(device: str) -> str:
    """Which group may use the port and which command puts this user into it."""
    user = getpass.getuser()
    if sys.platform == "win32":
        return f"{device} may not be used by {user}; close the other program that uses it"
    try:
        import grp

        info = Path(device).stat()
        group = grp.getgrgid(info.st_gid)
    except (ImportError, KeyError, OSError):
        return f"{device} may not be used by {user}; ask the owner of this machine for permission"
    if not info.st_mode & 0o060:
        return f"{device} is closed to its group '{group.gr_name}' too; run: sudo chmod g+rw {device}"
    if user in group.gr_mem and group.gr_gid not in os.getgroups():
        return f"{device} needs group '{group.gr_name}', which {user} joined after logging in; log out and in again"
    return (
        f"{device} needs group '{group.gr_name}'; "
        f"run: sudo usermod -aG {group.gr_name} {user}   then log out and in again"
    )


def holder_of(device: str) -> str:
    """The program that has the port open, as far as /proc shows it; empty when it does not."""
    target = os.path.realpath(device)
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if str(link.readlink()) == target:
                process = link.parent.parent
                name = (process / "comm").read_text().strip()
                return f"'{name}' (process {process.name})"
        except OSError:
            continue  # not ours to look at, or just gone
    return ""
