"""The air above one coil, ISO 14443 type A: bits of a request in, what the tags answer together out.

Each tag is idle, ready at a cascade level, active or halted, and falls back as the standard says when it hears what it
does not expect. Bits are (number, length) pairs, the first bit sent is the lowest.
"""

from naqala_firmware import crc
from naqala_firmware.iso14443a import CASCADE_TAG, HALT, MORE_LEVELS, REQA, SELECT, WHOLE, WUPA
from naqala_firmware.simulated.chance import Chance

IDLE, READY, ACTIVE, HALTED = 0, 1, 4, 5  # READY + level (0 to 2)
COLLISION, PARITY = 0x08, 0x02  # as in the chip's ErrorReg


def levels(id: str) -> list:
    """The id's cascade levels, each four bytes and their check byte."""
    raw = bytes([int(id[i : i + 2], 16) for i in range(0, len(id), 2)])
    parts = []
    while len(raw) > 4:
        parts.append(bytes([CASCADE_TAG]) + raw[:3])
        raw = raw[3:]
    parts.append(raw)
    return [part + bytes([part[0] ^ part[1] ^ part[2] ^ part[3]]) for part in parts]


class Proximity:
    def __init__(self, coils, reader: int, chance: Chance, errors: float = 0.0) -> None:
        """errors: how often one byte of an answer is disturbed, which its parity shows."""
        self.coils = coils
        self.reader = reader
        self.chance = chance
        self.errors = errors
        self.blind = 0.0  # how often a disturbed byte has the right parity nevertheless
        self.on = False
        self.states: dict = {}  # by id: (state, was halted before)

    def field_on(self) -> None:
        self.on = True

    def field_off(self) -> None:
        self.on = False
        self.states = {}

    def request(self, data: bytes, bits: int) -> list:
        """The answers, as (number, bits), of all tags that hear this."""
        if not self.on:
            return []
        answers = []
        for tag, _ in self.coils.heard(self.reader):
            if len(tag.id) in (8, 14, 20) and not (tag.miss and self.chance.happens(tag.miss)):
                answer = self._hears(tag.id, data, bits)
                if answer:
                    answers.append(answer)
        return answers

    def _hears(self, id: str, data: bytes, bits: int):
        state, halted = self.states.get(id, (IDLE, False))
        if bits == 7:
            if (state == IDLE and data[0] in (REQA, WUPA)) or (state == HALTED and data[0] == WUPA):
                self.states[id] = (READY, state == HALTED)
                return (0x0004 if len(id) == 8 else 0x0044), 16
            return self._falls(id, state, halted)
        if bits == 32 and data == HALT and state == ACTIVE:
            self.states[id] = (HALTED, True)
            return None
        level = state - READY
        if 0 <= level <= 2 and data[0] == SELECT[level]:
            return self._selecting(id, data, bits, level, halted)
        return self._falls(id, state, halted)

    def _falls(self, id: str, state: int, halted: bool) -> None:
        """Back to where it came from."""
        if READY <= state <= ACTIVE:
            self.states[id] = (HALTED if halted else IDLE, halted)

    def _selecting(self, id: str, data: bytes, bits: int, level: int, halted: bool):
        parts = levels(id)
        part = int.from_bytes(parts[level], "little")
        if data[1] != WHOLE:
            known = ((data[1] >> 4) - 2) * 8 + (data[1] & 15)
            if bits != 16 + known:
                return None
            given = int.from_bytes(data[2:], "little") & (1 << known) - 1
            if part & (1 << known) - 1 == given:
                return part >> known, 40 - known
            return None
        check = crc.iso14443a(data, 7)
        if bits != 72 or data[2:7] != parts[level] or data[7] != check & 255 or data[8] != check >> 8:
            return self._falls(id, READY, halted)
        more = level + 1 < len(parts)
        self.states[id] = (READY + level + 1 if more else ACTIVE, halted)
        sak = bytes([MORE_LEVELS if more else 0x08])
        check = crc.iso14443a(sak, 1)
        return sak[0] | check << 8, 24

    def received(self, answers: list) -> tuple:
        """(number, bits, what is wrong, first colliding bit) of answers that come together."""
        number, bits = answers[0]
        differ = 0
        for other, length in answers:
            differ |= other ^ number
            bits = max(bits, length)
        if differ:
            at = 0
            while not differ >> at & 1:
                at += 1
            return number & (1 << at) - 1, bits, COLLISION, at
        for start in range(0, bits, 8):
            if self.errors and self.chance.happens(self.errors):
                number ^= 1 << (start + self.chance.below(min(8, bits - start)))
                if not (self.blind and self.chance.happens(self.blind)):
                    return number, bits, PARITY, -1
        return number, bits, 0, -1
