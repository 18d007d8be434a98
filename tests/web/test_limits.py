"""The server's own bookkeeping, by values: who may ask how often, who waits, whose stream gives way."""

from __future__ import annotations

import asyncio
import threading

import pytest
from naqala.web.feeds import Feeds
from naqala.web.guard import Connection, Guard
from naqala.web.hosts import known_host
from naqala.web.limits import Limits
from naqala.web.rates import PAGES_OF_A_BROWSER, PAGES_OF_AN_ADDRESS, POSTS_OF_A_BROWSER, Bounds, Rate, Rates
from naqala.web.turns import TooMany, Turns


def test_bounds_fill_again_with_time() -> None:
    bounds = Bounds(Rate(2, 1.0))
    for _ in range(2):
        assert bounds.left("a", 0.0) >= 1
        bounds.take("a", 0.0)
    assert bounds.left("a", 0.0) < 1 <= bounds.left("b", 0.0)
    assert bounds.left("a", 1.5) == 1.5
    assert bounds.left("a", 99.0) == 2


def test_one_tab_without_end_leaves_its_neighbours_their_share() -> None:
    rates = Rates(lambda cookie: "", clock=lambda: 7.0)
    asked = [rates.allow("home", "rude", post=False) for _ in range(5 * PAGES_OF_A_BROWSER.at_once)]
    assert sum(asked) == PAGES_OF_A_BROWSER.at_once, "a refusal takes nothing from anybody"
    assert all(rates.allow("home", "polite", post=False) for _ in range(PAGES_OF_A_BROWSER.at_once))
    posts = [rates.allow("home", "rude", post=True) for _ in range(60)]
    assert sum(posts) == POSTS_OF_A_BROWSER.at_once


def test_seats_play_on_where_somebody_behind_the_same_address_makes_up_cookies() -> None:
    rates = Rates(lambda cookie: "oak Ann" if cookie == "ann" else "", clock=lambda: 7.0)
    flood = [rates.allow("home", f"made up {n}", post=False) for n in range(2 * PAGES_OF_AN_ADDRESS.at_once)]
    assert sum(flood) == PAGES_OF_AN_ADDRESS.at_once
    assert not rates.allow("home", "new", post=False)
    assert rates.allow("elsewhere", "new", post=False)
    mine = [rates.allow("home", "ann", post=False) for _ in range(2 * PAGES_OF_A_BROWSER.at_once)]
    assert sum(mine) == PAGES_OF_A_BROWSER.at_once


class Quiet:
    """A feed that says nothing."""

    def __init__(self, name: str = "", holder: str = "") -> None:
        self.name, self.holder, self.ended = name, holder, False

    async def next(self) -> bytes:
        return b""

    def end(self) -> None:
        self.ended = True


def test_a_stream_replaces_its_own_older_one_and_a_crowd_is_bounded() -> None:
    feeds = Feeds(Limits(streams=3, streams_of_a_browser=2))
    old, new = Quiet("phone"), Quiet("phone")
    assert feeds.add(old, "home") and feeds.add(new, "elsewhere")
    assert old.ended and not new.ended and len(feeds) == 1
    crowd = [Quiet() for _ in range(4)]
    assert [feeds.add(one, "home") for one in crowd] == [True, True, True, False]
    seats = [Quiet(holder="oak Ann") for _ in range(3)]
    assert all(feeds.add(one, "home") for one in seats), "a seat is let in where a crowd is"
    assert [one.ended for one in seats] == [True, False, False], "and its newest streams count"
    for one in (new, *crowd, *seats):
        feeds.remove(one)
    assert len(feeds) == 0
    assert feeds.add(Quiet(), "home")


def connection(guard: Guard, address: str, port: int) -> Connection:
    made = Connection()
    made.guard, made.client = guard, (address, port)
    return made


def test_who_comes_when_an_address_is_full_pushes_out_who_asked_nothing() -> None:
    guard = Guard(Limits(connections=3, connections_in_all=5))
    first, second, third = (connection(guard, "rude", number) for number in range(3))
    assert all(guard.admit(one) for one in (first, second, third))
    guard.begin(first.client)
    fourth = connection(guard, "rude", 4)
    assert guard.admit(fourth) and len(guard) == 3
    for one in (third, fourth):
        guard.begin(one.client)
    assert not guard.admit(connection(guard, "rude", 5)), "all of them are being answered"
    guests = [connection(guard, f"guest {number}", 1) for number in range(4)]
    assert all(guard.admit(one) for one in guests), "in a full house the one with the most gives way"
    assert len(guard) == 5
    for one in (first, second, third, fourth, *guests):
        one.close()
    assert len(guard) == 0


def test_of_one_address_only_a_few_are_answered_at_once() -> None:
    running, ended = {"home": 0, "elsewhere": 0}, []
    most = dict(running)

    async def ask(turns: Turns, address: str) -> None:
        async with turns.turn(address):
            running[address] += 1
            most[address] = max(most[address], running[address])
            await asyncio.sleep(0)
            running[address] -= 1

    async def all_of_them() -> None:
        turns = Turns(2, 10)
        await asyncio.gather(*(ask(turns, "home") for _ in range(12)), ask(turns, "elsewhere"))
        leaving = [asyncio.ensure_future(ask(turns, "home")) for _ in range(6)]
        await asyncio.sleep(0)
        leaving[3].cancel()
        await asyncio.gather(*leaving, return_exceptions=True)
        with pytest.raises(TooMany):
            await asyncio.gather(*(ask(turns, "home") for _ in range(13)))
        ended.append(True)

    in_a_thread = threading.Thread(
        target=asyncio.run, args=(all_of_them(),)
    )  # this one may have a browser's loop
    in_a_thread.start()
    in_a_thread.join()
    assert ended and most == {"home": 2, "elsewhere": 1}


@pytest.mark.parametrize(
    "host",
    ["", "a_b.evil.example", "evil.example", "evil.example.", "a b", "[::1", "x" * 300, "host:123456", "é"],
)
def test_a_name_from_elsewhere(host: str) -> None:
    assert not known_host(host)


@pytest.mark.parametrize(
    "host",
    ["localhost:8000", "192.168.1.5", "[fe80::1]:8000", "pi.lan", "pi.home.arpa", "pi.fritz.box", "pi"],
)
def test_a_name_of_the_house(host: str) -> None:
    assert known_host(host)
