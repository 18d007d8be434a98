"""The MQTT client, packet by packet, against a broker in the test's hand; time is told, so nothing waits."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest
from naqala_firmware.mqtt_link import ANSWER_MS, FIRST_WAIT_MS, PING_MS, WINDOW, MqttLink, packet, text

CONNACK, SUBACK = b"\x20\x02\x00\x00", b"\x90\x03\x00\x01\x01"


class Broker:
    """Listens, takes one connection, and says what it is told to."""

    def __init__(self) -> None:
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.peer: socket.socket | None = None

    def accept(self) -> None:
        self.peer, _ = self.server.accept()
        self.peer.settimeout(60)

    def say(self, data: bytes) -> None:
        assert self.peer
        self.peer.sendall(data)

    def hear(self, length: int = 4096) -> bytes:
        assert self.peer
        return self.peer.recv(length)

    def close_peer(self) -> None:
        if self.peer:
            self.peer.close()

    def close(self) -> None:
        self.close_peer()
        self.server.close()


@pytest.fixture
def broker() -> Iterator[Broker]:
    found = Broker()
    yield found
    found.close()


def step_until(link: MqttLink, now: int, wanted: object) -> bool:
    """Step at one moment of the link's time until its state is as wanted; what `step` last said."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        came_up = link.step(now)
        if wanted():  # type: ignore[operator]
            return came_up
        time.sleep(0.002)
    raise AssertionError(f"state {link._state}, problem {link.problem}")


def connected(broker: Broker, **settings: object) -> MqttLink:
    link = MqttLink({"host": "127.0.0.1", "port": broker.port, **settings}, "oak")
    link.step(0)
    broker.accept()
    step_until(link, 0, lambda: link._state == 2)
    broker.hear()
    broker.say(CONNACK)
    step_until(link, 0, lambda: link._state == 3)
    broker.say(SUBACK)
    assert step_until(link, 0, link.room)
    broker.hear()
    return link


def test_the_packets_are_those_of_the_standard() -> None:
    # MQTT 3.1.1, section 2.2.3: 321 is 0xC1 0x02; section 1.5.3: "A" with its length
    assert packet(0x30, b"x" * 321)[:3] == b"\x30\xc1\x02"
    assert packet(0x30, b"x" * 127)[:2] == b"\x30\x7f"
    assert text("A") == b"\x00\x01A"


def test_the_greeting_has_user_password_and_a_retained_will(broker: Broker) -> None:
    link = MqttLink({"host": "127.0.0.1", "port": broker.port, "user": "t", "password": "s"}, "oak")
    link.step(0)
    broker.accept()
    step_until(link, 0, lambda: link._state == 2)
    body = b"\x00\x04MQTT\x04\xee\x00\x14" + text("naqala-oak") + text("naqala/oak/status") + text("offline")
    body += text("t") + text("s")
    assert broker.hear() == bytes((0x10, len(body))) + body
    broker.say(b"\x20\x02\x00\x05")
    step_until(link, 0, lambda: link._state == 0)
    assert link.problem == "the broker refused: this user is not allowed"


def test_lines_go_up_at_qos_1_and_no_more_than_the_window_is_open(broker: Broker) -> None:
    link = connected(broker)
    link.send(b"alive 1 2 *0000\n")
    body = text("naqala/oak/up") + b"\x00\x01alive 1 2 *0000\n"
    assert broker.hear() == bytes((0x32, len(body))) + body
    for _ in range(WINDOW - 1):
        assert link.room()
        link.send(b"x\n")
    assert not link.room()
    broker.say(b"\x40\x02\x00\x01")
    step_until(link, 10, link.room)


def test_orders_come_down_and_are_acknowledged_old_ones_are_not_obeyed(broker: Broker) -> None:
    link = connected(broker)
    order = text("naqala/oak/down") + b"\x00\x07focus 1 *xxxx\n"
    broker.say(packet(0x32, order)[:9])  # in two pieces
    link.step(5)
    broker.say(packet(0x32, order)[9:] + packet(0x31, text("naqala/oak/down") + b"retained\n"))
    assert step_until(link, 5, lambda: link._out == b"" and link._lines) is False
    assert link.receive() == b"focus 1 *xxxx\n"
    link.step(6)
    assert broker.hear() == b"\x40\x02\x00\x07"


