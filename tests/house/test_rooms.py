"""The house itself: which room may import which, what both interpreters can run, what must not be there."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for room in ("host", "protocol", "firmware") for path in (ROOT / room).rglob("*.py"))
ON_THE_CONTROLLER = [path for path in SOURCES if path.relative_to(ROOT).parts[0] in ("protocol", "firmware")]

# Who may import whom among our own rooms (a room may always import itself). `service` and `cli` sit on top.
ARROWS = {
    "naqala_protocol": set(),
    "naqala_firmware": {"naqala_protocol"},
    "examples": {"naqala_firmware"},
    "naqala.rules": set(),
    "naqala.addresses": set(),
    "naqala.robots": {"naqala.rules"},
    "naqala.simulate": {"naqala.rules", "naqala.robots"},
    "naqala.match": {"naqala.rules", "naqala.robots", "naqala.simulate"},
    "naqala.transcript": {"naqala_protocol", "naqala.rules"},
    # Checks the referee, so it knows nothing of `naqala.table`.
    "naqala.hands": {"naqala.rules", "naqala.robots", "naqala.simulate", "naqala.transcript"},
    "naqala.table": {"naqala.rules", "naqala_protocol", "naqala.transcript"},
    "naqala.journal": {"naqala.rules", "naqala.addresses"},
    "naqala.link": {"naqala.addresses", "naqala_protocol", "naqala.transcript", "naqala.virtual"},
    "naqala.virtual": {
        "naqala_protocol",
        "naqala_firmware",
        "naqala.rules",
        "naqala.hands",
        "naqala.robots",
        "naqala.link",
        "naqala.transcript",
        "naqala.session",
        "naqala.table",
        "naqala.journal",
        "naqala.dashboard",  # for its pages alone
    },
    "naqala.flash": {"naqala_protocol", "naqala_firmware", "naqala.link"},
    "naqala.settings": {"naqala.link"},
    "naqala.export": {"naqala.rules"},
    "naqala.session": {
        "naqala.rules",
        "naqala.table",
        "naqala.journal",
        "naqala.link",
        "naqala_protocol",
        "naqala.transcript",
    },
    "naqala.dashboard": {
        "naqala.session",
        "naqala.rules",
        "naqala.table",
        "naqala.export",
        "naqala.journal",
        "naqala.web",
    },
    "naqala.web": set(),
    "naqala.service": None,  # puts the parts together: may import all
    "naqala.cli": None,
}
OURS = re.compile(r"naqala(_\w+)?(\.\w+)+")
LONGEST_MODULE = 350
# One thing each, and a little longer: a chip with its registers, the wire's sentences, the follower with its timers.
LARGER = {
    "mfrc522.py": 430,
    "pn5180.py": 400,
    "inventory.py": 360,
    "wire.py": 400,
    "follow.py": 390,
    "session.py": 360,
}
# What the rulebook has no business with.
NEVER_IN_RULES = {
    "os",
    "io",
    "sys",
    "time",
    "datetime",
    "random",
    "secrets",
    "socket",
    "threading",
    "pathlib",
    "logging",
}
# The modules both interpreters have, that shared code may use.
SHARED_MODULES = {
    "array",
    "collections",
    "binascii",
    "struct",
    "gc",
    "sys",
    "os",
    "io",
    "json",
    "time",
    "select",
    "socket",
    "random",
    "errno",
    "hashlib",
    "asyncio",
    "micropython",
    "ssl",
    "tls",
}
# Modules that only the chip has, and the files that touch its pins, its radio or its reset, which alone may name them.
CHIP_MODULES = {"machine", "network", "neopixel", "rp2", "esp32", "vfs"}
TOUCH_THE_CHIP = {"main.py", "pico.py", "read_tags.py", "shift.py", "wires.py"}
GAME_WORDS = {
    "assassin",
    "bid",
    "builder",
    "camel",
    "djinn",
    "elder",
    "fakir",
    "meeple",
    "merchant",
    "palace",
    "palm",
    "player",
    "sow",
    "sowing",
    "tile",
    "tribe",
    "vizier",
}


def room_of(module: str) -> str:
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "naqala" and len(parts) > 1 else parts[0]


def module_of(path: Path) -> str:
    parts = list(path.relative_to(ROOT).with_suffix("").parts[1:])
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path) -> Iterator[str]:
    text = path.read_text()
    by_name = "import_module(" in text  # then a module's name in a string is an import, too
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            if node.module == "naqala":
                yield from (f"naqala.{alias.name}" for alias in node.names)
            elif node.module:
                yield node.module
        elif by_name and isinstance(node, ast.Constant) and OURS.fullmatch(str(node.value)):
            yield str(node.value)


def ours(module: str) -> bool:
    return module.split(".")[0] in ("naqala", "naqala_protocol", "naqala_firmware")


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_imports_follow_the_arrows(path: Path) -> None:
    here = room_of(module_of(path))
    if here == "naqala":
        assert not [name for name in imports_of(path) if ours(name)]
        return
    assert here in ARROWS, f"{here} has no row in ARROWS"
    allowed = ARROWS[here]
    for name in imports_of(path):
        there = room_of(name)
        if ours(name) and there not in (here, "naqala", "naqala.__version__") and allowed is not None:
            assert there in allowed, f"{path.name} imports {name}: no arrow from {here} to {there}"


@pytest.mark.parametrize(
    "path", [path for path in SOURCES if "host/naqala/rules" in str(path.relative_to(ROOT))], ids=module_of
)
def test_rules_know_no_io_clock_or_chance(path: Path) -> None:
    assert not NEVER_IN_RULES & {name.split(".")[0] for name in imports_of(path)}


@pytest.mark.parametrize("path", ON_THE_CONTROLLER, ids=module_of)
def test_the_subset_both_interpreters_run(path: Path) -> None:
    tree = ast.parse(path.read_text())
    allowed = SHARED_MODULES | CHIP_MODULES if path.name in TOUCH_THE_CHIP else SHARED_MODULES
    for name in imports_of(path):
        if not ours(name):
            assert name.split(".")[0] in allowed, f"{path.name} imports {name}"
    for node in ast.walk(tree):
        assert not isinstance(node, (ast.Match, ast.TryStar)), (
            f"{path.name}:{node.lineno} is beyond MicroPython"
        )


@pytest.mark.parametrize("path", ON_THE_CONTROLLER, ids=module_of)
def test_the_controller_knows_no_word_of_the_game(path: Path) -> None:
    for token in tokenize.generate_tokens(io.StringIO(path.read_text()).readline):
        if token.type in (tokenize.NAME, tokenize.STRING):
            words = {word.lower().removesuffix("s") for word in re.findall("[A-Z]?[a-z]+", token.string)}
            assert not words & GAME_WORDS, f"{path.name}:{token.start[0]}: {token.string}"


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_no_module_level_state_that_changes(path: Path) -> None:
    tree = ast.parse(path.read_text())
    mutable = {
        target.id
        for node in tree.body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
        and isinstance(node.value, (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp))
    }
    for name in mutable - {"__all__"}:
        assert name.lstrip("_").isupper(), f"{path.name}: '{name}' looks like state; a table is in capitals"
    changing = {
        "append",
        "add",
        "update",
        "extend",
        "pop",
        "clear",
        "setdefault",
        "remove",
        "insert",
        "popitem",
    }
    for node in ast.walk(tree):
        assert not isinstance(node, ast.Global), f"{path.name}:{node.lineno}: global {node.names}"
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            assert not (node.func.value.id in mutable and node.func.attr in changing), (
                f"{path.name}:{node.lineno}"
            )


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_names_and_sizes_of_modules(path: Path) -> None:
    assert path.stem not in ("utils", "util", "helpers", "common", "manager", "handler", "base"), (
        "a room is missing"
    )
    text = path.read_text()
    assert len(text.splitlines()) <= LARGER.get(path.name, LONGEST_MODULE), "is it one thing?"
    assert not text.strip() or ast.get_docstring(ast.parse(text)), "no door plate"


def test_every_room_of_the_table_is_tested() -> None:
    rooms = {
        path.name
        for path in (ROOT / "host/naqala").iterdir()
        if path.is_dir() and not path.name.startswith("_")
    }
    for room in rooms:
        assert (ROOT / "tests" / room).is_dir(), f"no tests/{room}"
