"""The controller's own pins, as the drivers use them. The only module of the readers that touches `machine`.

Pico 2 W, Pico W and ESP32-S3 differ in numbers only: see pins.py.
"""

from machine import SPI, Pin

from naqala_firmware import pins
from naqala_firmware.shift import shift

SPEED = 4_000_000  # of the bus, until a test of it or the config says otherwise


class Wires:
    def __init__(self, platform: str) -> None:
        self._numbers = numbers = pins.PINS[platform]
        self.spi = SPI(
            pins.SPI_ID[platform],
            baudrate=SPEED,
            polarity=0,
            phase=0,
            sck=Pin(numbers["SCK"]),
            mosi=Pin(numbers["MOSI"]),
            miso=Pin(numbers["MISO"]),
        )

    def set_speed(self, hz: int) -> None:
        self.spi.init(baudrate=hz)

    def out(self, number: int, level: int) -> Pin:
        return Pin(number, Pin.OUT, value=level)

    def into(self, number: int) -> Pin:
        """Pulled down outside (4.7 k), as the RP2350 holds an input at 2 V against its own weak pull-down."""
        return Pin(number, Pin.IN)

    def decoders(self) -> tuple:
        """The table's chain, its latch, the rows' enables and the rows' BUSY."""
        numbers = self._numbers
        enables = [self.out(numbers["EN%d" % row], 1) for row in range(pins.ROWS)]
        busies = [self.into(numbers["BUSY%d" % row]) for row in range(pins.ROWS)]
        chain = shift(self.out(numbers["SER"], 0), self.out(numbers["SRCLK"], 0))
        return chain, self.out(numbers["RCLK"], 0), enables, busies
