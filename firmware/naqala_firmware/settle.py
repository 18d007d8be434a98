"""What lies on one reader, believed: presence at once, absence after k misses. Readings in, a settled set out.

A tag that answers is there; a tag that is silent may just have been missed. So a new id is believed at once, and an id
is given up only after k readings in a row without it. k follows this reader's own miss rate, measured from misses that
healed (the tag came back): by the table RATES, at most MOST. A reading that says of itself that it is incomplete is
weak evidence: it takes WEIGHT of them to make one miss, so that even a reader that never completes lets go at last.
"""

MOST = 8
WEIGHT = 3  # points of one miss in a complete reading; an incomplete one gives 1
# (k, largest miss rate in millionths): k misses in a row are chance less than once in 100 million readings. A table
# takes half a million readings of single tags in an hour, so a false "gone" comes once in many evenings.
RATES = ((2, 100), (3, 2154), (4, 10000), (5, 25118), (6, 46415), (7, 71968))
MEMORY = 4096  # readings after which old experience counts half
FORGIVEN = 12  # a tag back on the same reader within so many readings was a miss after all


class Settle:
    """The settled set of one reader. `ids` is sorted; `open` says that something is in doubt and worth another look."""

    def __init__(self) -> None:
        self.ids: tuple[str, ...] = ()
        self.open = False
        self._points: dict[str, int] = {}  # settled id -> points of absence
        self.missed = 0  # readings without an answer of a tag that was there
        self._gone: dict[str, int] = {}  # id given up lately -> readings since
        # Experience before any reading: one miss in a hundred, so k starts at 4 and soon knows better.
        self._misses = 1
        self._readings = 100

    @property
    def rate(self) -> int:
        """Measured misses in a million readings of a tag that is there."""
        return self._misses * 1000000 // self._readings

    @property
    def k(self) -> int:
        rate = self.rate
        for k, limit in RATES:
            if rate <= limit:
                return k
        return MOST

    def feed(self, ids: tuple[str, ...], complete: bool = True) -> bool:
        """Take in one reading; True when the settled set changed."""
        points = self._points
        changed = self._arrive(ids)
        limit = self.k * WEIGHT
        doubt = False
        for tag in self.ids:
            if tag in ids:
                continue
            points[tag] += WEIGHT if complete else 1
            if points[tag] >= limit:
                del points[tag]
                self._gone[tag] = 0
                changed = True
            else:
                doubt = True
        self.open = doubt
        if self._gone:
            self._forget()
        if changed:
            self.ids = tuple(sorted(points))
        return changed

    def _arrive(self, ids: tuple[str, ...]) -> bool:
        points = self._points
        changed = False
        for tag in ids:
            waiting = points.get(tag)
            if waiting is None:
                points[tag] = 0
                changed = True
                if tag in self._gone:  # it never left: we gave it up too early
                    del self._gone[tag]
                    self._learn(self.k)
            elif waiting:
                points[tag] = 0
                self._learn(waiting // WEIGHT)
            else:
                self._learn(0)
        return changed

    def _learn(self, misses: int) -> None:
        self.missed += misses
        self._misses += misses
        self._readings += misses + 1
        if self._readings > MEMORY:
            self._misses = (self._misses + 1) // 2
            self._readings //= 2

    def _forget(self) -> None:
        for tag in list(self._gone):
            self._gone[tag] += 1
            if self._gone[tag] > FORGIVEN:
                del self._gone[tag]
