"""What the terminal says at the start: address, code and QR code of every table."""

from __future__ import annotations

import pytest
from naqala.cli.play import _welcome
from naqala.service import Place

HERE, PHONES = "http://127.0.0.1:8000", "http://192.168.1.5:8000"


def test_every_table_has_its_address_its_code_and_something_to_scan(
    capsys: pytest.CaptureFixture[str],
) -> None:
    codes = {"oak": "BKRT", "elm": "ZQXW"}
    secure = "https://192.168.1.5:8443"
    _welcome(Place(HERE, PHONES, f"{HERE}/owner?token=t", secure, codes, "naqala.local"))
    said = capsys.readouterr().out
    assert f"Phones join oak at {PHONES}/BKRT or http://naqala.local:8000/BKRT\nCode: BKRT\n" in said
    assert f"Phones join elm at {PHONES}/ZQXW or http://naqala.local:8000/ZQXW\nCode: ZQXW\n" in said
    assert said.count("▀") > 100, "two codes to scan"
    assert f"With https: {secure} (the first time see {PHONES}/authority)" in said


def test_with_https_the_code_leads_there(capsys: pytest.CaptureFixture[str]) -> None:
    secure = "https://192.168.1.5:8443"
    _welcome(Place(HERE, secure, f"{HERE}/owner?token=t", secure, {"table": "BKRT"}, "naqala.local"))
    said = capsys.readouterr().out
    assert f"Phones join at {secure}/BKRT or https://naqala.local:8443/BKRT\n" in said
    assert "With https" not in said


def test_alone_nothing_is_offered_that_no_phone_can_reach(capsys: pytest.CaptureFixture[str]) -> None:
    _welcome(Place(HERE, "", f"{HERE}/owner?token=t", "", {"table": "BKRT"}))
    said = capsys.readouterr().out
    assert "BKRT" not in said and "--lan lets phones join" in said