def test_an_order_typed_without_its_newline_spoils_no_other(broker: Broker) -> None:
    link = connected(broker)
    for order in (b"test all *3c3b", b"resync all *6dfa\n"):
        broker.say(packet(0x30, text("naqala/oak/down") + order))
    step_until(link, 5, lambda: link._lines.endswith(b"6dfa\n"))
    assert link.receive() == b"test all *3c3b\nresync all *6dfa\n"


def test_a_silent_broker_is_asked_and_then_left(broker: Broker) -> None:
    link = connected(broker)
    link.step(PING_MS)
    assert broker.hear() == b"\xc0\x00"
    broker.say(b"\xd0\x00")
    step_until(link, PING_MS, lambda: not link._unanswered)
    link.step(2 * PING_MS + 1)
    link.step(2 * PING_MS + ANSWER_MS + 2)
    assert not link.room()
    assert link.problem == "the broker does not answer"


# A length of five bytes; publications without a topic, with half of one, without the number that QoS 1 needs.
NONSENSE = (
    b"\x30\xff\xff\xff\xff\x01",
    b"\x30\x00",
    b"\x32\x01\x00",
    b"\x30\x03\x00\x05a",
    b"\x32\x04\x00\x01a\x00",
)


@pytest.mark.parametrize("data", NONSENSE)
def test_nonsense_ends_the_connection_not_the_firmware(broker: Broker, data: bytes) -> None:
    link = connected(broker)
    broker.say(data)
    step_until(link, 5, lambda: link._state == 0)
    assert link.problem == "the broker speaks nonsense"


@pytest.mark.parametrize("answer", [b"\x90\x00", b"\x90\x02\x00\x01", b"\x90\x04\x00\x01\x01\x01"])
def test_nor_does_a_subscription_that_is_answered_with_nonsense(broker: Broker, answer: bytes) -> None:
    link = MqttLink({"host": "127.0.0.1", "port": broker.port}, "oak")
    link.step(0)
    broker.accept()
    step_until(link, 0, lambda: link._state == 2)
    broker.say(CONNACK)
    step_until(link, 0, lambda: link._state == 3)
    broker.say(answer)
    step_until(link, 0, lambda: link._state == 0)
    assert link.problem == "the broker speaks nonsense"


def test_tries_again_after_ever_longer_waits() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    link = MqttLink({"host": "127.0.0.1", "port": port}, "oak")
    now, waits = 0, []
    for _ in range(9):
        step_until(link, now, lambda: link._state == 0)
        waits.append(link._retry - now)
        now = link._retry
    assert waits == [FIRST_WAIT_MS * 2**n for n in range(6)] + [30000] * 3


def test_a_name_that_is_no_longer_found_has_its_last_address(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    link = MqttLink({"host": "localhost", "port": broker.port}, "oak", look_up=lambda: told.append("look-up"))
    known = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", broker.port))]
    answers: list[object] = [OSError(-2), known, OSError(-2)]

    def look_up(*arguments: object) -> object:
        answer = answers.pop(0)
        if isinstance(answer, OSError):
            raise answer
        return answer

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    link.step(0)
    assert link.problem == "the name 'localhost' is not found"
    for _ in range(2):
        link.step(link._retry)
        broker.accept()
        broker.close_peer()
        step_until(link, link._retry, lambda: link._state == 0)
    assert answers == []
    assert told == ["look-up"] * 3


def test_an_address_in_numbers_needs_no_look_up(broker: Broker) -> None:
    told: list[str] = []
    link = MqttLink({"host": "127.0.0.1", "port": broker.port}, "oak", look_up=lambda: told.append("look-up"))
    link.step(0)
    broker.accept()
    assert told == []


def test_without_a_network_it_does_not_even_try(broker: Broker) -> None:
    link = MqttLink({"host": "127.0.0.1", "port": broker.port}, "oak", lambda: False)
    for now in range(0, 5000, 500):
        assert not link.step(now)
    broker.server.settimeout(0.1)
    with pytest.raises(TimeoutError):
        broker.accept()
