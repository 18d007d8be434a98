"""The links: from the controller's bytes to the event in the inbox, over a pseudo-terminal and over a real broker."""

from __future__ import annotations

import queue
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from naqala import link as links
from naqala.link import Arrived, Event, LinkUp, Options
from naqala.link.follow import Follower
from naqala_protocol import Seen, encode

from tests.bench.measure import milliseconds
from tests.link.broker import Broker, MqttController
from tests.link.conftest import PtyController
from tests.link.model import ModelController

RUNS = 400


def rows() -> Iterator[dict[str, Any]]:
    yield from _follower()
    with tempfile.TemporaryDirectory() as folder:
        cable = PtyController(Path(folder) / "tty-oak", ModelController())
        cable.plug()
        yield from _latency("serial", f"serial:{cable.path}", cable.put)
        cable.pull()
    with tempfile.TemporaryDirectory() as folder:
        broker = Broker(Path(folder))
        broker.start()
        controller = MqttController(broker, ModelController())
        controller.start()
        yield from _latency("MQTT", broker.url(), controller.put)
        controller.stop()
        broker.stop()


def _follower() -> Iterator[dict[str, Any]]:
    count = 2000
    stream = [encode(Seen(number, number % 30, ("04a1b2c3", "0499ffee"))) for number in range(1, count + 1)]

    def follow() -> None:
        follower = Follower()
        follower.connected(0)
        follower.feed(ModelController().hello(), 0)
        for line in stream:
            follower.feed(line, 1)

    took, spread = milliseconds(follow)
    yield {
        "name": "decode and follow one line",
        "value": took / count * 1000,
        "unit": "us",
        "spread": spread / count * 1000,
        "note": "a table at play says a few lines a second",
    }


def _latency(name: str, text: str, put: Callable[..., None]) -> Iterator[dict[str, Any]]:
    link = links.open(text, Options())
    inbox: queue.Queue[tuple[float, Event]] = queue.Queue()
    link.start(lambda event: inbox.put((time.perf_counter(), event)))
    while not isinstance(inbox.get(timeout=10)[1], LinkUp):
        pass
    times = []
    for number in range(RUNS):
        began = time.perf_counter()
        put(number % 4, f"0400{number:04d}")
        times.append((_arrival(inbox, f"0400{number:04d}") - began) * 1000)
    link.stop()
    cuts = statistics.quantiles(times, n=100)
    for what, value in (("median", statistics.median(times)), ("99th percentile", cuts[98])):
        yield {
            "name": f"bytes at the controller's end to the inbox, {name}, {what}",
            "value": value,
            "unit": "ms",
            "spread": (cuts[74] - cuts[24]) / 2 if what == "median" else None,
            "note": f"{RUNS} lines; below 20 ms nobody can tell it from at once",
        }


def _arrival(inbox: queue.Queue[tuple[float, Event]], tag: str) -> float:
    while True:
        at, event = inbox.get(timeout=10)
        if isinstance(event, Arrived) and isinstance(event.message, Seen) and event.message.tags == (tag,):
            return at
