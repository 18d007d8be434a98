"""Work for several processes, such as the games of a match, that Ctrl-C ends cleanly.

Python raises `KeyboardInterrupt` between any two instructions, also inside the locks of the process pool; a lock that
is left locked there blocks the exit for ever. So while the pool works a Ctrl-C is only noted, and raised between two
results, where nothing is locked:

    for result in worked(play, range(400), jobs=2):
        ...
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from types import FrameType
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

LOOK_S = 0.1  # how often a Ctrl-C is looked for while no result comes
AHEAD = 2  # pieces of work per process that wait in the pool: none idles, and few are thrown away


def worked(work: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Iterator[Result]:
    """The results of the items, as they become ready. Ctrl-C still brings those that are begun, and is raised then."""
    asked = False

    def note(_signal: int, _frame: FrameType | None) -> None:
        nonlocal asked
        asked = True

    before = signal.signal(signal.SIGINT, note)
    # Ctrl-C reaches every process of the terminal: only this one shall act on it.
    pool = ProcessPoolExecutor(jobs, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))
    try:
        rest = iter(items)
        waiting: set[Future[Result]] = {pool.submit(work, one) for one in islice(rest, AHEAD * jobs)}
        while waiting:
            done, waiting = wait(waiting, timeout=LOOK_S, return_when=FIRST_COMPLETED)
            if asked:
                waiting = {one for one in waiting if not one.cancel()}
            else:
                waiting |= {pool.submit(work, one) for one in islice(rest, len(done))}
            for future in done:
                yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt
