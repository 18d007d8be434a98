"""Which tags lie on one reader: the questions of one inventory, and what this reader remembers between two of them.

Sixteen slots first (or one, on a spot that was empty). Two tags in one slot are told apart at the bit where their ids
first differ, by two questions with a mask up to that bit; where that bit cannot be trusted, by sixteen slots with a mask
four bits longer. What only sounded wrong is asked for again.

No id is believed for having been received once: the CRC lets one mangled answer in 65 536 through, and two tags can
garble each other the same way every time. An id that is new to this reader is asked for by name (one slot, a mask of all
64 bits, the tag alone can answer): 8.6 ms when a tag arrives. An id that was here and is not heard is asked for by name
too, so a tag that a stronger one drowns stays in sight: 8.6 ms when a tag leaves. Nothing moves, nothing is added.
Every VERIFY_EVERY-th inventory silences what it found and asks who else is there: that is how a drowned newcomer is found.

A Survey only says what to ask next and takes what came of it; who asks (`run`, or lanes.py for several readers in step)
is another's business. Ids live in bytearrays, eight bytes each, so that a scan allocates only its answer. A Survey serves
one reader after the other; what a reader remembers is its own Known.
"""

from naqala_firmware.iso15693 import ID_AT, ID_BITS, MOST_MASK, copy_low_bits, put_slot, same_low_bits
from naqala_firmware.known import VERIFY_EVERY, Known, copy, find
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
DONE, ONE, SIXTEEN, QUIET = range(4)  # what to do next

MOST_QUESTIONS = 240  # in one inventory; the time budget ends it sooner unless time stands still
MOST_WAITING = 48  # questions still to ask
DOUBT = 4  # a collision position that led nowhere; one that led somewhere takes one away
MOST_DOUBTS = 12  # then none is believed any more

CROWD = 4  # of known ids behind one collision: from here on sixteen slots are quicker than side after side

# Why a question is asked. The first seven wait in a stack: reason, length of the mask, length to fall back to, the mask.
_ROUND, _WHO, _SIDE, _PROOF, _AGAIN, _LAST, _RECHECK, _NAME, _CALL = range(9)
_ENTRY = 11
# What follows when nothing waits any more.
_ROOM, _CONFIRM, _MISS, _SILENCE, _ELSE, _CONFIRM_ELSE, _END = range(7)


