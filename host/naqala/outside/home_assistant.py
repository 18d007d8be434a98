"""A table as a device of Home Assistant: one retained message for each entity, by which Home Assistant finds it at the broker.

    homeassistant/sensor/naqala_oak/turn/config   {"name": "Turn", "state_topic": "naqala/oak/state", ...}

The entities read the public snapshot that is at the broker anyway (`naqala/<table>/state`), from its part `entities`, which
`entities` makes. Its last will says `{"online": false}`: then Home Assistant shows them as unavailable. Facts:
https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import naqala
from naqala.rules.scoring import score, winners
from naqala.session.snapshot import OVER, Snapshot

ON, OFF = "on", "off"
SENSOR, BINARY = "sensor", "binary_sensor"
AVAILABLE = "{{ 'online' if value_json.online else 'offline' }}"
PART = "entities"


@dataclass(frozen=True)
class Entity:
    """One entity; its id is also its key in the part `entities` of the state."""

    id: str
    kind: str
    name: str
    more: Mapping[str, Any] = field(default_factory=dict)
    facts: bool = False  # whether `<id>_facts` of that part are its attributes


ENTITIES = (
    Entity("stage", SENSOR, "Table", {"icon": "mdi:table-furniture"}),
    Entity("turn", SENSOR, "Turn", {"icon": "mdi:account-arrow-right"}, facts=True),
    Entity("flag", BINARY, "Broken rule", {"device_class": "problem"}, facts=True),
    Entity(
        "readers",
        BINARY,
        "Readers in trouble",
        {"device_class": "problem", "entity_category": "diagnostic"},
        facts=True,
    ),
    Entity("over", BINARY, "Game over", {"icon": "mdi:flag-checkered"}, facts=True),
)


def entities(snapshot: Snapshot, shown: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all entities, from what everybody may see (`shown`). Scores are told when the game is over, not before."""
    reading = shown["reading"] or {}
    over = snapshot.stage == OVER
    turn = shown.get("turn") or {}
    silent = shown["health"]["silent"]
    scores = score(snapshot.game) if over and snapshot.game is not None else ()
    rules = [breach["rule"] for breach in reading.get("breaches", [])]
    return {
        "stage": snapshot.stage,
        "turn": (turn.get("player") or "") if not over else "",
        "turn_facts": {"phase": turn.get("phase", ""), "round": shown.get("round")},
        "flag": ON if reading.get("kind") == "wrong" else OFF,
        "flag_facts": {"rules": rules},
        "readers": ON if silent else OFF,
        "readers_facts": {"tiles": silent},
        "over": ON if over else OFF,
        "over_facts": {
            "scores": {one.name: one.total for one in scores},
            "winners": list(winners(scores)) if scores else [],
        },
    }


def discovery(table: str, prefix: str) -> tuple[tuple[str, str], ...]:
    """Topic and payload of each entity's message; nothing without a prefix."""
    node = f"naqala_{re.sub('[^A-Za-z0-9_-]', '_', table)}"
    state = f"naqala/{table}/state"
    device = {
        "identifiers": [node],
        "name": f"Naqala {table}",
        "manufacturer": "Naqala",
        "model": "Table",
        "sw_version": naqala.__version__,
    }
    found = []
    for one in ENTITIES if prefix else ():
        payload = {
            "name": one.name,
            "unique_id": f"{node}_{one.id}",
            "object_id": f"{node}_{one.id}",
            "state_topic": state,
            "value_template": f"{{{{ value_json.{PART}.{one.id} if value_json.{PART} is defined else '' }}}}",
            "availability_topic": state,
            "availability_template": AVAILABLE,
            "device": device,
            **({"payload_on": ON, "payload_off": OFF} if one.kind == BINARY else {}),
            **one.more,
        }
        if one.facts:
            facts = f"value_json.{PART}.{one.id}_facts"
            payload["json_attributes_topic"] = state
            payload["json_attributes_template"] = (
                f"{{{{ {facts} | tojson if value_json.{PART} is defined else '{{}}' }}}}"
            )
        found.append((f"{prefix}/{one.kind}/{node}/{one.id}/config", json.dumps(payload)))
    return tuple(found)
