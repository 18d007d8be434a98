"""What the documents, the commands and the pages name exists, and what exists is named there."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
from naqala.table.pieces import CAMEL_COLOURS
from naqala_protocol import MESSAGES

from tests.bench.__main__ import TO_A_PLAYER

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.sentence.split()[0])
def test_every_message_is_documented(message: object) -> None:
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


def test_every_benchmark_says_what_it_means_to_a_player() -> None:
    topics = {path.stem.removeprefix("bench_") for path in (ROOT / "tests/bench").glob("bench_*.py")}
    assert set(TO_A_PLAYER) == topics
    told = (ROOT / "BENCHMARKS.md").read_text()
    assert all(f"## {topic.capitalize()}\n\n{TO_A_PLAYER[topic]}\n" in told for topic in topics)


def test_the_walk_names_what_exists() -> None:
    pairs = named_functions(ROOT / "host/WALK.md")
    assert len(pairs) >= 25
    for file, name in pairs:
        text = (ROOT / file).read_text()
        for part in name.split("."):
            assert re.search(rf"^\s*(async )?(def|class) {part}\b", text, re.MULTILINE), (
                f"{file} has no {name}"
            )


ROOMS = {
    "host/naqala/rules": ("host/naqala/rules/README.md",),
    "host/naqala/robots": ("host/naqala/robots/README.md",),
    "host/naqala/table": ("host/naqala/table/README.md",),
    "host/naqala/session": ("host/naqala/session/README.md",),
    "host/naqala/dashboard": ("host/naqala/dashboard/README.md",),
    "host/naqala/virtual": ("host/naqala/virtual/README.md",),
    "host/naqala/web": ("host/naqala/web/README.md",),
    "firmware/naqala_firmware": ("firmware/README.md",),
    "firmware/naqala_firmware/simulated": ("firmware/CHIPS.md", "firmware/README.md"),
}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_s_readme_names_every_module(room: str) -> None:
    told = "".join((ROOT / document).read_text() for document in ROOMS[room])
    modules = {path.stem for path in (ROOT / room).glob("*.py")} - {"__init__"}
    assert modules <= set(re.findall(r"`(\w+)(?:\.py)?`", told))


PAGES = ROOT / "host/naqala/dashboard"
MADE_UP = ("is-", "player-")  # classes whose second half is a value: a state, a colour
SHEETS = sorted(path.name for path in PAGES.glob("static/*.css"))


@pytest.mark.parametrize("sheet", SHEETS)
def test_every_class_of_a_style_sheet_is_borne(sheet: str) -> None:
    rules = re.sub(r"/\*.*?\*/", "", (PAGES / "static" / sheet).read_text(), flags=re.DOTALL)
    classes = set(re.findall(r"\.([a-z][a-z0-9-]*)", rules))
    assert len(classes) >= 4
    assert {one for one in classes if one.startswith("player-")} <= {f"player-{one}" for one in CAMEL_COLOURS}
    sources = [
        *PAGES.glob("templates/**/*.*"),
        *PAGES.glob("*.py"),
        *PAGES.glob("static/*.js"),
        *(ROOT / "host/naqala/virtual").glob("*.py"),
    ]
    borne = set(re.findall(r"[a-z][a-z0-9-]*", " ".join(path.read_text() for path in sources)))
    assert {one for one in classes if not one.startswith(MADE_UP)} <= borne


def test_every_style_sheet_is_linked_and_short() -> None:
    layout = (PAGES / "templates/layout.html").read_text()
    listed = re.search(r"for sheet in \(([^)]*)\)", layout)
    assert listed
    linked = [f"{name}.css" for name in re.findall(r'"(\w+)"', listed[1])]
    linked += re.findall(r"(\w+\.css)", (PAGES / "templates/virtual.html").read_text())
    assert sorted(linked) == SHEETS
    assert all(len((PAGES / "static" / sheet).read_text().splitlines()) <= 350 for sheet in SHEETS)


def test_every_data_attribute_of_a_page_is_read() -> None:
    pages = "".join(path.read_text() for path in PAGES.glob("templates/**/*.*"))
    readers = [*PAGES.glob("static/*.js"), *PAGES.glob("static/*.css"), *(ROOT / "tests").rglob("*.py")]
    read = set(re.findall(r"\b(?:data-|dataset\.)([\w-]+)", "".join(path.read_text() for path in readers)))
    read |= set(re.findall(r'"(\w+)" in \w+\.dataset', (PAGES / "static/virtual.js").read_text()))
    written = set(re.findall(r"\bdata-([a-z-]+)", pages))
    assert len(written) > 20
    assert {
        name for name in written if not {name, re.sub("-(.)", lambda m: m[1].upper(), name)} & read
    } == set()


DOCUMENTS = sorted(
    [*ROOT.glob("*.md")]
    + [
        path
        for room in ("host", "protocol", "firmware", "hardware", "tests")
        for path in (ROOT / room).rglob("*.md")
        if "build" not in path.parts
    ]
)


def heads(document: Path) -> set[str]:
    """A document's headings as links name them."""
    found = re.findall(r"^#+ (.+)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in found}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_of_a_document_lead_somewhere(document: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)]+)\)", document.read_text()):
        target, _, head = link.partition("#")
        path = document.parent / target if target else document
        assert path.exists(), link
        assert not head or head in heads(path), link


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_of_a_document_can_be_given(document: Path) -> None:
    from naqala.cli import COMMANDS

    for word, rest in re.findall(r"\bnaqala ([a-z]+)\b([^`\n]*)", document.read_text()):
        if word not in COMMANDS:
            continue
        command = importlib.import_module(f"naqala.cli.{word}").command
        group = [command, *getattr(command, "commands", {}).values()]
        known = {
            name for one in group for option in one.params for name in (*option.opts, *option.secondary_opts)
        }
        assert set(re.findall(r"(?<!\S)--[a-z][a-z-]*", rest)) <= known, f"naqala {word}{rest}"
