"""The boards: tile (30 per table), row (5), controller (1); the small kits are in `kits.py`.

Every pin that the firmware also knows comes from the pin map. `BOARDS` is what the checks, drawings and totals go through.
"""

from hardware.circuit.board import Board, Builder
from hardware.circuit.kits import bench, onetile, starter, wire_controller
from hardware.circuit.pinmap import CONTROLLER, SHIFT, shift_output

ROWS, COLUMNS = 5, 6


def tile() -> Board:
    """Carrier of one PN5180 module: one turn of 54 mm that makes the field, chip inductors that bring the module the
    inductance it was made for (`hardware/matching.py` says why), damping, the tuning trimmer, and the lamp."""
    b = Builder("tile", "Tile board")
    b.add("idc14_in", "J1", _5V="5V", _3V3="3V3", SCK="SCK", MOSI="MOSI", MISO="MISO", NSS="NSS", BUSY="BUSY")
    b.wire("RESET", "J1.RESET")
    b.wire("LAMP_IN", "J1.LAMP_IN")
    b.wire("LAMP_OUT", "J1.LAMP_OUT")
    b.ground("J1")
    b.add(
        "pn5180",
        "M1",
        _5V="5V",
        _3V3="3V3",
        RST="RESET",
        NSS="NSS",
        MOSI="MOSI",
        MISO="MISO",
        SCK="SCK",
        BUSY="BUSY",
        REQ="REQ",
    )
    b.ground("M1")
    b.leave_open("M1", ("GPIO", "IRQ", "AUX"))
    b.add("r10k_smd", "R3", **{"1": "REQ", "2": "GND"})  # high at start-up would mean download mode
    b.add("feed", "J2", A="FEED_A", B="FEED_B")
    for leg, resistor, inductor in (("A", "R1", "L2"), ("B", "R2", "L3")):
        b.add("r1.0", resistor, **{"1": f"FEED_{leg}", "2": f"LEG_{leg}"})
        b.add("l910n", inductor, **{"1": f"LEG_{leg}", "2": f"COIL_{leg}"})
    b.add("coil", "L1", **{"1": "COIL_A", "2": "COIL_B"})
    b.add("trimmer", "C1", **{"1": "FEED_A", "2": "FEED_B"})
    b.add("c_np0", "C2", **{"1": "FEED_A", "2": "FEED_B"})
    b.add("lamp", "D1", VDD="5V", VSS="GND", DIN="LAMP_IN", DOUT="LAMP_OUT")
    for reference, kind, net in (
        ("C3", "c100n_smd", "5V"),
        ("C4", "c10u_smd", "5V"),
        ("C5", "c100n_smd", "3V3"),
        ("C6", "c10u_smd", "3V3"),
    ):
        b.add(kind, reference, **{"1": net, "2": "GND"})
    return b.board()


# The Schmitt inverters of a row: (chip, gate, in, out). Clock and data pass two of them. Enable passes one to the decoder,
# whose G1 wants it high, and a second one to the MISO buffer. The address stays inverted: address a selects output 7 - a.
INVERTERS = (
    ("U5", 1, "SCK_IN", "SCK_N"),
    ("U5", 2, "SCK_N", "SCK_BUF"),
    ("U5", 3, "MOSI_IN", "MOSI_N"),
    ("U5", 4, "MOSI_N", "MOSI_BUF"),
    ("U5", 5, "EN", "EN_HIGH"),
    ("U5", 6, "EN_HIGH", "EN_LOW"),
    ("U6", 1, "A0", "A0_N"),
    ("U6", 2, "A1", "A1_N"),
    ("U6", 3, "A2", "A2_N"),
)


