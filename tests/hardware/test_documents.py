"""The documents against what they speak of: files that exist, costs that add up, tables that the models still print."""

import json
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from naqala.cli.acceptance import RUNGS

from hardware import bom, field_model, matching
from hardware.circuit.boards import KITS
from hardware.frame.build import PRINTS

HARDWARE = Path(bom.__file__).parent
DOCUMENTS = sorted((*HARDWARE.glob("*.md"), HARDWARE / "release" / "README.md"))


def anchors(document: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", document.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_links_lead_somewhere(document: Path) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", document.read_text()):
        target, _, anchor = link.partition("#")
        path = document.parent / target if target else document
        assert path.exists(), link
        if anchor:
            assert anchor in anchors(path), link


def test_the_readme_shows_at_least_four_pictures() -> None:
    assert len(re.findall(r"!\[", (HARDWARE / "README.md").read_text())) >= 4


def test_the_calibration_has_the_levers_of_today() -> None:
    """Each lever's figures in the text are those that the script prints."""
    text = (HARDWARE / "calibration.md").read_text()
    found = {lever.what: lever for lever in matching.levers()}
    for what, row in (
        ("L2, L3 820 nH, tuned again", "L2 and L3 820 nH"),
        ("L2, L3 1000 nH, tuned again", "L2 and L3 1000 nH"),
        ("transmitter 0.5 V lower (DPC_CONFIG)", "transmitter 0.5 V lower"),
        ("transmitter's supply 3.3 V (R14 to R15)", "transmitter's supply from 3.3 V"),
        ("R1, R2 2.2 ohm instead of 1", "**no lever:** R1, R2"),
    ):
        line = next(line for line in text.splitlines() if line.startswith(f"| {row}"))
        change = round((found[what].field - 1) * 100)
        assert f"{change:+d} %" in line, (what, change)
    own, cross = (f"{value:.{digits}f}" for value, digits in zip(_fields(), (1, 2), strict=True))
    assert f"{own} and {cross} A/m are calculated" in text


def _fields() -> tuple[float, float]:
    coil = matching.drive(matching.CHOSEN, matching.best_trim(matching.CHOSEN)).coil
    apart = matching.separations(matching.CHOSEN).values()
    return min(s.own for s in apart) * coil, max(s.cross for s in apart) * coil


def test_the_spacers_of_the_calibration_do_what_it_says() -> None:
    turn = field_model.square_turns(53, 1, 0)
    high = field_model.own_min(turn, 22, 8) / field_model.own_min(turn, 22, 5)
    low = field_model.cross_max(turn, 22, 3, 75) / field_model.cross_max(turn, 22, 5, 75)
    text = (HARDWARE / "calibration.md").read_text()
    assert f"(8 mm above the coil: {high:.2f} of the field" in text
    assert f"(3 mm above the coil: {low:.2f} of the field)" in text


def test_the_ladder_of_the_readme_and_of_the_doctor_are_one() -> None:
    text = (HARDWARE / "README.md").read_text()
    assert all(f"`{name}`" in text or f"--rung {name}`" in text for name in RUNGS)


def test_models_page_has_the_matching_of_today() -> None:
    told = StringIO()
    with redirect_stdout(told):
        matching.main()
    assert told.getvalue().strip() in (HARDWARE / "models.md").read_text()


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


def test_models_page_has_the_sweeps_of_the_emulated_controller() -> None:
    """Which `tests/emulated/test_hands.py` measures again."""
    text = (HARDWARE / "models.md").read_text()
    for name, sweep in json.loads((HARDWARE / "emulated.json").read_text())["sweep_ms"].items():
        assert re.search(rf"^\| {re.escape(name)} \| \d+ \| {sweep} \|", text, re.M), name
    assert (
        f"emulated chip {json.loads((HARDWARE / 'emulated.json').read_text())['sweep_ms']['Pico 2 W, one lane']} with"
        in (HARDWARE / "calibration.md").read_text()
    )
