"""The circuits against the pin map, and the completeness check that every board passed when it was built."""

from pathlib import Path

import pytest
from naqala.cli.acceptance import RUNGS
from naqala_firmware import config

from hardware.circuit.board import Builder
from hardware.circuit.boards import BOARDS, COLUMNS, ROWS
from hardware.circuit.parts import KINDS
from hardware.circuit.pinmap import CONTROLLER, SHIFT

CONFIGS = Path(__file__).parents[2] / "hardware" / "configs"

# Physical pins of a Pico, read off its data sheet independently of the parts drawer.
PICO = {
    0: 1,
    2: 4,
    3: 5,
    4: 6,
    5: 7,
    6: 9,
    7: 10,
    8: 11,
    9: 12,
    10: 14,
    11: 15,
    12: 16,
    13: 17,
    14: 19,
    15: 20,
}
PICO |= {16: 21, 17: 22, 18: 24, 19: 25, 20: 26, 21: 27, 22: 29, 26: 31, 27: 32}
# 74HC595: pin of each output, QA first.
OUTPUT_PINS = (15, 1, 2, 3, 4, 5, 6, 7)


def at_pin(board: str, reference: str, number: int) -> str | None:
    """The net at a physical pin."""
    for net, places in BOARDS[board].nets.items():
        for place in places:
            if place.startswith(f"{reference}.") and BOARDS[board].pin(place).number == number:
                return net
    return None


def through(board: str, net: str) -> str:
    """The net on the other side of a series resistor."""
    for reference, kind in BOARDS[board].parts.items():
        if kind.startswith("r"):
            ends = [BOARDS[board].net_of(f"{reference}.{n}") for n in (1, 2)]
            if net in ends and not {"3V3", "GND"} & set(ends):
                return str(ends[1 - ends.index(net)])
    return net


def test_the_controller_has_every_signal_at_the_pin_the_map_says() -> None:
    for signal, gpio in CONTROLLER.items():
        net = at_pin("controller", "U1", PICO[gpio])
        assert net is not None
        assert net.removesuffix("_3V") == signal


def test_every_shift_bit_drives_its_signal_at_its_row_cable() -> None:
    for row in range(ROWS):
        for column in range(COLUMNS):
            bit = SHIFT[f"RESET_{row * COLUMNS + column}"]
            net = at_pin("controller", f"U{2 + bit // 8}", OUTPUT_PINS[bit % 8])
            assert net is not None
            assert net == BOARDS["controller"].net_of(f"J{row}.RESET{column}")
        for line in range(3):
            bit = SHIFT[f"ROW{row}_A{line}"]
            net = at_pin("controller", f"U{2 + bit // 8}", OUTPUT_PINS[bit % 8])
            assert net is not None
            assert net == BOARDS["controller"].net_of(f"J{row}.A{line}")


# Data sheets: 74LVC541A, input pin of each output pin; 74LVC14A likewise.
DRIVER_INPUT = {18: 2, 17: 3, 16: 4, 15: 5, 14: 6, 13: 7, 12: 8, 11: 9}
INVERTER_INPUT = {2: 1, 4: 3, 6: 5, 8: 9, 10: 11, 12: 13}


def before(board: str, net: str, kind: str, inputs: dict[int, int]) -> str:
    """The net at the input of the gate that drives a net."""
    for place in BOARDS[board].nets[net]:
        reference = place.partition(".")[0]
        number = BOARDS[board].pin(place).number
        if BOARDS[board].parts[reference] == kind and number in inputs:
            return str(at_pin(board, reference, inputs[number]))
    raise AssertionError(f"no {kind} drives {net}")


def test_what_leaves_the_pico_for_a_row_passes_a_driver() -> None:
    board = BOARDS["controller"]
    for n in range(ROWS):
        assert before("controller", str(board.net_of(f"J{n}.EN")), "lvc541", DRIVER_INPUT) == f"EN{n}"
        for signal in ("SCK", "MOSI"):
            behind = through("controller", str(board.net_of(f"J{n}.{signal}")))
            assert before("controller", behind, "lvc541", DRIVER_INPUT) == signal
    for signal, pin in (("SER", 14), ("SRCLK", 11), ("RCLK", 12)):
        net = str(at_pin("controller", "U2", pin))
        assert before("controller", net, "lvc541", DRIVER_INPUT) == signal


def test_clock_and_data_of_each_row_have_a_resistor_of_their_own() -> None:
    """One resistor for a star of five ribbons gives a first step in the middle of the threshold."""
    board = BOARDS["controller"]
    for signal in ("SCK", "MOSI"):
        nets = [str(board.net_of(f"J{n}.{signal}")) for n in range(ROWS)]
        assert len(set(nets)) == ROWS
        resistors = [[p.partition(".")[0] for p in board.nets[net] if p[0] == "R"] for net in nets]
        assert all(len(found) == 1 and board.parts[found[0]] == "r82" for found in resistors)
        assert len({through("controller", net) for net in nets}) == ROWS  # and a gate of its own


