"""The inbox of a session that is behind: what is left out, and what never is."""

from __future__ import annotations

import random
from concurrent.futures import Future
from typing import Any

from naqala.link import Arrived, LinkDown
from naqala.session import commands as c
from naqala.session.inbox import BEHIND, Inbox, LeftOut
from naqala_protocol import Alive, Fault, Seen


def line(number: int, reader: int, *tags: str) -> Arrived:
    return Arrived(Seen(number, reader, tags), number)


def drained(inbox: Inbox, merges: bool = True) -> list[Any]:
    found = []
    while (item := inbox.next(0, merges)) is not None:
        found.append(item)
    return found


def test_a_session_that_keeps_up_gets_every_line() -> None:
    inbox = Inbox()
    lines = [line(number, number % 3, "a") for number in range(BEHIND)]
    for one in lines:
        inbox.put(one)
    assert drained(inbox) == lines


def test_of_a_session_that_is_behind_only_the_newest_line_of_each_reader_counts() -> None:
    inbox, dice = Inbox(), random.Random(4)
    lines = [line(number, dice.randrange(30), str(number)) for number in range(2_000)]
    for one in lines:
        inbox.put(one)
    found = drained(inbox)
    followed = [item for item in found if isinstance(item, Arrived)]
    assert {item.message.reader: item for item in followed} == {one.message.reader: one for one in lines}
    assert len(followed) <= BEHIND + 30
    assert [item.message for item in found] == [one.message for one in lines], (
        "the transcript has them all, in order"
    )


def test_lines_are_never_merged_across_a_command_or_a_broken_cable() -> None:
    for between in (c.Asked(c.Look("owner"), Future()), LinkDown("gone", 0), c.Learned({})):
        inbox = Inbox()
        before = [line(number, 5, "before") for number in range(BEHIND)]
        after = [line(1_000 + number, 5, "after") for number in range(BEHIND)]
        for item in (*before, between, *after):
            inbox.put(item)
        followed = [item for item in drained(inbox) if not isinstance(item, LeftOut)]
        place = followed.index(between)
        assert followed[place - 1] == before[-1], "what was asked is answered with the table as it was then"
        assert followed[-1] == after[-1]


def test_faults_and_signs_of_life_stay() -> None:
    inbox = Inbox()
    others = [Arrived(Fault(7, 5, "absent"), 7), Arrived(Alive(8, 1, 340, 90_000, ()), 8)]
    for number in range(2 * BEHIND):
        inbox.put(line(number, 5, "a"))
    for other in others:
        inbox.put(other)
    inbox.put(line(999, 5, "b"))
    followed = [item for item in drained(inbox) if not isinstance(item, LeftOut)]
    assert followed == [*others, line(999, 5, "b")]


def test_lines_that_come_late_are_all_read() -> None:
    inbox = Inbox()
    lines = [line(number, 5, "a") for number in range(3 * BEHIND)]
    for one in lines:
        inbox.put(one)
    assert drained(inbox, merges=False) == lines
