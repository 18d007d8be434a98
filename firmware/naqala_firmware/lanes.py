"""Several readers at once, in step: each on a row of its own, what they have in common is sent to all of them in one frame.

Field, first question and slots go out to every row together, so no row's request falls into another row's answers; only
states and replies are read row by row. What differs between the rows (collisions, newcomers) is then asked one row after
the other, while the others' fields stay on and silent. A row that fails drops out, the others go on.
"""

from naqala_firmware.inventory import Survey
from naqala_firmware.iso15693 import EOF_US, INVENTORY_US, SIXTEEN_SLOTS
from naqala_firmware.pn5180 import ARM_EOF, ARM_NEXT_EOF, FIELD_OFF, FIELD_ON, SEND_EOF, Lane
from naqala_firmware.reader import BUDGET_US, FAULTS, ReaderFault, count


class Lanes:
    """Asks up to `most` PN5180 of one bus together. The readers of one call must be on different rows."""

    def __init__(self, lane: Lane, most: int) -> None:
        self._lane = lane
        self._clock = lane.clock
        self._surveys = [Survey(lane.clock) for _ in range(most)]

    def inventory(self, readers: list, budget_us: int = BUDGET_US) -> list:
        """An Inventory or a ReaderFault for each reader, in their order. budget_us is each reader's own."""
        answers: list = [None] * len(readers)
        rows = list(range(len(readers)))
        done = False
        try:
            for reader in readers:
                reader.wake()  # all start up at the same time
            self._each(rows, readers, answers, lambda i: readers[i].started or readers[i].start())
            began = self._clock.ticks_us()
            self._together(rows, readers, answers, FIELD_ON)
            self._each(rows, readers, answers, lambda i: readers[i].ready_field(began))
            for i in rows:
                self._surveys[i].begin(readers[i], readers[i].known, budget_us)
            self._slots(rows, readers, answers)
            for i in list(rows):
                self._each([i], readers, answers, lambda i: self._finish(i, answers))
            rows = [i for i in rows if not isinstance(answers[i], ReaderFault)]
            self._together(rows, readers, answers, FIELD_OFF)
            done = True
            return answers
        finally:
            if not done:
                for reader in readers:
                    reader.stop()

    def _finish(self, i: int, answers: list) -> None:
        answers[i] = self._surveys[i].finish()

    def _slots(self, rows: list, readers: list, answers: list) -> None:
        lane = self._lane
        lane.request[2] = SIXTEEN_SLOTS
        lane.request[4] = 0
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
                    self._surveys[i].first_slot(slot, readers[i].heard(began, took))
                except ReaderFault as fault:
                    self._failed(i, rows, readers, answers, fault)

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


def columns(step: int, rows: int, count_of_columns: int) -> list:
    """Which column each row visits at this step: readers on air together are at least two columns apart row by row."""
    return [(step + 2 * row) % count_of_columns for row in range(rows)]
