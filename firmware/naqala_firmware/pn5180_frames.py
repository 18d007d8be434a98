"""The PN5180's commands as the driver sends them: SPI frames, made once. Numbers are from the datasheet (rev. 4.0).

A frame is a command's code and its parameters, 32-bit values lowest byte first. Several registers are written in one
frame: each entry is a register, an action (1 sets, 2 ors, 3 ands) and a value.
"""

from naqala_firmware.iso15693 import ADDRESSED, FC, INVENTORY, STAY_QUIET, WINDOW_US

WRITE_OR, WRITE_MULTIPLE, READ_MULTIPLE, READ_EEPROM = 0x01, 0x03, 0x05, 0x07
WRITE_TX_DATA, SEND_DATA, READ_DATA, LOAD_RF_CONFIG, RF_ON, RF_OFF = 0x08, 0x09, 0x0A, 0x11, 0x16, 0x17

SYSTEM_CONFIG, IRQ_STATUS, IRQ_CLEAR, TIMER1_RELOAD, TIMER1_CONFIG = 0x00, 0x02, 0x03, 0x0C, 0x0F
RX_STATUS, TX_CONFIG, RF_STATUS, DPC_CONFIG, ANT_CONTROL = 0x13, 0x18, 0x1D, 0x27, 0x29

TIMER_TICKS = int(WINDOW_US * FC)  # the chip's timer then says "nobody"
SHORTED = 0x10  # ANT_CONTROL: the antenna is part of the matching; open, a parked coil is out of tune and out of the way
DIE_BYTES = 16

# Transmit power, 1 to 19: up to 16 the driver's conductance rises at the lowest amplitude, then the amplitude, to full.
# Unverified: where the fields lie in DPC_CONFIG and how much a step changes was not read in the data sheet. Nothing may depend on the
# size of a step: whoever sets a level measures its effect with `tune`.
MOST_POWER = 19
POWER_MASK = 0xFFFFFF01  # TX_GSN_CW_RM, TX_CW_TO_MAX_RM, TX_CW_AMPLITUDE_RM


def multiple(*entries) -> bytearray:
    """WRITE_REGISTER_MULTIPLE of (register, action, value)."""
    frame = bytearray([WRITE_MULTIPLE])
    for register, action, value in entries:
        frame.append(register)
        frame.append(action)
        for shift in (0, 8, 16, 24):
            frame.append(value >> shift & 255)
    return frame


def power(level: int) -> bytearray:
    """DPC_CONFIG for one of the power levels; the amplitude is said to be TVDD less 1 V, 0.5 V, 0.25 V, 0.15 V."""
    conductance = min(level, 16) - 1
    below = 3 - max(level - 16, 0)
    return multiple((DPC_CONFIG, 3, POWER_MASK), (DPC_CONFIG, 2, conductance << 4 | below << 1))


READ_STATUS = bytes([READ_MULTIPLE, IRQ_STATUS, RX_STATUS])
READ_SETTINGS = bytes([READ_MULTIPLE, IRQ_STATUS, TIMER1_RELOAD])
READ_TX_CONFIG = bytes([READ_MULTIPLE, TX_CONFIG])
READ_RF_STATUS = bytes([READ_MULTIPLE, RF_STATUS])
READ_VERSION = bytes([READ_EEPROM, 0x12, 2])
READ_DIE = bytes([READ_EEPROM, 0x00, DIE_BYTES])
READ_REPLY = bytes([READ_DATA, 0])
LOAD_15693 = bytes([LOAD_RF_CONFIG, 0x0D, 0x8D])  # 100 % modulation, receiver at 26 kbit/s
# Without collision avoidance: with it the chip would listen for another field first, for 300 us and more.
FIELD_ON = bytes([RF_ON, 1])
FIELD_OFF = bytes([RF_OFF, 0])
SEND_EOF = bytes([SEND_DATA, 0])
SEND_LOADED = bytes([WRITE_OR, SYSTEM_CONFIG, 8, 0, 0, 0])
FORGET = (IRQ_CLEAR, 1, 0x000FFFFF)
CLOSE_ANTENNA = bytes([WRITE_OR, ANT_CONTROL, SHORTED, 0, 0, 0])
OPEN_ANTENNA = bytes(multiple(FORGET, (ANT_CONTROL, 3, 0xFFFFFFFF - SHORTED)))
# Forget the last exchange, stop, wait for something to send.
ARM = (FORGET, (SYSTEM_CONFIG, 3, 0xFFFFFFF0), (SYSTEM_CONFIG, 2, 3))
# Without data and start symbol the next send is an end of frame alone: "next slot".
ARM_EOF = bytes(multiple(*(ARM + ((TX_CONFIG, 3, 0xFFFFFB3F),))))
ARM_NEXT_EOF = bytes(multiple(*ARM))
SETTINGS = bytes(
    multiple(
        FORGET,
        (TIMER1_RELOAD, 1, TIMER_TICKS),
        # It runs at FC from the request's end, and an answer stops it, but not before its fourth bit.
        (TIMER1_CONFIG, 1, 1 | 1 << 11 | 1 << 20),
        (ANT_CONTROL, 3, 0xFFFFFFFF - SHORTED),
    )
)


class Lane:
    """What the readers of one bus share, as they can only be at work one after the other: `survey` asks the questions."""

    def __init__(self, spi, clock, survey) -> None:
        self.spi = spi
        self.clock = clock
        self.survey = survey
        self.readers = 0
        self.request = bytearray(13)
        self.request[0] = SEND_DATA
        self.request[3] = INVENTORY
        self.requests = [memoryview(self.request)[: 5 + n] for n in range(9)]  # by the number of mask bytes
        self.load = bytearray(12)
        self.load[0] = WRITE_TX_DATA
        self.load[2] = INVENTORY
        self.loads = [memoryview(self.load)[: 4 + n] for n in range(9)]
        self.quiet = bytearray([SEND_DATA, 0, ADDRESSED, STAY_QUIET]) + bytearray(8)
