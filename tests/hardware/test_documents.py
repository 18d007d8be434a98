"""The documents against what they speak of: files that exist, costs that add up, tables that the models still print."""

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from hardware import bom, field_model
from hardware.circuit.boards import KITS
from hardware.frame.build import PRINTS

HARDWARE = Path(bom.__file__).parent
DOCUMENTS = sorted(HARDWARE.glob("*.md"))


def anchors(document: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", document.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", document.read_text()):
        target, _, anchor = link.partition("#")
        path = document.parent / target if target else document
        assert path.exists(), link
        if anchor:
            assert anchor in anchors(path), link


def test_the_readme_shows_at_least_four_pictures() -> None:
    assert len(re.findall(r"!\[", (HARDWARE / "README.md").read_text())) >= 4


@pytest.mark.parametrize("kit", KITS)
def test_the_readme_names_what_a_kit_costs(kit: str) -> None:
    row = next(
        line
        for line in (HARDWARE / "README.md").read_text().splitlines()
        if f"bom/{kit}.csv" in line and "US$" in line
    )
    assert f"US$ {bom.total(bom.read(kit)):.0f} " in row


def test_models_page_has_the_field_tables_of_today() -> None:
    told = StringIO()
    with redirect_stdout(told):
        field_model.main()
    assert told.getvalue().strip() in (HARDWARE / "models.md").read_text()


def test_assembly_names_every_print_and_how_many() -> None:
    text = (HARDWARE / "assembly.md").read_text()
    for part in PRINTS:
        name = (
            part.name.removeprefix("base")
            if part.name.startswith("base_") and part.name != "base_meeple"
            else part.name
        )
        row = next(line for line in text.splitlines() if line.startswith("|") and f"`{name}`" in line)
        assert re.search(rf"\b{part.many}\b", row), part
