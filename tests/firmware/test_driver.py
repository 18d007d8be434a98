"""The driver for others: what mip installs is all it needs, and the example runs."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import types
from pathlib import Path

import pytest
from mpremote import mip
from naqala_firmware.simulated import roll
from naqala_firmware.simulated.bench import Bench
from naqala_firmware.simulated.chance import Chance
from naqala_firmware.simulated.wiring import CONTROLLER

FIRMWARE = Path(__file__).parents[2] / "firmware"
PACKAGE = json.loads((FIRMWARE / "package.json").read_text())
EXAMPLE = FIRMWARE / "examples/read_tags.py"


def test_the_package_is_the_driver_and_all_it_imports() -> None:
    files = {target: FIRMWARE / source for target, source in PACKAGE["urls"]}
    assert len(files) == len(PACKAGE["urls"])
    needed = {"naqala_firmware/__init__.py"}
    waiting = [EXAMPLE]
    while waiting:
        for node in ast.walk(ast.parse(waiting.pop().read_text())):
            if not isinstance(node, ast.ImportFrom) or not str(node.module).startswith("naqala"):
                continue
            names = (
                [node.module]
                if node.module != "naqala_firmware"
                else [f"{node.module}.{a.name}" for a in node.names]
            )
            for name in names:
                file = f"{str(name).replace('.', '/')}.py"
                if file not in needed:
                    needed.add(file)
                    waiting.append(FIRMWARE / file)
    assert set(files) == needed
    assert all(path.is_file() for path in files.values())


def test_it_stands_alone_on_micropython(micropython: Path, tmp_path: Path) -> None:
    """Only the files of the package on the path, nothing of the rest."""
    for target, source in PACKAGE["urls"]:
        path = tmp_path / target
        path.parent.mkdir(exist_ok=True)
        path.write_bytes((FIRMWARE / source).read_bytes())
    code = "from naqala_firmware.pn5180 import PN5180, Lane; from naqala_firmware.port import PlainPort; print(PN5180)"
    words = [micropython, "-X", "heapsize=192k", "-c", code]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "<class 'PN5180'>\n"), done.stderr


class Enough(Exception):
    pass


def test_the_example_has_twenty_lines_and_reads_both_modules(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = EXAMPLE.read_text()
    assert len([line for line in text.splitlines() if line.strip()]) <= 20
    bench = Bench(rows=1, columns=2, cost=CONTROLLER, wiring="pins")
    for number in range(2):
        for tag in roll.tags("random", 4, Chance(number + 1)):
            bench.coils.put(tag, number)
    wiring = bench.wiring
    numbers = {
        8: 0,
        13: 1,
        20: 2,
        9: 3,
        14: 4,
        21: 5,
    }  # the example's pins, as the simulated wiring counts its own

    class Pin:
        IN, OUT = 0, 1

        def __new__(cls, number: int, *_: object, value: int | None = None) -> object:
            return wiring.pins.get(numbers.get(number))

    machine = types.SimpleNamespace(Pin=Pin, SPI=lambda *_, **__: wiring.spi)
    clock = types.SimpleNamespace(Clock=lambda: bench.clock)
    monkeypatch.setitem(sys.modules, "machine", machine)
    monkeypatch.setitem(sys.modules, "naqala_firmware.clock", clock)
    printed: list[tuple[object, ...]] = []

    def stop_after_four(*words: object) -> None:
        printed.append(words)
        if len(printed) == 4:
            raise Enough

    with pytest.raises(Enough):
        exec(compile(text, str(EXAMPLE), "exec"), {"print": stop_after_four})
    there = [tuple(sorted(tag.id for tag in bench.coils.on[number])) for number in range(2)]
    assert printed == [(0, *there[0]), (1, *there[1])] * 2


class Folder:
    """What mip asks of a controller's file system, in a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def fs_exists(self, path: str) -> bool:
        return (self.root / path.lstrip("/")).exists()

    def fs_mkdir(self, path: str) -> None:
        (self.root / path.lstrip("/")).mkdir()

    def fs_writefile(self, path: str, data: bytes, progress_callback: object = None) -> None:
        (self.root / path.lstrip("/")).write_bytes(data)


def test_mip_installs_it(tmp_path: Path) -> None:
    """mpremote's own mip reads the package; the files land where MicroPython looks for them."""
    mip._install_package(Folder(tmp_path), str(FIRMWARE / "package.json"), "", "/lib", None, False)
    installed = {str(path.relative_to(tmp_path / "lib")) for path in (tmp_path / "lib").rglob("*.py")}
    assert installed == {target for target, _ in PACKAGE["urls"]}
