"""A PN5180 that is not there: SPI frames, BUSY and RESET in; registers, interrupts and the air's answers out.

It follows the datasheet where the driver could notice: half duplex frames, none of them while BUSY is high, registers,
transceive states, interrupts at their time, the timer (which an answer stops at its fourth bit, not sooner), a send without
its preparation refused, an end of frame alone, start-up after reset. How long it takes is in times.py. `fault` is one of
FAULTS; brown_out() makes it restart by itself; `noise` is how often an empty slot looks as if somebody began to answer. The
wiring calls begin(), write(), read(), end(); the pins are busy() and reset().
"""

from naqala_firmware.iso15693 import EOF_US, FC, REPLY_US, START_US, request_us
from naqala_firmware.simulated.times import IDEAL, Times
from naqala_firmware.simulated.vicinity import COLLISION

# "" is a chip in order.
FAULTS = (
    "",
    "absent",  # no module: the pull-down keeps BUSY low, nobody drives MISO
    "floating",  # no module, and no pull-down either: BUSY reads high
    "dead",  # MISO stays low
    "stuck",  # BUSY stays high
    "hung",  # answers, but never sends
    "no field",  # the field does not come on
    "hot",  # too hot: it switches its own field off
)

FOUR_BITS_US = 151  # of an answer: then the timer stops
TX, RX, IDLE, FIELD_ON, FIELD_OFF = 1 << 1, 1 << 0, 1 << 2, 1 << 9, 1 << 8
TIMER1, SOF, HOT, ERROR = 1 << 12, 1 << 14, 1 << 16, 1 << 17
SYSTEM_CONFIG, IRQ_STATUS, IRQ_CLEAR, RX_STATUS, TX_CONFIG, RF_STATUS = 0x00, 0x02, 0x03, 0x13, 0x18, 0x1D
DPC_CONFIG, ANT_CONTROL, SHORTED = 0x27, 0x29, 0x10
TIMER1_RELOAD, TIMER1_CONFIG = 0x0C, 0x0F
REGISTERS = (
    (0x00, 0x01, 0x02, 0x03, 0x04, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x10, 0x11)
    + (0x12, 0x13, 0x17, 0x18, 0x19, 0x1D, 0x1E, 0x1F, 0x20, 0x24, 0x25, 0x26, 0x27, 0x29)
)  # fmt: skip
TX_CONFIG_15693 = 0x0000_0743  # data on, start and stop symbols on
EEPROM = {0x10: 0x00, 0x11: 0x04, 0x12: 0x00, 0x13: 0x04, 0x14: 0x00, 0x15: 0x99}
TIMER_STARTS_ON_TX_END = 1 | 1 << 11
TIMER_STOPS_ON_RX = 1 << 20
IDLE_STATE, WAIT_TRANSMIT, TRANSMITTING, WAIT_RECEIVE, RECEIVING = 0, 1, 2, 3, 5
NOTHING = b""


