"""A table is found by Home Assistant at a real mosquitto: messages fit its documented schema, its own template language reads the
state, and the last will makes the entities unavailable.
"""

from __future__ import annotations

import json
import queue
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jinja2
import jsonschema
import paho.mqtt.client as mqtt
import pytest
from naqala.dashboard.view import show
from naqala.dashboard.viewers import THE_SCREEN
from naqala.link import broker_files
from naqala.outside.home_assistant import discovery, entities
from naqala.rules.scoring import score
from naqala.service import Service
from naqala.settings import Settings
from paho.mqtt.enums import CallbackAPIVersion

from tests.dashboard.stand import a_game, readers, snapshot_after
from tests.link.broker import Mosquitto

SCHEMA = json.loads((Path(__file__).parent / "home_assistant.schema.json").read_text())
RECORD = a_game(2)
TOPIC = re.compile(r"homeassistant/(sensor|binary_sensor)/[A-Za-z0-9_-]+/[A-Za-z0-9_-]+/config")


def rendered(template: str, payload: str) -> str:
    """As Home Assistant renders a template of MQTT: `value` is the message, `value_json` what it says."""
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    return environment.from_string(template).render(value=payload, value_json=json.loads(payload))


def state_of(steps: int, **more: Any) -> str:
    snapshot = snapshot_after(RECORD, steps, **more)
    shown = show(snapshot, THE_SCREEN)
    return json.dumps({"online": True, **shown, "entities": entities(snapshot, shown)})


MESSAGES = {topic: json.loads(payload) for topic, payload in discovery("oak", "homeassistant")}
OFFLINE = json.dumps({"online": False})


def value(entity: str, payload: str) -> str:
    config = next(one for topic, one in MESSAGES.items() if topic.split("/")[3] == entity)
    return rendered(config["value_template"], payload)


def test_every_message_fits_the_documented_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert len(MESSAGES) >= 5
    for topic, payload in MESSAGES.items():
        assert TOPIC.fullmatch(topic), topic
        jsonschema.validate(payload, SCHEMA)
    assert len({one["unique_id"] for one in MESSAGES.values()}) == len(MESSAGES)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(next(iter(MESSAGES.values())) | {"state_topik": "x"}, SCHEMA)


@pytest.mark.parametrize("table", ["elm tree", "Tisch/é", "x" * 40])
def test_any_name_of_a_table_makes_a_topic_that_home_assistant_reads(table: str) -> None:
    for topic, payload in discovery(table, "homeassistant"):
        assert TOPIC.fullmatch(topic), topic
        jsonschema.validate(json.loads(payload), SCHEMA)
    assert discovery(table, "") == ()


def test_its_templates_read_a_game() -> None:
    playing, over = state_of(3, readers=readers(("B3",))), state_of(len(RECORD.steps))
    assert value("stage", playing) == "play" and value("stage", over) == "over"
    assert value("turn", playing) == RECORD.at(3).turn.player
    assert value("over", playing) == "off" and value("over", over) == "on"
    assert value("flag", playing) == "off"
    facts = next(one for topic, one in MESSAGES.items() if "/over/" in topic)["json_attributes_template"]
    told = json.loads(rendered(facts, over))
    assert told["scores"] == {one.name: one.total for one in score(RECORD.at(len(RECORD.steps)))}
    assert told["winners"]
    assert json.loads(rendered(facts, playing))["scores"] == {}, "no score before the end"
    for config in MESSAGES.values():
        rendered(config["value_template"], OFFLINE)
        assert rendered(config["availability_template"], OFFLINE) == "offline"
        assert rendered(config["availability_template"], playing) == "online"
        if "json_attributes_template" in config:
            assert json.loads(rendered(config["json_attributes_template"], OFFLINE)) == {}


class HomeAssistant:
    """Somebody at the broker who keeps the last message of every topic."""

    def __init__(self, port: int) -> None:
        self.last: dict[str, str] = {}
        self._news: queue.Queue[None] = queue.Queue()
        self.client = mqtt.Client(CallbackAPIVersion.VERSION2)
        self.client.on_connect = lambda client, *_: client.subscribe(
            [("homeassistant/#", 1), ("naqala/+/state", 1)]
        )
        self.client.on_message = self._heard
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def _heard(self, _client: object, _data: object, message: mqtt.MQTTMessage) -> None:
        self.last[message.topic] = message.payload.decode()
        self._news.put(None)

    def until(self, wanted: Callable[[dict[str, str]], bool]) -> None:
        while not wanted(dict(self.last)):
            self._news.get(timeout=60)

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    (tmp_path / "broker").mkdir()
    broker = Mosquitto(tmp_path / "broker")
    broker.start()
    yield broker
    broker.stop()


def test_a_running_companion_is_found_and_lost_at_a_real_broker(mosquitto: Mosquitto, tmp_path: Path) -> None:
    journal = str(tmp_path / "journal.sqlite")
    tables = {"salon": f"mqtt://127.0.0.1:{mosquitto.port}/oak"}
    service = Service(Settings(tables=tables, journal=journal, backup_at=""), tmp_path, port=0)
    service.start()
    home = HomeAssistant(mosquitto.port)
    try:
        home.until(lambda last: set(MESSAGES) <= set(last) and "naqala/oak/state" in last)
        for topic, payload in MESSAGES.items():
            assert json.loads(home.last[topic]) == payload
        now = home.last["naqala/oak/state"]
        assert value("stage", now) == "welcome" and value("flag", now) == "off"
        service.stop()
        home.until(
            lambda last: (
                rendered(MESSAGES[topic]["availability_template"], last["naqala/oak/state"]) == "offline"
            )
        )
    finally:
        service.stop()
        home.close()


def test_our_own_broker_lets_the_host_write_them() -> None:
    assert "topic write homeassistant/+/naqala_oak/+/config" in broker_files._acl(["oak"])
