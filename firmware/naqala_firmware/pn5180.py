"""The PN5180: one exchange with the chip, and with the tags. What to ask is decided in inventory.py.

    lane = Lane(spi, clock)                      # what the readers of one SPI bus share
    reader = PN5180(lane, port)                  # port: select(), release(), busy(), reset(level); see selection.py
    reader.inventory().ids                       # ("e004015012345678", ...), sorted; ReaderFault when the chip is broken

A frame waits for BUSY low, within a limit; NSS is released whatever happens; what is received goes into a reader's own
buffer, cleared before each exchange, so no reader can report another's tag; nothing is allocated between start() and the
end of an inventory but the answer itself, behind the table's decoders as well. Waiting counts from the end of a frame:
selecting a chip behind decoders takes up to 2 ms, which a wait that began before it would lose.
"""

from naqala_firmware import pn5180_frames as frames
from naqala_firmware.inventory import CLASH, GARBLED, NOBODY, TAG, Survey
from naqala_firmware.iso15693 import (
    EOF_US,
    ID_AT,
    INVENTORY_US,
    ONE_SLOT,
    READY_US,
    REPLY_BYTES,
    REPLY_US,
    SIXTEEN_SLOTS,
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


# Interrupts, by their byte in IRQ_STATUS (lowest byte first): whole words would be big integers on the controller
_RX_0 = const(0x01)
_TX_0 = const(0x02)
_IDLE_0 = const(0x04)
_FIELD_ON_1 = const(0x02)
_FOREIGN_1 = const(0x04)
_TIMER1_1 = const(0x10)
_STARTED_1 = const(0xC0)  # start of frame, or at least a subcarrier; a real chip shows the first alone
_TROUBLE_2 = const(0x03)
_HOT_2 = const(0x01)
# RX_STATUS, third byte: integrity, protocol, collision; above them and in the fourth byte the collision's position
_WRONG_2 = const(0x03)
_COLLISION_2 = const(0x04)

_DATA_ON_1 = const(0x04)  # TX_CONFIG, second byte

_BOOT_US = const(2500)
_PATIENCE_US = const(3_000_000)  # of a chip's first start: how long its crystal may take is not said
_BUSY_LIMIT_US = const(5000)  # no command takes longer
_FIELD_LIMIT_US = const(10_000)
_REPLY_LIMIT_US = const(
    5500
)  # after a request's end whatever happens has happened: an answer ends after 4.3 ms
_POLL_US = const(20)
_SETTLE_US = const(5000)  # of the receiver's gain
_TICKS_LOW = frames.TIMER_TICKS & 255
_TICKS_HIGH = frames.TIMER_TICKS >> 8


class Lane(frames.Lane):
    def __init__(self, spi, clock) -> None:
        super().__init__(spi, clock, Survey(clock))


class PN5180:
    """One reader. Between start() and stop() its chip is configured and its field is off but during inventory()."""

    def __init__(self, lane: Lane, port, power: int = 0) -> None:
        """power: 1 to MOST_POWER, or 0 for what the chip's own settings say."""
        self.version = ""
        self._power = frames.power(power) if power else b""
        self.counts = bytearray(len(COUNTS))
        self.clash = -1  # where the last collision was, as the chip counts
        self.reply = bytearray(REPLY_BYTES)  # the last answer; the id stands at ID_AT
        self._status = bytearray(8)
        self.arm = frames.multiple(
            *(frames.ARM + ((frames.TX_CONFIG, 1, 0),))
        )  # its last four bytes are filled by start()
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
        self._booting = False  # it did not answer when it should have been ready
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
            self._put(frames.LOAD_15693)
            self._put(frames.SETTINGS)
            if self._power:
                self._put(self._power)
            self._keep_tx_config()
            self.started = True
        finally:
            if not self.started:
                self._give_up()

    def _wait_for_start(self) -> None:
        """2.5 ms by the datasheet; twice that before the chip is given up for this time.

        A crystal may need far longer after power-up. Nobody waits for it: the chip is not reset again for
        _PATIENCE_US, so one of the next tries finds it ready.
        """
        status = self._status
        self._wait(self._woken, _BOOT_US)
        began = self._ticks()
        while True:
            self._get(frames.READ_STATUS, status)
            absent = status[3] == 0xFF  # nobody drives the line: reserved bits are never set
            if not absent and status[0] & _IDLE_0:
                self._booting = False
                return
            if self._diff(self._ticks(), began) > _BOOT_US:
                self._booting = True
                raise ReaderFault("absent" if absent else "silent")
            self._sleep(250)

    def _check_version(self) -> None:
        answer = bytearray(2)
        self._get(frames.READ_VERSION, answer)
        minor, major = answer[0], answer[1]
        if not 2 <= major <= 9:
            raise ReaderFault("stranger")
        self.version = "pn5180 %d.%d" % (major, minor)

    def _keep_tx_config(self) -> None:
        """What the protocol's settings made of TX_CONFIG is needed again after every end of frame sent alone."""
        tx_config = bytearray(4)
        self._get(frames.READ_TX_CONFIG, tx_config)
        if not tx_config[1] & _DATA_ON_1:
            raise ReaderFault("silent")
        self.arm[-4:] = tx_config

    def identify(self, into: bytearray) -> None:
        """The chip's own number, sixteen bytes that never change: what a test of the bus reads again and again."""
        self.wake()
        if not self.started:
            self._wait_for_start()
        self._get(frames.READ_DIE, into)

    def stop(self) -> None:
        self.started = False
        self.port.release()
        if self._booting and 0 <= self._diff(self._ticks(), self._woken) < _PATIENCE_US:
            return
        self._awake = self._booting = False
        self.port.reset(0)

    def inventory(self, probe: bool = False, budget_us: int = BUDGET_US):
        done = False
        if not self.started:
            self.start()
        try:
            self._field_on()
            answer = self._lane.survey.run(self, self.known, probe, budget_us)
            self._field_off()
            done = True
            return answer
        finally:
            if not done:
                self._give_up()

    def gain(self) -> int:
        """The receiver's attenuation in the field that is now on, 0 to 1023: the better a coil is tuned, the higher."""
        done = False
        status = self._status
        if not self.started:
            self.start()
        try:
            self._field_on()
            self._sleep(_SETTLE_US)
            self._get(frames.READ_RF_STATUS, status)
            gain = status[0] | (status[1] & 3) << 8
            self._field_off()
            done = True
            return gain
        finally:
            if not done:
                self._give_up()

    def _give_up(self) -> None:
        count(self.counts, FAULTS)
        self.stop()

    def _field_off(self) -> None:
        self._put(frames.FIELD_OFF)
        self._put(frames.OPEN_ANTENNA)

    def _field_on(self) -> None:
        self._put(frames.CLOSE_ANTENNA)
        self._put(frames.FIELD_ON)
        self.ready_field(self._ticks())
        self.wake_tags()

    def ready_field(self, began: int) -> None:
        """Wait until the field that was ordered at `began` is on."""
        # One look answers two questions: is the field there, and is the chip still the one we have configured?
        status = self._status
        while True:
            self._get(frames.READ_SETTINGS, status)
            if not self._configured():
                self._lost()
            self._look_for_trouble()
            if status[1] & _FIELD_ON_1:
                break
            if self._diff(self._ticks(), began) > _FIELD_LIMIT_US:
                raise ReaderFault("field")
            self._sleep(_POLL_US)
        self._spoken = self._ticks()  # the last answer is long ago, whatever the wrapping ticks say

    def wake_tags(self) -> None:
        """Give the tags the time they need from the moment the field is on."""
        self._wait(self._spoken, READY_US)

    def _look_for_trouble(self) -> None:
        """What the chip itself says is wrong, in the interrupts last read."""
        status = self._status
        if status[2] & _TROUBLE_2:
            raise ReaderFault("hot" if status[2] & _HOT_2 else "refused")
        if status[1] & _FOREIGN_1:
            raise ReaderFault("foreign")

    def _configured(self) -> bool:
        status = self._status
        return status[4] == _TICKS_LOW and status[5] == _TICKS_HIGH and not status[7]

    def _lost(self) -> None:
        """The chip did not do as told: find out why."""
        status = self._status
        self._get(frames.READ_SETTINGS, status)
        if status[3] == status[7] == 0xFF:  # nobody there, or just starting again
            self._sleep(_BOOT_US)
            self._get(frames.READ_SETTINGS, status)
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
        return self._exchange(frames.ARM_EOF if slot == 1 else frames.ARM_NEXT_EOF, frames.SEND_EOF, EOF_US)

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
            self._get(frames.READ_STATUS, status)
            flags = status[0]
            if status[3] == 0xFF:
                self._lost()
            if flags & _RX_0:
                return self._received()
            if status[2] & _TROUBLE_2:
                self._look_for_trouble()
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
            self._get(frames.READ_REPLY, self.reply)
            return CLASH
        if wrong & _WRONG_2 or status[4] != REPLY_BYTES or status[5] & 1:
            return GARBLED
        reply = self.reply
        self._get(frames.READ_REPLY, reply)
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
