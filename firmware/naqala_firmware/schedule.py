"""Which reader comes next: focus first, then what changed, then the rest; the faulty ones on their own account.

Visits go by turns. Of eight turns four belong to the readers most wanted (the first WANTED in focus), two to readers that
just changed or are in doubt (to the others in focus when there are none), one to the others in focus, one to the reader
that waited longest, whichever it is; a turn that nobody wants goes to the next in that order. So every healthy reader is
visited within BOUND * n visits (n healthy readers), whatever the host asks and the readers do. Visits are no time,
though, and a sweep must end before the watchdog bites (life.py): one that lasts HASTE_MS gets every second turn, one that
lasts URGE_MS all of them. With thirteen crowded readers in focus it ends after 5.3 seconds, at the very worst (thirty
readers that each take their whole budget) after 7; sooner would cost the focus what it is for.

A faulty reader is in quarantine: it is tried again after a wait that doubles, and only when the time its last try cost
has been earned SHARE times over by the others. All faulty readers share that one account: together they take less than
1 / (SHARE + 1) of the time, be it one or twenty-nine. Numbers in, posts out; no clock in here: `now` is milliseconds.
"""

from naqala_firmware.pins import COLUMNS
from naqala_firmware.settle import Settle

FOCUS, CHANGED, NEAR, REST = 0, 1, 2, 3
TURNS = (FOCUS, CHANGED, FOCUS, NEAR, FOCUS, CHANGED, FOCUS, REST)
HASTY_TURNS = (FOCUS, REST, CHANGED, REST, FOCUS, REST, CHANGED, REST)
BOUND = len(TURNS)
HASTE_MS = 4000
URGE_MS = 5000
WANTED = 4  # as many as a tile has neighbours
SHARE = 25
APART = 2  # columns between two readers of neighbouring rows that are on air together
FIRST_WAIT_MS = 250  # before a faulty reader is tried again, then twice as long, up to
LAST_WAIT_MS = 8000


class Post:
    """One reader and what is known of it. `code` is None before the first word, then "ok", "incomplete" or a fault's."""

    def __init__(self, number: int, reader, place: tuple[int, int] = (0, 0)) -> None:
        self.number = number
        self.row, self.column = place
        self.reader = reader
        self.settle = Settle()
        self.code: str | None = None
        self.started = False
        self.partial = 0  # incomplete readings in a row
        self.probed = False  # the last reading was a probe
        self.visit = -1  # number of the last visit
        self.swept = False
        self.extra = 0  # visits out of turn still granted
        self.sick = False
        self.due = 0
        self.wait = FIRST_WAIT_MS
        # For `stats`: visits with an answer, milliseconds of the last visit, when it last answered.
        self.reads = self.took = self.heard = 0
        self.wrong: int | None = None  # wrong readings of the chip's own number in its last self-test
        self.looks = 0  # for `looked`: visits in a row, since it was last said, that confirmed what was said


