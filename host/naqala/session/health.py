"""How the parts are: the link and each reader in numbers, as the diagnostics page and one quiet dot show them, and where a
session stopped."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from naqala.link import Health
from naqala.link.inbox import Pulse
from naqala.session.snapshot import LinkHealth, ReaderHealth
from naqala.table.evidence import Evidence


def link_health(health: Health) -> LinkHealth:
    """A link's own account of itself."""
    counters = tuple((name, number) for name, number in asdict(health.counters).items() if number is not None)
    hello, alive = health.hello, health.alive
    return LinkHealth(
        kind=health.link,
        up=health.up,
        why=health.problem,
        controller=hello.name if hello else "",
        firmware=hello.firmware if hello else "",
        counters=counters,
        controller_counters=(
            ("uptime", alive.uptime),
            ("sweep", alive.sweep),
            ("free", alive.free),
            *alive.counters,
        )
        if alive
        else (),
    )


def reader_health(table: Evidence, pulses: Mapping[int, Pulse], now: int) -> tuple[ReaderHealth, ...]:
    """Each reader: whether it works, how many tags it sees, the number of its last line, and how well it reads."""
    return tuple(
        ReaderHealth(
            reader,
            tile,
            _state(table, reader),
            len(table.on.get(reader, ())),
            table.last.get(reader),
            **_pulse(pulses.get(reader), now),
        )
        for reader, tile in sorted(table.readers.items())
    )


def _pulse(pulse: Pulse | None, now: int) -> dict[str, Any]:
    if pulse is None:
        return {}
    return {
        "per_second": pulse.per_second,
        "misses": pulse.misses,
        "reads": pulse.reads,
        "took_ms": pulse.took_ms,
        "quiet_ms": max(0, now - pulse.answered_at),
    }


def _state(table: Evidence, reader: int) -> str:
    if reader in table.faults:
        return table.faults[reader]
    if reader in table.blind:
        return "blind"
    return "ok" if reader in table.on else "silent"


def where_it_stopped(error: Exception) -> str:
    """What stopped us and where, for everybody to see: no values, they may be secrets. The whole is in the log."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {last.name}, {last.filename.rpartition('/')[2]} line {last.lineno}"
