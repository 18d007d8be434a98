"""The MQTT link against a real mosquitto with passwords, an access list and TLS."""

from __future__ import annotations

import json
import queue
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import paho.mqtt.client as mqtt
import pytest
from naqala import link as links
from naqala.link import Arrived, LinkDown, LinkError, LinkUp
from naqala_protocol import VERSION, Focus, Hello, Seen, encode
from paho.mqtt.enums import CallbackAPIVersion

from tests.link.broker import PASSWORDS, Broker, MqttController, OldBroker, free_port
from tests.link.conftest import Inbox, seen
from tests.link.model import ModelController


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    broker = Broker(tmp_path_factory.mktemp("broker"))
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture
def oak(broker: Broker) -> Iterator[MqttController]:
    controller = MqttController(broker, ModelController("oak"))
    controller.start()
    yield controller
    controller.stop()


def lines(inbox: Inbox) -> list[Seen]:
    return [e.message for e in inbox.events if isinstance(e, Arrived) and isinstance(e.message, Seen)]


def guest(broker: Broker, topic: str) -> tuple[mqtt.Client, queue.Queue[tuple[bytes, bool]]]:
    """Another program at the broker, reading one topic."""
    client = mqtt.Client(CallbackAPIVersion.VERSION2)
    client.username_pw_set("guest", PASSWORDS["guest"])
    heard: queue.Queue[tuple[bytes, bool]] = queue.Queue()
    client.on_message = lambda _client, _data, message: heard.put((message.payload, message.retain))
    client.on_connect = lambda client, *_: client.subscribe(topic, 1)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    return client, heard


def test_lines_come_and_go(broker: Broker, oak: MqttController, open_link) -> None:
    link, inbox = open_link(broker.url())
    assert inbox.until(inbox.of(LinkUp)).hello.name == "oak"
    oak.put(2, "04a1b2c3")
    inbox.until(seen(2, "04a1b2c3"))
    assert link.send(Focus((3, 4)))
    inbox.until(lambda event: Focus((3, 4)) in oak.controller.heard)
    health = link.health()
    assert health.where == f"127.0.0.1:{broker.port} (MQTT 5)"
    assert "caravan" not in health.link
    assert health.counters.round_trip_ms is not None


def test_the_broker_may_start_last(tmp_path: Path, open_link) -> None:
    broker = Broker(tmp_path)
    _, inbox = open_link(broker.url())
    assert f"no broker at 127.0.0.1:{broker.port}" in inbox.until(inbox.of(LinkDown)).why
    oak = MqttController(broker, ModelController("oak"))
    oak.start()
    broker.start()
    inbox.until(inbox.of(LinkUp))
    oak.stop()
    broker.stop()


def test_the_controller_may_come_last(broker: Broker, open_link) -> None:
    _, inbox = open_link(broker.url())
    inbox.until(lambda event: isinstance(event, LinkDown) and "oak" in event.why)
    oak = MqttController(broker, ModelController("oak"))
    oak.start()
    assert inbox.until(inbox.of(LinkUp)).hello.name == "oak"
    oak.stop()


def test_a_line_that_the_broker_kept_is_no_controller(broker: Broker, oak: MqttController, open_link) -> None:
    """Somebody published with `retain`: that hello is an old one."""
    old = encode(Hello(VERSION, "oak", 4, 0, 99, "0.9.0", ()))
    oak.client.publish(oak.topic("up"), old, qos=1, retain=True).wait_for_publish(60)
    _, inbox = open_link(broker.url())
    greeted = inbox.until(inbox.of(LinkUp)).hello
    oak.client.publish(oak.topic("up"), b"", qos=1, retain=True).wait_for_publish(60)
    assert greeted.boot == 100


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_broker_that_restarts_in_the_middle(broker: Broker, oak: MqttController, open_link, how) -> None:
    link, inbox = open_link(broker.url())
    inbox.until(inbox.of(LinkUp))
    for turn in range(2):
        oak.put(0, f"0400aa0{turn}")
        inbox.until(seen(0, f"0400aa0{turn}"))
        broker.stop(how)
        inbox.until(inbox.of(LinkDown))
        for number in range(10):
            oak.put(number % 4, f"0400{turn}{number:03d}")
        broker.start()
        inbox.until(seen(1, f"0400{turn}009"))
    numbers = [line.seq for line in lines(inbox)]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert link.health().counters.lost == 0
    assert link.health().counters.drops >= 2


