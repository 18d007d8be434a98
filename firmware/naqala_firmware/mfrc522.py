"""The MFRC522 of the starter kit: registers, exchanges, and the bit by bit search of ISO 14443 type A.

Each pass finds one tag: ask who is there, walk down its id (at a collision always the side of the 1), select it, send it
to rest; until nobody answers. A tag answers `select` only to its whole id and with a CRC, so no id is ever reported that
is not there. Where the chip says a collision was only guides the walk: if nobody follows, it goes on bit by bit.
Numbers are from the datasheet (rev. 3.9).
"""

from naqala_firmware import crc
from naqala_firmware.iso14443a import CASCADE_TAG, GUARD_US, HALT, MORE_LEVELS, REQA, SELECT, WHOLE, WUPA
from naqala_firmware.reader import (
    BUDGET_US,
    COLLISIONS,
    COUNTS,
    FAULTS,
    GARBLES,
    MOST_TAGS,
    READS,
    UNRESOLVED,
    Inventory,
    ReaderFault,
    count,
)

try:
    from micropython import const
except ImportError:  # CPython

    def const(number):  # type: ignore[misc]
        return number


# Registers
_COMMAND = const(0x01)
_COM_IRQ = const(0x04)
_ERROR = const(0x06)
_FIFO_DATA = const(0x09)
_FIFO_LEVEL = const(0x0A)
_CONTROL = const(0x0C)
_BIT_FRAMING = const(0x0D)
_COLL = const(0x0E)
_MODE = const(0x11)
_TX_CONTROL = const(0x14)
_TX_ASK = const(0x15)
_RF_CFG = const(0x26)
_T_MODE = const(0x2A)
_T_PRESCALER = const(0x2B)
_T_RELOAD_H = const(0x2C)
_T_RELOAD_L = const(0x2D)
_VERSION = const(0x37)
# Commands and bits
_IDLE = const(0x00)
_TRANSCEIVE = const(0x0C)
_POWER_DOWN = const(0x10)
_START_SEND = const(0x80)
_FLUSH = const(0x80)
_DONE = const(0x30)  # received, or idle again
_TIMER = const(0x01)
_COLLISION = const(0x08)
_WRONG = const(0x17)  # overflow, CRC, parity, protocol
_POSITION_INVALID = const(0x20)
_ANTENNA = const(0x03)

_BOOT_LIMIT_US = const(10000)
_EXCHANGE_LIMIT_US = const(5000)
_TIMEOUT_TICKS = const(40)  # of 25 us: who has not answered after 1 ms does not
_TRIES = const(4)
_STEPS = const(48)  # questions for one level: 32 bits, and some that nobody follows

# Odd copies answer with numbers of their own; some are usable.
_VERSIONS = {0x91: "1.0", 0x92: "2.0", 0x88: "fm17522", 0xB2: "fm17522e", 0x12: "copy"}
_SETTINGS = (
    (_T_MODE, 0x80),  # the timer starts when a request has been sent
    (_T_PRESCALER, 0xA9),  # 25 us
    (_T_RELOAD_H, 0),
    (_T_RELOAD_L, _TIMEOUT_TICKS),
    (_TX_ASK, 0x40),  # 100 % modulation
    (_MODE, 0x3D),
    (_RF_CFG, 0x70),  # highest gain
    (_COLL, 0x00),  # bits after a collision read as 0
)

_SURE, _GUESS, _STEP = range(3)  # what a walk's last bits rest on
SILENCE, ANSWER, CLASH, GARBLED = range(4)  # what an exchange can end with


class Lane:
    """What the readers of one bus share, as they can only be at work one after the other."""

    def __init__(self, spi, clock) -> None:
        self.spi = spi
        self.clock = clock
        self.two = bytearray(2)
        self.two_back = bytearray(2)
        self.frame = bytearray(10)  # the FIFO's address and up to nine bytes
        self.frames = [memoryview(self.frame)[:n] for n in range(11)]
        fifo = bytearray([0x80 | _FIFO_DATA << 1] * 9)
        self.fifo_reads = [bytes(fifo[:n]) + b"\x00" for n in range(10)]