class Survey:
    """begin(); then next() says what to do, with `mask` and `length`, and slot() or answer() hears; then result()."""

    def __init__(self, clock):
        self.mask = bytearray(8)
        self.length = 0
        self._clock = clock
        self._chip = None
        self._known = Known()
        self._fresh = bytearray(MOST_TAGS * 8)  # heard once this time, not yet confirmed
        self._fresh_count = 0
        self._slot_mask = bytearray(8)
        self._waiting = bytearray(MOST_WAITING * _ENTRY)
        self._depth = 0
        self._reason = self._back = 0
        self._stage = self._at = self._tries = 0
        self._complete = True
        self._began = self._budget = self._questions = 0

    def run(self, chip, known: Known, probe: bool, budget_us: int) -> Inventory:
        """A whole inventory of one reader."""
        self.begin(chip, known, probe, budget_us)
        what = self.next()
        while what != DONE:
            self.ask(what)
            what = self.next()
        return self.result()

    def ask(self, what: int) -> None:
        chip = self._chip
        if what == ONE:
            self.answer(chip.ask(self.mask, self.length, False))
        elif what == QUIET:
            chip.stay_quiet(self.mask, 0)
        else:
            self.slot(0, chip.ask(self.mask, self.length, True))
            for slot in range(1, 16):
                if self._spent():
                    self._complete = False
                    break
                self.slot(slot, chip.next_slot(slot))

    def begin(self, chip, known: Known, probe: bool, budget_us: int) -> None:
        self._chip = chip
        self._known = known
        self._began = self._clock.ticks_us()
        self._budget = budget_us
        self._questions = self._depth = self._fresh_count = self._at = self._tries = 0
        self._stage = _ROOM
        self._complete = True
        for i in range(MOST_TAGS):
            known.seen[i] = 0
        self._push(_WHO if probe else _ROUND, 0, 0, self.mask, 0)

    def result(self) -> Inventory:
        known = self._known
        if not self._complete:
            count(self._chip.counts, UNRESOLVED)
        elif not known.count:
            return EMPTY
        ids = [known.names[i] for i in range(known.count) if known.seen[i]]
        ids.sort()
        return Inventory(tuple(ids), self._complete)

    # --- what to ask --------------------------------------------------------------------------------------

    def next(self) -> int:
        """DONE, ONE or SIXTEEN slots for `mask` and `length`, or QUIET for the id that `mask` is."""
        self._questions += 1
        while self._depth:
            # A third of the time is kept to confirm newcomers, or a crowd of them would never become known.
            if self._spent(self._budget // 3 if self._fresh_count else 0):
                self._complete = False
                self._depth = 0
                break
            self._pop()
            if self._reason != _PROOF or not self._known.position_proven:
                return SIXTEEN if self._reason == _ROUND else ONE
        while self._stage != _END:
            what = self._staged()
            if what != DONE:
                return what
            self._stage += 1
            self._at = 0
        return DONE

    def _staged(self) -> int:
        """The next thing to do at this stage; DONE when there is nothing more to it."""
        stage = self._stage
        known = self._known
        if stage == _CONFIRM or stage == _CONFIRM_ELSE:
            return self._confirming()
        if stage == _MISS or (stage == _ROOM and known.count + self._fresh_count > MOST_TAGS):
            return self._missing()
        if stage == _SILENCE:
            return self._silencing()
        if stage == _ELSE and not self._at:
            self._at = 1
            self._push(_WHO, 0, 0, self.mask, 0)
            self._pop()
            return ONE
        return DONE

    def _confirming(self) -> int:
        """Ids new to this reader must answer to their name."""
        if self._at < self._fresh_count:
            if not self._spent() and self._known.count < MOST_TAGS:
                return self._by_name(_NAME, self._fresh, self._at * 8)
            self._complete = False
        self._fresh_count = 0
        return DONE

    def _missing(self) -> int:
        """Ids that were here and were not heard are called by name."""
        known = self._known
        while self._at < known.count:
            if not known.seen[self._at]:
                if not self._spent():
                    return self._by_name(_CALL, known.ids, self._at * 8)
                self._complete = False
                break
            self._at += 1
        return DONE

    def _silencing(self) -> int:
        """Now and then, silence everybody found and ask who else is there: a strong tag may drown a weak one."""
        known = self._known
        if not self._at:
            known.since_verified += 1
            if known.since_verified < VERIFY_EVERY or not known.count or not self._complete:
                self._stage = _END - 1
                return DONE
            known.since_verified = 0
        if self._at == known.count:
            return DONE
        if self._spent():
            self._stage = _END - 1
            return DONE
        copy(known.ids, self._at * 8, self.mask, 0)
        self._at += 1
        return QUIET

    def _by_name(self, reason: int, ids: bytearray, at: int) -> int:
        """One slot, and a mask that only one tag can answer."""
        copy(ids, at, self.mask, 0)
        self.length = ID_BITS
        self._reason = reason
        return ONE

    def _spent(self, kept: int = 0) -> bool:
        clock = self._clock
        gone = clock.diff(clock.ticks_us(), self._began)
        return self._questions > MOST_QUESTIONS or gone > self._budget - kept

    def _push(self, reason: int, length: int, back: int, data: bytearray, at: int) -> int:
        """A question for ids that begin as the one in data does; where its mask stands, -1 if it cannot be asked."""
        if self._depth == MOST_WAITING or (reason == _ROUND and length > MOST_MASK):
            self._complete = False
            return -1
        waiting = self._waiting
        entry = self._depth * _ENTRY
        waiting[entry] = reason
        waiting[entry + 1] = length
        waiting[entry + 2] = back
        copy_low_bits(data, at, waiting, entry + 3, length)
        self._depth += 1
        return entry + 3

    def _pop(self) -> None:
        self._depth -= 1
        entry = self._depth * _ENTRY
        self._reason = self._waiting[entry]
        self.length = self._waiting[entry + 1]
        self._back = self._waiting[entry + 2]
        copy(self._waiting, entry + 3, self.mask, 0)

    # --- what came of it ----------------------------------------------------------------------------------

    def slot(self, slot: int, got: int) -> None:
        """What one of sixteen slots brought."""
        if not slot:
            copy(self.mask, 0, self._slot_mask, 0)
        if got != NOBODY:
            put_slot(self._slot_mask, self.length, slot)
            self._take(got, self._slot_mask, self.length + 4)

    def answer(self, got: int) -> None:
        """What a question of one slot brought."""
        reason = self._reason
        mask = self.mask
        if got == TAG and not same_low_bits(self._chip.reply, ID_AT, mask, 0, self.length):
            got = GARBLED
        if reason == _NAME or reason == _CALL:
            self._named(got)
        elif got == NOBODY:
            self._nobody()
        elif reason == _PROOF:
            self._disproved()
        elif reason == _WHO and got != TAG:
            self._push(_ROUND, 0, 0, mask, 0)
        elif got == CLASH and reason == _RECHECK:
            self._known.doubts += DOUBT
            self._push(_ROUND, self.length, 0, mask, 0)
        elif got == GARBLED and reason != _SIDE:
            # Twice wrong is taken for a collision nobody flagged.
            count(self._chip.counts, GARBLES)
            self._push(_LAST if reason == _AGAIN else _ROUND, self.length, 0, mask, 0)
        else:
            if reason == _SIDE and self._known.doubts:
                self._known.doubts -= 1
            self._take(got, mask, self.length)

    def _take(self, got: int, mask: bytearray, length: int) -> None:
        """Somebody answered a question for ids that begin with this mask."""
        reply = self._chip.reply
        fits = same_low_bits(reply, ID_AT, mask, 0, length)
        if got == TAG and fits:
            self._note()
        elif got == CLASH:
            count(self._chip.counts, COLLISIONS)
            bit = self._chip.clash - 16 - self._known.position_base
            if fits and length <= bit < ID_BITS and self._known.doubts < MOST_DOUBTS:
                if (
                    self._known.position_proven
                    and bit <= MOST_MASK
                    and self._known.sharing(reply, ID_AT, bit) >= CROWD
                ):
                    self._push(_ROUND, bit, 0, reply, ID_AT)
                else:
                    self._part(bit, length)
            else:
                self._push(_ROUND, length, 0, mask, 0)
        else:
            count(self._chip.counts, GARBLES)
            self._push(_AGAIN, length, 0, mask, 0)

    def _part(self, bit: int, back: int) -> None:
        """Two tags, or more, differ first at this bit; below it the reply holds what they share. Ask for each side."""
        reply = self._chip.reply
        known = self._known
        for side in (0, 1):
            at = self._push(_SIDE, bit + 1, back, reply, ID_AT)
            if at >= 0:
                byte = at + (bit >> 3)
                self._waiting[byte] = self._waiting[byte] & ~(1 << (bit & 7)) & 255 | side << (bit & 7)
        if bit == back:
            known.position_proven = True  # the first bit that can differ: it cannot be the one before
        elif not known.position_proven:
            # If positions count from 1, tags stand where the bit before is the other way: ask there first.
            at = self._push(_PROOF, bit, back | known.position_base << 7, reply, ID_AT)
            if at >= 0:
                self._waiting[at + (bit - 1 >> 3)] ^= 1 << (bit - 1 & 7)

    def _nobody(self) -> None:
        reason = self._reason
        if reason == _PROOF:
            self._known.position_proven = True
        elif reason == _SIDE:
            # One tag and a disturbance, or a position that means something else.
            self._push(_RECHECK, self._back, 0, self.mask, 0)
        elif reason != _WHO:
            self._complete = False

    def _disproved(self) -> None:
        """Positions count from the other number: forget the two sides that wait, ask all sixteen slots instead."""
        self._known.position_base = 1 - (self._back >> 7)
        self._known.doubts += DOUBT
        self._depth -= 2
        self._push(_ROUND, self._back & 127, 0, self.mask, 0)

    def _note(self) -> None:
        """The reply holds an id: one we know, or one to be confirmed."""
        reply = self._chip.reply
        known = self._known
        count(self._chip.counts, READS)
        at = find(known.ids, known.count, reply, ID_AT)
        if at >= 0:
            known.seen[at] = 1
        elif find(self._fresh, self._fresh_count, reply, ID_AT) < 0:
            if self._fresh_count == MOST_TAGS:
                self._complete = False
                return
            copy(reply, ID_AT, self._fresh, self._fresh_count * 8)
            self._fresh_count += 1

    def _named(self, got: int) -> None:
        """An id was asked for by name: it is there, it is not, or (twice disturbed) nobody knows."""
        known = self._known
        if got != TAG and got != NOBODY and not self._tries:
            self._tries = 1
            return
        self._tries = 0
        if got == TAG:
            if self._reason == _NAME:
                known.add(self.mask)
            else:
                known.seen[self._at] = 1
        elif got == NOBODY and self._reason == _CALL:
            known.forget(self._at)
            return
        else:
            self._complete = False
            if got == NOBODY:
                count(self._chip.counts, GHOSTS)
        self._at += 1
