"""Bills of materials against circuit and harness, both ways; the power budget; the cut list."""

from pathlib import Path

import pytest

from hardware import bom, power
from hardware.circuit.boards import KITS
from hardware.harness.harness import cables


@pytest.mark.parametrize("kit", KITS)
def test_bill_and_design_agree(kit: str) -> None:
    assert bom.differences(kit, bom.read(kit)) == []


def test_a_part_missing_from_the_bill_is_named() -> None:
    lines = [line for line in bom.read("table") if line.line != "138"]
    assert bom.differences("table", lines) == ["table: the circuit has 5 x 138, the bill 0"]


def test_a_part_nobody_uses_is_named() -> None:
    lines = bom.read("bench")
    lines.append(lines[0]._replace(line="relay", quantity=2))
    assert bom.differences("bench", lines) == ["bench: the circuit has 0 x relay, the bill 2"]


def test_a_wrong_count_is_named() -> None:
    lines = [line._replace(quantity=29) if line.line == "pn5180" else line for line in bom.read("table")]
    assert bom.differences("table", lines) == ["table: the circuit has 30 x pn5180, the bill 29"]


def test_counts_worked_out_by_hand() -> None:
    table = bom.in_circuit("table")
    assert table["pn5180"] == 30
    assert table["idc14"] == 30 + 5 * 6  # each tile cable has a header at both ends
    assert table["idc20"] == 5 + 5
    assert table["r2.2"] == 30 * 4
    assert sum(bom.TAGGED.values()) == 186


def test_totals() -> None:
    line = bom.read("bench")[0]
    assert bom.total([line._replace(quantity=3, price=2.5), line._replace(quantity=1, price=0.5)]) == 8.0
    assert 30 < bom.total(bom.read("starter")) < bom.total(bom.read("bench")) < 60
    assert 450 <= bom.total(bom.read("table")) <= 600  # the design study's range


def test_power_budget_worked_out_by_hand() -> None:
    # The design study's 1.65 and 2.2 A with twenty readers in reset; the firmware leaves them awake: 20 x 30 mA more.
    typical, most = power.totals(power.budget())
    assert typical == pytest.approx(1.65 + 0.6, rel=0.02)
    assert most == pytest.approx(2.2 + 0.6, rel=0.02)
    assert sum(draw.many for draw in power.budget() if draw.consumer.startswith("reader")) == 30


def test_fuse_and_supply_of_the_bill_and_the_safety_page_follow_from_the_budget() -> None:
    most = power.totals(power.budget())[1]
    fuse = power.main_fuse(most)
    assert (fuse, power.supply(fuse)) == (4.0, 5.0)
    bill = {line.line: line.part for line in bom.read("table")}
    assert f"fuse {fuse:g} A slow" in bill["fuse"]
    assert bill["psu"] == f"Supply 5 V {power.supply(fuse):g} A"
    safety = (Path(bom.__file__).parent / "SAFETY.md").read_text()
    for words in (f"({fuse:g} A, slow)", f"a {power.supply(fuse):g} A supply", f"At most {most * 5:.0f} W"):
        assert words in safety


def test_a_row_fits_its_fuse() -> None:
    assert power.row_most(power.budget()) == pytest.approx(0.28 + 5 * 0.03 + 6 * 0.06 + 0.01)
    assert power.row_most(power.budget()) * power.MARGIN < power.ROW_HOLD < power.main_fuse(2.8)


def test_voltage_drop_of_a_known_wire() -> None:
    # 1 A through 1 m of 1 mm2 there and back: twice 17.5 mV
    assert power.drop(1.0, 1.0, 1.0) == pytest.approx(0.035)


def test_cut_list() -> None:
    lengths = {cable.name: cable.length for cable in cables()}
    assert lengths["tile C and D"] == 100  # 37.5 + 60, to the next centimetre
    assert lengths["tile A and F"] == 250  # 187.5 + 60
    assert lengths["row 1 and 5"] == 510  # 300 + 150 + 60
    assert sum(cable.many for cable in cables() if cable.kind == "ribbon 14") == 30
