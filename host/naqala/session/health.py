"""How the parts are: the link and each reader in numbers, as the diagnostics page and one quiet dot show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from naqala.link import Health
from naqala.link.inbox import Pulse
from naqala.session.snapshot import LinkHealth, ReaderHealth
from naqala.table.sight import Table


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


def reader_health(table: Table, pulses: Mapping[int, Pulse], now: int) -> tuple[ReaderHealth, ...]:
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


def _state(table: Table, reader: int) -> str:
    if reader in table.faults:
        return table.faults[reader]
    if reader in table.blind:
        return "blind"
    return "ok" if reader in table.on else "silent"


def in_short(link: LinkHealth, readers: tuple[ReaderHealth, ...]) -> tuple[object, ...]:
    """What pages show of link and readers without being asked for numbers."""
    shown = tuple((reader.reader, reader.state, reader.tags) for reader in readers)
    return (link.kind, link.up, link.why, link.controller, link.firmware, shown)