def test_a_controller_whose_power_fails(broker: Broker, oak: MqttController, open_link) -> None:
    _, inbox = open_link(broker.url())
    inbox.until(inbox.of(LinkUp))
    with oak.lock:
        oak.controller.reboot()
        oak.controller.seq = 0
        oak.vanish()
    assert "the controller of table 'oak' is offline" in inbox.until(inbox.of(LinkDown)).why
    assert inbox.until(inbox.of(LinkUp)).hello.boot == 101


def test_doubled_and_overtaken_lines_do_no_harm(broker: Broker, oak: MqttController, open_link) -> None:
    link, inbox = open_link(broker.url())
    inbox.until(inbox.of(LinkUp))
    with oak.lock:
        model = oak.controller
        late = [model.put(number % 4, f"0400{number:04d}") for number in range(60)]
        for first, second, third in zip(late[0::3], late[1::3], late[2::3], strict=True):
            oak.say([second, first, first, second, third])
    inbox.until(seen(3, "04000059"))
    assert [line.tags[0] for line in lines(inbox)[-60:]] == [f"0400{number:04d}" for number in range(60)]
    assert link.health().counters.repeats >= 40


def test_two_hosts_at_one_table(broker: Broker, oak: MqttController, open_link) -> None:
    """A recorder beside the game: both see everything."""
    _, first = open_link(broker.url())
    first.until(first.of(LinkUp))
    _, second = open_link(broker.url())
    second.until(second.of(LinkUp))
    for number in range(20):
        oak.put(number % 4, f"0400{number:04d}")
    for inbox in (first, second):
        inbox.until(seen(3, "04000019"))
        assert [line.tags[0] for line in lines(inbox) if line.tags][-4:] == [
            f"040000{n}" for n in range(16, 20)
        ]


def test_the_public_snapshot_is_kept_at_the_broker(broker: Broker, oak: MqttController, open_link) -> None:
    link, inbox = open_link(broker.url(), announce=True)
    inbox.until(inbox.of(LinkUp))
    link.publish({"version": 7, "turn": "Ann"})
    live, heard = guest(broker, "naqala/oak/state")
    while (said := json.loads(heard.get(timeout=60)[0])) != {"online": True, "version": 7, "turn": "Ann"}:
        assert said == {"online": False}  # of a test before
    late, retained = guest(broker, "naqala/oak/state")
    payload, was_retained = retained.get(timeout=60)
    assert json.loads(payload)["version"] == 7 and was_retained
    link.stop()
    assert json.loads(heard.get(timeout=60)[0]) == {"online": False}
    for client in (live, late):
        client.disconnect()
        client.loop_stop()


def test_a_snapshot_published_before_the_broker_answers_is_shown(broker: Broker, open_link) -> None:
    front = OldBroker(broker, silent=True)  # its silence gives us the time
    link, inbox = open_link(broker.url(port=front.port), announce=True)
    for version in range(100, 140):
        link.publish({"version": version})
    inbox.until(lambda event: isinstance(event, LinkDown) and "no controller" in event.why)
    assert [event.why for event in inbox.events[:-1]] == [
        f"the broker 127.0.0.1:{front.port} hung up (no answer); trying again"
    ]
    live, heard = guest(broker, "naqala/oak/state")
    assert json.loads(heard.get(timeout=60)[0]) == {"online": True, "version": 139}
    live.disconnect()
    live.loop_stop()
    front.stop()


def test_the_last_will_speaks_for_a_host_that_is_cut_off(broker: Broker, open_link) -> None:
    front = OldBroker(broker, silent=False)
    link, _ = open_link(broker.url(port=front.port), announce=True)
    link.publish({"version": 8})
    live, heard = guest(broker, "naqala/oak/state")
    while json.loads(heard.get(timeout=60)[0]).get("version") != 8:
        pass
    front.stop()
    assert json.loads(heard.get(timeout=60)[0]) == {"online": False}
    live.disconnect()
    live.loop_stop()


