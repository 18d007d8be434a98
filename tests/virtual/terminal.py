"""A virtual table behind a pseudo-terminal, as a controller on a USB port is: for the serial link."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import threading
import time
import tty
from collections.abc import Iterator
from pathlib import Path

from naqala.virtual.table import VirtualTable

NAP_S = 0.01


@contextlib.contextmanager
def on_a_terminal(table: VirtualTable, path: Path) -> Iterator[Path]:
    """The table behind a pseudo-terminal at `path`, in real time, as a controller on a USB port."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    path.symlink_to(os.ttyname(slave))
    stop = threading.Event()

    def carry() -> None:
        began, offset = time.monotonic(), table.works.now_ms
        while not stop.is_set():
            due = offset + int((time.monotonic() - began) * 1000)
            table.line.pass_time(table.works.now_ms)
            data = table.line.carry(table.works.run_to(due)) if due > table.works.now_ms else b""
            if data:
                os.write(master, data)
            if select.select([master], [], [], 0 if data else NAP_S)[0]:
                table.works.hear(table.line.carry(os.read(master, 4096)))

    thread = threading.Thread(target=carry, name=f"naqala-terminal-{table.name}")
    thread.start()
    try:
        yield path
    finally:
        stop.set()
        thread.join()
        path.unlink()
        os.close(master)
        os.close(slave)
