"""Tuning a coil: the gain of its receiver, measured again and again beside the usual round. Posts and a clock in, figures out.

Whoever turns a trimmer watches a number; the lamp under the reader shows the same, the brighter the nearer to the best so
far. A host that went away must not leave a table that measures for ever: `tune` holds for LASTS_MS and is said again.
"""

from naqala_firmware.reader import ReaderFault
from naqala_firmware.schedule import Post

EVERY_MS = 100
LASTS_MS = 10_000
STEEP = 5  # a fifth below the best is dark


class Tune:
    def __init__(self, posts: list[Post]) -> None:
        self._posts = posts
        self._chosen: list[Post] = []
        self._best: dict[int, int] = {}
        self._turn = 0
        self._due = self._ends = 0

    def order(self, numbers: tuple[int, ...], now: int) -> None:
        """Measure these from now on; nobody ends it. What was best stays while the same readers are ordered again."""
        chosen = [post for post in self._posts if post.number in numbers and hasattr(post.reader, "gain")]
        if chosen != self._chosen:
            self._best = {}
        self._chosen = chosen
        self._ends = now + LASTS_MS

    def step(self, now: int) -> tuple[int, int, int] | None:
        """(reader, gain, the best so far) when it was time to measure and the reader answered."""
        if not self._chosen or now < self._due:
            return None
        if now >= self._ends:
            self._chosen = []
            return None
        self._due = now + EVERY_MS
        post = self._chosen[self._turn % len(self._chosen)]
        self._turn += 1
        try:
            gain = post.reader.gain()
        except ReaderFault:
            post.started = False  # the round will find out what is the matter, and say it
            return None
        post.started = True
        best = max(gain, self._best.get(post.number, 0))
        self._best[post.number] = best
        return post.number, gain, best

    @property
    def active(self) -> bool:
        return bool(self._chosen)


def brightness(gain: int, best: int) -> int:
    """How bright a lamp shows a gain, 8 to 255."""
    return max(8, 255 - 255 * STEEP * (best - gain) // max(best, 1))
