"""The parts drawer: every kind of part the boards use, with its pins, and the line of the bill of materials it is bought as.

A board (see `board.py`) names kinds from here. Pin types are those of an electrical rule check.
"""

from typing import NamedTuple

IN, OUT, TRI, BIDIR = "input", "output", "tristate", "bidirectional"
PASSIVE, POWER_IN, POWER_OUT = "passive", "power in", "power out"


class Pin(NamedTuple):
    number: int
    name: str
    type: str


class Kind(NamedTuple):
    bom: str  # the line of the bill of materials; "" for what is copper on the board itself
    what: str
    footprint: str
    pins: tuple[Pin, ...]
    prefix: str = "U"
    # Inputs stay open when the chip has no supply (no diode to VCC), and outputs too: nothing is fed through them.
    off_is_open: bool = False
    schmitt: bool = False


def pins(text: str, types: dict[str, str], default: str = PASSIVE) -> tuple[Pin, ...]:
    """Names in the order of the package's pins; `types` by name or by name without its trailing digits."""
    found = []
    for number, name in enumerate(text.split(), 1):
        kind = types.get(name) or types.get(name.rstrip("0123456789")) or default
        found.append(Pin(number, name, kind))
    return tuple(found)


def two(bom: str, what: str, footprint: str, prefix: str) -> Kind:
    return Kind(bom, what, footprint, pins("1 2", {}), prefix)


def header(bom: str, what: str, footprint: str, names: str, sources: str = "", prefix: str = "J") -> Kind:
    """A connector: passive pins, but those in `sources` bring power onto the board (of several grounds, one counts)."""
    brought = sources.split()
    found = [
        Pin(n, name, POWER_OUT if name in brought else PASSIVE) for n, name in enumerate(names.split(), 1)
    ]
    return Kind(bom, what, footprint, tuple(found), prefix)


GATE_TYPES = {"OE": IN, "A": IN, "Y": TRI, "GND": POWER_IN, "VCC": POWER_IN}
QUAD_BUFFER = "OE1 A1 Y1 OE2 A2 Y2 GND Y3 A3 OE3 Y4 A4 OE4 VCC"

PICO_PINS = (
    "GP0 GP1 GND3 GP2 GP3 GP4 GP5 GND8 GP6 GP7 GP8 GP9 GND13 GP10 GP11 GP12 GP13 GND18 GP14 GP15 "
    "GP16 GP17 GND23 GP18 GP19 GP20 GP21 GND28 GP22 RUN GP26 GP27 AGND GP28 ADC_VREF 3V3 3V3_EN GND38 VSYS VBUS"
)
PICO_TYPES = {"GP": BIDIR, "GND": POWER_IN, "AGND": POWER_IN, "RUN": IN, "ADC_VREF": POWER_IN, "3V3_EN": IN}
PICO_TYPES |= {"3V3": POWER_OUT, "VSYS": POWER_IN, "VBUS": POWER_OUT}

# Order of the 13 pins as printed on the PN5180-NFC module; the carrier's own power pins drive it.
MODULE_PINS = "5V 3V3 RST NSS MOSI MISO SCK BUSY GND GPIO IRQ AUX REQ"
MODULE_TYPES = {"5V": POWER_IN, "3V3": POWER_IN, "GND": POWER_IN, "RST": IN, "NSS": IN, "MOSI": IN, "SCK": IN}
MODULE_TYPES |= {"MISO": TRI, "BUSY": OUT, "GPIO": OUT, "IRQ": OUT, "AUX": OUT, "REQ": IN}

MFRC522_PINS = "SDA SCK MOSI MISO IRQ GND RST 3V3"
MFRC522_TYPES = {
    "SDA": IN,
    "SCK": IN,
    "MOSI": IN,
    "MISO": TRI,
    "IRQ": OUT,
    "GND": POWER_IN,
    "RST": IN,
    "3V3": POWER_IN,
}

