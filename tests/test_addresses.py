"""No message shows a password: one way for the addresses of links and journals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from naqala.addresses import without_secrets
from naqala.journal import Journal, JournalError
from naqala.link import LinkError
from naqala.link import open as open_link

SHOWN = {
    "mqtt://ann:hunter2@clubhouse/oak": "mqtt://ann@clubhouse/oak",
    "mqtt://ann@clubhouse/oak": "mqtt://ann@clubhouse/oak",
    "mqtts://clubhouse:8883/oak?ca=ca.crt": "mqtts://clubhouse:8883/oak?ca=ca.crt",
    "postgresql://u:a@b/c@host:5432/games": "postgresql://u@host:5432/games",
    "postgresql://host/games?user=u&password=hunter2": "postgresql://host/games?user=u&password=...",
    "serial:/dev/ttyACM0": "serial:/dev/ttyACM0",
}


@pytest.mark.parametrize("address", SHOWN)
def test_as_messages_show_it(address: str) -> None:
    assert without_secrets(address) == SHOWN[address]


@given(st.text(min_size=1).filter(lambda text: text not in "ann@clubhouse:1883/oak"))
def test_no_password_survives(password: str) -> None:
    shown = without_secrets(f"mqtt://ann:{password}@clubhouse:1883/oak")
    assert shown == "mqtt://ann@clubhouse:1883/oak"


@pytest.mark.parametrize(
    "address",
    [
        "mqtt://ann:hunter2@clubhouse/",
        "mqtt://ann:hunter2@clubhouse:99999/oak",
        "mqtt://ann:hunter2@clubhouse/oak?speed=2",
        "mqtt://ann:hunter2@clubhouse/oak?ca=ca.crt",
        "mqtt://ann:hunter2@[::1/oak",
        "carrier-pigeon://ann:hunter2@clubhouse/oak",
    ],
)
def test_a_link_that_makes_no_sense_keeps_its_password(address: str) -> None:
    with pytest.raises(LinkError) as told:
        open_link(address)
    assert "hunter2" not in str(told.value)
    assert "clubhouse" in str(told.value) or "[::1" in str(told.value)


@pytest.mark.parametrize(
    "address", ["mysql://ann:hunter2@host/games", "postgresql://ann:hunter2@host:xx/games"]
)
def test_a_journal_that_makes_no_sense_keeps_its_password(address: str) -> None:
    with pytest.raises(JournalError) as told:
        Journal.open(address)
    assert "hunter2" not in str(told.value)
    assert "@host" in str(told.value)