def row() -> Board:
    """Six tiles on one bus: column address to select and BUSY, clock and data through Schmitt gates, 3.3 V.

    Whatever comes from the controller meets gates that stay open without supply, so that a row whose fuse has opened is
    not fed through its signals."""
    b = Builder("row", "Row board")
    b.add(
        "idc20",
        "J0",
        SCK="SCK_IN",
        MOSI="MOSI_IN",
        MISO="MISO_OUT",
        EN="EN",
        BUSY="BUSY",
        A0="A0",
        A1="A1",
        A2="A2",
    )
    b.ground("J0")
    b.add("terminal_in", "J7", _5V="5V", GND="GND")
    b.add("138", "U1", A="A0_N", B="A1_N", C="A2_N", G1="EN_HIGH", G2A="GND", G2B="GND", GND="GND", VCC="3V3")
    b.leave_open("U1", ("Y0", "Y1"))
    b.add(
        "151",
        "U2",
        A="A0_N",
        B="A1_N",
        C="A2_N",
        G="GND",
        D0="GND",
        D1="GND",
        Y="BUSY_Y",
        GND="GND",
        VCC="3V3",
    )
    b.leave_open("U2", ("W",))
    b.add("lvc125", "U3", OE1="EN_LOW", A1="MISO", Y1="MISO_BUF", GND="GND", VCC="3V3")
    for gate in (2, 3, 4):
        b.wire("3V3", f"U3.OE{gate}")
        b.wire("GND", f"U3.A{gate}")
    b.leave_open("U3", ("Y2", "Y3", "Y4"))
    for chip in ("U5", "U6"):
        b.add("lvc14", chip, GND="GND", VCC="3V3")
    for chip, gate, before, after in INVERTERS:
        b.wire(before, f"{chip}.A{gate}")
        b.wire(after, f"{chip}.Y{gate}")
    for gate in (4, 5, 6):
        b.wire("GND", f"U6.A{gate}")
    b.leave_open("U6", ("Y4", "Y5", "Y6"))
    b.add("r33", "R1", **{"1": "SCK_BUF", "2": "SCK"})
    b.add("r33", "R2", **{"1": "MOSI_BUF", "2": "MOSI"})
    b.add(
        "r150", "R3", **{"1": "MISO_BUF", "2": "MISO_OUT"}
    )  # a broadcast enables all rows: they meet on MISO
    b.add("r10k_smd", "R4", **{"1": "EN", "2": "3V3"})
    b.add("r10k_smd", "R5", **{"1": "MISO", "2": "3V3"})  # a missing module reads as ones: `absent`
    b.add("r100", "R6", **{"1": "BUSY_Y", "2": "BUSY"})
    b.add("ldo", "U4", IN="5V", OUT="3V3", TAB="3V3", GND="GND")
    for column in range(COLUMNS):
        j = f"J{column + 1}"
        b.add(
            "idc14",
            j,
            _5V="5V",
            _3V3="3V3",
            SCK="SCK",
            MOSI="MOSI",
            MISO="MISO",
            NSS=f"NSS{column}",
            BUSY=f"BUSY{column}",
        )
        b.ground(j)
        b.wire(f"RESET{column}", f"{j}.RESET", f"J0.RESET{column}")
        b.wire(f"NSS{column}", f"U1.Y{7 - column}")
        b.wire(f"BUSY{column}", f"U2.D{7 - column}")
        b.wire(f"LAMP{column}", f"{j}.LAMP_IN", f"J{column}.LAMP_OUT" if column else "J0.LAMP_IN")
        b.add("r4k7_smd", f"R{11 + column}", **{"1": f"BUSY{column}", "2": "GND"})
        b.add("r10k_smd", f"R{21 + column}", **{"1": f"RESET{column}", "2": "GND"})
    b.wire(f"LAMP{COLUMNS}", f"J{COLUMNS}.LAMP_OUT", "J0.LAMP_OUT")
    b.add("c1000u", "C1", **{"1": "5V", "2": "GND"})
    for reference, kind, net in (
        ("C2", "c100n_smd", "5V"),
        ("C3", "c10u_smd", "3V3"),
        *((f"C{n}", "c100n_smd", "3V3") for n in range(4, 9)),
    ):
        b.add(kind, reference, **{"1": net, "2": "GND"})
    return b.board()


def registers(b: Builder, count: int, first: int) -> None:
    """A chain of shift registers: each output becomes the net of its signal, the spare ones stay open."""
    by_place = {shift_output(signal): signal for signal in SHIFT}
    for place in range(count):
        u = f"U{first + place}"
        b.add("595", u, SRCLK="SRCLK_T", RCLK="RCLK_T", OE="GND", SRCLR="3V3_T", GND="GND", VCC="3V3_T")
        b.wire("SER_T" if place == 0 else f"CHAIN{place}", f"{u}.SER")
        if place + 1 < count:
            b.wire(f"CHAIN{place + 1}", f"{u}.QH_S")
        else:
            b.leave_open(u, ("QH_S",))
        for output in ("QA", "QB", "QC", "QD", "QE", "QF", "QG", "QH"):
            signal = by_place[(place, output)]
            if signal.startswith("SPARE"):
                b.leave_open(u, (output,))
            else:
                b.wire(signal, f"{u}.{output}")
        b.add("c100n_smd", f"C{first + place}", **{"1": "3V3_T", "2": "GND"})


# What each line driver passes on: (chip, gate, from the Pico, to the table). Clock and data have a gate per row.
DRIVERS = (
    *(("U10", n + 1, f"EN{n}", f"EN{n}_T") for n in range(ROWS)),
    ("U10", 6, "SER", "SER_T"),
    ("U10", 7, "SRCLK", "SRCLK_T"),
    ("U10", 8, "RCLK", "RCLK_T"),
    *(("U11", n + 1, "SCK", f"SCK{n}_T") for n in range(ROWS)),
    *(("U12", n + 1, "MOSI", f"MOSI{n}_T") for n in range(ROWS)),
)


