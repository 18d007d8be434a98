"""The round of the readers: one visit at a time, what is new comes out as (reader, what) pairs.

A visit asks one reader, within its time budget, and settles the answer. What comes out is news for the host: the post
whose settled set changed (code None), or whose state did ("ok", "incomplete", a fault's code). A place that was empty is
asked with the short question; so is, every other time, one with a single tag, as many have one that always lies there.
(Not every time: a strong tag can drown a weak one in the short question, and two visits later it must be seen.)

With lanes a visit of the round takes in a reader of every row, all asked in step (lanes.py), and the round is two
to three times as short; with the short question when it will do for all of them. A reader that is wanted urgently is asked
alone, because alone it answers sooner.
"""

from naqala_protocol import MOST_LOOKS

from naqala_firmware.bus import wrong_reads
from naqala_firmware.reader import BUDGET_US, COUNTS, ReaderFault
from naqala_firmware.schedule import Post, Schedule

PATIENCE = 3  # incomplete readings in a row before the host hears of it
SEEN = None


class Scan:
    """`step` makes one visit; `counters` are for `alive`."""

    def __init__(
        self, readers: dict, clock, budget_us: int = BUDGET_US, lanes=None, width: int = 1, places=None
    ) -> None:
        places = places or {}
        self.posts = [Post(number, readers[number], places.get(number, (0, 0))) for number in sorted(readers)]
        self._lanes = lanes
        self._width = width
        self.schedule = Schedule(self.posts)
        self.clock = clock
        self.budget_us = budget_us
        self.probes = self.incomplete = 0
        self._counts = [0] * len(COUNTS)
        self.swept = False  # the last step completed a sweep
        self._untested: list[int] = []

    def focus(self, numbers: tuple[int, ...]) -> None:
        if not self.schedule.focused:
            self.looked()  # looks from before anybody was interested are old news
        self.schedule.focus(numbers)

    def looked(self) -> tuple[int, ...]:
        """Readers whose last visits confirmed what was said of them, once for each visit; counted from zero again.

        A line holds MOST_LOOKS of them: the readers that were visited most often lose repeats first.
        """
        most, total = 0, 0
        for post in self.posts:
            total += post.looks
            most = max(most, post.looks)
        while total > MOST_LOOKS:
            most -= 1
            total = sum([min(post.looks, most) for post in self.posts])
        readers: list[int] = []
        for post in self.posts:
            readers += [post.number] * min(post.looks, most)
            post.looks = 0
        return tuple(readers)

    def test(self, which: int | None) -> None:
        """Self-test of one reader or all: each is restarted at one of the next steps and answers with its state."""
        for post in self.posts:
            if which in (None, post.number) and post.number not in self._untested:
                self._untested.append(post.number)

    @property
    def testing(self) -> bool:
        """The next step is a self-test."""
        return bool(self._untested)

    def step(self, now: int) -> list[tuple[Post, str | None]]:
        """One visit (or one self-test); the news it brought, in the order to say them."""
        self.swept = False
        if self._untested:
            return self._visit(self._post(self._untested.pop(0)), now, True)
        post = self.schedule.next(now)
        if post is None:
            return []
        if self._lanes and not self.schedule.urgent:
            return self._visit_together(self.schedule.together(post, self._width), now)
        return self._visit(post, now, False)

    def counters(self) -> tuple[tuple[str, int], ...]:
        """What all readers met since the start. Theirs stop at 255, so they are collected here and set back."""
        missed = 0
        for post in self.posts:
            missed += post.settle.missed
            counts = post.reader.counts
            for i in range(len(counts)):
                self._counts[i] += counts[i]
                counts[i] = 0
        return tuple(zip(COUNTS, self._counts)) + (
            ("misses", missed),
            ("probes", self.probes),
            ("incomplete", self.incomplete),
        )

    def idle(self) -> bool:
        """True when no reader is healthy: the loop may rest between retries."""
        for post in self.posts:
            if not post.sick:
                return False
        return True

    def _post(self, number: int) -> Post:
        for post in self.posts:
            if post.number == number:
                return post
        raise KeyError(number)

    def _visit(self, post: Post, now: int, testing: bool) -> list[tuple[Post, str | None]]:
        began = self.clock.ticks_us()
        try:
            if testing or post.sick:
                post.reader.stop()
                post.started = False
            if not post.started:
                post.reader.start()
                post.started = True
            if testing and hasattr(post.reader, "identify"):
                post.wrong = wrong_reads(post.reader)
            found = self._ask(post, began)
        except ReaderFault as fault:
            return self._failed(post, now, began, fault.code, testing)
        return self._took(post, now, began, found, testing)

    def _visit_together(self, posts: list[Post], now: int) -> list[tuple[Post, str | None]]:
        """Several readers in step: their news one after the other, as if each had been visited alone."""
        began = self.clock.ticks_us()
        news: list[tuple[Post, str | None]] = []
        swept = False
        probe = all(_short_will_do(post) for post in posts)
        found_together = self._lanes.inventory([post.reader for post in posts], self.budget_us, probe)
        for post, found in zip(posts, found_together):
            post.probed = probe
            if probe:
                found = self._in_full(post, found)
            if isinstance(found, ReaderFault):
                news += self._failed(post, now, began, found.code, False)
            else:
                post.started = True
                news += self._took(post, now, began, found, False)
            swept = swept or self.swept
        self.swept = swept
        return news

    def _in_full(self, post: Post, found):
        """What a probe found, or what there is to find where that was not all."""
        self.probes += 1
        if isinstance(found, ReaderFault) or found.complete:
            return found
        try:
            return post.reader.inventory(False, self.budget_us)
        except ReaderFault as fault:
            return fault

    def _took(self, post: Post, now: int, began: int, found, testing: bool) -> list[tuple[Post, str | None]]:
        changed = post.settle.feed(found.ids, found.complete)
        recovered = post.sick
        if recovered:
            self.schedule.release(post)
        code = self._state(post, found.complete)
        first = post.code is None
        told = testing or code != (post.code or "ok")
        post.code = code
        news: list[tuple[Post, str | None]] = []
        if told and code == "ok":
            news.append((post, code))
        if changed or recovered or first or told:
            news.append((post, SEEN))
            if code != "ok":
                news.append((post, code))  # after what it speaks of, and again whenever that changes
        if news or post.settle.open:
            post.looks = 0  # what was said is no longer what is seen, or it is not yet known whether it is
        elif found.complete and post.looks < MOST_LOOKS:
            post.looks += 1
        post.took = self.clock.diff(self.clock.ticks_us(), began) // 1000
        post.heard = now + post.took
        post.reads += 1
        self.swept = self.schedule.visited(
            post, post.heard, changed and not first, post.settle.open or not found.complete
        )
        return news

    def _ask(self, post: Post, began: int):
        post.probed = _short_will_do(post)
        if post.probed:
            self.probes += 1
            found = post.reader.inventory(True, self.budget_us)
            if found.complete:
                return found
        # What a probe or a start already took is part of the budget; a fifth of it always remains for the question.
        left = self.budget_us - self.clock.diff(self.clock.ticks_us(), began)
        return post.reader.inventory(False, max(left, self.budget_us // 5))

    def _state(self, post: Post, complete: bool) -> str:
        if complete:
            post.partial = 0
            return "ok"
        self.incomplete += 1
        post.partial += 1
        if post.partial < PATIENCE and post.code in (None, "ok"):
            return "ok"
        return "incomplete"

    def _failed(
        self, post: Post, now: int, began: int, code: str, testing: bool
    ) -> list[tuple[Post, str | None]]:
        post.reader.stop()
        post.started = False
        post.looks = 0
        cost = self.clock.diff(self.clock.ticks_us(), began)
        post.took = cost // 1000
        self.swept = self.schedule.quarantine(post, now + cost // 1000, cost)
        news: list[tuple[Post, str | None]] = []
        if testing or post.code != code:
            news.append((post, code))
        post.code = code
        return news


def _short_will_do(post: Post) -> bool:
    known = len(post.settle.ids)
    return not post.settle.open and (known == 0 or (known == 1 and not post.probed))
