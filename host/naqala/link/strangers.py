"""Whether a broker lets anybody speak for a controller.

Lines on `naqala/<table>/up` are believed: whoever may publish there can play a move. So we try as a stranger would, without
user and password, with an empty message that means nothing to a host: MQTT 5 says in its answer whether it was let through.
"""

from __future__ import annotations

import queue
import secrets
from typing import TYPE_CHECKING, Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

if TYPE_CHECKING:
    from naqala.link.mqtt_link import Broker

ANSWER_S = 4.0  # for each of the broker's answers
KEEP_ALIVE_S = 15
ADVICE = "give each controller a user of its own: `naqala broker --help` makes the broker's configuration"


def lets_strangers_publish(broker: Broker) -> bool | None:
    """Whether somebody without a user can say lines of this table's controller; None when the broker could not be asked."""
    for version in (MQTTProtocolVersion.MQTTv5, MQTTProtocolVersion.MQTTv311):
        found = _try(broker, version)
        if found != "another version":
            return {"open": True, "closed": False}.get(found)
    return None


def _try(broker: Broker, version: MQTTProtocolVersion) -> str:
    happened: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
    client = mqtt.Client(
        CallbackAPIVersion.VERSION2,
        client_id=f"naqala-check-{secrets.token_hex(4)}",
        protocol=version,
        reconnect_on_failure=False,
    )
    client.connect_timeout = ANSWER_S
    if broker.tls is not None:
        client.tls_set_context(broker.tls)
    client.on_connect = lambda _client, _data, _flags, code, _properties: happened.put(("in", code))
    client.on_disconnect = lambda _client, _data, _flags, code, _properties: happened.put(("out", code))
    client.on_publish = lambda _client, _data, _mid, code, _properties: happened.put(("said", code))
    try:
        client.connect(broker.host, broker.port, keepalive=KEEP_ALIVE_S)
    except (OSError, ValueError):
        return "unknown"
    client.loop_start()
    try:
        word, code = _next(happened)
        if word == "in" and code.is_failure:
            return "another version" if "rotocol" in str(code) else "closed"
        if word != "in":
            return "another version" if word == "out" else "unknown"
        if version == MQTTProtocolVersion.MQTTv311:
            return "open"  # it was let in; whether it may publish this version does not say
        client.publish(broker.topic("up"), b"", qos=1)
        word, code = _next(happened)
        if word == "said":
            return "closed" if code.is_failure else "open"
        return "closed" if word == "out" else "unknown"
    finally:
        client.disconnect()
        client.loop_stop()


def _next(happened: queue.SimpleQueue[tuple[str, Any]]) -> tuple[str, Any]:
    try:
        return happened.get(timeout=ANSWER_S)
    except queue.Empty:
        return "nothing", None