def test_a_row_takes_its_signals_with_schmitt_inputs() -> None:
    row = BOARDS["row"]
    for signal in ("SCK", "MOSI", "EN", "A0", "A1", "A2"):
        net = str(row.net_of(f"J0.{signal}"))
        inputs = [place for place in row.nets[net] if place[0] == "U" and row.pin(place).type == "input"]
        assert inputs
        assert all(KINDS[row.parts[place.partition(".")[0]]].schmitt for place in inputs)


def fed_by(board: str, reference: str) -> str:
    """The rail a chip hangs on."""
    return str(BOARDS[board].net_of(f"{reference}.VCC"))


@pytest.mark.parametrize(("board", "alive"), [("controller", {"3V3", "VSYS"}), ("row", set[str]())])
def test_nothing_without_supply_is_fed_through_a_signal(board: str, alive: set[str]) -> None:
    """USB in, supply off: the Pico lives on `alive`, everything else is dead. A row whose fuse is open: all of it is dead.
    A pin of a dead chip that meets a signal from outside must be open without supply."""
    found = BOARDS[board]
    outside = {net for net, places in found.nets.items() for place in places if place.startswith("U1.GP")}
    if board == "row":
        outside = {str(found.net_of(f"J0.{pin.name}")) for pin in KINDS["idc20"].pins}
    outside -= {"GND"}
    looked = 0
    for net in outside:
        for place in found.nets[net]:
            reference = place.partition(".")[0]
            if reference[0] == "U" and reference != "U1" and fed_by(board, reference) not in alive:
                assert KINDS[found.parts[reference]].off_is_open, place
                looked += 1
            if reference[0] == "U" and board == "row":
                assert KINDS[found.parts[reference]].off_is_open, place
                looked += 1
    assert looked > 8
    for reference, kind in found.parts.items():  # no resistor from a living rail into a dead one
        if kind.startswith("r") and {found.net_of(f"{reference}.1"), found.net_of(f"{reference}.2")} & alive:
            ends = {str(found.net_of(f"{reference}.{n}")) for n in (1, 2)}
            assert not ends & {"3V3_T", "5V", "5V_C"}


def test_req_is_held_low() -> None:
    """High at start-up would mean download mode."""
    assert pulled_to("tile", "REQ") == {"GND"}
    for n in range(2):
        assert pulled_to("bench", f"REQ{n}") == {"GND"}


def test_the_chain_runs_from_the_controller_outwards() -> None:
    assert at_pin("controller", "U2", 14) == "SER_T"
    for register in range(2, 7):
        assert at_pin("controller", f"U{register}", 9) == at_pin("controller", f"U{register + 1}", 14)


def test_a_column_address_selects_its_tile_and_its_busy() -> None:
    """Truth tables of decoder and selector, through the inverters."""
    row = BOARDS["row"]
    y_pins = (15, 14, 13, 12, 11, 10, 9, 7)  # 74HC138, Y0 first
    d_pins = (4, 3, 2, 1, 15, 14, 13, 12)  # 74HC151, D0 first
    for chip, pins in (("U1", (1, 2, 3)), ("U2", (11, 10, 9))):
        for bit, pin in enumerate(pins):
            behind = before("row", str(at_pin("row", chip, pin)), "lvc14", INVERTER_INPUT)
            assert behind == row.net_of(f"J0.A{bit}")
    for column in range(COLUMNS):
        seen = column ^ 0b111  # what decoder and selector see
        tile = f"J{column + 1}"
        assert at_pin("row", "U1", y_pins[seen]) == row.net_of(f"{tile}.NSS")
        assert at_pin("row", "U2", d_pins[seen]) == row.net_of(f"{tile}.BUSY")
        assert row.net_of(f"{tile}.RESET") == row.net_of(f"J0.RESET{column}")
    for unused in (6, 7):  # addresses without a tile select nothing and read as not busy
        assert at_pin("row", "U1", y_pins[unused ^ 7]) is None
        assert at_pin("row", "U2", d_pins[unused ^ 7]) == "GND"


def test_a_row_keeps_off_miso_unless_enabled() -> None:
    row = BOARDS["row"]
    once = before("row", str(row.net_of("U3.OE1")), "lvc14", INVERTER_INPUT)
    assert once == at_pin("row", "U1", 6)  # G1 of the decoder: high enables
    assert before("row", once, "lvc14", INVERTER_INPUT) == row.net_of("J0.EN")
    assert through("row", str(row.net_of("U3.Y1"))) == row.net_of("J0.MISO")
    assert row.net_of("U3.A1") == row.net_of("J1.MISO") == row.net_of("J6.MISO")


