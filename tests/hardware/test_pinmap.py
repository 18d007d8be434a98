"""The pin map: every signal once, on a pin the Pico 2 W has, on the SPI block that can drive it."""

import json
from pathlib import Path

PINMAP = json.loads((Path(__file__).parents[2] / "hardware" / "pinmap.json").read_text())
FREE_ON_A_PICO = {*range(23), 26, 27, 28}
SPI0 = {"SCK": {2, 6, 18, 22}, "MOSI": {3, 7, 19}, "MISO": {0, 4, 16, 20}}  # RP2350 function table


def test_every_controller_signal_has_a_pin_of_its_own() -> None:
    rows = range(5)
    signals = {"SCK", "MOSI", "MISO", "SER", "SRCLK", "RCLK", "LAMPS", "BUZZER"}
    signals |= {f"EN{row}" for row in rows} | {f"BUSY{row}" for row in rows}
    assert set(PINMAP["controller"]) == signals
    pins = list(PINMAP["controller"].values())
    assert len(set(pins)) == len(pins)
    assert set(pins) <= FREE_ON_A_PICO


def test_the_bus_sits_on_spi0() -> None:
    for signal, pins in SPI0.items():
        assert PINMAP["controller"][signal] in pins


def test_the_shift_register_is_full_and_in_order() -> None:
    signals = {f"RESET_{reader}" for reader in range(30)}
    signals |= {f"ROW{row}_A{bit}" for row in range(5) for bit in range(3)} | {f"SPARE{n}" for n in range(3)}
    assert set(PINMAP["shift"]) == signals
    assert sorted(PINMAP["shift"].values()) == list(range(48))


def test_the_address_bits_of_a_row_stand_side_by_side() -> None:
    for row in range(5):
        bits = [PINMAP["shift"][f"ROW{row}_A{bit}"] for bit in range(3)]
        assert bits == list(range(bits[0], bits[0] + 3))