TILE_CABLE = "BUSY GND SCK GND4 MISO GND6 MOSI LAMP_IN NSS LAMP_OUT RESET GND12 3V3 5V"
ROW_CABLE = "SCK GND MOSI GND4 MISO GND6 EN BUSY A0 A1 A2 RESET0 RESET1 RESET2 RESET3 RESET4 RESET5 GND18 LAMP_IN LAMP_OUT"

KINDS: dict[str, Kind] = {
    # readers and controller
    "pico": Kind("pico2w", "Raspberry Pi Pico 2 W", "Module:Pico_SMD_TH", pins(PICO_PINS, PICO_TYPES)),
    "pn5180": Kind(
        "pn5180", "PN5180-NFC module", "PinSocket_1x13_P2.54mm", pins(MODULE_PINS, MODULE_TYPES), "M"
    ),
    "mfrc522": Kind(
        "mfrc522", "RFID-RC522 module", "PinSocket_1x08_P2.54mm", pins(MFRC522_PINS, MFRC522_TYPES), "M"
    ),
    # logic
    "595": Kind(
        "595",
        "74HC595 shift register",
        "SOIC-16",
        pins(
            "QB QC QD QE QF QG QH GND QH_S SRCLR SRCLK RCLK OE SER QA VCC",
            dict.fromkeys(["QA", "QB", "QC", "QD", "QE", "QF", "QG", "QH", "QH_S"], OUT)
            | dict.fromkeys(["SRCLR", "SRCLK", "RCLK", "OE", "SER"], IN)
            | {"GND": POWER_IN, "VCC": POWER_IN},
        ),
    ),
    "138": Kind(
        "138",
        "74HC138 decoder",
        "SOIC-16",
        pins(
            "A B C G2A G2B G1 Y7 GND Y6 Y5 Y4 Y3 Y2 Y1 Y0 VCC",
            dict.fromkeys(["A", "B", "C", "G2A", "G2B", "G1"], IN)
            | {"Y": OUT, "GND": POWER_IN, "VCC": POWER_IN},
        ),
    ),
    "151": Kind(
        "151",
        "74HC151 selector",
        "SOIC-16",
        pins(
            "D3 D2 D1 D0 Y W G GND C B A D7 D6 D5 D4 VCC",
            {
                "D": IN,
                "Y": OUT,
                "W": OUT,
                "G": IN,
                "A": IN,
                "B": IN,
                "C": IN,
                "GND": POWER_IN,
                "VCC": POWER_IN,
            },
        ),
    ),
    "lvc14": Kind(
        "lvc14",
        "74LVC14A Schmitt inverters",
        "SOIC-14",
        pins(
            "A1 Y1 A2 Y2 A3 Y3 GND Y4 A4 Y5 A5 Y6 A6 VCC",
            {"A": IN, "Y": OUT, "GND": POWER_IN, "VCC": POWER_IN},
        ),
        off_is_open=True,
        schmitt=True,
    ),
    "lvc541": Kind(
        "lvc541",
        "74LVC541A line driver",
        "SOIC-20W",
        pins(
            "OE1 A1 A2 A3 A4 A5 A6 A7 A8 GND Y8 Y7 Y6 Y5 Y4 Y3 Y2 Y1 OE2 VCC",
            {"OE": IN, "A": IN, "Y": TRI, "GND": POWER_IN, "VCC": POWER_IN},
        ),
        off_is_open=True,
    ),
    "lvc125": Kind(
        "lvc125", "74LVC125A quad buffer", "SOIC-14", pins(QUAD_BUFFER, GATE_TYPES), off_is_open=True
    ),
    "ahc125": Kind("ahc125", "74AHC125 quad buffer", "DIP-14", pins(QUAD_BUFFER, GATE_TYPES)),
    "ahct125": Kind(
        "ahct125", "74AHCT125 quad buffer", "SOIC-14", pins(QUAD_BUFFER, GATE_TYPES), off_is_open=True
    ),
    "pmos": Kind(
        "pmos",
        "AO4407A P-channel switch",
        "SOIC-8",
        pins("S1 S2 S3 G D5 D6 D7 D8", {}),
        "Q",
    ),
    "ldo": Kind(
        "ldo",
        "LD1117S33 regulator",
        "SOT-223",
        (Pin(1, "GND", POWER_IN), Pin(2, "OUT", POWER_OUT), Pin(3, "IN", POWER_IN), Pin(4, "TAB", PASSIVE)),
    ),
    "lamp": Kind(
        "lamp",
        "WS2812B lamp",
        "LED_WS2812B_PLCC4_5.0x5.0mm",
        (Pin(1, "VDD", POWER_IN), Pin(2, "DOUT", OUT), Pin(3, "VSS", POWER_IN), Pin(4, "DIN", IN)),
        "D",
    ),
    # connectors; a row's cable brings the bus, a tile's cable all a tile needs
    "idc20": header("idc20", "box header 2x10", "IDC-Header_2x10_P2.54mm", ROW_CABLE),
    "idc14": header("idc14", "box header 2x7", "IDC-Header_2x07_P2.54mm", TILE_CABLE),
    "idc14_in": header("idc14", "box header 2x7", "IDC-Header_2x07_P2.54mm", TILE_CABLE, "5V 3V3 GND"),
    "tileboard": header("", "tile board, its J1", "IDC-Header_2x07_P2.54mm", TILE_CABLE),
    "feed": header("", "wire pads to the module's antenna pads", "SolderWire_1x02", "A B"),
    "terminal": header("terminal", "screw terminal 2", "TerminalBlock_1x02_P5.08mm", "5V GND"),
    "terminal_in": header("terminal", "screw terminal 2", "TerminalBlock_1x02_P5.08mm", "5V GND", "5V GND"),
    # passives; those with leads are for the breadboards of the small kits
    "coil": two("", "54 mm coil in the board's copper", "Coil", "L"),
    "l910n": two("l910n", "910 nH", "L_1008", "L"),
    "r1.0": two("r1.0", "1 ohm", "R_1206", "R"),
    "r33": two("r33", "33 ohm", "R_0805", "R"),
    "r82": two("r82", "82 ohm", "R_0805", "R"),
    "r100": two("r100", "100 ohm", "R_0805", "R"),
    "r150": two("r150", "150 ohm", "R_0805", "R"),
    "r4k7_smd": two("r4k7_smd", "4.7 kilohm", "R_0805", "R"),
    "r10k_smd": two("r10k_smd", "10 kilohm", "R_0805", "R"),
    "r4k7": two("r4k7", "4.7 kilohm", "R_Axial", "R"),
    "r10k": two("r10k", "10 kilohm", "R_Axial", "R"),
    "trimmer": two("trimmer", "trimmer 5 to 20 pF", "C_Trimmer_3x4", "C"),
    "c_np0": two("c_np0", "NP0 capacitor, only if tuning asks for it", "C_0805", "C"),
    "c100n_smd": two("c100n_smd", "100 nF", "C_0805", "C"),
    "c10u_smd": two("c10u_smd", "10 uF", "C_1206", "C"),
    "c100n": two("c100n", "100 nF", "C_Disc", "C"),
    "c1000u": two("c1000u", "1000 uF", "CP_Radial", "C"),
    "fuse": two("fuse", "fuse 1 A fast", "Fuseholder_5x20", "F"),
    "schottky": Kind("schottky", "SS14", "D_SMA", (Pin(1, "K", PASSIVE), Pin(2, "A", PASSIVE)), "D"),
    "tvs": Kind("tvs", "SMBJ5.0A suppressor", "D_SMB", (Pin(1, "K", PASSIVE), Pin(2, "A", PASSIVE)), "D"),
    "buzzer": two("buzzer", "piezo sounder", "Buzzer_12x9.5", "BZ"),
}
