"""What is to be done on a controller, and doing it so that it always has a whole firmware.

In: a build, and what lies on the controller. Out: a plan, in words for people, carried out at a prompt. One small file,
`current`, is the switch: before it is renamed nothing has changed. Launcher and config follow it, so that a flash cut off
there leaves the new firmware with the settings it was updated from, and never the old one with settings it cannot know.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass

from naqala.flash.compiled import LAUNCHER, PACKAGES, Build, File, FlashError
from naqala.flash.prompt import Prompt, unheard

CONFIG = "naqala.json"
CA = "broker.der"


@dataclass(frozen=True)
class Plan:
    """What is to be done: files of the firmware first, then the switch, then what goes with it."""

    folder: str
    old: str  # the folder that runs now, "" when there is none
    keep: tuple[str, ...] = ()  # paths that are there and right
    copy: tuple[tuple[str, File], ...] = ()  # from the old firmware, on the controller itself
    send: tuple[File, ...] = ()
    launcher: bytes | None = None
    config: str | None = None
    ca: File | None = None  # whose certificates the controller is to trust
    remove: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()  # to be made first, the outer one before the inner ones

    @property
    def size(self) -> int:
        return sum(len(file.data) for file in self.send)

    def lines(self) -> list[str]:
        """The plan in words, for `--dry-run`."""
        told = [f"firmware {self.folder}" + (f", now {self.old}" if self.old else ", none there yet")]
        told.append(f"{len(self.keep)} files are there, {len(self.copy)} are copied from the old firmware")
        told += [f"send {file.path} ({len(file.data)} bytes)" for file in self.send]
        told += [f"write {LAUNCHER}"] * (self.launcher is not None)
        told += [f"write {CA}"] * (self.ca is not None)
        told += [f"write {CONFIG}"] * (self.config is not None)
        told += [f"remove {folder}" for folder in self.remove]
        return told


def make_plan(
    firmware: Build,
    there: dict[str, str],
    current: str,
    config: str,
    config_there: str,
    ca: bytes | None = None,
) -> Plan:
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
    trusted = _trusted(config, there, ca)
    return Plan(
        firmware.folder,
        old,
        tuple(keep),
        tuple(copy),
        tuple(send),
        firmware.launcher if new_launcher else None,
        config if config != config_there else None,
        trusted,
        tuple(sorted(folders - stays)),
        (f"/{firmware.folder}", *(f"/{firmware.folder}/{package}" for package in PACKAGES)),
    )


def _trusted(config: str, there: dict[str, str], ca: bytes | None) -> File | None:
    """The authority's certificate that is to be sent; FlashError when the config names one that nobody has."""
    name = json.loads(config).get("broker", {}).get("ca", "")
    if ca is None:
        if name and f"/{name}" not in there:
            raise FlashError(f"config: broker.ca: '{name}' is not on the controller; give the file with --ca")
        return None
    file = File(f"/{CA}", ca)
    return file if there.get(file.path) != file.digest else None


def carry_out(plan: Plan, prompt: Prompt, progress: Callable[[int], object] = unheard) -> None:
    """Do it. Up to the switch the controller would start the old firmware, from there on the new one, whole."""
    for folder in plan.folders:
        prompt.make_folder(folder)
    for source, file in plan.copy:
        prompt.copy(source, file.path, file.digest)
    for file in plan.send:
        prompt.send(file.path, file.data, progress)
    verify(plan, prompt.listing())
    if plan.folder != plan.old:
        lines = [plan.folder, plan.old] if plan.old else [plan.folder]
        prompt.send("/current", "".join(f"{line}\n" for line in lines).encode())
    prompt.send("/boots", b"0\n")
    if plan.launcher is not None:
        prompt.send(f"/{LAUNCHER}", plan.launcher)
    if plan.ca is not None:
        prompt.send(plan.ca.path, plan.ca.data)
    prompt.send("/clock", time.strftime("%Y %m %d %H %M %S\n", time.gmtime()).encode())
    if plan.config is not None:
        prompt.send(f"/{CONFIG}", plan.config.encode())
    for folder in plan.remove:
        prompt.remove(f"/{folder}")


def verify(plan: Plan, there: dict[str, str]) -> None:
    """Every file of the new firmware is on the controller, bit for bit."""
    wanted = [file for _, file in plan.copy] + list(plan.send)
    missing = [path for path in plan.keep if path not in there]
    wrong = missing + [file.path for file in wanted if there.get(file.path) != file.digest]
    if wrong:
        raise FlashError(f"{wrong[0]} is not as it was sent; the old firmware stays; try again")
