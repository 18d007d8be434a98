"""The boards: tile (30 per table), row (5), controller (1), and the two small kits wired straight to a controller.

Every pin that the firmware also knows comes from the pin map. `BOARDS` is what the checks, drawings and totals go through.
"""

from hardware.circuit.board import Board, Builder
from hardware.circuit.parts import KINDS
from hardware.circuit.pinmap import CONTROLLER, SHIFT, pico_pin, shift_output

ROWS, COLUMNS = 5, 6


def tile() -> Board:
    """Carrier of one PN5180 module: the 54 mm coil that replaces the module's own, its damping and tuning, and the lamp."""
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
    )
    b.ground("M1")
    b.leave_open("M1", ("GPIO", "IRQ", "AUX", "REQ"))
    b.add("feed", "J2", A="FEED_A", B="FEED_B")
    for leg, references in (("A", ("R1", "R2")), ("B", ("R3", "R4"))):
        for reference in references:
            b.add("r2.2", reference, **{"1": f"FEED_{leg}", "2": f"COIL_{leg}"})
    b.add("coil", "L1", **{"1": "COIL_A", "2": "COIL_B"})
    b.add("trimmer", "C1", **{"1": "COIL_A", "2": "COIL_B"})
    b.add("c_np0", "C2", **{"1": "COIL_A", "2": "COIL_B"})
    b.add("lamp", "D1", VDD="5V", VSS="GND", DIN="LAMP_IN", DOUT="LAMP_OUT")
    for reference, kind, net in (
        ("C3", "c100n_smd", "5V"),
        ("C4", "c10u_smd", "5V"),
        ("C5", "c100n_smd", "3V3"),
        ("C6", "c10u_smd", "3V3"),
    ):
        b.add(kind, reference, **{"1": net, "2": "GND"})
    return b.board()


def row() -> Board:
    """Six tiles on one bus: column address to select and BUSY, buffered clock and data, 3.3 V."""
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
    b.add("138", "U1", A="A0", B="A1", C="A2", G2A="EN", G2B="GND", G1="3V3", GND="GND", VCC="3V3")
    b.leave_open("U1", ("Y6", "Y7"))
    b.add("151", "U2", A="A0", B="A1", C="A2", G="GND", D6="GND", D7="GND", Y="BUSY", GND="GND", VCC="3V3")
    b.leave_open("U2", ("W",))
    b.add(
        "ahc125",
        "U3",
        OE1="GND",
        A1="SCK_IN",
        Y1="SCK_BUF",
        OE2="GND",
        A2="MOSI_IN",
        Y2="MOSI_BUF",
        GND="GND",
        VCC="3V3",
    )
    for pin, net in (("OE3", "EN"), ("A3", "MISO"), ("Y3", "MISO_BUF"), ("OE4", "3V3"), ("A4", "GND")):
        b.wire(net, f"U3.{pin}")
    b.leave_open("U3", ("Y4",))
    b.add("r33", "R1", **{"1": "SCK_BUF", "2": "SCK"})
    b.add("r33", "R2", **{"1": "MOSI_BUF", "2": "MOSI"})
    b.add(
        "r150", "R3", **{"1": "MISO_BUF", "2": "MISO_OUT"}
    )  # a broadcast enables all rows: their gates meet on MISO
    b.add("r10k", "R4", **{"1": "EN", "2": "3V3"})
    b.add("r10k", "R5", **{"1": "MISO", "2": "3V3"})  # a missing module reads as ones: `absent`
    b.add("ldo", "U4", IN="5V", OUT="3V3", GND="GND")
    b.add("rn4k7", "RN1", COM="GND")
    b.leave_open("RN1", ("R7", "R8"))
    b.add("rn10k", "RN2", COM="GND")
    b.leave_open("RN2", ("R7", "R8"))
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
        b.wire(f"RESET{column}", f"{j}.RESET", f"J0.RESET{column}", f"RN2.R{column + 1}")
        b.wire(f"NSS{column}", f"U1.Y{column}")
        b.wire(f"BUSY{column}", f"U2.D{column}", f"RN1.R{column + 1}")
        b.wire(f"LAMP{column}", f"{j}.LAMP_IN", f"J{column}.LAMP_OUT" if column else "J0.LAMP_IN")
    b.wire(f"LAMP{COLUMNS}", f"J{COLUMNS}.LAMP_OUT", "J0.LAMP_OUT")
    for reference, kind, net in (
        ("C1", "c1000u", "5V"),
        ("C2", "c100n", "5V"),
        ("C3", "c10u", "3V3"),
        ("C4", "c100n", "3V3"),
        ("C5", "c100n", "3V3"),
        ("C6", "c100n", "3V3"),
    ):
        b.add(kind, reference, **{"1": net, "2": "GND"})
    return b.board()


