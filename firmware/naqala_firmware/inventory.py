"""Which tags lie on one reader: the questions of one inventory, and what this reader remembers between two of them.

Sixteen slots first (or one, on a spot that was empty). Two tags in one slot are told apart at the bit where their ids
first differ, by two questions with a mask up to that bit; where that bit cannot be trusted, by sixteen slots with a mask
four bits longer. What only sounded wrong is asked for again.

No id is believed for having been received once: the CRC lets one mangled answer in 65 536 through, and two tags can
garble each other the same way every time. An id that is new to this reader is asked for by name (one slot, a mask of all
64 bits, the tag alone can answer): 8.6 ms when a tag arrives. An id that was here and is not heard is asked for by name
too, so a tag that a stronger one drowns stays in sight: 8.6 ms when a tag leaves. Nothing moves, nothing is added.
Every VERIFY_EVERY-th inventory silences what it found and asks who else is there: that is how a drowned newcomer is found.

Ids live in bytearrays, eight bytes each, so that a scan allocates only its answer. A Survey is shared by the readers of
one bus, which can only be asked one after the other; what a reader remembers is its own Known.
"""

from naqala_firmware import iso15693
from naqala_firmware.iso15693 import ID_AT, ID_BITS, MOST_MASK, copy_low_bits, put_slot, same_low_bits
from naqala_firmware.reader import (
    COLLISIONS,
    EMPTY,
    GARBLES,
    GHOSTS,
    MOST_TAGS,
    READS,
    UNRESOLVED,
    Inventory,
    count,
)

NOBODY, TAG, CLASH, GARBLED = range(4)  # what a question brings

VERIFY_EVERY = 16
MOST_QUESTIONS = 240  # in one inventory; the time budget ends it sooner unless time stands still
MOST_WAITING = 40  # questions still to ask
DOUBTS = 3  # collision positions that led nowhere before none is believed any more

# Questions that wait: kind, length of the mask, length to fall back to, the mask.
_SIXTEEN, _PAIR, _AGAIN, _LAST, _RECHECK = range(5)
_ENTRY = 11


class Known:
    """What one reader remembers: the ids believed to be on it, and how far its chip's positions can be trusted."""

    def __init__(self, stagger: int = 0) -> None:
        self.ids = bytearray(MOST_TAGS * 8)
        self.names = [""] * MOST_TAGS
        self.seen = bytearray(MOST_TAGS)  # which of them answered this time
        self.count = 0
        self.since_verified = stagger % VERIFY_EVERY  # not all readers of a table verify in the same sweep
        self.position_base = (
            0  # the datasheet does not say whether positions count from 0 or 1: found out in _prove
        )
        self.position_proven = False
        self.doubts = 0