@pytest.mark.parametrize("silent", [False, True])
def test_a_broker_that_knows_no_mqtt_5(broker: Broker, oak: MqttController, open_link, silent: bool) -> None:
    front = OldBroker(broker, silent)
    link, inbox = open_link(broker.url(port=front.port))
    inbox.until(inbox.of(LinkUp))
    assert front.levels == [5, 4]
    assert link.health().where.endswith("(MQTT 3.1.1)")
    oak.put(1, "04a1b2c3")
    inbox.until(seen(1, "04a1b2c3"))
    front.stop()


def test_a_wrong_password_is_told(broker: Broker, open_link) -> None:
    _, inbox = open_link(f"mqtt://host:wrong@127.0.0.1:{broker.port}/oak")
    why = inbox.until(inbox.of(LinkDown)).why
    assert "does not let user 'host' in" in why and "check user and password" in why


def test_no_user_is_told(broker: Broker, open_link) -> None:
    _, inbox = open_link(f"mqtt://127.0.0.1:{broker.port}/oak")
    assert "anyone without a user name" in inbox.until(inbox.of(LinkDown)).why


def test_user_and_password_from_the_settings(broker: Broker, oak: MqttController, open_link) -> None:
    _, inbox = open_link(f"mqtt://127.0.0.1:{broker.port}/oak", user="host", password="caravan")
    assert inbox.until(inbox.of(LinkUp)).hello.name == "oak"


def test_an_access_list_that_forbids_writing_is_told(broker: Broker, open_link) -> None:
    _, inbox = open_link(broker.url("guest"))
    told = inbox.until(lambda event: isinstance(event, LinkDown) and "write" in event.why)
    assert "not let us write naqala/oak/down" in told.why


def test_tls_with_an_authority_of_our_own(broker: Broker, oak: MqttController, open_link) -> None:
    address = f"mqtts://host:caravan@127.0.0.1:{broker.tls_port}/oak"
    for inbox in (
        open_link(f"{address}?ca={broker.folder}/ca.crt")[1],
        open_link(address, ca=f"{broker.folder}/ca.crt")[1],
        open_link(f"{address}?insecure=yes")[1],
    ):
        assert inbox.until(inbox.of(LinkUp)).hello.name == "oak"


def test_tls_is_refused_without_a_trusted_certificate(broker: Broker, open_link) -> None:
    address = f"mqtts://host:caravan@127.0.0.1:{broker.tls_port}/oak"
    _, inbox = open_link(address)
    why = inbox.until(inbox.of(LinkDown)).why
    assert "cannot be trusted" in why and "?ca=FILE" in why and "?insecure=yes" in why
    _, other = open_link(f"{address.replace('127.0.0.1', 'localhost')}?ca={broker.folder}/ca.crt")
    assert "cannot be trusted" in other.until(other.of(LinkDown)).why  # the certificate is for the number


def test_stopping_is_quick_whatever_the_state(broker: Broker) -> None:
    for text in (broker.url(), f"mqtt://127.0.0.1:{free_port()}/oak", broker.url("guest")):
        inbox = Inbox()
        link = links.open(text)
        link.start(inbox)
        inbox.until(inbox.of(LinkDown))
        begun = time.monotonic()
        link.stop()
        assert time.monotonic() - begun < 20


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("mqtt://host", "should name a broker and a table"),
        ("mqtt:///oak", "should name a broker and a table"),
        ("mqtt://host/a/b", "should name a broker and a table"),
        ("mqtt://host/+", "should name a broker and a table"),
        ("mqtt://host:99999/oak", "no host or port that can exist"),
        ("mqtt://host/oak?ca=x", "ca belongs to mqtts://"),
        (
            "mqtts://host/oak?ca=/no/such/file",
            "cannot read the certificates in '/no/such/file': No such file",
        ),
        ("mqtts://host/oak?verify=no", "only ca= and insecure=yes may follow the table, not verify"),
    ],
)
def test_a_text_that_makes_no_sense(text: str, sentence: str) -> None:
    with pytest.raises(LinkError) as error:
        links.open(text)
    assert sentence in str(error.value)
