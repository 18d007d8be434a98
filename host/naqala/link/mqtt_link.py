"""The MQTT link: the same lines over a broker. MQTT 5, or 3.1.1 where the broker knows no more; QoS 1 both ways.

| topic | says | who |
|---|---|---|
| `naqala/<table>/up` | lines of the controller | controller |
| `naqala/<table>/down` | lines of the host | host |
| `naqala/<table>/status` | `online` or, by its last will, `offline`; retained | controller |
| `naqala/<table>/state` | the public snapshot as JSON, with `"online": true`; by last will `{"online": false}`; retained | host |

Nothing depends on the broker's memory: sessions are clean, and what a broken connection swallowed is asked for by
number. Broker and controller may come in any order and restart at any time.

Two threads: paho's carries packets and puts what happened into a queue, ours reads the queue and owns the follower.
"""

from __future__ import annotations

import json
import queue
import secrets
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import paho.mqtt.client as mqtt
from naqala_protocol import encode
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion

from naqala.addresses import without_secrets
from naqala.link.desk import Desk
from naqala.link.follow import Follower
from naqala.link.inbox import Health, Inbox, LinkError, Message, Options, clock_ms
from naqala.link.strangers import lets_strangers_publish

KEEP_ALIVE_S = 15
ANSWER_S = 4.0  # for a broker to take the connection, and again to answer our greeting
AGAIN_S = (0.25, 0.5, 1.0, 2.0)  # pauses between attempts
LATE_MS = 40  # how long a line that was overtaken may still come by itself
LONGEST_WAIT_S = 1.0
VERSIONS = (MQTTProtocolVersion.MQTTv5, MQTTProtocolVersion.MQTTv311)
OFFLINE = json.dumps({"online": False})


@dataclass(frozen=True)
class Broker:
    """Where and how to connect, as the link's text and the options say."""

    host: str
    port: int
    table: str
    user: str
    password: str
    tls: ssl.SSLContext | None

    def topic(self, word: str) -> str:
        return f"naqala/{self.table}/{word}"

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def make(text: str, options: Options) -> MqttLink:
    """The link for `mqtt://[user[:password]@]host[:port]/table[?ca=FILE][&insecure=yes]`, `mqtts://` with TLS."""
    return MqttLink(text, read_broker(text, options), options)


def read_broker(text: str, options: Options) -> Broker:
    """What the text says, completed by the options. LinkError names what is missing or makes no sense."""
    shown = without_secrets(text)
    try:
        parts = urlsplit(text)
        port = parts.port or (8883 if parts.scheme == "mqtts" else 1883)
    except ValueError:
        raise LinkError(f"'{shown}' has no host or port that can exist") from None
    table = unquote(parts.path.strip("/"))
    asked = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    if not parts.hostname or not table or set(table) & set("+#/$"):
        raise LinkError(f"'{shown}' should name a broker and a table: mqtt://user@host/oak")
    unknown = set(asked) - {"ca", "insecure"}
    if unknown:
        raise LinkError(
            f"'{shown}': only ca= and insecure=yes may follow the table, not {', '.join(sorted(unknown))}"
        )
    tls = None
    if parts.scheme == "mqtts":
        tls = _tls(asked.get("ca") or options.ca, asked.get("insecure", "no") == "yes" or options.insecure)
    elif asked:
        raise LinkError(f"'{shown}': {', '.join(sorted(asked))} belongs to mqtts://")
    user = unquote(parts.username or "") or options.user
    return Broker(parts.hostname, port, table, user, unquote(parts.password or "") or options.password, tls)


def _tls(ca: str, insecure: bool) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=str(Path(ca).expanduser()) if ca else None)
    except (OSError, ssl.SSLError) as error:
        raise LinkError(f"cannot read the certificates in '{ca}': {error.strerror or error}") from None
    if insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


