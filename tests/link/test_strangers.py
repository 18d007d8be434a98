"""A stranger at the broker: found out, warned of, and kept out by the configuration that `naqala broker` makes. Mosquitto is real."""

from __future__ import annotations

import json
import queue
import tomllib
from collections.abc import Iterator
from pathlib import Path

import paho.mqtt.client as mqtt
import pytest
from click.testing import CliRunner
from naqala import flash
from naqala import link as links
from naqala.cli import main
from naqala.link import Options
from naqala.link.mqtt_link import read_broker
from naqala.link.strangers import lets_strangers_publish
from naqala.settings import load
from naqala_firmware import config as controller_config
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from tests.link.broker import Mosquitto, free_port

PATIENCE_S = 60.0


@pytest.fixture
def open_broker(tmp_path: Path) -> Iterator[Mosquitto]:
    broker = Mosquitto(tmp_path)
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture
def made(tmp_path: Path) -> Iterator[tuple[Path, Mosquitto]]:
    """What the command makes, and a broker that runs with it."""
    folder, port = tmp_path / "club", free_port()
    done = CliRunner().invoke(
        main, ["broker", "oak", "elm", "--host", "127.0.0.1", "--port", str(port), "--out", str(folder)]
    )
    assert done.exit_code == 0, done.output
    for path in folder.iterdir():
        assert path.stat().st_mode & 0o777 == 0o600, path.name
    broker = Mosquitto(tmp_path)
    broker.port = port
    conf = (folder / "mosquitto.conf").read_text().replace(f"listener {port}", f"listener {port} 127.0.0.1")
    (tmp_path / "conf").write_text("user root\n" + conf)
    broker.start()
    yield folder, broker
    broker.stop()


def said_by(port: int, user: str, word: str, topic: str) -> bool:
    """Whether a broker takes a line on this topic from this user."""
    happened: queue.SimpleQueue[bool] = queue.SimpleQueue()
    client = mqtt.Client(
        CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5, reconnect_on_failure=False
    )
    if user:
        client.username_pw_set(user, word)
    client.on_connect = lambda *told: happened.put(not told[3].is_failure)
    client.on_publish = lambda *told: happened.put(not told[3].is_failure)
    client.connect("127.0.0.1", port)
    client.loop_start()
    try:
        if not happened.get(timeout=PATIENCE_S):
            return False
        client.publish(topic, b"seen 1 0 - *0000\n", qos=1)
        return happened.get(timeout=PATIENCE_S)
    finally:
        client.disconnect()
        client.loop_stop()


def test_an_open_broker_is_found_out(open_broker: Mosquitto) -> None:
    broker = read_broker(f"mqtt://127.0.0.1:{open_broker.port}/oak", Options())
    assert lets_strangers_publish(broker) is True


def test_no_broker_is_no_answer() -> None:
    assert lets_strangers_publish(read_broker(f"mqtt://127.0.0.1:{free_port()}/oak", Options())) is None


def test_the_question_is_nothing_to_a_host(open_broker: Mosquitto) -> None:
    """An empty message: neither a line nor noise, and no controller is there because of it."""
    address = f"mqtt://127.0.0.1:{open_broker.port}/oak"
    link = links.open(address, Options(announce=True))
    happened: queue.SimpleQueue[object] = queue.SimpleQueue()
    link.start(happened.put)
    try:
        happened.get(timeout=PATIENCE_S)  # that it is at the broker, and that no controller is
        assert lets_strangers_publish(read_broker(address, Options())) is True
        while link.health().counters.strangers is None:
            assert not link.health().up
        counters = link.health().counters
        assert (counters.strangers, counters.lines, counters.noise, counters.bad) == (1, 0, 0, 0)
    finally:
        link.stop()


