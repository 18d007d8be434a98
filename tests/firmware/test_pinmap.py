"""The firmware's pins are the circuit's pins."""

from __future__ import annotations

import json
from pathlib import Path

from naqala_firmware import pins

PINMAP = json.loads((Path(__file__).parents[2] / "hardware/pinmap.json").read_text())


def test_the_controllers_pins_are_those_of_the_circuit() -> None:
    assert PINMAP["controller"] == pins.PICO


def test_the_chains_bits_are_those_of_the_circuit() -> None:
    assert PINMAP["shift"] == pins.SHIFT


def test_the_spi_pins_belong_to_one_peripheral_of_the_chip() -> None:
    # RP2040 and RP2350: SPI0 is on 2, 6, 18 (clock), 3, 7, 19 (out), 0, 4, 16, 20 (in)
    assert pins.PICO["SCK"] in (2, 6, 18)
    assert pins.PICO["MOSI"] in (3, 7, 19)
    assert pins.PICO["MISO"] in (0, 4, 16, 20)
    assert pins.SPI_ID["rp2"] == 0


def test_the_esp32_s3_keeps_clear_of_pins_the_module_needs() -> None:
    flash_and_memory = set(range(26, 38))
    usb_console_and_straps = {0, 3, 19, 20, 43, 44, 45, 46}
    assert not set(pins.ESP32_S3.values()) & (flash_and_memory | usb_console_and_straps)
