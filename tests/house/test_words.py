"""Every message, rule, djinn and switch is documented and has its test; the documents name what exists."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
from naqala_protocol import MESSAGES

ROOT = Path(__file__).parents[2]
TESTS = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.sentence.split()[0])
def test_every_message_is_documented_and_tested(message: object) -> None:
    assert f"| `{message.sentence}` |" in (ROOT / "protocol/README.md").read_text()  # type: ignore[attr-defined]


def test_every_command_has_its_module() -> None:
    from naqala.cli import COMMANDS

    modules = {path.stem for path in (ROOT / "host/naqala/cli").glob("*.py")} - {"__init__"}
    assert set(COMMANDS) <= modules
    for name in COMMANDS:
        assert hasattr(importlib.import_module(f"naqala.cli.{name}"), "command")


def named_functions(document: Path) -> list[tuple[str, str]]:
    """(file, function) pairs a document names as `path/to/file.py` ... `function()` in one table row or line."""
    found = []
    for line in document.read_text().splitlines():
        file = re.search(r"`([\w/]+\.py)`", line)
        found += [(file[1], name) for name in re.findall(r"`([\w.]+)\(\)`", line)] if file else []
    return found


def test_the_walk_names_what_exists() -> None:
    pairs = named_functions(ROOT / "host/WALK.md")
    assert len(pairs) >= 25
    for file, name in pairs:
        text = (ROOT / file).read_text()
        for part in name.split("."):
            assert re.search(rf"^\s*(async )?(def|class) {part}\b", text, re.MULTILINE), (
                f"{file} has no {name}"
            )


PAGES = ROOT / "host/naqala/dashboard"
MADE_UP = ("is-", "player-")  # classes whose second half is a value: a state, a colour


@pytest.mark.parametrize("sheet", ("naqala.css", "virtual.css"))
def test_every_class_of_a_style_sheet_is_borne(sheet: str) -> None:
    rules = re.sub(r"/\*.*?\*/", "", (PAGES / "static" / sheet).read_text(), flags=re.DOTALL)
    classes = set(re.findall(r"\.([a-z][a-z0-9-]*)", rules))
    assert len(classes) > 20
    sources = [
        *PAGES.glob("templates/**/*.*"),
        *PAGES.glob("*.py"),
        *PAGES.glob("static/*.js"),
        *(ROOT / "host/naqala/virtual").glob("*.py"),
    ]
    borne = set(re.findall(r"[a-z][a-z0-9-]*", " ".join(path.read_text() for path in sources)))
    assert {one for one in classes if not one.startswith(MADE_UP)} <= borne