# Pins the table leaves free; the small kits reset their readers with them.
FREE_PINS = ("GP20", "GP21", "GP26", "GP27")


def wire_controller(
    b: Builder, reference: str, signals: dict[str, str], resets: tuple[str, ...] = ()
) -> None:
    """The Pico: each signal's pin from the pin map to a net, grounds, and every other pin open."""
    b.parts[reference] = "pico"
    used = set()
    for signal, net in signals.items():
        b.wire(net, f"{reference}.{pico_pin(signal)}")
        used.add(pico_pin(signal))
    for n, pin in enumerate(resets):
        b.wire(f"RESET{n}", f"{reference}.{pin}")
        used.add(pin)
    b.ground(reference)
    b.wire("3V3", f"{reference}.3V3")
    names = [pin.name for pin in KINDS["pico"].pins]
    b.leave_open(reference, [n for n in names if n.startswith("GP") and n not in used])
    b.leave_open(reference, ("RUN", "ADC_VREF", "3V3_EN"))


def registers(b: Builder, count: int, first: int) -> None:
    """A chain of shift registers: each output becomes the net of its signal, the spare ones stay open."""
    by_place = {shift_output(signal): signal for signal in SHIFT}
    for place in range(count):
        u = f"U{first + place}"
        b.add("595", u, SRCLK="SRCLK", RCLK="RCLK", OE="GND", SRCLR="3V3", GND="GND", VCC="3V3")
        b.wire("SER" if place == 0 else f"CHAIN{place}", f"{u}.SER")
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
        b.add("c100n", f"C{first + place}", **{"1": "3V3", "2": "GND"})


def controller() -> Board:
    """Pico 2 W, six shift registers, five row cables with their fuses, the lamps' level shifter, the sounder."""
    b = Builder("controller", "Controller board")
    straight = {signal: signal for signal in CONTROLLER if signal not in ("SCK", "MOSI", "LAMPS", "BUZZER")}
    wire_controller(
        b, "U1", straight | {"SCK": "SCK_PICO", "MOSI": "MOSI_PICO", "LAMPS": "LAMPS_3V", "BUZZER": "BUZZER"}
    )
    b.wire("VSYS", "U1.VSYS")
    b.leave_open("U1", ("VBUS",))
    b.add("terminal_in", "J10", _5V="5V_IN", GND="GND")
    b.add("fuse", "F0", **{"1": "5V_IN", "2": "5V"})
    b.add("tvs", "D2", K="5V", A="GND")
    b.add("schottky", "D1", A="5V", K="VSYS")
    b.add("c1000u", "C1", **{"1": "5V", "2": "GND"})
    registers(b, 6, 2)
    b.add(
        "ahct125",
        "U8",
        OE1="GND",
        A1="LAMPS_3V",
        Y1="LAMPS_5V",
        OE2="5V",
        A2="GND",
        OE3="5V",
        A3="GND",
        GND="GND",
        VCC="5V",
    )
    b.wire("5V", "U8.OE4")
    b.wire("GND", "U8.A4")
    b.leave_open("U8", ("Y2", "Y3", "Y4"))
    b.add("c100n", "C8", **{"1": "5V", "2": "GND"})
    for reference, start, end in (
        ("R1", "SCK_PICO", "SCK"),
        ("R2", "MOSI_PICO", "MOSI"),
        ("R3", "LAMPS_5V", "LAMP0"),
    ):
        b.add("r33", reference, **{"1": start, "2": end})
    b.add("r100", "R4", **{"1": "BUZZER", "2": "SOUND"})
    b.add("buzzer", "BZ1", **{"1": "SOUND", "2": "GND"})
    b.add("r10k", "R5", **{"1": "MISO", "2": "3V3"})
    b.add("rn4k7", "RN1", COM="GND")
    b.leave_open("RN1", ("R6", "R7", "R8"))
    b.add("rn10k", "RN2", COM="3V3")
    b.leave_open("RN2", ("R6", "R7", "R8"))
    for n in range(ROWS):
        j = f"J{n}"
        b.add("idc20", j, SCK="SCK", MOSI="MOSI", MISO="MISO", EN=f"EN{n}", BUSY=f"BUSY{n}")
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
        b.wire(f"BUSY{n}", f"RN1.R{n + 1}")
        b.wire(f"EN{n}", f"RN2.R{n + 1}")
        b.add("polyfuse", f"F{n + 1}", **{"1": "5V", "2": f"5V_ROW{n}"})
        b.add("terminal", f"J{n + 11}", _5V=f"5V_ROW{n}", GND="GND")
    return b.board()


