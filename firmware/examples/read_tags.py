"""Which tags lie on two PN5180 modules, again and again. The driver is installed with mip: see ../DRIVER.md."""

from machine import SPI, Pin
from naqala_firmware.clock import Clock
from naqala_firmware.pn5180 import PN5180, Lane
from naqala_firmware.port import PlainPort
from naqala_firmware.reader import ReaderFault

PINS = ((8, 13, 20), (9, 14, 21))  # NSS, BUSY, RESET of each module
lane = Lane(SPI(0, baudrate=2_000_000, sck=Pin(2), mosi=Pin(3), miso=Pin(4)), Clock())
ports = tuple(
    PlainPort(Pin(n, Pin.OUT, value=1), Pin(b, Pin.IN), Pin(r, Pin.OUT, value=0)) for n, b, r in PINS
)
readers = tuple(PN5180(lane, port) for port in ports)

while True:
    for number, reader in enumerate(readers):
        try:
            print(number, *reader.inventory().ids)
        except ReaderFault as fault:
            print(number, "does not answer:", fault.code)