class MFRC522:
    """One reader, with the same interface as the PN5180's."""

    def __init__(self, lane: Lane, port) -> None:
        self.version = ""
        self.counts = bytearray(len(COUNTS))
        self._lane = lane
        self._port = port
        self._ticks = lane.clock.ticks_us
        self._diff = lane.clock.diff
        self._sleep = lane.clock.sleep_us
        self._rx = bytearray(10)  # a dummy byte, then what was received
        self._rxs = [memoryview(self._rx)[:n] for n in range(11)]
        self._rx_bits = 0
        self._id = bytearray(10)
        self._id_length = 0
        self._awake = self._started = False

    # --- life ---------------------------------------------------------------------------------------------

    def wake(self) -> None:
        if not self._awake:
            self._port.reset(0)
            self._sleep(20)
            self._port.reset(1)
            self._awake = True

    def start(self) -> None:
        if self._started:
            self.stop()
        try:
            self.wake()
            self._wait_for_start()
            for register, value in _SETTINGS:
                self._write(register, value)
            if not self._configured():
                raise ReaderFault("silent")
            self._started = True
        finally:
            if not self._started:
                count(self.counts, FAULTS)
                self.stop()

    def _wait_for_start(self) -> None:
        began = self._ticks()
        while True:
            version = self._read(_VERSION)
            if version in (0x00, 0xFF):
                code = "absent"
            elif version not in _VERSIONS:
                raise ReaderFault("stranger")
            elif not self._read(_COMMAND) & _POWER_DOWN:
                break
            else:
                code = "busy"
            if self._diff(self._ticks(), began) > _BOOT_LIMIT_US:
                raise ReaderFault(code)
            self._sleep(500)
        self.version = "mfrc522 " + _VERSIONS[version]

    def _configured(self) -> bool:
        return self._read(_T_RELOAD_L) == _TIMEOUT_TICKS and self._read(_MODE) == 0x3D

    def stop(self) -> None:
        self._awake = self._started = False
        self._port.release()
        self._port.reset(0)

    def inventory(self, probe: bool = False, budget_us: int = BUDGET_US) -> Inventory:
        """The question is short by nature when nobody is there, so probe changes nothing."""
        done = False
        if not self._started:
            self.start()
        try:
            self._check("brownout")
            self._write(_TX_CONTROL, 0x80 | _ANTENNA)
            if self._read(_TX_CONTROL) & _ANTENNA != _ANTENNA:
                raise ReaderFault("field")
            self._sleep(GUARD_US)
            answer = self._survey(budget_us)
            self._write(_TX_CONTROL, 0x80)
            # Silence is what a chip that restarted would show too.
            self._check("brownout")
            done = True
            return answer
        finally:
            if not done:
                count(self.counts, FAULTS)
                self.stop()

    def _check(self, code: str) -> None:
        if not self._configured():
            raise ReaderFault("absent" if self._read(_VERSION) in (0x00, 0xFF) else code)

    # --- the search ---------------------------------------------------------------------------------------

    def _survey(self, budget_us: int) -> Inventory:
        began = self._ticks()
        found: list[str] = []
        complete = lost = False
        failed = 0
        request = WUPA
        while failed < _TRIES and self._diff(self._ticks(), began) < budget_us:
            heard = self._short(request)
            request = REQA
            if heard == SILENCE:
                if not lost:
                    complete = True
                    break
                # A tag left in the middle of a walk only falls back now, and answers the next time.
                lost = False
            elif len(found) == MOST_TAGS:
                break
            elif self._pick():
                failed = 0
                count(self.counts, READS)
                name = "".join(["%02x" % self._id[i] for i in range(self._id_length)])
                if name not in found:
                    found.append(name)
                self._rest()
            else:
                failed += 1
                lost = True
                count(self.counts, GARBLES)
        if not complete:
            count(self.counts, UNRESOLVED)
        found.sort()
        return Inventory(tuple(found), complete)

    def _short(self, request: int) -> int:
        self._lane.frame[1] = request
        return self._exchange(1, 7, 0)

    def _rest(self) -> None:
        """A halted tag does not answer, so one cannot know; it will be asked for again if it did not hear."""
        frame = self._lane.frame
        for i in range(4):
            frame[1 + i] = HALT[i]
        self._exchange(4, 0, 0)

    def _pick(self) -> bool:
        """Select one tag; its id is then in self._id."""
        self._id_length = 0
        for level in SELECT:
            if not self._walk(level):
                return False
            more = self._select(level)
            if more < 0:
                return False
            frame = self._lane.frame
            first = 1 if more else 0
            if more and frame[3] != CASCADE_TAG:
                return False
            for i in range(first, 4):
                self._id[self._id_length] = frame[3 + i]
                self._id_length += 1
            if not more:
                return True
        return False

    def _walk(self, level: int) -> bool:
        """Find all 32 bits of one tag's level; they and their check byte are then in the frame, from its third byte."""
        frame = self._lane.frame
        for i in range(2, 10):
            frame[i] = 0
        known = base = garbled = 0
        mode = _SURE
        for _ in range(_STEPS):
            whole, extra = known >> 3, known & 7
            frame[1] = level
            frame[2] = (2 + whole) << 4 | extra
            heard = self._exchange(2 + whole + (1 if extra else 0), extra, extra)
            if heard == ANSWER and self._rx_bits == 40 - known:
                self._merge(known, 40)
                return frame[3] ^ frame[4] ^ frame[5] ^ frame[6] == frame[7]
            if heard == CLASH:
                count(self.counts, COLLISIONS)
                base, known = known, self._position(known)
                self._merge(base, known)
                mode = _GUESS if known > base else _STEP
            elif heard == SILENCE and mode == _GUESS:
                # Nobody is where the collision was said to be: on by one bit from where somebody was.
                self._cut(base)
                known = base
                mode = _STEP
            elif heard == SILENCE and mode == _STEP:
                self._cut(base)
                mode = _SURE
                continue
            else:
                garbled += 1
                if garbled == _TRIES:
                    return False
                continue
            frame[3 + (known >> 3)] |= 1 << (known & 7)
            known += 1
        return False

    def _position(self, known: int) -> int:
        """The colliding bit of this level, as far as the chip says: it counts from the byte the answer began in."""
        coll = self._read(_COLL)
        if coll & _POSITION_INVALID:
            return known
        bit = ((coll & 0x1F) or 32) - 1 + (known & ~7)
        return bit if known <= bit < 32 else known

    def _merge(self, known: int, upto: int) -> None:
        """Take the received bits from `known` up to `upto` into the frame; above them it is zero."""
        frame = self._lane.frame
        rx = self._rx
        start = known >> 3
        for i in range(5):
            if i > start:
                frame[3 + i] = rx[1 + i - start]
            elif i == start:
                low = (1 << (known & 7)) - 1
                frame[3 + i] = frame[3 + i] & low | rx[1] & ~low & 255
        if upto < 40:
            self._cut(upto)

    def _cut(self, upto: int) -> None:
        frame = self._lane.frame
        for i in range(5):
            bits = upto - i * 8
            if bits <= 0:
                frame[3 + i] = 0
            elif bits < 8:
                frame[3 + i] &= (1 << bits) - 1

    def _select(self, level: int) -> int:
        """1: selected, and another level follows; 0: selected; -1: not."""
        frame = self._lane.frame
        frame[1] = level
        frame[2] = WHOLE
        check = crc.iso14443a(self._lane.frames[8][1:], 7)
        frame[8] = check & 255
        frame[9] = check >> 8
        rx = self._rx
        if self._exchange(9, 0, 0) != ANSWER or self._rx_bits != 24:
            return -1
        check = crc.iso14443a(self._rxs[2][1:], 1)
        if rx[2] != check & 255 or rx[3] != check >> 8:
            return -1
        return 1 if rx[1] & MORE_LEVELS else 0

    # --- one exchange -------------------------------------------------------------------------------------

    def _exchange(self, length: int, last_bits: int, align: int) -> int:
        """Send the first bytes of the frame (of the last one so many bits, 0: all) and wait for what comes."""
        self._write(_COMMAND, _IDLE)
        self._write(_COM_IRQ, 0x7F)
        self._write(_FIFO_LEVEL, _FLUSH)
        lane = self._lane
        lane.frame[0] = _FIFO_DATA << 1
        self._send(lane.frames[1 + length])
        framing = align << 4 | last_bits
        self._write(_BIT_FRAMING, framing)
        self._write(_COMMAND, _TRANSCEIVE)
        self._write(_BIT_FRAMING, framing | _START_SEND)
        began = self._ticks()
        while True:
            flags = self._read(_COM_IRQ)
            if flags & _DONE:
                break
            if flags & _TIMER:
                return SILENCE
            if self._diff(self._ticks(), began) > _EXCHANGE_LIMIT_US:
                self._check("brownout")
                raise ReaderFault("silent")
            self._sleep(20)
        return self._received(align)

    def _received(self, align: int) -> int:
        rx = self._rx
        for i in range(10):
            rx[i] = 0
        error = self._read(_ERROR)
        level = self._read(_FIFO_LEVEL)
        if level > 9:
            return GARBLED
        if level:
            self._receive(self._lane.fifo_reads[level], self._rxs[level + 1])
        last = self._read(_CONTROL) & 7
        self._rx_bits = level * 8 - (8 - last if last else 0) - align
        if error & _COLLISION:
            return CLASH
        if error & _WRONG or not level:
            return GARBLED
        return ANSWER

    def _write(self, register: int, value: int) -> None:
        two = self._lane.two
        two[0] = register << 1
        two[1] = value
        self._send(two)

    def _read(self, register: int) -> int:
        lane = self._lane
        lane.two[0] = 0x80 | register << 1
        lane.two[1] = 0
        lane.two_back[1] = 0
        self._receive(lane.two, lane.two_back)
        return lane.two_back[1]

    def _send(self, data) -> None:
        port = self._port
        port.select()
        try:
            self._lane.spi.write(data)
        finally:
            port.release()

    def _receive(self, data, into) -> None:
        port = self._port
        port.select()
        try:
            self._lane.spi.write_readinto(data, into)
        finally:
            port.release()
