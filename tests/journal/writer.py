"""A writer that is killed again and again: run as a process of its own by test_faults.py.

`python -m tests.journal.writer URL GAME KILLS SEED` forks a child per kill. A child appends as fast as it can, says
what it begins and what it has reported, and is ended by SIGKILL at a random moment. One line per child comes out:
how many entries it found at its start (after checking them all), the last it had begun, the last it had reported.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from random import Random

from naqala.journal import Journal

LONGEST_LIFE_S = 0.04  # a child appends a few dozen entries in it


def child(url: str, game: int, life: float, out: int) -> None:
    journal = Journal.open(url)
    number = len(journal.entries(game))
    os.write(out, b"found %d\n" % number)

    def die() -> None:
        time.sleep(life)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=die, daemon=True).start()
    while True:
        number += 1
        os.write(out, b"begun %d\n" % number)
        journal.record(game, number, f"seen {number} 17 04a1b2c3")
        journal.append(game, number, "action", "Ann", {"do": "bid", "spot": number}, at_ms=number)
        os.write(out, b"reported %d\n" % number)


def one(url: str, game: int, life: float) -> dict[str, int]:
    """Fork a child, let it die, and read what it had said."""
    into, out = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            child(url, game, life, out)
        finally:
            os._exit(1)
    os.close(out)
    with os.fdopen(into) as pipe:
        said = dict.fromkeys(("found", "begun", "reported"), 0)
        for line in pipe:
            word, number = line.split()
            said[word] = int(number)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, status
    return said


def main(url: str, game: str, kills: str, seed: str) -> None:
    chance = Random(int(seed))
    for _ in range(int(kills)):
        said = one(url, int(game), chance.random() ** 2 * LONGEST_LIFE_S)
        print(said["found"], said["begun"] or said["found"], said["reported"] or said["found"], flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
