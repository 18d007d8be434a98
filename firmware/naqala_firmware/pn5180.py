"""The PN5180: SPI frames, registers and one exchange with the tags. What to ask is decided in inventory.py.

A frame waits for BUSY low, within a limit; NSS is released whatever happens; what is received goes into a reader's own
buffer, cleared before each exchange, so no reader can report another's tag; nothing is allocated between start() and the
end of an inventory but the answer itself, behind the table's decoders as well.
Numbers are from the datasheet (rev. 4.0).
"""

from naqala_firmware.inventory import CLASH, GARBLED, NOBODY, TAG, Survey
from naqala_firmware.iso15693 import (
    ADDRESSED,
    EOF_US,
    FC,
    ID_AT,
    INVENTORY,
    INVENTORY_US,
    ONE_SLOT,
    READY_US,
    REPLY_BYTES,
    REPLY_US,
    SIXTEEN_SLOTS,
    STAY_QUIET,
    STAY_QUIET_US,
    T1_US,
    T2_US,
    WINDOW_US,
)
from naqala_firmware.known import Known
from naqala_firmware.reader import BUDGET_US, COUNTS, FAULTS, ReaderFault, count

try:
    from micropython import const
except ImportError:  # CPython

    def const(number):  # type: ignore[misc]
        return number


# Commands
_WRITE_OR = const(0x01)
_WRITE_MULTIPLE = const(0x03)
_READ_MULTIPLE = const(0x05)
_READ_EEPROM = const(0x07)
_WRITE_TX_DATA = const(0x08)
_SEND_DATA = const(0x09)
_READ_DATA = const(0x0A)
_LOAD_RF_CONFIG = const(0x11)
_RF_ON = const(0x16)
_RF_OFF = const(0x17)
# Registers
_SYSTEM_CONFIG = const(0x00)
_IRQ_STATUS = const(0x02)
_IRQ_CLEAR = const(0x03)
_TIMER1_RELOAD = const(0x0C)
_TIMER1_CONFIG = const(0x0F)
_RX_STATUS = const(0x13)
_TX_CONFIG = const(0x18)
# Interrupts, by their byte in IRQ_STATUS (lowest byte first): whole words would be big integers on the controller
_RX_0 = const(0x01)
_TX_0 = const(0x02)
_IDLE_0 = const(0x04)
_FIELD_ON_1 = const(0x02)
_TIMER1_1 = const(0x10)
_STARTED_1 = const(0xC0)  # start of frame, or at least a subcarrier
# RX_STATUS, third byte: integrity, protocol, collision; above them and in the fourth byte the collision's position
_WRONG_2 = const(0x03)
_COLLISION_2 = const(0x04)

_DATA_ON_1 = const(0x04)  # TX_CONFIG, second byte

_BOOT_US = const(2500)
_BUSY_LIMIT_US = const(5000)  # no command takes longer
_REPLY_LIMIT_US = const(7000)  # after a request's end whatever happens has happened
_POLL_US = const(20)

_TIMER_TICKS = int(WINDOW_US * FC)  # the chip's timer then says "nobody", see heard()
_READ_STATUS = bytes([_READ_MULTIPLE, _IRQ_STATUS, _RX_STATUS])
_READ_SETTINGS = bytes([_READ_MULTIPLE, _IRQ_STATUS, _TIMER1_RELOAD])
_READ_TX_CONFIG = bytes([_READ_MULTIPLE, _TX_CONFIG])
_READ_VERSION = bytes([_READ_EEPROM, 0x12, 2])
_READ_REPLY = bytes([_READ_DATA, 0])
_LOAD_15693 = bytes([_LOAD_RF_CONFIG, 0x0D, 0x8D])  # 100 % modulation, receiver at 26 kbit/s
FIELD_ON = bytes([_RF_ON, 0])
FIELD_OFF = bytes([_RF_OFF, 0])
SEND_EOF = bytes([_SEND_DATA, 0])
SEND_LOADED = bytes([_WRITE_OR, _SYSTEM_CONFIG, 8, 0, 0, 0])


def _multiple(*entries) -> bytearray:
    """WRITE_REGISTER_MULTIPLE of (register, action, value): action 1 sets, 2 ors, 3 ands."""
    frame = bytearray([_WRITE_MULTIPLE])
    for register, action, value in entries:
        frame.append(register)
        frame.append(action)
        for shift in (0, 8, 16, 24):
            frame.append(value >> shift & 255)
    return frame


# Forget the last exchange, stop, wait for something to send.
_ARM = ((_IRQ_CLEAR, 1, 0x000FFFFF), (_SYSTEM_CONFIG, 3, 0xFFFFFFF0), (_SYSTEM_CONFIG, 2, 3))
# Without data and start symbol the next send is an end of frame alone: "next slot".
ARM_EOF = bytes(_multiple(*(_ARM + ((_TX_CONFIG, 3, 0xFFFFFB3F),))))
ARM_NEXT_EOF = bytes(_multiple(*_ARM))
_SET_TIMER = bytes(
    _multiple(
        (_IRQ_CLEAR, 1, 0x000FFFFF),
        (_TIMER1_RELOAD, 1, _TIMER_TICKS),
        # It runs at FC from the request's end, and an answer stops it.
        (_TIMER1_CONFIG, 1, 1 | 1 << 11 | 1 << 20),
    )
)


class Lane:
    """What the readers of one bus share, as they can only be at work one after the other."""

    def __init__(self, spi, clock) -> None:
        self.spi = spi
        self.clock = clock
        self.survey = Survey(clock)
        self.readers = 0
        self.request = bytearray(13)
        self.request[0] = _SEND_DATA
        self.request[3] = INVENTORY
        self.requests = [memoryview(self.request)[: 5 + n] for n in range(9)]  # by the number of mask bytes
        self.load = bytearray(12)
        self.load[0] = _WRITE_TX_DATA
        self.load[2] = INVENTORY
        self.loads = [memoryview(self.load)[: 4 + n] for n in range(9)]
        self.quiet = bytearray([_SEND_DATA, 0, ADDRESSED, STAY_QUIET]) + bytearray(8)


class PN5180:
    """One reader. Between start() and stop() its chip is configured and its field is off but during inventory()."""

    def __init__(self, lane: Lane, port) -> None:
        self.version = ""
        self.counts = bytearray(len(COUNTS))
        self.clash = -1  # where the last collision was, as the chip counts
        self.reply = bytearray(REPLY_BYTES)  # the last answer; the id stands at ID_AT
        self._status = bytearray(8)
        self.arm = _multiple(*(_ARM + ((_TX_CONFIG, 1, 0),)))  # its last four bytes are filled by start()
        self._lane = lane
        self.known = Known(lane.readers)
        lane.readers += 1
        self._spi_write = lane.spi.write
        self._spi_readinto = lane.spi.readinto
        clock = lane.clock
        self.port = port
        self._busy = port.busy
        self._ticks = clock.ticks_us
        self._diff = clock.diff
        self._sleep = clock.sleep_us
        self._woken = 0
        self._awake = self.started = False
        self._spoken = 0  # when the last answer ended

    # --- life ---------------------------------------------------------------------------------------------

    def wake(self) -> None:
        if not self._awake:
            self.port.reset(0)
            self._sleep(20)
            self.port.reset(1)
            self._woken = self._ticks()
            self._awake = True

    def start(self) -> None:
        if self.started:
            self.stop()
        try:
            self.wake()
            self._wait_for_start()
            self._check_version()
            self._put(_LOAD_15693)
            self._put(_SET_TIMER)
            self._keep_tx_config()
            self.started = True
        finally:
            if not self.started:
                count(self.counts, FAULTS)
                self.stop()

    def _wait_for_start(self) -> None:
        """2.5 ms by the datasheet; twice that before the chip is given up."""
        status = self._status
        self._wait(self._woken, _BOOT_US)
        began = self._ticks()
        while True:
            self._get(_READ_STATUS, status)
            absent = status[3] == 0xFF  # nobody drives the line: reserved bits are never set
            if not absent and status[0] & _IDLE_0:
                return
            if self._diff(self._ticks(), began) > _BOOT_US:
                raise ReaderFault("absent" if absent else "silent")
            self._sleep(250)

    def _check_version(self) -> None:
        answer = bytearray(2)
        self._get(_READ_VERSION, answer)
        minor, major = answer[0], answer[1]
        if not 2 <= major <= 9:
            raise ReaderFault("stranger")
        self.version = "pn5180 %d.%d" % (major, minor)

    def _keep_tx_config(self) -> None:
        """What the protocol's settings made of TX_CONFIG is needed again after every end of frame sent alone."""
        tx_config = bytearray(4)
        self._get(_READ_TX_CONFIG, tx_config)
        if not tx_config[1] & _DATA_ON_1:
            raise ReaderFault("silent")
        self.arm[-4:] = tx_config

    def stop(self) -> None:
        self._awake = self.started = False
        self.port.release()
        self.port.reset(0)

    def inventory(self, probe: bool = False, budget_us: int = BUDGET_US):
        done = False
        if not self.started:
            self.start()
        try:
            self._field_on()
            answer = self._lane.survey.run(self, self.known, probe, budget_us)
            self._put(FIELD_OFF)
            done = True
            return answer
        finally:
            if not done:
                count(self.counts, FAULTS)
                self.stop()

    def _field_on(self) -> None:
        began = self._ticks()
        self._put(FIELD_ON)
        self.ready_field(began)

    def ready_field(self, began: int) -> None:
        """Wait until the tags are ready, and make sure that there is a field."""
        self._spoken = began  # the last answer is long ago, whatever the wrapping ticks say
        self._wait(began, READY_US)
        # One look answers two questions: is the field there, and is the chip still the one we have configured?
        status = self._status
        self._get(_READ_SETTINGS, status)
        if not self._configured():
            self._lost()
        if not status[1] & _FIELD_ON_1:
            raise ReaderFault("field")

    def _configured(self) -> bool:
        status = self._status
        return status[4] == _TIMER_TICKS & 255 and status[5] == _TIMER_TICKS >> 8 and not status[7]

    def _lost(self) -> None:
        """The chip did not do as told: find out why."""
        status = self._status
        self._get(_READ_SETTINGS, status)
        if status[3] == status[7] == 0xFF:  # nobody there, or just starting again
            self._sleep(_BOOT_US)
            self._get(_READ_SETTINGS, status)
        if status[3] == status[7] == 0xFF:
            raise ReaderFault("absent")
        if not self._configured() and status[0] & _IDLE_0:
            raise ReaderFault("brownout")
        raise ReaderFault("silent")

    # --- what the survey asks -----------------------------------------------------------------------------

    def ask(self, mask: bytearray, length: int, sixteen: bool) -> int:
        """An inventory request; what the only slot, or the first of sixteen, brings."""
        count_of_bytes = (length + 7) >> 3
        request = self._lane.request
        request[2] = SIXTEEN_SLOTS if sixteen else ONE_SLOT
        request[4] = length
        for i in range(count_of_bytes):
            request[5 + i] = mask[i]
        return self._exchange(self.arm, self._lane.requests[count_of_bytes], INVENTORY_US[count_of_bytes])

    def load(self, mask: bytearray, length: int) -> None:
        """Make an inventory request of one slot ready, to be sent by SEND_LOADED."""
        count_of_bytes = (length + 7) >> 3
        load = self._lane.load
        load[1] = ONE_SLOT
        load[3] = length
        for i in range(count_of_bytes):
            load[4 + i] = mask[i]
        self._put(self.arm)
        self._put(self._lane.loads[count_of_bytes])

    def next_slot(self, slot: int) -> int:
        return self._exchange(ARM_EOF if slot == 1 else ARM_NEXT_EOF, SEND_EOF, EOF_US)

    def stay_quiet(self, data: bytearray, at: int) -> None:
        """Tell the tag whose id stands there to be silent until the field goes off. It does not answer."""
        quiet = self._lane.quiet
        for i in range(8):
            quiet[4 + i] = data[at + i]
        self._put(self.arm)
        self.pause()
        self._put(quiet)
        self._wait(self._ticks(), STAY_QUIET_US + T2_US)

    def _exchange(self, arm, request, request_us: int) -> int:
        """Send, wait for what comes. Returns NOBODY, TAG (its id in self.reply), CLASH or GARBLED."""
        self._put(arm)
        self.pause()
        self._put(request)
        return self.heard(self._ticks(), request_us)

    def pause(self) -> None:
        """Nobody may be asked again sooner after an answer."""
        self._wait(self._spoken, T2_US)

    def heard(self, began: int, request_us: int) -> int:
        """Wait for what a request brings that went out at `began`."""
        reply = self.reply
        for i in range(REPLY_BYTES):
            reply[i] = 0
        wait = request_us + WINDOW_US + 2
        status = self._status
        while True:
            self._wait(began, wait)
            self._get(_READ_STATUS, status)
            flags = status[0]
            if status[3] == 0xFF:
                self._lost()
            if flags & _RX_0:
                return self._received()
            gone = self._diff(self._ticks(), began) - request_us
            if status[1] & _STARTED_1:
                if gone > _REPLY_LIMIT_US:
                    self._spoken = self._ticks()
                    return GARBLED  # something began and never ended
                wait = request_us + T1_US + REPLY_US + 2
            elif flags & _TX_0 and status[1] & _TIMER1_1:
                return NOBODY
            elif gone > _REPLY_LIMIT_US:
                self._lost()
            if gone + request_us + _POLL_US > wait:
                wait = gone + request_us + _POLL_US

    def _received(self) -> int:
        self._spoken = self._ticks()
        status = self._status
        wrong = status[6]
        if wrong & _COLLISION_2:
            self.clash = wrong >> 3 | (status[7] & 3) << 5
            self._get(_READ_REPLY, self.reply)
            return CLASH
        if wrong & _WRONG_2 or status[4] != REPLY_BYTES or status[5] & 1:
            return GARBLED
        reply = self.reply
        self._get(_READ_REPLY, reply)
        return TAG if reply[0] == 0 and reply[ID_AT + 7] == 0xE0 else GARBLED

    # --- frames -------------------------------------------------------------------------------------------

    def _wait(self, since: int, us: int) -> None:
        """Wait until so many microseconds have gone since then."""
        left = us - self._diff(self._ticks(), since)
        if left > 0:
            self._sleep(min(left, us))  # a time long ago can look like the future: ticks wrap

    def ready(self) -> None:
        """Wait until the chip takes a frame."""
        if self._busy():
            began = self._ticks()
            while self._busy():
                if self._diff(self._ticks(), began) > _BUSY_LIMIT_US:
                    raise ReaderFault("busy")
                self._sleep(5)

    def _put(self, frame) -> None:
        self.ready()
        port = self.port
        port.select()
        try:
            self._spi_write(frame)
        finally:
            port.release()

    def _get(self, question, answer) -> None:
        self._put(question)
        self.ready()
        port = self.port
        port.select()
        try:
            self._spi_readinto(answer, 0xFF)
        finally:
            port.release()
