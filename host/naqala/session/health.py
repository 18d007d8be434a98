"""The electronics in numbers: the link and each reader, as the diagnostics page and one quiet dot show them."""

from __future__ import annotations

from dataclasses import asdict

from naqala.link import Health
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


def reader_health(table: Table) -> tuple[ReaderHealth, ...]:
    """Each reader: whether it works, how many tags it sees, the number of its last line."""
    return tuple(
        ReaderHealth(
            reader, tile, _state(table, reader), len(table.on.get(reader, ())), table.last.get(reader)
        )
        for reader, tile in sorted(table.readers.items())
    )


def _state(table: Table, reader: int) -> str:
    if reader in table.faults:
        return table.faults[reader]
    if reader in table.blind:
        return "blind"
    return "ok" if reader in table.on else "silent"
