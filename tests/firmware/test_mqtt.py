"""The firmware on the real MicroPython, a real mosquitto, paho as the host: the same lines, nothing lost."""

from __future__ import annotations

import queue
import select
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from naqala_protocol import (
    FROM_CONTROLLER,
    VERSION,
    Config,
    Decoder,
    Fault,
    Hello,
    Resync,
    Seen,
    encode,
)

from tests.link.broker import Mosquitto, make_certificates, openssl

ROOT = Path(__file__).parents[2]
HELLO = Hello(VERSION, "host", 0, 0, 0, "host", ())
TAG = "e0040102030405"
Start = Callable[..., "subprocess.Popen[bytes]"]


class Host:
    """The other side of the broker: collects what comes on `up` and `status`."""

    def __init__(self, port: int, prepare: Callable[[mqtt.Client], None] = lambda client: None) -> None:
        self.inbox: queue.Queue[Any] = queue.Queue()
        self.decoder = Decoder(FROM_CONTROLLER)
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
        prepare(self.client)
        self.client.on_connect = lambda client, *_: client.subscribe("naqala/scripted/#", 1)
        self.client.on_message = self._take
        self.client.reconnect_delay_set(1, 1)
        self.client.connect("localhost", port)
        self.client.loop_start()

    def _take(self, client: mqtt.Client, data: Any, message: mqtt.MQTTMessage) -> None:
        if message.topic.endswith("/status"):
            self.inbox.put((message.payload.decode(), message.retain))
        elif message.topic.endswith("/up"):
            for line in self.decoder.feed(message.payload):
                self.inbox.put(line)

    def say(self, message: Any) -> None:
        self.client.publish("naqala/scripted/down", encode(message), 1)

    def until(self, wanted: Callable[[Any], bool], seconds: float = 60) -> Any:
        end = time.monotonic() + seconds
        while True:
            message = self.inbox.get(timeout=max(0.01, end - time.monotonic()))
            if wanted(message):
                return message

    def close(self) -> None:
        self.client.loop_stop()
        self.client.disconnect()


@pytest.fixture
def start(micropython: Path) -> Iterator[Start]:
    running: list[subprocess.Popen[bytes]] = []

    def run(*arguments: object) -> subprocess.Popen[bytes]:
        script = ROOT / "tests/firmware/scripted_main.py"
        words = [str(word) for word in (micropython, "-X", "heapsize=192k", script, "mqtt", *arguments)]
        running.append(subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, bufsize=0))
        return running[-1]

    yield run
    for firmware in running:
        firmware.kill()
        firmware.wait()


def follow(host: Host, seen: dict[int, Any], wanted: Callable[[Any], bool]) -> Any:
    """Collect numbered lines until one is wanted, the way a host does: ask for what a hello shows to be missing."""

    def take(message: Any) -> bool:
        if isinstance(message, Seen | Fault):
            seen[message.seq] = message
        if isinstance(message, Hello) and message.seq > max(seen, default=0):
            host.say(Resync(max(seen, default=0) + 1))
        return wanted(message)

    return host.until(take)


def test_the_broker_goes_and_comes_and_nothing_is_lost(start: Start, tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    broker.start()
    host = Host(broker.port)
    firmware = start(broker.port)
    seen: dict[int, Any] = {}
    try:
        host.until(lambda m: isinstance(m, Hello))
        host.say(Resync(1))
        follow(host, seen, lambda m: len({line.reader for line in seen.values()}) == 30)
        for number in range(
            20
        ):  # some fall while the broker is there, some while it is away, some afterwards
            host.say(Config("later", f"{250 * number} {number} {TAG}{number:02x}"))
        follow(host, seen, lambda m: isinstance(m, Seen) and m.tags == (f"{TAG}03",))
        broker.stop()
        broker.await_knock("naqala-scripted")
        broker.start()

        def all_there(message: Any) -> bool:
            last: dict[int, Any] = {}
            for number in sorted(seen):
                last[seen[number].reader] = seen[number]
            return all(last[reader].tags == (f"{TAG}{reader:02x}",) for reader in range(20))

        follow(host, seen, all_there)
        assert sorted(seen) == list(range(1, max(seen) + 1))
        assert firmware.poll() is None
        assert host.decoder.bad == host.decoder.noise == 0
    finally:
        host.close()
        broker.stop()


def test_status_is_retained_and_the_last_will_is_said(start: Start, tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    broker.start()
    firmware = start(broker.port)
    try:
        first = Host(broker.port)
        first.until(lambda m: isinstance(m, Hello))
        first.close()
        second = Host(broker.port)
        assert second.until(lambda m: isinstance(m, tuple) and not isinstance(m, Hello | Seen)) == (
            "online",
            True,
        )
        firmware.kill()
        assert second.until(lambda m: m == ("offline", False))
        second.close()
    finally:
        broker.stop()


def test_a_firmware_that_starts_before_the_broker_finds_it(start: Start, tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    start(broker.port)
    broker.await_knock("naqala-scripted")
    broker.start()
    try:
        host = Host(broker.port)
        host.say(HELLO)
        assert host.until(lambda m: isinstance(m, Hello)).name == "scripted"
        host.close()
    finally:
        broker.stop()


def certificates(folder: Path) -> None:
    """An authority, a broker's certificate signed by it, and the authority's in the form that a controller takes."""
    make_certificates(folder, "DNS:localhost")
    openssl(folder, "x509", "-in", "ca.crt", "-outform", "der", "-out", "ca.der")


def test_tls_and_password(start: Start, tmp_path: Path) -> None:
    certificates(tmp_path)
    subprocess.run(["mosquitto_passwd", "-b", "-c", str(tmp_path / "users"), "table", "secret"], check=True)
    extra = f"allow_anonymous false\npassword_file {tmp_path}/users\ncafile {tmp_path}/ca.crt\n"
    extra += f"certfile {tmp_path}/broker.crt\nkeyfile {tmp_path}/broker.key\n"
    broker = Mosquitto(tmp_path, extra)
    broker.start()

    def prepare(client: mqtt.Client) -> None:
        client.username_pw_set("table", "secret")
        client.tls_set(str(tmp_path / "ca.crt"), tls_version=ssl.PROTOCOL_TLS_CLIENT)

    try:
        host = Host(broker.port, prepare)
        (tmp_path / "other").mkdir()
        certificates(tmp_path / "other")
        stranger = start(broker.port, "table", "secret", tmp_path / "other/ca.der")
        assert stranger.stdout
        refusals = 0
        while refusals < 2:  # it does not trust this broker, and goes on trying
            assert select.select([stranger.stdout], [], [], 60)[0]
            refusals += b"cert" in stranger.stdout.readline().lower()
        assert host.inbox.empty()
        start(broker.port, "table", "secret", tmp_path / "ca.der")
        host.until(lambda m: isinstance(m, Hello))
        host.say(Config("put", f"3 {TAG}03"))
        host.until(lambda m: isinstance(m, Seen) and m.tags == (f"{TAG}03",))
        host.close()
    finally:
        broker.stop()