class Schedule:
    """`next` says which post to visit; `visited` or `quarantine` tells how it went."""

    def __init__(self, posts: list[Post], now: int = 0) -> None:
        self.posts = posts
        self.sweep = 0  # milliseconds of the last full round of the healthy readers
        self.sweeps = 0
        self.urgent = False  # the post that `next` gave is wanted for itself, not just because it is its turn
        self._focus: list[Post] = []
        self._near: list[Post] = []
        self._turn = 0
        self._visits = 0
        self._began = now
        self._repaid = now

    def focus(self, numbers: tuple[int, ...]) -> None:
        """The readers to look at first, the most wanted first, until told otherwise."""
        wanted = numbers[:WANTED]
        self._focus = [post for post in self.posts if post.number in wanted]
        self._near = [post for post in self.posts if post.number in numbers and post.number not in wanted]

    @property
    def focused(self) -> bool:
        """The host waits for something on some of our readers."""
        return bool(self._focus or self._near)

    def next(self, now: int) -> Post | None:
        """The post to visit now; None when every reader is faulty and none is due."""
        self.urgent = True
        patient = self._patient(now)
        if patient is not None:
            return patient
        turn = self._whose_turn(now - self._began)
        chosen = None
        if turn == FOCUS:
            chosen = self._longest(self._focus, False) or self._longest(self.posts, True)
        elif turn == CHANGED:
            chosen = (
                self._longest(self.posts, True)
                or self._longest(self._near, False)
                or self._longest(self._focus, False)
            )
        elif turn == NEAR:
            chosen = self._longest(self._near, False)
        self.urgent = chosen is not None
        return chosen or self._longest(self.posts, False)

    def _whose_turn(self, lasted: int) -> int:
        at = self._turn
        self._turn = (at + 1) % BOUND
        if lasted > URGE_MS:
            return REST
        return HASTY_TURNS[at] if lasted > HASTE_MS else TURNS[at]

    def together(self, first: Post, most: int) -> list[Post]:
        """The post to visit and, of other rows, those most in need that may be on air with all chosen so far.

        All else being equal the next row is two columns on: six such steps are a whole table of five rows.
        """
        chosen = [first]
        rows = {first.row}
        while len(chosen) < most:
            best = None
            best_need = (False, False, False, 0)
            for post in self.posts:
                if post.sick or post.row in rows or not _apart(post, chosen):
                    continue
                diagonal = (post.column - first.column - APART * (post.row - first.row)) % COLUMNS == 0
                need = (post.extra > 0, not post.swept, diagonal, -post.visit)
                if best is None or need > best_need:
                    best, best_need = post, need
            if best is None:
                break
            chosen.append(best)
            rows.add(best.row)
        return chosen

    def _patient(self, now: int) -> Post | None:
        first = None
        healthy = 0
        for post in self.posts:
            if not post.sick:
                healthy += 1
            elif post.due <= now and (first is None or post.due < first.due):
                first = post
        if healthy and now < self._repaid:
            return None
        return first

    def _longest(self, posts: list[Post], changed: bool) -> Post | None:
        chosen = None
        for post in posts:
            if post.sick or (changed and not post.extra):
                continue
            if chosen is None or post.visit < chosen.visit:
                chosen = post
        return chosen

    def visited(self, post: Post, now: int, changed: bool, doubt: bool) -> bool:
        """A reading was taken. True when it completed a sweep: every healthy reader has been read since the last."""
        self._visits += 1
        post.visit = self._visits
        if post.extra:
            post.extra -= 1
        if changed:
            post.extra = 2  # look again soon: another piece may follow, or the hand may take it back
        elif doubt and not post.swept:
            # Once a sweep only: a reader that is always in doubt must not live at the others' cost.
            post.extra = post.settle.k
        post.swept = True
        return self._swept(now)

    def _swept(self, now: int) -> bool:
        for post in self.posts:
            if not post.swept and not post.sick:
                return False
        for post in self.posts:
            post.swept = False
        self.sweep = now - self._began
        self._began = now
        self.sweeps += 1
        return True

    def quarantine(self, post: Post, now: int, cost_us: int) -> bool:
        """The reader failed, after `cost_us`. True when that completed a sweep of the others."""
        post.wait = min(2 * post.wait, LAST_WAIT_MS) if post.sick else FIRST_WAIT_MS
        post.sick = True
        post.extra = 0
        post.due = now + post.wait
        self._repaid = now + cost_us * SHARE // 1000 + 1
        return self._swept(now)

    def release(self, post: Post) -> None:
        """The reader works again (or is to be treated as if it did): back into the round."""
        post.sick = False
        post.wait = FIRST_WAIT_MS


def _apart(post: Post, chosen: list[Post]) -> bool:
    for other in chosen:
        if abs(post.row - other.row) <= 1 and abs(post.column - other.column) < APART:
            return False
    return True
