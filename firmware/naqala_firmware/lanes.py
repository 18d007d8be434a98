"""Several readers at once, in step: each on a row of its own, what they have in common is sent to all of them in one frame.

Field, first question and slots go out to every row together, so no row's request falls into another row's answers; only
states and replies are read row by row. Questions that differ (collisions, newcomers) are loaded row by row and started
together if they are equally long; the other rows' fields stay on and silent. A row that fails drops out, the others go on.
A slot lasts as long as any row has a tag in it, so five rows are two to three times as fast as one, not five times (see
CHIPS.md).
"""

from naqala_firmware.inventory import DONE, ONE, Survey
from naqala_firmware.iso15693 import EOF_US, INVENTORY_US, SIXTEEN_SLOTS
from naqala_firmware.pn5180 import Lane
from naqala_firmware.pn5180_frames import (
    ARM_EOF,
    ARM_NEXT_EOF,
    CLOSE_ANTENNA,
    FIELD_OFF,
    FIELD_ON,
    OPEN_ANTENNA,
    SEND_EOF,
    SEND_LOADED,
)
from naqala_firmware.reader import BUDGET_US, FAULTS, ReaderFault, count


class Lanes:
    """Asks up to `most` PN5180 of one bus together. The readers of one call must be on different rows."""

    def __init__(self, lane: Lane, most: int) -> None:
        self._lane = lane
        self._clock = lane.clock
        self._surveys = [Survey(lane.clock) for _ in range(most)]

    def inventory(self, readers: list, budget_us: int = BUDGET_US, probe: bool = False) -> list:
        """An Inventory or a ReaderFault for each reader, in their order. probe: the short question will do for all."""
        answers: list = [None] * len(readers)
        rows = list(range(len(readers)))
        done = False
        try:
            for reader in readers:
                reader.wake()  # all start up at the same time
            self._each(rows, readers, answers, lambda i: readers[i].started or readers[i].start())
            self._together(rows, readers, answers, CLOSE_ANTENNA)
            self._together(rows, readers, answers, FIELD_ON)
            began = self._clock.ticks_us()
            self._each(rows, readers, answers, lambda i: readers[i].ready_field(began))
            for i in rows:
                readers[i].wake_tags()
                self._surveys[i].begin(readers[i], readers[i].known, probe, budget_us)
            if not probe:
                self._slots(rows, readers, answers)
            self._questions(rows, readers, answers)
            self._together(rows, readers, answers, FIELD_OFF)
            self._together(rows, readers, answers, OPEN_ANTENNA)
            done = True
            return answers
        finally:
            if not done:
                for reader in readers:
                    reader.stop()

    def _slots(self, rows: list, readers: list, answers: list) -> None:
        lane = self._lane
        lane.request[2] = SIXTEEN_SLOTS
        lane.request[4] = 0
        for i in rows:
            self._surveys[i].next()  # sixteen slots without a mask, for all
        for slot in range(16):
            if not rows:
                return
            arm = ARM_NEXT_EOF if slot > 1 else ARM_EOF if slot else readers[rows[0]].arm
            self._together(rows, readers, answers, arm)
            for i in rows:
                readers[i].pause()
            self._together(rows, readers, answers, SEND_EOF if slot else lane.requests[0])
            began = self._clock.ticks_us()
            took = EOF_US if slot else INVENTORY_US[0]
            for i in list(rows):
                try:
                    self._surveys[i].slot(slot, readers[i].heard(began, took))
                except ReaderFault as fault:
                    self._failed(i, rows, readers, answers, fault)

    def _questions(self, rows: list, readers: list, answers: list) -> None:
        """What differs between the rows: those with equally long questions are asked together, the others wait."""
        surveys = self._surveys
        wanted = {i: surveys[i].next() for i in rows}
        while True:
            asking = [i for i in rows if wanted[i] != DONE]
            if not asking:
                break
            group = largest([i for i in asking if wanted[i] == ONE], surveys)
            if len(group) > 1:
                self._ask(group, readers, answers)
            else:
                group = [asking[0]]
                self._each(group, readers, answers, lambda i: surveys[i].ask(wanted[i]))
            for i in list(rows):
                if answers[i]:
                    rows.remove(i)
                elif i in group:
                    wanted[i] = surveys[i].next()
        for i in rows:
            answers[i] = surveys[i].result()

    def _ask(self, group: list, readers: list, answers: list) -> None:
        surveys = self._surveys
        took = INVENTORY_US[surveys[group[0]].length + 7 >> 3]
        self._each(group, readers, answers, lambda i: readers[i].load(surveys[i].mask, surveys[i].length))
        for i in group:
            readers[i].pause()
        self._together(group, readers, answers, SEND_LOADED)
        began = self._clock.ticks_us()
        self._each(group, readers, answers, lambda i: surveys[i].answer(readers[i].heard(began, took)))

    def _together(self, rows: list, readers: list, answers: list, frame) -> None:
        """One frame for all rows. Being ready also turns each row's decoder: none may turn while another is enabled."""
        self._each(rows, readers, answers, lambda i: readers[i].ready())
        try:
            for i in rows:
                readers[i].port.select()
            self._lane.spi.write(frame)
        finally:
            for i in rows:
                readers[i].port.release()

    def _each(self, rows: list, readers: list, answers: list, do) -> None:
        for i in list(rows):
            try:
                do(i)
            except ReaderFault as fault:
                self._failed(i, rows, readers, answers, fault)

    def _failed(self, i: int, rows: list, readers: list, answers: list, fault: ReaderFault) -> None:
        answers[i] = fault
        rows.remove(i)
        count(readers[i].counts, FAULTS)
        readers[i].stop()


def largest(rows: list, surveys: list) -> list:
    """The most rows whose questions are equally long, and so end at the same moment."""
    groups: list = [[] for _ in range(9)]
    for i in rows:
        groups[surveys[i].length + 7 >> 3].append(i)
    return max(groups, key=len)