class Survey:
    """Asks through a chip (ask, next_slot, stay_quiet, reply, clash, counts), one inventory after the other."""

    def __init__(self, clock):
        self._clock = clock
        self._chip = None
        self._known = Known()
        self._fresh = bytearray(MOST_TAGS * 8)  # heard once this time, not yet confirmed
        self._fresh_count = 0
        self._mask = bytearray(8)
        self._slot_mask = bytearray(8)
        self._waiting = bytearray(MOST_WAITING * _ENTRY)
        self._depth = 0
        self._complete = True
        self._began = self._budget = self._questions = 0

    def run(self, chip, known: Known, probe: bool, budget_us: int) -> Inventory:
        self.begin(chip, known, budget_us)
        if not probe:
            self._push(_SIXTEEN, 0, 0, self._mask)
        elif self._one() and not known.count:
            return EMPTY
        return self.finish()

    def begin(self, chip, known: Known, budget_us: int) -> None:
        self._chip = chip
        self._known = known
        self._began = self._clock.ticks_us()
        self._budget = budget_us
        self._questions = self._depth = self._fresh_count = 0
        self._complete = True
        for i in range(MOST_TAGS):
            known.seen[i] = 0
        for i in range(8):
            self._mask[i] = self._slot_mask[i] = 0

    def first_slot(self, slot: int, got: int) -> None:
        """What a slot of the first sixteen brought, when somebody else asked the question (lanes.py)."""
        if got != NOBODY:
            put_slot(self._slot_mask, 0, slot)
            self._take(got, self._slot_mask, 4)

    def finish(self) -> Inventory:
        """Ask all that is still to be asked after the first question; the answer."""
        self._work()
        if self._known.count + self._fresh_count > MOST_TAGS:
            self._miss()  # makes room
        self._confirm()
        self._miss()
        self._verify()
        if not self._complete:
            count(self._chip.counts, UNRESOLVED)
        ids = [self._known.names[i] for i in range(self._known.count) if self._known.seen[i]]
        ids.sort()
        return Inventory(tuple(ids), self._complete)

    # --- the questions that wait --------------------------------------------------------------------------

    def _work(self) -> None:
        """Ask what waits, the latest first, until nothing waits or the time is spent."""
        waiting = self._waiting
        mask = self._mask
        while self._depth:
            if self._spent():
                self._complete = False
                self._depth = 0
                return
            self._depth -= 1
            at = self._depth * _ENTRY
            kind, length, back = waiting[at], waiting[at + 1], waiting[at + 2]
            for i in range(8):
                mask[i] = waiting[at + 3 + i]
            if kind == _SIXTEEN:
                self._sixteen(length)
            elif kind == _PAIR:
                self._pair(length, back)
            else:
                self._once_more(kind, length)

    def _push(self, kind: int, length: int, back: int, mask: bytearray) -> None:
        if self._depth == MOST_WAITING or (kind == _SIXTEEN and length > MOST_MASK):
            self._complete = False
            return
        waiting = self._waiting
        at = self._depth * _ENTRY
        waiting[at] = kind
        waiting[at + 1] = length
        waiting[at + 2] = back
        for i in range(8):
            waiting[at + 3 + i] = mask[i]
        self._depth += 1

    def _spent(self) -> bool:
        clock = self._clock
        return self._questions > MOST_QUESTIONS or clock.diff(clock.ticks_us(), self._began) > self._budget

    def _sixteen(self, length: int) -> None:
        chip = self._chip
        mask = self._slot_mask
        for i in range(8):
            mask[i] = self._mask[i]
        self._questions += 1
        got = chip.ask(mask, length, True)
        for slot in range(16):
            if slot:
                if self._spent():
                    self._complete = False
                    return
                got = chip.next_slot(slot)
            if got != NOBODY:
                put_slot(mask, length, slot)
                self._take(got, mask, length + 4)

    def _pair(self, bit: int, back: int) -> None:
        """Two tags, or more, differ first at this bit; below it the mask holds what they share."""
        mask = self._mask
        if not self._known.position_proven and not self._prove(bit, back):
            return
        silent = 0
        for side in (0, 1):
            mask[bit >> 3] = mask[bit >> 3] & ~(1 << (bit & 7)) | side << (bit & 7)
            self._questions += 1
            got = self._chip.ask(mask, bit + 1, False)
            if got == NOBODY:
                silent += 1
            else:
                self._take(got, mask, bit + 1)
        if silent:
            # One tag and a disturbance, or a position that means something else.
            copy_low_bits(mask, 0, mask, back)
            self._push(_RECHECK, back, 0, mask)
        elif self._known.doubts:
            self._known.doubts -= 1

    def _prove(self, bit: int, back: int) -> bool:
        """Does the chip count positions from 0? If from 1, somebody answers where the bit before is the other way."""
        if bit > back:
            mask = self._slot_mask
            copy_low_bits(self._mask, 0, mask, bit)
            mask[bit - 1 >> 3] ^= 1 << (bit - 1 & 7)
            self._questions += 1
            if self._chip.ask(mask, bit, False) != NOBODY:
                self._known.position_base ^= 1
                self._known.doubts += 1
                copy_low_bits(self._mask, 0, mask, back)
                self._push(_SIXTEEN, back, 0, mask)
                return False
        self._known.position_proven = True
        return True

    def _once_more(self, kind: int, length: int) -> None:
        """Ask for what sounded wrong, alone. Twice wrong is taken for a collision nobody flagged."""
        mask = self._mask
        self._questions += 1
        got = self._chip.ask(mask, length, False)
        if got == NOBODY:
            self._complete = False
        elif got == GARBLED:
            count(self._chip.counts, GARBLES)
            self._push(_LAST if kind == _AGAIN else _SIXTEEN, length, 0, mask)
        elif got == CLASH and kind == _RECHECK:
            self._known.doubts += 1
            self._push(_SIXTEEN, length, 0, mask)
        else:
            self._take(got, mask, length)

    def _one(self) -> bool:
        """The short question; True when nobody answered."""
        mask = self._mask
        for i in range(8):
            mask[i] = 0
        self._questions += 1
        got = self._chip.ask(mask, 0, False)
        if got == TAG:
            self._note()
        elif got != NOBODY:
            self._push(_SIXTEEN, 0, 0, mask)
        return got == NOBODY

    def _take(self, got: int, mask: bytearray, length: int) -> None:
        """Somebody answered a question for ids that begin with this mask."""
        reply = self._chip.reply
        fits = same_low_bits(reply, ID_AT, mask, length)
        if got == TAG and fits:
            self._note()
        elif got == CLASH:
            count(self._chip.counts, COLLISIONS)
            bit = self._chip.clash - 16 - self._known.position_base
            if fits and length <= bit < ID_BITS and self._known.doubts < DOUBTS:
                shared = self._slot_mask if mask is self._mask else self._mask
                copy_low_bits(reply, ID_AT, shared, bit)
                self._push(_PAIR, bit, length, shared)
            else:
                self._push(_SIXTEEN, length, 0, mask)
        else:
            count(self._chip.counts, GARBLES)
            self._push(_AGAIN, length, 0, mask)

    # --- ids ----------------------------------------------------------------------------------------------

    def _note(self) -> None:
        """The reply holds an id: one we know, or one to be confirmed."""
        reply = self._chip.reply
        count(self._chip.counts, READS)
        at = find(self._known.ids, self._known.count, reply, ID_AT)
        if at >= 0:
            self._known.seen[at] = 1
        elif find(self._fresh, self._fresh_count, reply, ID_AT) < 0:
            if self._fresh_count == MOST_TAGS:
                self._complete = False
                return
            copy(reply, ID_AT, self._fresh, self._fresh_count * 8)
            self._fresh_count += 1

    def _by_name(self, ids: bytearray, at: int) -> int:
        """Ask for one id alone, twice if the first answer was disturbed: TAG is itself, NOBODY, or GARBLED."""
        for _ in range(2):
            copy(ids, at, self._mask, 0)
            self._questions += 1
            got = self._chip.ask(self._mask, ID_BITS, False)
            if got == NOBODY or (got == TAG and same_low_bits(self._chip.reply, ID_AT, self._mask, ID_BITS)):
                return got
        return GARBLED

    def _confirm(self) -> None:
        """Ids new to this reader must answer to their name; else they are not reported, and something is unresolved."""
        for i in range(self._fresh_count):
            if self._spent() or self._known.count == MOST_TAGS:
                self._complete = False
                break
            got = self._by_name(self._fresh, i * 8)
            if got == TAG:
                copy(self._fresh, i * 8, self._known.ids, self._known.count * 8)
                self._known.names[self._known.count] = iso15693.name(self._known.ids, self._known.count * 8)
                self._known.seen[self._known.count] = 1
                self._known.count += 1
            else:
                self._complete = False
                if got == NOBODY:
                    count(self._chip.counts, GHOSTS)
        self._fresh_count = 0

    def _miss(self) -> None:
        """Ids that were here and were not heard are called by name; who does not answer is forgotten."""
        i = 0
        while i < self._known.count:
            if not self._known.seen[i]:
                if self._spent():
                    self._complete = False
                    return
                got = self._by_name(self._known.ids, i * 8)
                if got == TAG:
                    self._known.seen[i] = 1
                elif got == NOBODY:
                    self._forget(i)
                    continue
                else:
                    self._complete = False
            i += 1

    def _forget(self, i: int) -> None:
        """The last one takes its place."""
        last = self._known.count - 1
        copy(self._known.ids, last * 8, self._known.ids, i * 8)
        self._known.names[i] = self._known.names[last]
        self._known.seen[i] = self._known.seen[last]
        self._known.count = last

    def _verify(self) -> None:
        """Silence everybody found and ask who else is there: a weak tag may have been drowned by a strong one."""
        self._known.since_verified += 1
        if self._known.since_verified < VERIFY_EVERY or not self._known.count or not self._complete:
            return
        self._known.since_verified = 0
        for i in range(self._known.count):
            if self._spent():
                return
            self._chip.stay_quiet(self._known.ids, i * 8)
        if not self._one():
            self._work()
            self._confirm()


def copy(source: bytearray, at: int, target: bytearray, to: int) -> None:
    for i in range(8):
        target[to + i] = source[at + i]


def find(ids: bytearray, count: int, data: bytearray, at: int) -> int:
    """Which of the ids stands in data at `at`; -1 for none."""
    low = data[at]
    for i in range(count):
        start = i * 8
        if ids[start] == low:
            k = 1
            while k < 8 and ids[start + k] == data[at + k]:
                k += 1
            if k == 8:
                return i
    return -1