def bench() -> Board:
    """Two PN5180 modules, each on pins of its own, as `configs/bench.json` tells the firmware."""
    b = Builder("bench", "One-tile bench")
    wire_controller(
        b,
        "U1",
        {signal: signal for signal in ("SCK", "MOSI", "MISO", "EN0", "EN1", "BUSY0", "BUSY1")},
        FREE_PINS[:2],
    )
    b.wire("5V", "U1.VBUS")
    b.leave_open("U1", ("VSYS",))
    for n in range(2):
        m = f"M{n + 1}"
        b.add(
            "pn5180",
            m,
            _5V="5V",
            _3V3="3V3",
            RST=f"RESET{n}",
            NSS=f"EN{n}",
            MOSI="MOSI",
            MISO="MISO",
            SCK="SCK",
        )
        b.wire(f"BUSY{n}", f"{m}.BUSY")
        b.ground(m)
        b.leave_open(m, ("GPIO", "IRQ", "AUX", "REQ"))
        b.add("r4k7", f"R{n + 1}", **{"1": f"BUSY{n}", "2": "GND"})
    b.add("r10k", "R3", **{"1": "MISO", "2": "3V3"})
    return b.board()


def starter() -> Board:
    """Four MFRC522 modules, each on pins of its own, as `configs/starter.json` tells the firmware: one piece per tile.

    Cheap modules keep hold of MISO when they are not selected, so each one's MISO goes through a gate of its own.
    """
    b = Builder("starter", "One-piece-per-tile starter")
    wire_controller(
        b, "U1", {signal: signal for signal in ("SCK", "MOSI", "MISO", "EN0", "EN1", "EN2", "EN3")}, FREE_PINS
    )
    b.leave_open("U1", ("VBUS", "VSYS"))
    b.add("ahc125", "U2", GND="GND", VCC="3V3")
    for n in range(4):
        m = f"M{n + 1}"
        b.add(
            "mfrc522",
            m,
            SDA=f"EN{n}",
            SCK="SCK",
            MOSI="MOSI",
            MISO=f"MISO{n}",
            RST=f"RESET{n}",
            _3V3="3V3",
            GND="GND",
        )
        b.leave_open(m, ("IRQ",))
        b.wire(f"MISO{n}", f"U2.A{n + 1}")
        b.wire(f"EN{n}", f"U2.OE{n + 1}")
        b.wire("MISO", f"U2.Y{n + 1}")
        b.add("r10k", f"R{n + 1}", **{"1": f"MISO{n}", "2": "3V3"})
    b.add("c100n", "C1", **{"1": "3V3", "2": "GND"})
    return b.board()


BOARDS = {board.name: board for board in (tile(), row(), controller(), bench(), starter())}

# How many of each board a kit has.
KITS: dict[str, dict[str, int]] = {
    "bench": {"bench": 1},
    "starter": {"starter": 1},
    "table": {"tile": 30, "row": 5, "controller": 1},
}
