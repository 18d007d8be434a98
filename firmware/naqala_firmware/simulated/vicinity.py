"""The air above one coil, ISO 15693: requests in, what the receiver makes of the tags' answers out.

Tags keep the standard's rules: ready a while after the field came on, deaf when asked too soon after an answer, silent
when quiet, and an answer only to a mask that fits. The receiver sees one answer, a collision with its first differing
bit, or (capture) only the strongest of several. Bits may flip; the CRC is computed over what was received.
"""

from naqala_firmware import crc
from naqala_firmware.iso15693 import INVENTORY, READY_US, REPLY_US, STAY_QUIET, T1_US
from naqala_firmware.simulated.chance import BitErrors, Chance

DEAF_US = 300  # after an answer a tag hears nothing for so long
RESET_TO_READY = 0x26
INTEGRITY = 1  # what the receiver finds wrong, as in the upper half of RX_STATUS
COLLISION = 4
NOBODY = ()


def lowest_bit(number: int) -> int:
    at = 0
    while not number & 1:
        number >>= 1
        at += 1
    return at


class Vicinity:
    def __init__(self, coils, reader: int, chance: Chance, errors: float = 0.0, capture: float = 0.0) -> None:
        """errors: how often one received bit flips. capture: a tag so many times stronger than the next wins alone."""
        self.coils = coils
        self.reader = reader
        self.chance = chance
        self.capture = capture
        self.voltage = 600  # at the coil, as the receiver's gain shows it
        self.unflagged = (
            0.0  # how often a collision is only noise to the receiver, without its flag and position
        )
        self.blind = 0.0  # how often a wrong CRC goes unnoticed; a real one: once in 65 536, and never up to three bits
        self.set_errors(errors)
        self.field_off()

    def set_errors(self, rate: float) -> None:
        self.flips = BitErrors(self.chance, rate, 96) if rate else None

    def field_on(self, now: int) -> None:
        self.ready_at = now + READY_US

    def field_off(self) -> None:
        self.ready_at = -1  # no field
        self.quiet: set = set()
        self.slots: dict = {}
        self.slot = 0
        self.deaf_until = 0

    def request(self, data: bytes, starts: int, ends: int) -> tuple:
        """A whole request on the air; returns who answers it."""
        self.slots = {}
        self.slot = 0
        if not self.listening(starts) or len(data) < 2:
            return NOBODY
        flags, command = data[0], data[1]
        if flags & 0x06 == 0x06 and command == INVENTORY and len(data) >= 3:
            return self.inventory(flags, data[2], data[3:], ends)
        if flags & 0x24 == 0x20 and command in (STAY_QUIET, RESET_TO_READY) and len(data) == 10:
            number = int.from_bytes(data[2:10], "little")
            if command == STAY_QUIET:
                self.quiet.add(number)
            else:
                self.quiet.discard(number)
        return NOBODY

    def inventory(self, flags: int, length: int, mask: bytes, ends: int) -> tuple:
        if len(mask) != (length + 7) // 8 or length > (64 if flags & 0x20 else 60):
            return NOBODY
        value = int.from_bytes(mask, "little") & (1 << length) - 1 if length else 0
        low = (1 << length) - 1
        chosen = [pair for pair in self.coils.heard(self.reader) if pair[0].number & low == value]
        if self.quiet:
            chosen = [pair for pair in chosen if pair[0].number not in self.quiet]
        if flags & 0x20:
            return self.answered(chosen, ends)
        for pair in chosen:
            slot = pair[0].number >> length & 15
            if slot in self.slots:
                self.slots[slot].append(pair)
            else:
                self.slots[slot] = [pair]
        return self.answered(self.slots.get(0, NOBODY), ends)

    def next_slot(self, starts: int, ends: int) -> tuple:
        """An end of frame alone: the next slot's tags answer. One that came too soon breaks the round."""
        if not self.listening(starts):
            self.slots = {}
        self.slot += 1
        return self.answered(self.slots.get(self.slot, NOBODY), ends)

    def listening(self, starts: int) -> bool:
        return self.ready_at >= 0 and starts >= self.ready_at and starts >= self.deaf_until

    def answered(self, pairs: list, ends: int) -> tuple:
        present = [pair for pair in pairs if not (pair[0].miss and self.chance.happens(pair[0].miss))]
        if present:
            self.deaf_until = ends + T1_US + REPLY_US + DEAF_US
        return tuple(present)

    def received(self, pairs: tuple) -> tuple:
        """(the ten bytes, what is wrong, position of the collision in the frame) of what these tags sent together."""
        if len(pairs) > 1 and not (self.capture and pairs[0][1] >= self.capture * pairs[1][1]):
            first = pairs[0][0].number
            differ = together = 0
            for tag, _ in pairs:
                differ |= tag.number ^ first
                together |= tag.number
            if self.unflagged and self.chance.happens(self.unflagged):
                return frame_of(together), INTEGRITY, 0
            return frame_of(together), INTEGRITY | COLLISION, lowest_bit(differ) + 16
        data = frame_of(pairs[0][0].number)
        if not self.flips:
            return data, 0, 0
        whole = bytearray(data)
        check = crc.iso15693(whole, 10)
        whole.append(check & 255)
        whole.append(check >> 8)
        flipped = self.flips.flip(whole)
        if flipped < 0:
            return data, 0, 0
        if self.chance.happens(0.5):  # half a bit disturbed looks like two tags that differ there
            return bytes(whole[:10]), INTEGRITY | COLLISION, flipped
        wrong = crc.iso15693(whole, 10) != whole[10] | whole[11] << 8
        if wrong and not (self.blind and self.chance.happens(self.blind)):
            return bytes(whole[:10]), INTEGRITY, 0
        return bytes(whole[:10]), 0, 0


def frame_of(number: int) -> bytes:
    return b"\x00\x00" + number.to_bytes(8, "little")