class PN5180:
    def __init__(self, clock, vicinity, times: Times = IDEAL, position_base: int = 0) -> None:
        """position_base: whether the collision position counts from 0 or from 1; the datasheet does not say."""
        self.clock = clock
        self.air = vicinity
        self.times = times
        self.busy_us = times.busy
        self.noise = 0.0
        self.violations = 0  # frames that came while BUSY was high
        self.position_base = position_base
        self.fault = ""
        self.sends_left = -1  # to the next brown-out; -1: none is coming
        self.running = False
        self._restart()

    # --- pins ---------------------------------------------------------------------------------------------

    def busy(self) -> int:
        if self.fault in ("stuck", "floating"):
            return 1
        return 1 if self.running and self.clock.now < self.busy_until else 0

    def reset(self, level: int) -> None:
        if level and not self.running:
            self.running = True
            self._restart()
        elif not level and self.running:
            self.running = False
            self._restart()

    def brown_out(self, after_sends: int = 0) -> None:
        """Restart by itself, now or at a later send."""
        if after_sends:
            self.sends_left = after_sends
        else:
            self.sends_left = -1
            self._restart()

    def _restart(self) -> None:
        self.boots_until = self.clock.now + self.times.boot
        self.busy_until = 0
        self.registers = {}
        self.registers[SYSTEM_CONFIG] = 1
        self.irq = 0
        self.coming = [(self.boots_until, IDLE)]  # interrupts still to happen, in order of time
        self.armed = False
        self.sent_until = self.heard_until = 0
        self.protocol = (0, 0)
        self.reply = self.frame = NOTHING
        self.received = self.loaded = NOTHING
        self.air.field_off()
        self.field = False

    # --- one SPI frame ------------------------------------------------------------------------------------

    def begin(self) -> None:
        self.frame = NOTHING
        self.reading = False
        self.ignoring = self._alive() and self.clock.now < self.busy_until

    def write(self, data: bytes) -> None:
        self.frame += bytes(data)

    def read(self, into: bytearray) -> None:
        """What stands on MISO while the controller clocks: nobody drives it unless a reply waits."""
        self.reading = True
        alive = self._alive()
        low = 0 if self.fault == "dead" else 255
        reply = self.reply if alive and not self.ignoring else NOTHING
        for i in range(len(into)):
            into[i] = reply[i] if i < len(reply) else low

    def end(self) -> None:
        if not self._alive():
            return
        if self.ignoring:
            self.violations += 1
            self.irq |= ERROR
            return
        self.busy_until = self.clock.now + self.busy_us
        if self.reading:
            self.reply = NOTHING
        elif self.frame:
            command = COMMANDS.get(self.frame[0])
            self.reply = NOTHING
            if not command or command(self, self.frame) is False:
                self.irq |= ERROR

    def _alive(self) -> bool:
        return (
            self.running
            and self.fault in ("", "hung", "no field", "hot")
            and self.clock.now >= self.boots_until
        )

    # --- registers ----------------------------------------------------------------------------------------

    def _write(self, frame: bytes):
        return self._set(frame[1], 1, int.from_bytes(frame[2:6], "little"))

    def _write_or(self, frame: bytes):
        return self._set(frame[1], 2, int.from_bytes(frame[2:6], "little"))

    def _write_and(self, frame: bytes):
        return self._set(frame[1], 3, int.from_bytes(frame[2:6], "little"))

    def _write_multiple(self, frame: bytes):
        for at in range(1, len(frame), 6):
            if self._set(frame[at], frame[at + 1], int.from_bytes(frame[at + 2 : at + 6], "little")) is False:
                return False
        return None

    def _set(self, register: int, action: int, value: int):
        if register not in REGISTERS or register in (IRQ_STATUS, RX_STATUS, RF_STATUS):
            return False
        if register == IRQ_CLEAR:
            self._settle_interrupts()
            self.irq &= ~value
            return None
        old = self.registers.get(register, 0)
        new = value if action == 1 else old | value if action == 2 else old & value
        self.registers[register] = new
        if register == SYSTEM_CONFIG:
            # Stopping ends whatever is going on; transceive then waits for something to send.
            if new & 7 == 0:
                self.armed = False
                self.coming = []
                self.sent_until = self.heard_until = 0
            elif new & 7 == 3:
                self.armed = True
                if new & 8:
                    return self._transmit(self.loaded)
        return None

    def _read(self, frame: bytes):
        reply = NOTHING
        for register in frame[1:]:
            if register not in REGISTERS:
                return False
            reply += self._value(register).to_bytes(4, "little")
        self.reply = reply
        return None

    def _value(self, register: int) -> int:
        if register == IRQ_STATUS:
            self._settle_interrupts()
            return self.irq
        if register == RX_STATUS:
            return self.rx_status if self.clock.now >= self.heard_until and self.received else 0
        if register == RF_STATUS:
            return (1 << 17 if self.field else 0) | self._state() << 24 | self._gain()
        return self.registers.get(register, 0)

    def _settle_interrupts(self) -> None:
        now = self.clock.now
        while self.coming and self.coming[0][0] <= now:
            self.irq |= self.coming.pop(0)[1]

    def _state(self) -> int:
        now = self.clock.now
        if now < self.sent_until:
            return TRANSMITTING
        if now < self.heard_until:
            return RECEIVING if now > self.sent_until + self.times.t1 else WAIT_RECEIVE
        if self.armed:
            return WAIT_TRANSMIT
        return WAIT_RECEIVE if self.sent_until else IDLE_STATE

    def _gain(self) -> int:
        """The receiver's attenuation: the coil's voltage, less what the tags over it take; nothing with the antenna open."""
        if not self.field or not self.registers.get(ANT_CONTROL, 0) & SHORTED:
            return 0
        return max(0, self.air.voltage - 12 * len(self.air.coils.heard(self.air.reader)))

    def _read_eeprom(self, frame: bytes):
        # The chip's own number first: which one does not matter, as long as it stays.
        self.reply = bytes([EEPROM.get(at, at * 37 + 5 & 255) for at in range(frame[1], frame[1] + frame[2])])

    # --- radio --------------------------------------------------------------------------------------------

    def _load_rf_config(self, frame: bytes):
        tx, rx = frame[1], frame[2]
        self.protocol = (tx, rx)
        if tx == 0x0D:
            self.registers[TX_CONFIG] = TX_CONFIG_15693
            self.registers[ANT_CONTROL] = SHORTED

    def _rf_on(self, frame: bytes):
        if self.fault == "no field":
            return
        if self.fault == "hot":
            self.irq |= HOT
            return
        on = self.clock.now + (0 if frame[1] & 1 else self.times.avoidance)
        self.field = True
        self.air.field_on(on)
        self._later(on + self.times.field, FIELD_ON)

    def _later(self, at: int, interrupt: int) -> None:
        self.coming.append((at, interrupt))
        self.coming.sort()

    def _rf_off(self, frame: bytes):
        self.field = False
        self.air.field_off()
        self.irq |= FIELD_OFF

    def _load(self, frame: bytes):
        self.loaded = frame[1:]

    def _send(self, frame: bytes):
        return self._transmit(frame[2:])

    def _transmit(self, data: bytes):
        if self.sends_left > 0:
            self.sends_left -= 1
            if self.sends_left == 0:
                self.brown_out()
                return None
        if not self.armed or not self.field:
            return False
        if self.fault == "hung":
            return None
        self.armed = False
        now = self.clock.now + self.times.send
        symbols = self.registers.get(TX_CONFIG, 0)
        if data:
            ends = now + request_us(len(data) + 2)
            proper = symbols & 0x440 == 0x440  # data and start of frame really go out
            pairs = self.air.request(data, now, ends) if proper else ()
        else:
            ends = now + EOF_US
            pairs = self.air.next_slot(now, ends) if not symbols & 0x400 else ()
        self.sent_until = ends
        self.received = NOTHING
        self._later(ends, TX)
        stopped_at = None
        if pairs and self.protocol == (0x0D, 0x8D):
            stopped_at = self._hear(pairs, ends)
        elif self.noise and self.air.chance.happens(self.noise):
            self._later(ends + self.times.t1 + START_US, SOF)  # somebody seems to begin, and nothing follows
        self._run_timer(ends, stopped_at)
        return None

    def _run_timer(self, ends: int, stopped_at: int | None) -> None:
        config = self.registers.get(TIMER1_CONFIG, 0)
        if config & TIMER_STARTS_ON_TX_END != TIMER_STARTS_ON_TX_END:
            return
        over = ends + int(self.registers.get(TIMER1_RELOAD, 0) / FC)
        if stopped_at is None or over < stopped_at or not config & TIMER_STOPS_ON_RX:
            self._later(over, TIMER1)

    def _hear(self, pairs: tuple, ends: int) -> int:
        """What the receiver makes of these tags; when it stops the timer."""
        data, wrong, position = self.air.received(pairs)
        if wrong & COLLISION:
            position += self.position_base
        self.received = data
        self.rx_status = len(data) | 1 << 9 | wrong << 16 | (position & 127) << 19
        begins = ends + self.times.t1
        self.heard_until = begins + REPLY_US + self.times.done
        self._later(begins + START_US + self.times.sof, SOF)
        self._later(self.heard_until, RX)
        return begins + START_US + FOUR_BITS_US

    def _read_data(self, frame: bytes):
        self.reply = self.received if self.clock.now >= self.heard_until else NOTHING


COMMANDS = {
    0x00: PN5180._write,
    0x01: PN5180._write_or,
    0x02: PN5180._write_and,
    0x03: PN5180._write_multiple,
    0x04: PN5180._read,
    0x05: PN5180._read,
    0x07: PN5180._read_eeprom,
    0x08: PN5180._load,
    0x09: PN5180._send,
    0x0A: PN5180._read_data,
    0x11: PN5180._load_rf_config,
    0x16: PN5180._rf_on,
    0x17: PN5180._rf_off,
}
