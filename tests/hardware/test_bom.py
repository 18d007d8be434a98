"""Bills of materials against circuit and harness, both ways; the power budget; the cut list."""

from pathlib import Path

import pytest

from hardware import bom, matching, partnumbers, power
from hardware.circuit.boards import BOARDS, KITS
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


@pytest.mark.parametrize(
    ("part", "mpn", "said"),
    [
        # The trimmer of 0.1.0: Murata's TZC3 has 3, 6, 10, 20 and 30 pF.
        (
            "Trimmer capacitor 4 to 25 pF SMD",
            "TZC3P250A110R00",
            "would be 25 pF, which Murata TZC3 does not have",
        ),
        ("Trimmer capacitor 5 to 20 pF SMD", "TZC3P300A110R00", "is 30 pF, the bill says"),
        ("Resistor 33 ohm 0805 1 %", "RC0805FR-0734RL", "would be 34 ohm"),
        ("Inductor 910 nH 5 % 1008", "1008CS-921XJLC", "would be 920 nH"),
        ("Shift register", "SN74HC5950D", "is in no series known here"),
    ],
)
def test_a_part_that_cannot_be_bought_is_named(part: str, mpn: str, said: str) -> None:
    line = bom.read("table")[0]._replace(part=part, mpn=mpn)
    assert any(said in fault for fault in bom.differences("table", [line]))


def test_part_numbers_taken_apart_by_hand() -> None:
    for part, mpn in (
        ("4.7 kilohm", "RC0805FR-074K7L"),
        ("1 ohm", "RC1206FR-071RL"),
        ("100 nF", "CC0805KRX7R9BB104"),
        ("10 uF", "CL31B106KOHNNNE"),
        ("1000 uF", "EEU-FM1A102"),
        ("910 nH", "1008CS-911XJLC"),
    ):
        assert list(partnumbers.faults("x", part, mpn)) == [], mpn


def test_counts_worked_out_by_hand() -> None:
    table = bom.in_circuit("table")
    assert table["pn5180"] == 30
    assert table["idc14"] == 30 + 5 * 6  # each tile cable has a header at both ends
    assert table["idc20"] == 5 + 5
    assert table["l910n"] == table["r1.0"] == 30 * 2
    assert table["fuse"] == 5 + 1
    assert sum(bom.TAGGED.values()) == 186


def test_totals() -> None:
    line = bom.read("bench")[0]
    assert bom.total([line._replace(quantity=3, price=2.5), line._replace(quantity=1, price=0.5)]) == 8.0
    assert 30 < bom.total(bom.read("starter")) < bom.total(bom.read("bench")) < 60
    assert 60 < bom.total(bom.read("onetile")) < 85
    assert 450 <= bom.total(bom.read("table")) <= 650  # the design study: 450 to 600, with hand-wired boards


def test_power_budget_worked_out_by_hand() -> None:
    typical, most = power.totals(power.budget())
    assert typical == pytest.approx(5 * 0.09 + 25 * 0.03 + 0.1 + 0.35)
    assert most == pytest.approx(5 * 0.11 + 25 * 0.03 + 0.3 + 0.35)
    assert sum(draw.many for draw in power.budget() if draw.consumer.startswith("reader")) == 30


def test_what_a_reader_draws_on_air_is_what_the_matching_says() -> None:
    on_air = next(draw for draw in power.budget() if draw.consumer == "reader on air")
    tuned = matching.drive(matching.CHOSEN, matching.best_trim(matching.CHOSEN)).supply * 1000
    assert on_air.typical == pytest.approx(tuned + 30, abs=3)


def test_a_fuse_opens() -> None:
    """IEC 60127-2, quick-acting: 2.75 times the rating opens within seconds. The supply must give that beside the rest."""
    typical, most = power.totals(power.budget())
    row = power.row_most(power.budget())
    given = power.supply(typical, most)
    assert given - (typical - row) >= 2.75 * power.FUSE
    assert row <= power.FUSE / 1.25  # and does not open without need
    bill = {line.line: line for line in bom.read("table")}
    assert f"fuse {power.FUSE:g} A fast" in bill["fuse"].part
    assert bill["psu"].part == f"Supply 5 V {given:g} A"
    fuses = [r for r, kind in BOARDS["controller"].parts.items() if kind == "fuse"]
    branches = {BOARDS["controller"].net_of(f"{fuse}.2") for fuse in fuses}
    assert branches == {
        "5V_C",
        *(f"5V_ROW{n}" for n in range(5)),
    }  # nothing draws from the supply but through a fuse
    safety = (Path(bom.__file__).parent / "SAFETY.md").read_text()
    assert f"{power.FUSE:g} A, quick-acting" in safety and f"At most {most * 5:.0f} W" in safety


def test_voltage_drop_of_a_known_wire() -> None:
    # 1 A through 1 m of 1 mm2 there and back: twice 17.5 mV
    assert power.drop(1.0, 1.0, 1.0) == pytest.approx(0.035)


def test_cut_list() -> None:
    lengths = {cable.name: cable.length for cable in cables()}
    # plug to plug: along the row, 46 mm across, 30 mm up, and 60 mm of slack
    assert lengths["tile C and D"] == 180  # 37.5 + 46 + 30 + 60, to the next centimetre
    assert lengths["tile A and F"] == 330  # 187.5 + 136
    assert lengths["row 1 and 5"] == 510  # 300 + 150 + 60
    assert sum(cable.many for cable in cables() if cable.kind == "ribbon 14") == 30