def pulled_to(board: str, net: str) -> set[str]:
    """The rails that resistors hold a net at."""
    found = set()
    for reference, kind in BOARDS[board].parts.items():
        if kind in ("r4k7", "r10k", "r4k7_smd", "r10k_smd"):
            ends = [str(BOARDS[board].net_of(f"{reference}.{n}")) for n in (1, 2)]
            if net in ends:
                found.add(ends[1 - ends.index(net)])
    return found


@pytest.mark.parametrize(
    ("board", "net"),
    [
        ("row", "MISO"),
        ("controller", "MISO"),
        ("bench", "MISO"),
        *(("starter", f"MISO{n}") for n in range(4)),
    ],
)
def test_a_missing_module_reads_as_ones(board: str, net: str) -> None:
    """The drivers call a chip absent when all bits are one; zeros would make it silent."""
    assert pulled_to(board, net) == {"3V3"}


@pytest.mark.parametrize(
    ("board", "nets"),
    [("row", 6), ("controller", 5), ("bench", 2), ("onetile", 3)],
)
def test_a_missing_module_is_not_busy(board: str, nets: int) -> None:
    for n in range(nets):
        assert pulled_to(board, f"BUSY{n}") == {"GND"}


def test_lamps_form_one_chain_through_all_thirty_tiles() -> None:
    row, controller = BOARDS["row"], BOARDS["controller"]
    for column in range(1, COLUMNS):
        assert row.net_of(f"J{column}.LAMP_OUT") == row.net_of(f"J{column + 1}.LAMP_IN")
    assert row.net_of("J0.LAMP_IN") == row.net_of("J1.LAMP_IN")
    assert row.net_of("J6.LAMP_OUT") == row.net_of("J0.LAMP_OUT")
    for n in range(ROWS - 1):
        assert controller.net_of(f"J{n}.LAMP_OUT") == controller.net_of(f"J{n + 1}.LAMP_IN")
    assert through("controller", str(controller.net_of("J0.LAMP_IN"))) == controller.net_of("U8.Y1")


@pytest.mark.parametrize(("kit", "select"), [("bench", "NSS"), ("onetile", "NSS"), ("starter", "SDA")])
def test_a_small_kit_is_wired_as_its_config_tells_the_firmware(kit: str, select: str) -> None:
    board = BOARDS[kit]
    readers = config.load((CONFIGS / f"{kit}.json").read_text())["readers"]
    assert len(readers) == sum(reference.startswith("M") for reference in board.parts)
    for place, (nss, busy, reset) in enumerate(readers.values(), 1):
        reader = f"M{place}"
        line = "RESET" if kit == "onetile" else "RST"
        assert at_pin(kit, "U1", PICO[nss]) == board.net_of(f"{reader}.{select}")
        assert at_pin(kit, "U1", PICO[reset]) == board.net_of(f"{reader}.{line}")
        if select == "NSS":  # an MFRC522 has no BUSY
            assert at_pin(kit, "U1", PICO[busy]) == board.net_of(f"{reader}.BUSY")
    for signal in ("SCK", "MOSI"):
        assert at_pin(kit, "U1", PICO[CONTROLLER[signal]]) == board.net_of(f"M1.{signal}")


def test_every_rung_of_the_doctor_has_a_config_with_as_many_readers() -> None:
    for name, rung in RUNGS.items():
        assert len(config.load((CONFIGS / f"{name}.json").read_text())["readers"]) == rung.wired
    row = config.load((CONFIGS / "row.json").read_text())
    assert row["readers"] == {column: [0, column] for column in range(COLUMNS)}


def test_the_table_has_a_reader_and_a_lamp_per_tile() -> None:
    table = config.load((CONFIGS / "table.json").read_text())
    assert table["readers"] == {
        row * COLUMNS + column: [row, column] for row in range(ROWS) for column in range(COLUMNS)
    }
    assert table["lamps"]["places"] == {reader: reader for reader in range(30)}


def test_a_forgotten_pin_is_named() -> None:
    b = Builder("half", "Half a board")
    b.add("r33", "R1", **{"1": "A"})
    with pytest.raises(ValueError, match=r"R1\.2 is not connected"):
        b.board()


def test_a_pin_in_two_nets_is_named() -> None:
    b = Builder("short", "A short")
    b.add("r33", "R1", **{"1": "A", "2": "B"})
    b.wire("B", "R1.1")
    with pytest.raises(ValueError, match=r"R1\.1 is in A and B"):
        b.board()