@pytest.mark.parametrize(("closed", "code"), [(False, 1), (True, 0)])
def test_the_doctor_warns(
    closed: bool, code: int, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    port = request.getfixturevalue("made")[1].port if closed else request.getfixturevalue("open_broker").port
    asked = [
        "doctor",
        "--only",
        "broker",
        "--table",
        f"oak=mqtt://127.0.0.1:{port}/oak",
        "--table",
        "elm=serial",
    ]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == code
    assert ("anybody may publish its moves" in done.output) is not closed
    assert ("naqala broker" in done.output) is not closed


def test_each_controller_speaks_for_itself_and_nobody_else_for_it(made: tuple[Path, Mosquitto]) -> None:
    folder, broker = made
    words = json.loads((folder / "words.json").read_text())
    may = {
        ("controller-oak", "oak/up"),
        ("controller-oak", "oak/status"),
        ("controller-elm", "elm/up"),
        ("controller-elm", "elm/status"),
        ("naqala-host", "oak/down"),
        ("naqala-host", "oak/state"),
        ("naqala-host", "elm/down"),
        ("naqala-host", "elm/state"),
    }
    topics = [f"{table}/{what}" for table in ("oak", "elm") for what in ("up", "down", "status", "state")]
    for user in (*words, "", "controller-oak "):
        for topic in topics:
            said = said_by(broker.port, user, words.get(user, "guess"), f"naqala/{topic}")
            assert said is ((user, topic) in may), (user, topic)
    assert not said_by(broker.port, "controller-oak", "guess", "naqala/oak/up")
    assert lets_strangers_publish(read_broker(f"mqtt://127.0.0.1:{broker.port}/oak", Options())) is False


def test_the_settings_of_a_controller_are_those_that_flash_takes(made: tuple[Path, Mosquitto]) -> None:
    folder, broker = made
    changes = json.loads((folder / "controller-oak.json").read_text())
    changes["wifi"] = {"ssid": "club", "password": "12345678"}
    config = controller_config.load(flash.merge_config("", changes))
    words = json.loads((folder / "words.json").read_text())
    assert (config["name"], config["link"], config["broker"]["port"]) == ("oak", "mqtt", broker.port)
    assert config["broker"]["user"] == "controller-oak"
    assert config["broker"]["password"] == words["controller-oak"]


def test_the_settings_of_the_host_are_those_that_play_takes(made: tuple[Path, Mosquitto]) -> None:
    folder, _ = made
    settings = load(config=folder / "naqala.toml")
    assert set(settings.tables) == {"oak", "elm"}
    happened: queue.SimpleQueue[object] = queue.SimpleQueue()
    link = links.open(settings.tables["oak"], settings.link_options(announce=True))
    link.start(happened.put)
    try:
        told = happened.get(timeout=PATIENCE_S)
        assert "no controller of table 'oak' yet" in str(told), "it is in, and may listen"
    finally:
        link.stop()


def test_another_table_later_keeps_the_passwords(tmp_path: Path) -> None:
    out = str(tmp_path / "club")
    first = CliRunner().invoke(main, ["broker", "oak", "--host", "clubhouse", "--out", out])
    before = json.loads((tmp_path / "club/words.json").read_text())
    second = CliRunner().invoke(main, ["broker", "oak", "elm", "--host", "clubhouse", "--out", out])
    after = json.loads((tmp_path / "club/words.json").read_text())
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert before.items() <= after.items() and "controller-elm" in after
    assert not set(before.values()) & set(first.output.split()), "passwords are not printed"
    tables = tomllib.loads((tmp_path / "club/naqala.toml").read_text())["tables"]
    assert tables == {"oak": "mqtt://clubhouse:1883/oak", "elm": "mqtt://clubhouse:1883/elm"}


@pytest.mark.parametrize(
    "arguments",
    [["oak/elm"], ["+"], ["a" * 33], ["oak", "--cert", "x.crt"], ["oak", "--port", "0"], []],
    ids=str,
)
def test_what_makes_no_sense_is_one_line(tmp_path: Path, arguments: list[str]) -> None:
    done = CliRunner().invoke(main, ["broker", *arguments, "--host", "h", "--out", str(tmp_path / "club")])
    assert done.exit_code == 2 and done.output.count("\n") == 1
    assert not (tmp_path / "club").exists()
