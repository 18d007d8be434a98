"""The circuits against the pin map, and the completeness check that every board passed when it was built."""

from pathlib import Path

import pytest
from naqala_firmware import config

from hardware.circuit.board import Builder
from hardware.circuit.boards import BOARDS, COLUMNS, ROWS
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
        if kind.startswith("r") and not kind.startswith("rn"):
            ends = [BOARDS[board].net_of(f"{reference}.{n}") for n in (1, 2)]
            if net in ends and not {"3V3", "GND"} & set(ends):
                return str(ends[1 - ends.index(net)])
    return net


def test_the_controller_has_every_signal_at_the_pin_the_map_says() -> None:
    for signal, gpio in CONTROLLER.items():
        net = at_pin("controller", "U1", PICO[gpio])
        assert net is not None
        assert net.removesuffix("_PICO").removesuffix("_3V") == signal


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


def test_the_chain_runs_from_the_controller_outwards() -> None:
    assert at_pin("controller", "U2", 14) == "SER"
    for register in range(2, 7):
        assert at_pin("controller", f"U{register}", 9) == at_pin("controller", f"U{register + 1}", 14)


def test_a_column_address_selects_its_tile_and_its_busy() -> None:
    row = BOARDS["row"]
    for column in range(COLUMNS):
        tile = f"J{column + 1}"
        assert row.net_of(f"{tile}.NSS") == row.net_of(f"U1.Y{column}")
        assert row.net_of(f"{tile}.BUSY") == row.net_of(f"U2.D{column}")
        assert row.net_of(f"{tile}.RESET") == row.net_of(f"J0.RESET{column}")
    for bit, letter in enumerate("ABC"):
        assert row.net_of(f"U1.{letter}") == row.net_of(f"U2.{letter}") == row.net_of(f"J0.A{bit}")


def test_a_row_keeps_off_miso_unless_enabled() -> None:
    row = BOARDS["row"]
    assert row.net_of("U3.OE3") == row.net_of("U1.G2A") == row.net_of("J0.EN")
    assert through("row", str(row.net_of("U3.Y3"))) == row.net_of("J0.MISO")


def pulled_to(board: str, net: str) -> set[str]:
    """The rails that single resistors and networks hold a net at."""
    found = set()
    for reference, kind in BOARDS[board].parts.items():
        if kind.startswith("rn") and any(
            place.startswith(f"{reference}.R") for place in BOARDS[board].nets[net]
        ):
            found.add(str(BOARDS[board].net_of(f"{reference}.COM")))
        elif kind in ("r4k7", "r10k"):
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
    [("row", 6), ("controller", 5), ("bench", 2)],
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


@pytest.mark.parametrize(("kit", "select"), [("bench", "NSS"), ("starter", "SDA")])
def test_a_small_kit_is_wired_as_its_config_tells_the_firmware(kit: str, select: str) -> None:
    board = BOARDS[kit]
    readers = config.load((CONFIGS / f"{kit}.json").read_text())["readers"]
    assert len(readers) == sum(reference.startswith("M") for reference in board.parts)
    for number, (nss, busy, reset) in readers.items():
        reader = f"M{number + 1}"
        assert at_pin(kit, "U1", PICO[nss]) == board.net_of(f"{reader}.{select}")
        assert at_pin(kit, "U1", PICO[reset]) == board.net_of(f"{reader}.RST")
        if select == "NSS":  # an MFRC522 has no BUSY
            assert at_pin(kit, "U1", PICO[busy]) == board.net_of(f"{reader}.BUSY")
    for signal in ("SCK", "MOSI"):
        assert at_pin(kit, "U1", PICO[CONTROLLER[signal]]) == board.net_of(f"M1.{signal}")


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