def _drivers(b: Builder) -> None:
    """Between the Pico, which USB feeds, and the table, which the supply feeds. Without supply the drivers' inputs and
    outputs are open: a table that is switched off is not fed through its signals."""
    for chip in ("U10", "U11", "U12"):
        b.add("lvc541", chip, OE1="GND", OE2="GND", GND="GND", VCC="3V3_T")
        b.add("c100n_smd", f"C{chip[1:]}", **{"1": "3V3_T", "2": "GND"})
    for chip, gate, before, after in DRIVERS:
        b.wire(before, f"{chip}.A{gate}")
        b.wire(after, f"{chip}.Y{gate}")
    for chip in ("U11", "U12"):
        for gate in (6, 7, 8):
            b.wire("GND", f"{chip}.A{gate}")
        b.leave_open(chip, ("Y6", "Y7", "Y8"))
    for n in range(ROWS):
        b.add("r82", f"R{11 + n}", **{"1": f"SCK{n}_T", "2": f"SCK{n}"})
        b.add("r82", f"R{21 + n}", **{"1": f"MOSI{n}_T", "2": f"MOSI{n}"})
        b.add("r10k_smd", f"R{31 + n}", **{"1": f"EN{n}", "2": "3V3"})  # no row listens while the Pico starts


def _power(b: Builder) -> None:
    """Supply terminal, polarity switch, one fuse per branch: a row draws at most 0.7 A, the supply gives 5 A, so that a
    short in one branch opens its fuse within seconds instead of making the supply hiccup."""
    b.add("terminal_in", "J10", _5V="5V_IN", GND="GND")
    b.add("pmos", "Q1", G="GATE")  # turned round the supply finds a closed switch
    b.wire("5V_IN", *(f"Q1.D{n}" for n in (5, 6, 7, 8)))
    b.wire("5V", *(f"Q1.S{n}" for n in (1, 2, 3)))
    b.add("r10k_smd", "R6", **{"1": "GATE", "2": "GND"})
    b.add("tvs", "D2", K="5V", A="GND")
    b.add("c1000u", "C1", **{"1": "5V", "2": "GND"})
    b.add("fuse", "F0", **{"1": "5V", "2": "5V_C"})
    b.add("schottky", "D1", A="5V_C", K="VSYS")
    b.add("ldo", "U9", IN="5V_C", OUT="3V3_T", TAB="3V3_T", GND="GND")
    b.add("c10u_smd", "C9", **{"1": "3V3_T", "2": "GND"})
    b.add("c100n_smd", "C13", **{"1": "5V_C", "2": "GND"})
    for n in range(ROWS):
        b.add("fuse", f"F{n + 1}", **{"1": "5V", "2": f"5V_ROW{n}"})
        b.add("terminal", f"J{n + 11}", _5V=f"5V_ROW{n}", GND="GND")


def controller() -> Board:
    """Pico 2 W, drivers, six shift registers, five row cables with their fuses, the lamps' level shifter, the sounder."""
    b = Builder("controller", "Controller board")
    wire_controller(b, "U1", {signal: signal for signal in CONTROLLER} | {"LAMPS": "LAMPS_3V"})
    b.wire("VSYS", "U1.VSYS")
    b.leave_open("U1", ("VBUS",))
    _power(b)
    _drivers(b)
    registers(b, 6, 2)
    b.add("ahct125", "U8", OE1="GND", A1="LAMPS_3V", Y1="LAMPS_5V", GND="GND", VCC="5V_C")
    for gate in (2, 3, 4):
        b.wire("5V_C", f"U8.OE{gate}")
        b.wire("GND", f"U8.A{gate}")
    b.leave_open("U8", ("Y2", "Y3", "Y4"))
    b.add("c100n_smd", "C8", **{"1": "5V_C", "2": "GND"})
    b.add("r33", "R3", **{"1": "LAMPS_5V", "2": "LAMP0"})
    b.add("r100", "R4", **{"1": "BUZZER", "2": "SOUND"})
    b.add("buzzer", "BZ1", **{"1": "SOUND", "2": "GND"})
    b.add("r10k_smd", "R5", **{"1": "MISO", "2": "3V3"})
    for n in range(ROWS):
        j = f"J{n}"
        b.add("idc20", j, SCK=f"SCK{n}", MOSI=f"MOSI{n}", MISO="MISO", EN=f"EN{n}_T", BUSY=f"BUSY{n}")
        b.ground(j)
        for bit in range(3):
            b.wire(f"ROW{n}_A{bit}", f"{j}.A{bit}")
        for column in range(COLUMNS):
            b.wire(f"RESET_{n * COLUMNS + column}", f"{j}.RESET{column}")
        b.wire(f"LAMP{n}", f"{j}.LAMP_IN")
        if n + 1 < ROWS:
            b.wire(f"LAMP{n + 1}", f"{j}.LAMP_OUT")
        else:
            b.leave_open(j, ("LAMP_OUT",))
        b.add("r4k7_smd", f"R{41 + n}", **{"1": f"BUSY{n}", "2": "GND"})
    return b.board()


BOARDS = {board.name: board for board in (tile(), row(), controller(), bench(), onetile(), starter())}

# How many of each board a kit has.
KITS: dict[str, dict[str, int]] = {
    "bench": {"bench": 1},
    "onetile": {"onetile": 1, "tile": 3},
    "starter": {"starter": 1},
    "table": {"tile": 30, "row": 5, "controller": 1},
}
