"""The companion in numbers, as Prometheus reads them: `/metrics`, for the host's browser and for keys with the scope `metrics`.

The text format is a few lines (https://prometheus.io/docs/instrumenting/exposition_formats/), and all values are read from
snapshots at the moment of asking, so no library keeps a second set of counters beside ours; the tests read it with
Prometheus' own parser.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from flask import Flask, Response, abort, request

import naqala
from naqala.dashboard import viewers
from naqala.dashboard.programs import METRICS, asking
from naqala.session.snapshot import OVER, PLAY, SETUP, WELCOME, Snapshot

ADDRESS = "/metrics"
KIND = "text/plain; version=0.0.4; charset=utf-8"
Sample = tuple[Mapping[str, str], float]


def add(
    app: Flask, tables: Callable[[], Iterable[Snapshot]], newest_backup: Callable[[], float | None]
) -> None:
    """Give the app this address. `newest_backup` is when it was made, in seconds since 1970."""
    started = time.time()

    @app.get(ADDRESS)
    def metrics() -> Response:
        program = asking(request)
        if not (program is not None and program.may(METRICS)) and not viewers.is_owner():
            abort(403)
        return Response(text(list(tables()), started, newest_backup()), mimetype=KIND, content_type=KIND)


def text(tables: Iterable[Snapshot], started: float, newest_backup: float | None) -> str:
    """All metrics of these tables."""
    shown = list(tables)
    lines: list[str] = []
    for name, kind, about, samples in _families(shown, started, newest_backup):
        found = list(samples)
        if found:
            lines += [f"# HELP naqala_{name} {about}", f"# TYPE naqala_{name} {kind}"]
            lines += [f"naqala_{name}{_labels(labels)} {value:.17g}" for labels, value in found]
    return "\n".join(lines) + "\n"


def _families(
    tables: list[Snapshot], started: float, newest_backup: float | None
) -> Iterator[tuple[str, str, str, Iterable[Sample]]]:
    each = [({"table": one.table}, one) for one in tables]
    yield "build_info", "gauge", "The version that runs.", [({"version": naqala.__version__}, 1)]
    yield "start_time_seconds", "gauge", "When it started, since 1970.", [({}, started)]
    if newest_backup is not None:
        yield (
            "newest_backup_seconds",
            "gauge",
            "When the newest backup was made, since 1970.",
            [({}, newest_backup)],
        )
    yield "table_up", "gauge", "Whether the controller answers.", [(at, one.link.up) for at, one in each]
    yield (
        "table_stopped",
        "gauge",
        "Whether the companion stopped following.",
        [(at, bool(one.stopped)) for at, one in each],
    )
    yield (
        "table_stage",
        "gauge",
        "1 for the stage the table is in.",
        [
            (at | {"stage": stage}, one.stage == stage)
            for at, one in each
            for stage in (WELCOME, SETUP, PLAY, OVER)
        ],
    )
    yield (
        "table_steps_total",
        "counter",
        "Entries written for this game.",
        [(at, one.step) for at, one in each],
    )
    yield "table_seats", "gauge", "Players at the table.", [(at, len(one.seats)) for at, one in each]
    yield (
        "readers",
        "gauge",
        "Readers by state.",
        [
            (at | {"state": state}, sum(reader.state == state for reader in one.readers))
            for at, one in each
            for state in sorted({"ok"} | {reader.state for reader in one.readers})
        ],
    )
    yield "link", "gauge", "Counters of the link to the controller.", _counters(each, "counters")
    yield "controller", "gauge", "What the controller counts itself.", _counters(each, "controller_counters")


def _counters(each: list[tuple[dict[str, str], Snapshot]], which: str) -> list[Sample]:
    """They begin again with a new link or controller, so they are gauges, not counters."""
    found: list[Sample] = []
    for at, one in each:
        counters: tuple[tuple[str, Any], ...] = getattr(one.link, which)
        found += [(at | {"name": name}, float(value)) for name, value in counters if value is not None]
    return found


def _labels(labels: Mapping[str, str]) -> str:
    inside = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return f"{{{inside}}}" if inside else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
