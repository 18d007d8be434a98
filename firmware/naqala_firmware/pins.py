"""Which wire is where: numbers only. The table's circuit uses the same (hardware/pinmap.json); a test compares them.

PICO serves the Pico 2 W and the Pico W, whose sockets are alike. SHIFT is the bit of each signal in the chain of six
74HC595: bit 0 is the first output of the register nearest to the controller, bit 47 is shifted out first.
"""

import sys

PICO = {
    "SCK": 2, "MOSI": 3, "MISO": 4, "SER": 5, "SRCLK": 6, "RCLK": 7,
    "EN0": 8, "EN1": 9, "EN2": 10, "EN3": 11, "EN4": 12,
    "BUSY0": 13, "BUSY1": 14, "BUSY2": 15, "BUSY3": 16, "BUSY4": 17,
    "LAMPS": 18, "BUZZER": 19,
}  # fmt: skip

# A usual ESP32-S3 development board: clear of the pins for flash, memory, USB, console and start-up.
ESP32_S3 = {
    "SCK": 12, "MOSI": 11, "MISO": 13, "SER": 14, "SRCLK": 21, "RCLK": 47,
    "EN0": 4, "EN1": 5, "EN2": 6, "EN3": 7, "EN4": 15,
    "BUSY0": 16, "BUSY1": 17, "BUSY2": 18, "BUSY3": 8, "BUSY4": 9,
    "LAMPS": 48, "BUZZER": 10,
}  # fmt: skip

SPI_ID = {"rp2": 0, "esp32": 1}  # by sys.platform: the peripheral that reaches SCK, MOSI, MISO
PINS = {"rp2": PICO, "esp32": ESP32_S3}
# What a small kit may use: a Pico W keeps 23, 24, 25 and 29 for its radio; see above for the other.
FREE = {
    "rp2": tuple(range(23)) + (26, 27, 28),
    "esp32": (1, 2) + tuple(range(4, 19)) + (21,) + tuple(range(38, 43)) + (47, 48),
}
PLATFORM = sys.platform if sys.platform in PINS else "rp2"  # an unknown controller is wired as a Pico

ROWS = 5
COLUMNS = 6


def shift_bits() -> dict:
    """Row by row: six RESET lines, then the three bits of the column address; three bits to spare at the end."""
    bits = {}
    for row in range(ROWS):
        first = row * (COLUMNS + 3)
        for column in range(COLUMNS):
            bits["RESET_%d" % (row * COLUMNS + column)] = first + column
        for i in range(3):
            bits["ROW%d_A%d" % (row, i)] = first + COLUMNS + i
    for i in range(3):
        bits["SPARE%d" % i] = ROWS * (COLUMNS + 3) + i
    return bits


SHIFT = shift_bits()
