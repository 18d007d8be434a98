"""Putting the firmware on a controller, so that it always has a whole one: build, plan, carry out, hear its hello.

The new firmware goes into a folder of its own beside the old one, named by what is in it; a file the old one has
already is copied on the controller itself. Everything is verified by checksum. Then one small file, `current`, is
written elsewhere and renamed: that is the switch, and before it nothing has changed. What the controller does with
`current`, and how it falls back, is in firmware/naqala_firmware/main.py.

In: a serial port (mpremote speaks to the prompt). Out: a controller that says hello with the new firmware's name.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from typing import Any

import serial
from naqala_firmware.config import ConfigError, complete
from naqala_protocol import FROM_CONTROLLER, VERSION, Decoder, Hello, encode

from naqala.flash.compiled import Build, File, FlashError, build
from naqala.flash.plan import CONFIG, Plan, carry_out, make_plan
from naqala.flash.prompt import Prompt, prompt_at
from naqala.link import ports

__all__ = (
    "CONFIG",
    "Build",
    "File",
    "FlashError",
    "Plan",
    "Prompt",
    "build",
    "carry_out",
    "check_version",
    "find_devices",
    "make_plan",
    "merge_config",
    "prompt_at",
    "wait_for_hello",
)
OLDEST = (1, 25)
MPY = 6  # the file format that mpy-cross writes and the controller must read
HELLO_S = 25.0


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