class MqttLink:
    """See the module; the methods are those of `naqala.link.Link`."""

    def __init__(self, text: str, broker: Broker, options: Options) -> None:
        shown = without_secrets(text)
        self._desk = Desk(shown, Follower(patience=LATE_MS, mark=options.mark))
        self._broker = broker
        self._announce = options.announce
        self._retained = options.retained
        self._extras: set[int] = set()  # numbers of the publications that carried these
        self._state: str | None = None
        self._shown = 0  # number of the publication that carried it last
        self._version = 0
        self._connected = False
        self._happened: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"naqala-{shown}", daemon=True)

    def start(self, inbox: Inbox) -> None:
        self._desk.open(inbox)
        self._thread.start()

    def send(self, message: Message) -> bool:
        line = encode(message)
        if self._connected and self._desk.follower.up:
            self._happened.put(("send", line))
            return True
        return False

    def publish(self, snapshot: Mapping[str, Any]) -> None:
        if self._announce:
            self._state = json.dumps({"online": True, **snapshot})
            self._happened.put(("state", None))

    def stop(self) -> None:
        self._stop.set()
        self._happened.put(("stop", None))
        if self._thread.is_alive():
            self._thread.join()
        self._desk.close()

    def health(self) -> Health:
        return self._desk.health()

    # --- our thread -----------------------------------------------------------------------------------------

    def _run(self) -> None:
        failures = 0
        while True:
            while not self._happened.empty():
                self._happened.get()  # of the connection before
            if self._stop.is_set():
                return
            client = self._client(VERSIONS[self._version])
            why = self._reach(client)
            if not why:
                failures = 0
                self._greet(client)
                why = self._carry(client)
            self._connected = False
            self._leave(client)
            if not self._stop.is_set():
                self._desk.trouble(why)
                self._stop.wait(AGAIN_S[min(failures, len(AGAIN_S) - 1)])
                failures += 1

    def _client(self, version: MQTTProtocolVersion) -> mqtt.Client:
        client = mqtt.Client(
            CallbackAPIVersion.VERSION2,
            client_id=f"naqala-{self._broker.table}-{secrets.token_hex(4)}",
            protocol=version,
            reconnect_on_failure=False,
        )
        client.connect_timeout = ANSWER_S
        if self._broker.user:
            client.username_pw_set(self._broker.user, self._broker.password or None)
        if self._broker.tls is not None:
            client.tls_set_context(self._broker.tls)
        if self._announce:
            client.will_set(self._broker.topic("state"), OFFLINE, qos=1, retain=True)

        def note(word: str, value: Any) -> None:
            self._happened.put((word, value))

        client.on_connect = lambda _client, _data, _flags, code, _properties: note("answer", code)
        client.on_disconnect = lambda _client, _data, _flags, code, _properties: note("gone", code)
        client.on_subscribe = lambda _client, _data, _mid, codes, _properties: note("subscribed", codes)
        client.on_publish = lambda _client, _data, mid, code, _properties: note("published", (mid, code))
        client.on_message = self._heard
        return client

    def _heard(self, _client: mqtt.Client, _data: object, message: mqtt.MQTTMessage) -> None:
        if message.topic == self._broker.topic("up") and (message.retain or not message.payload):
            return  # nothing at all is a question whether strangers may speak (`strangers`); a line that somebody had the broker keep is an old one: its controller may be long gone
        self._happened.put((message.topic, message.payload))

    def _reach(self, client: mqtt.Client) -> str:
        """Connect; empty when the broker has let us in, else why not."""
        broker = self._broker
        try:
            client.connect(broker.host, broker.port, keepalive=KEEP_ALIVE_S)
        except ssl.SSLCertVerificationError as error:
            return (
                f"the broker {broker} shows a certificate that cannot be trusted ({error.verify_message}); name the "
                "authority that signed it with ?ca=FILE, or say ?insecure=yes to go on without the check"
            )
        except (OSError, ValueError) as error:
            return f"no broker at {broker} ({getattr(error, 'strerror', None) or error}); waiting for it"
        client.loop_start()
        word, code = self._answer()
        if self._stop.is_set():
            return "stopped"
        if word == "answer" and not code.is_failure:
            return ""
        if word == "answer" and str(code) in ("Bad user name or password", "Not authorized"):
            who = f"user '{broker.user}'" if broker.user else "anyone without a user name"
            return f"the broker {broker} does not let {who} in ({code}); check user and password"
        self._version = (self._version + 1) % len(VERSIONS)  # perhaps it does not know this version
        return f"the broker {broker} hung up ({code}); trying again"

    def _answer(self) -> tuple[str, Any]:
        """What the broker says to our greeting; a snapshot published meanwhile is shown when we are in."""
        end = clock_ms() + ANSWER_S * 1000
        while (left := (end - clock_ms()) / 1000) > 0:
            try:
                word, code = self._happened.get(timeout=left)
            except queue.Empty:
                break
            if word in ("answer", "gone", "stop"):
                return word, code
        return "gone", "no answer"

    def _greet(self, client: mqtt.Client) -> None:
        version = "5" if VERSIONS[self._version] == MQTTProtocolVersion.MQTTv5 else "3.1.1"
        self._desk.where = f"{self._broker} (MQTT {version})"
        self._connected = True
        client.subscribe([(self._broker.topic("up"), 1), (self._broker.topic("status"), 1)])
        self._extras = {client.publish(*one, qos=1, retain=True).mid for one in self._retained}
        self._show(client)

    def _carry(self, client: mqtt.Client) -> str:
        """Follow the controller until the broker is gone; returns why."""
        desk, follower, broker = self._desk, self._desk.follower, self._broker
        while not self._stop.is_set():
            try:
                word, value = self._happened.get(timeout=desk.wait(LONGEST_WAIT_S))
            except queue.Empty:
                self._say(client, desk.take(follower.tick(clock_ms())))
                continue
            if word == broker.topic("up"):
                line = value if value.endswith(b"\n") else value + b"\n"
                self._say(client, desk.take(follower.feed(line, clock_ms())))
            elif word == "send":
                self._say(client, [value])
            elif word == "state":
                self._show(client)
            elif word == "subscribed":
                self._subscribed(client, value)
            elif word == broker.topic("status"):
                self._status(client, value)
            elif word == "published" and value[0] in self._extras:
                continue  # a broker that does not take them is a broker without those who would read them
            elif word == "published" and value[1].is_failure:
                topic = broker.topic("state" if value[0] == self._shown else "down")
                desk.complain(f"the broker {broker} does not let us write {topic}; check its access list")
            elif word == "gone":
                return f"the broker {broker} is gone ({value}); waiting for it"
        return "stopped"

    def _subscribed(self, client: mqtt.Client, codes: list[Any]) -> None:
        if any(code.is_failure for code in codes):
            up = self._broker.topic("up")
            self._desk.trouble(f"the broker {self._broker} does not let us read {up}; check its access list")
        else:
            if not self._desk.follower.up:
                self._desk.complain(
                    f"at the broker {self._broker}; no controller of table '{self._broker.table}' yet"
                )
            self._say(client, self._desk.take(self._desk.follower.connected(clock_ms())))
            if self._announce and self._desk.strangers is None:
                threading.Thread(
                    target=self._look_for_strangers, name="naqala-strangers", daemon=True
                ).start()

    def _look_for_strangers(self) -> None:
        found = lets_strangers_publish(self._broker)
        self._desk.strangers = None if found is None else int(found)

    def _status(self, client: mqtt.Client, payload: bytes) -> None:
        """What the broker says of the controller; only its own hello makes it present."""
        if payload == b"offline":
            self._desk.trouble(f"the controller of table '{self._broker.table}' is offline")
        self._say(client, self._desk.take(self._desk.follower.connected(clock_ms())))

    def _say(self, client: mqtt.Client, lines: list[bytes]) -> None:
        for line in lines:
            client.publish(self._broker.topic("down"), line, qos=1)

    def _show(self, client: mqtt.Client) -> None:
        if self._state is not None:
            self._shown = client.publish(self._broker.topic("state"), self._state, qos=1, retain=True).mid

    def _leave(self, client: mqtt.Client) -> None:
        if self._stop.is_set() and self._announce and client.is_connected():
            last = client.publish(self._broker.topic("state"), OFFLINE, qos=1, retain=True)
            if last.rc == MQTTErrorCode.MQTT_ERR_SUCCESS:
                last.wait_for_publish(timeout=1)
        client.disconnect()
        client.loop_stop()
