"""An MFRC522 that is not there: SPI register accesses and RESET in; FIFO, interrupts and collisions out.

`counting` is what the collision position counts from, which the datasheet leaves open for answers that begin inside a
byte: "byte" (from the byte the answer begins in), "answer" (from its first bit) or "level" (from the level's first bit).
Faults are those of the PN5180 that have a meaning without a BUSY line.
"""

from naqala_firmware.iso14443a import ANSWER_US, frame_us
from naqala_firmware.simulated.proximity import COLLISION

FAULTS = ("", "absent", "dead", "hung", "no field")
BOOT_US = 1200
COMMAND, COM_IRQ, ERROR, FIFO_DATA, FIFO_LEVEL, CONTROL = 0x01, 0x04, 0x06, 0x09, 0x0A, 0x0C
BIT_FRAMING, COLL, TX_CONTROL, VERSION = 0x0D, 0x0E, 0x14, 0x37
T_MODE, T_PRESCALER, T_RELOAD_H, T_RELOAD_L = 0x2A, 0x2B, 0x2C, 0x2D
RESET_VALUES = {
    0x01: 0x20,
    0x04: 0x14,
    0x0C: 0x10,
    0x0E: 0x80,
    0x11: 0x3F,
    0x14: 0x80,
    0x24: 0x26,
    0x26: 0x48,
    0x37: 0x92,
}
TRANSCEIVE = 0x0C
RX, TIMER = 0x20, 0x01


class MFRC522:
    def __init__(self, clock, proximity, counting: str = "byte", version: int = 0x92) -> None:
        self.clock = clock
        self.air = proximity
        self.counting = counting
        self.version = version
        self.fault = ""
        self.running = False
        self._restart()

    # --- pins ---------------------------------------------------------------------------------------------

    def busy(self) -> int:
        return 0

    def reset(self, level: int) -> None:
        if bool(level) != self.running:
            self.running = bool(level)
            self._restart()

    def brown_out(self) -> None:
        self._restart()

    def _restart(self) -> None:
        self.boots_until = self.clock.now + BOOT_US
        self.registers = dict(RESET_VALUES)
        self.registers[VERSION] = self.version
        self.fifo = b""
        self.coming: list = []  # (time, interrupt)
        self.arriving: tuple = ()
        self.air.field_off()

    @property
    def field(self) -> bool:
        return self.air.on

    # --- one SPI frame ------------------------------------------------------------------------------------

    def begin(self) -> None:
        pass

    def end(self) -> None:
        pass

    def write(self, data: bytes) -> None:
        if self._alive() and not data[0] & 0x80:
            for value in data[1:]:
                self._set(data[0] >> 1 & 0x3F, value)

    def exchange(self, data: bytes, into: bytearray) -> None:
        """A read: each address is answered while the next one is clocked in."""
        low = 0 if self.fault == "dead" else 255
        alive = self._alive()
        for i in range(1, len(into)):
            into[i] = self._get(data[i - 1] >> 1 & 0x3F) if alive and data[i - 1] & 0x80 else low

    def _alive(self) -> bool:
        return self.running and self.fault in ("", "hung", "no field") and self.clock.now >= self.boots_until

    # --- registers ----------------------------------------------------------------------------------------

    def _get(self, register: int) -> int:
        self._catch_up()
        if register == FIFO_DATA:
            first, self.fifo = (self.fifo[0], self.fifo[1:]) if self.fifo else (0, b"")
            return first
        if register == FIFO_LEVEL:
            return len(self.fifo)
        return self.registers.get(register, 0)

    def _set(self, register: int, value: int) -> None:
        self._catch_up()
        if register == COM_IRQ:
            old = self.registers[COM_IRQ]
            self.registers[COM_IRQ] = old | value & 0x7F if value & 0x80 else old & ~value
        elif register == FIFO_DATA:
            self.fifo += bytes([value])
        elif register == FIFO_LEVEL:
            if value & 0x80:
                self.fifo = b""
        elif register == TX_CONTROL and self.fault != "no field":
            self.registers[TX_CONTROL] = value
            if value & 3 == 3:
                self.air.field_on()
            else:
                self.air.field_off()
        elif register == BIT_FRAMING:
            self.registers[BIT_FRAMING] = value & 0x7F
            if value & 0x80 and self.registers[COMMAND] & 15 == TRANSCEIVE:
                self._transceive()
        elif register not in (TX_CONTROL, VERSION, ERROR, CONTROL):
            self.registers[register] = value
            if register == COMMAND and value & 15 == 0:
                self.coming = []
                self.arriving = ()

    def _catch_up(self) -> None:
        now = self.clock.now
        while self.coming and self.coming[0][0] <= now:
            interrupt = self.coming.pop(0)[1]
            self.registers[COM_IRQ] |= interrupt
            if interrupt & RX and self.arriving:
                self.fifo, error, last, coll = self.arriving
                self.registers[ERROR] = error
                self.registers[CONTROL] = 0x10 | last
                self.registers[COLL] = coll
                self.arriving = ()

    # --- radio --------------------------------------------------------------------------------------------

    def _transceive(self) -> None:
        data, self.fifo = self.fifo, b""
        if self.fault == "hung" or not data:
            return
        framing = self.registers[BIT_FRAMING]
        last = framing & 7
        bits = len(data) * 8 - (8 - last if last else 0)
        sent = self.clock.now + frame_us(bits)
        answers = self.air.request(data, bits)
        self.registers[ERROR] = 0
        if answers:
            number, length, wrong, at = self.air.received(answers)
            align = framing >> 4 & 7
            whole = number << align
            filled = align + length
            fifo = whole.to_bytes((filled + 7) // 8, "little")
            self.arriving = (fifo, wrong, filled & 7, self._coll(wrong, at, data, align))
            self.coming = [(sent + ANSWER_US + frame_us(length), RX)]
        elif self.registers.get(T_MODE, 0) & 0x80:
            ticks = self.registers.get(T_RELOAD_H, 0) << 8 | self.registers.get(T_RELOAD_L, 0)
            prescaler = (self.registers[T_MODE] & 15) << 8 | self.registers.get(T_PRESCALER, 0)
            self.coming = [(sent + int(ticks * (2 * prescaler + 1) / 13.56), TIMER)]

    def _coll(self, wrong: int, at: int, data: bytes, align: int) -> int:
        if not wrong & COLLISION:
            return 0x20
        position = at + 1
        if self.counting == "byte":
            position += align
        elif self.counting == "level" and len(data) >= 2:
            position += ((data[1] >> 4) - 2) * 8 + (data[1] & 15)
        return position & 31 if position <= 32 else 0x20
