"""A PostgreSQL server of the tests' own, from Debian's binaries, on a free loopback port; stopped by its process id."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg


class PostgresServer:
    def __init__(self) -> None:
        self.bin = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        self.folder = Path(tempfile.mkdtemp(prefix="naqala-pg-"))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        # PostgreSQL refuses to run as root; Debian's package brings its own user
        self.user: dict[str, object] = {}
        if os.getuid() == 0:
            postgres = pwd.getpwnam("postgres")
            os.chown(self.folder, postgres.pw_uid, postgres.pw_gid)
            self.user = {"user": postgres.pw_uid, "group": postgres.pw_gid, "extra_groups": []}
        self.data = self.folder / "data"
        initdb = [
            self.bin / "initdb",
            "-D",
            self.data,
            "-A",
            "trust",
            "-U",
            "naqala",
            "-E",
            "UTF8",
            "--no-sync",
        ]
        subprocess.run(initdb, check=True, capture_output=True, cwd=self.folder, **self.user)
        self.process: subprocess.Popen[bytes] | None = None
        self.count = 0
        self.start()

    def start(self) -> None:
        options = ["-c", f"port={self.port}", "-c", "listen_addresses=127.0.0.1", "-c", "shared_buffers=16MB"]
        options += ["-c", f"unix_socket_directories={self.folder}"]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.bin / "postgres", "-D", self.data, *options], stderr=log, cwd=self.folder, **self.user
            )
        end = time.monotonic() + 30
        while True:
            try:
                psycopg.connect(self.url("postgres"), connect_timeout=5).close()
                return
            except psycopg.OperationalError:
                assert self.process.poll() is None and time.monotonic() < end, (
                    self.folder / "log"
                ).read_text()
                time.sleep(0.05)  # the server has no event to wait for

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT ends orderly, SIGQUIT at once as after a power cut."""
        assert self.process is not None
        self.process.send_signal(how)
        self.process.wait(30)

    def url(self, database: str) -> str:
        return f"postgresql://naqala@127.0.0.1:{self.port}/{database}"

    def fresh(self) -> str:
        """The URL of an empty place for a journal: a schema of its own, far cheaper than a database."""
        self.count += 1
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA journal{self.count}")
        return self.url(f"postgres?options=-csearch_path%3Djournal{self.count}")

    def remove(self) -> None:
        self.stop(signal.SIGQUIT)  # nobody will read it again
        shutil.rmtree(self.folder)
