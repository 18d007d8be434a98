"""The small kits: readers wired straight to the pins of a controller, as their config files tell the firmware."""

from hardware.circuit.board import Board, Builder
from hardware.circuit.parts import KINDS
from hardware.circuit.pinmap import pico_pin

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
        b.leave_open(m, ("GPIO", "IRQ", "AUX"))
        b.add("r4k7", f"R{n + 1}", **{"1": f"BUSY{n}", "2": "GND"})
        b.add(
            "r10k", f"R{n + 4}", **{"1": f"REQ{n}", "2": "GND"}
        )  # high at start-up would mean download mode
        b.wire(f"REQ{n}", f"{m}.REQ")
    b.add("r10k", "R3", **{"1": "MISO", "2": "3V3"})
    return b.board()


def onetile() -> Board:
    """Three tile boards straight on a controller, as `configs/onetile.json` tells the firmware: one tile and two neighbours."""
    b = Builder("onetile", "One-tile kit")
    signals = ("SCK", "MOSI", "MISO", *(f"{name}{n}" for name in ("EN", "BUSY") for n in range(3)))
    wire_controller(b, "U1", {signal: signal for signal in signals}, FREE_PINS[:3])
    b.wire("5V", "U1.VBUS")
    b.leave_open("U1", ("VSYS",))
    for n in range(3):
        t = f"M{n + 1}"
        b.add("tileboard", t, _5V="5V", _3V3="3V3", SCK="SCK", MOSI="MOSI", MISO="MISO", NSS=f"EN{n}")
        b.wire(f"RESET{n}", f"{t}.RESET")
        b.wire(f"BUSY{n}", f"{t}.BUSY")
        b.ground(t)
        b.leave_open(t, ("LAMP_IN", "LAMP_OUT"))
        b.add("r4k7", f"R{n + 1}", **{"1": f"BUSY{n}", "2": "GND"})
    b.add("r10k", "R4", **{"1": "MISO", "2": "3V3"})
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
