"""A companion in a process of its own, and what rude clients do to it; everything stays on loopback and is bounded.

Nothing here knows how the server is built: plain sockets, plain HTTP. `NAQALA_TREE=<checkout>` runs the same attacks against
another version. Every client has an address of its own (127.0.0.x), as phones in a network have.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import resource
import selectors
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from tests.conftest import ROOT

OWNER, GUEST, RUDE = "127.0.0.1", "127.0.0.9", "127.0.0.66"
TICKS = os.sysconf("SC_CLK_TCK")
PLAY = "from naqala.cli import main; main()"
MANY_FILES = 8192


def allow_many_files() -> None:
    """Clients by the thousand need a file each."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MANY_FILES if hard == resource.RLIM_INFINITY else min(MANY_FILES, hard)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class Companion:
    """`naqala play` on a virtual table. `wrap` is put before its command, for example a network of its own."""

    def __init__(self, home: Path, *more: str, wrap: tuple[str, ...] = ()) -> None:
        tree = Path(os.environ.get("NAQALA_TREE", ROOT))
        self.spool = home / "spool"
        self.spool.mkdir(parents=True)
        rooms = os.pathsep.join(str(tree / room) for room in ("host", "protocol", "firmware"))
        command = [*wrap, sys.executable, "-c", PLAY, "play", "--home", str(home / "home"), "--no-browser"]
        command += ["--no-lan", "--virtual", "--port", "0", *more]
        environment = {**os.environ, "PYTHONPATH": rooms, "TMPDIR": str(self.spool)}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
        )
        self.said = ""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line
            if found := re.search(r"http://\S+/owner\S+", line):
                self.owner = found[0]
                break
        else:
            raise AssertionError(self.said)
        threading.Thread(target=self._listen, daemon=True).start()
        where = urlsplit(self.owner)
        self.host, self.port = str(where.hostname), int(where.port or 0)
        self.token = where.query

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line

    @property
    def pid(self) -> int:
        """Of the Python process, also when it was started by another program."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        here = Path(f"/proc/{self.process.pid}/cmdline").read_bytes()
        return self.process.pid if PLAY.encode() in here or not children else int(children[0])

    def memory(self) -> float:
        """Resident megabytes."""
        found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.pid}/status").read_text())
        assert found
        return int(found[1]) / 1024

    def cpu(self) -> float:
        """Seconds of processor used so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def spooled(self) -> int:
        """Bytes of files it keeps in its temporary folder, also of those without a name."""
        found = 0
        for file in Path(f"/proc/{self.pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                if str(file.readlink()).startswith(str(self.spool)):
                    found += file.stat().st_size
        return found

    def connections(self, address: str) -> int:
        """How many connections of this client its machine still holds open, as the kernel counts them."""
        here = f"{self.port:04X}"
        peer = socket.inet_aton(address)[::-1].hex().upper()
        rows = [row.split() for row in Path(f"/proc/{self.pid}/net/tcp").read_text().splitlines()[1:]]
        return sum(row[1].endswith(f":{here}") and row[2].startswith(peer) and row[3] == "01" for row in rows)

    def connect(self, address: str, timeout: float = 20) -> socket.socket:
        return socket.create_connection((self.host, self.port), timeout, source_address=(address, 0))

    def stream(self, address: str, path: str = "/t/table/stream/screen", cookie: str = "") -> Stream:
        return Stream(self.connect(address), f"{self.host}:{self.port}", path, cookie)

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(20)
        finally:
            self.process.kill()
            self.process.wait()


class Stream:
    """One open stream."""

    def __init__(self, connection: socket.socket, host: str, path: str, cookie: str) -> None:
        self.socket = connection
        extra = f"Cookie: {cookie}\r\n" if cookie else ""
        request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept: text/event-stream\r\n{extra}\r\n"
        self.socket.sendall(request.encode())
        self.heard = b""

    def until(self, wanted: bytes, seconds: float = 20) -> bool:
        """Read until this came; False when the stream ended or nothing came in time."""
        end = time.monotonic() + seconds
        while wanted not in self.heard:
            self.socket.settimeout(max(0.01, end - time.monotonic()))
            try:
                data = self.socket.recv(1 << 16)
            except OSError:
                return False
            if not data:
                return False
            self.heard = (self.heard + data)[-(1 << 20) :]
        return True

    @property
    def status(self) -> int:
        """The answer's code."""
        assert self.until(b"\r\n")
        return int(self.heard.split()[1])

    def close(self) -> None:
        self.socket.close()


class Browser:
    """A person with a browser: cookies, pages, posts; the seconds each answer took."""

    def __init__(self, companion: Companion, address: str) -> None:
        self._at, self._address = companion, address
        self.cookies: dict[str, str] = {}
        self.took: list[float] = []

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def ask(self, method: str, path: str, fields: dict[str, str] | None = None) -> tuple[int, str]:
        began = time.perf_counter()
        connection = http.client.HTTPConnection(
            self._at.host, self._at.port, timeout=20, source_address=(self._address, 0)
        )
        headers = {"Origin": f"http://{self._at.host}:{self._at.port}", "Accept": "text/html"}
        if self.cookies:
            headers["Cookie"] = self.cookie
        if fields is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        try:
            connection.request(method, path, urlencode(fields) if fields is not None else None, headers)
            answer = connection.getresponse()
            text = answer.read().decode(errors="replace")
        finally:
            connection.close()
        self.took.append(time.perf_counter() - began)
        for set_cookie in answer.headers.get_all("Set-Cookie") or ():
            name, _, value = set_cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer.status, text

    def page(self, path: str) -> str:
        status, text = self.ask("GET", path)
        for _ in range(3):
            if status not in (302, 303):
                break
            status, text = self.ask("GET", re.findall(r'href="([^"]+)"', text)[0].replace("&amp;", "&"))
        assert status == 200, (status, text[:200])
        return text

    def post(self, path: str, page: str, **fields: str) -> int:
        found = re.search(r'name="csrf" value="([^"]+)"', page)
        assert found
        return self.ask("POST", path, {"csrf": found[1], **fields})[0]


def slowest(seconds: list[float]) -> float:
    """The 95th percentile."""
    return sorted(seconds)[max(0, round(0.95 * len(seconds)) - 1)]


def at_ease(
    companion: Companion, address: str = GUEST, path: str = "/t/table/join", count: int = 12
) -> float:
    """The 95th percentile of a polite guest's pages just now. A page that does not come counts as 20 s."""
    guest = Browser(companion, address)
    for _ in range(count):
        try:
            guest.page(path)
        except (OSError, http.client.HTTPException):
            guest.took.append(20.0)
            break
    return slowest(guest.took)


def read_all(sockets: list[socket.socket], seconds: float) -> set[socket.socket]:
    """Read for so long; those that the other side has closed."""
    waiting, ended = selectors.DefaultSelector(), set()
    for one in sockets:
        one.setblocking(False)
        waiting.register(one, selectors.EVENT_READ)
    end = time.monotonic() + seconds
    while len(ended) < len(sockets) and (left := end - time.monotonic()) > 0:
        for key, _ in waiting.select(left):
            one = key.fileobj
            assert isinstance(one, socket.socket)
            try:
                data = one.recv(1 << 16)
            except BlockingIOError:
                continue
            except OSError:
                data = b""
            if not data:
                ended.add(one)
                waiting.unregister(one)
    waiting.close()
    return ended


@contextlib.contextmanager
def closing(sockets: list[socket.socket]) -> Iterator[list[socket.socket]]:
    try:
        yield sockets
    finally:
        for one in sockets:
            one.close()


def begin(companion: Companion) -> Browser:
    """The owner begins a game of Ann (a person) and two robots on the virtual table."""
    owner = Browser(companion, OWNER)
    owner.page(f"/owner?{companion.token}")
    page = owner.page("/t/table/virtual")
    assert owner.post("/t/table/virtual/demo", page) in (200, 302, 303), "the demo begins"
    return owner
