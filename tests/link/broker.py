"""A mosquitto of the tests' own, plain or as a club has it, on free loopback ports; and controllers at it."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from tests.link.model import ModelController

ACL = """
user host
topic write naqala/+/down
topic read naqala/+/up
topic read naqala/+/status
topic write naqala/+/state

user oak
topic write naqala/oak/up
topic write naqala/oak/status
topic read naqala/oak/down

user guest
topic read naqala/+/state
topic read naqala/+/up
topic read naqala/+/status
"""
PASSWORDS = {"host": "caravan", "oak": "acorn", "guest": "guest"}


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def make_certificates(folder: Path, names: str) -> None:
    """An authority of our own, and a broker's certificate for these names signed by it."""
    key = ("-newkey", "rsa:2048", "-nodes", "-days", "2")
    openssl(folder, "req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=club")
    openssl(folder, "req", *key[:3], "-keyout", "broker.key", "-out", "broker.csr", "-subj", "/CN=127.0.0.1")
    (folder / "names").write_text(f"subjectAltName={names}\n")
    signed = ("-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names")
    openssl(folder, "x509", "-req", "-in", "broker.csr", "-out", "broker.crt", *signed)


class Mosquitto:
    """One on a free loopback port, that a test may stop and start again; `extra` are further lines of its configuration."""

    def __init__(self, folder: Path, extra: str = "allow_anonymous true\n") -> None:
        self.folder = folder
        self.port = free_port()
        root = "user root\n" if os.getuid() == 0 else ""
        (folder / "conf").write_text(f"{root}persistence false\nlistener {self.port} 127.0.0.1\n{extra}")
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(["mosquitto", "-c", self.folder / "conf"], stdout=log, stderr=log)
        end = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                assert self.process.poll() is None and time.monotonic() < end, (
                    self.folder / "log"
                ).read_text()
                time.sleep(0.02)  # the broker has no event to wait for

    def await_knock(self, client: str, seconds: float = 60) -> None:
        """While it is stopped: until this client has tried to connect, and so knows that it is away."""
        end = time.monotonic() + seconds
        with socket.create_server(("127.0.0.1", self.port)) as door:
            while True:
                door.settimeout(max(0.01, end - time.monotonic()))
                peer, _ = door.accept()
                with peer:
                    peer.settimeout(max(0.01, end - time.monotonic()))
                    with contextlib.suppress(ConnectionError):
                        if client.encode() in peer.recv(512):
                            return

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(10)
            self.process = None


class Broker(Mosquitto):
    """As a club has it: passwords, an access list, and a second port with TLS."""

    def __init__(self, folder: Path, names: str = "IP:127.0.0.1") -> None:
        self.tls_port = free_port()
        make_certificates(folder, names)
        (folder / "acl").write_text(ACL)
        (folder / "passwords").write_text("".join(f"{user}:{word}\n" for user, word in PASSWORDS.items()))
        subprocess.run(["mosquitto_passwd", "-U", "passwords"], cwd=folder, check=True, capture_output=True)
        super().__init__(
            folder,
            "allow_anonymous false\nset_tcp_nodelay true\n"
            f"password_file {folder}/passwords\nacl_file {folder}/acl\n"
            f"listener {self.tls_port} 127.0.0.1\n"
            f"cafile {folder}/ca.crt\ncertfile {folder}/broker.crt\nkeyfile {folder}/broker.key\n",
        )

    def url(self, user: str = "host", table: str = "oak", port: int = 0) -> str:
        return f"mqtt://{user}:{PASSWORDS[user]}@127.0.0.1:{port or self.port}/{table}"


class MqttController:
    """A model controller at the broker, with its own client, will and `alive`."""

    def __init__(self, broker: Broker, controller: ModelController) -> None:
        self.broker, self.controller = broker, controller
        self.lock = threading.Lock()
        self._over = threading.Event()
        self.client = mqtt.Client(
            CallbackAPIVersion.VERSION2, client_id=controller.name, protocol=MQTTProtocolVersion.MQTTv311
        )
        self.client.username_pw_set(controller.name, PASSWORDS[controller.name])
        self.client.will_set(self.topic("status"), "offline", qos=1, retain=True)
        self.client.reconnect_delay_set(1, 1)
        self.client.on_connect = self._connected
        self.client.on_message = self._message
        self._pulse = threading.Thread(target=self._alive)

    def topic(self, word: str) -> str:
        return f"naqala/{self.controller.name}/{word}"

    def start(self) -> None:
        self.client.connect_async("127.0.0.1", self.broker.port, keepalive=5)
        self.client.loop_start()
        self._pulse.start()

    def stop(self) -> None:
        self._over.set()
        self._pulse.join()
        self.client.disconnect()
        self.client.loop_stop()

    def vanish(self) -> None:
        """The power fails: no goodbye."""
        with contextlib.suppress(OSError):
            self.client.socket().shutdown(socket.SHUT_RDWR)

    def put(self, reader: int, *tags: str) -> None:
        with self.lock:
            self.say([self.controller.put(reader, *tags)])

    def say(self, lines: list[bytes]) -> None:
        """Only while connected: what is lost stays lost, as with the real controller's clean session."""
        for line in lines:
            if self.client.is_connected():
                self.client.publish(self.topic("up"), line, qos=1)

    def _connected(self, client: mqtt.Client, *_: object) -> None:
        client.subscribe(self.topic("down"), 1)
        client.publish(self.topic("status"), "online", qos=1, retain=True)
        with self.lock:
            self.say([self.controller.hello()] if self.controller.seq else self.controller.start())

    def _message(self, _client: object, _data: object, message: mqtt.MQTTMessage) -> None:
        with self.lock:
            self.say(self.controller.receive(message.payload))

    def _alive(self) -> None:
        while not self._over.wait(1):
            with self.lock:
                self.say([self.controller.alive()])


class OldBroker:
    """In front of the real one: hangs up, or stays silent, on a client that speaks MQTT 5."""

    def __init__(self, broker: Broker, silent: bool) -> None:
        self._behind, self._silent = broker.port, silent
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self.levels: list[int] = []
        self._open: list[socket.socket] = [self._server]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        for one in self._open:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _run(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            self._open.append(client)
            connect = client.recv(4096)
            self.levels.append(connect[connect.index(b"MQTT") + 4])
            if self.levels[-1] == 5:
                if not self._silent:
                    client.close()
                continue
            real = socket.create_connection(("127.0.0.1", self._behind))
            self._open.append(real)
            real.sendall(connect)
            for source, sink in ((client, real), (real, client)):
                threading.Thread(target=self._pipe, args=(source, sink), daemon=True).start()

    @staticmethod
    def _pipe(source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(4096):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_RDWR)
