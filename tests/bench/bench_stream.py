"""Sixty browsers on one table: how much later the last one hears of a change, and what they cost the processor."""

from __future__ import annotations

import http.client
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.dashboard.stand import Stand, a_game, app_for, serving, snapshot_after

CLIENTS, CHANGES = 60, 20


def listen(address: str, heard: list[float], ready: threading.Semaphore, stop: threading.Event) -> None:
    """One client: notes the moment of every message."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
    connection.request("GET", "/t/oak/stream/screen")
    answer = connection.getresponse()
    first = True
    while not stop.is_set():
        line = answer.readline()
        if line.startswith(b"data: {"):
            heard.append(time.perf_counter())
            if first:
                first = False
                ready.release()
    connection.close()


def measured(clients: int) -> tuple[list[float], float]:
    """Milliseconds from a change until the last client has it, for every change; processor seconds per change."""
    record = a_game(3, 5)
    stand = Stand(snapshot_after(record, 0))
    with tempfile.TemporaryDirectory() as home:
        app = app_for(Path(home), stand)
        app.testing = True
        with serving(app) as address:
            heard: list[list[float]] = [[] for _ in range(clients)]
            ready, stop = threading.Semaphore(0), threading.Event()
            threads = [
                threading.Thread(target=listen, args=(address, h, ready, stop), daemon=True) for h in heard
            ]
            for thread in threads:
                thread.start()
            for _ in threads:
                ready.acquire(timeout=60)
            delays, spent = [], time.process_time()
            for number in range(1, CHANGES + 1):
                shown = snapshot_after(record, number * 3)
                began = time.perf_counter()
                stand.show(game=shown.game, log=shown.log, step=shown.step)
                while any(len(h) < number + 1 for h in heard):
                    time.sleep(0.001)
                delays.append((max(h[number] for h in heard) - began) * 1000)
            spent = (time.process_time() - spent) / CHANGES
            stop.set()
            for number in range(2):
                stand.show(step=10_000 + number, game=record.at(number))
    return delays, spent


def rows() -> Iterator[dict[str, Any]]:
    one, alone = measured(1)
    many, together = measured(CLIENTS)
    middle, base = statistics.median(many), statistics.median(one)
    yield {
        "name": "stream: last of 60 screens hears",
        "value": middle,
        "unit": "ms",
        "spread": max(many) - min(many),
        "note": f"median of {CHANGES} changes; one screen alone {base:.1f} ms; client threads share the processor",
    }
    yield {
        "name": "stream: added by 59 more screens",
        "value": middle - base,
        "unit": "ms",
        "spread": None,
        "note": "the last of 60 against one alone",
    }
    yield {
        "name": "stream: processor for 60 against 1",
        "value": together / alone,
        "unit": "x",
        "spread": None,
        "note": "one rendering is shared: far less than 60; both ends of every connection counted",
    }
