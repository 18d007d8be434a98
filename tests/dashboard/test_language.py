"""Four languages, complete; both wordings; names stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask, session
from naqala.dashboard.language import LANGUAGES, say, say_n

from tests.dashboard.catalogues import TRANSLATED, catalogue, sentences
from tests.dashboard.stand import Stand, a_game, app_for, snapshot_after

FACTS = re.compile(r"%\((\w+)\)s")


@pytest.fixture
def app(tmp_path: Path) -> Flask:
    return app_for(tmp_path, Stand(snapshot_after(a_game(), 3)))


@pytest.fixture
def asked(app: Flask) -> Iterator[None]:
    with app.test_request_context("/"):
        yield


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_sentence_is_translated(language: str) -> None:
    there = {message.id: message for message in catalogue(language) if message.id}
    assert sentences() == set(there), "run `make words`, then translate what is new"
    forms = catalogue(language).num_plurals
    for sentence, message in there.items():
        texts = [message.string] if isinstance(sentence, str) else list(message.string)
        assert len(texts) == (1 if isinstance(sentence, str) else forms)
        assert all(texts), f"{language}: no translation of {sentence!r}"
        assert not message.fuzzy
        wanted = set(FACTS.findall(sentence if isinstance(sentence, str) else sentence[1]))
        for text in texts:
            assert set(FACTS.findall(text)) == wanted, f"{language}: other facts in {text!r}"
            assert text.count("%") == len(FACTS.findall(text)), f"{language}: a stray % in {text!r}"


@pytest.mark.parametrize(
    ("language", "counted"),
    [
        ("en", {1: "1 elder", 2: "2 elders", 5: "5 elders", 21: "21 elders"}),
        ("fr", {1: "1 ancien", 2: "2 anciens", 5: "5 anciens", 21: "21 anciens"}),
        ("nl", {1: "1 oudere", 2: "2 ouderen", 5: "5 ouderen", 21: "21 ouderen"}),
        ("ru", {1: "1 мудрец", 2: "2 мудреца", 5: "5 мудрецов", 21: "21 мудрец"}),
    ],
)
def test_numbers_take_their_form(asked: None, language: str, counted: dict[int, str]) -> None:
    session["language"] = language
    for number, words in counted.items():
        assert say_n("%(n)s elder", "%(n)s elders", number) == words


@pytest.mark.parametrize(
    ("language", "fakirs", "slaves"),
    [
        ("en", "2 fakirs", "2 slaves"),
        ("fr", "2 fakirs", "2 esclaves"),
        ("nl", "2 fakirs", "2 slaven"),
        ("ru", "2 факира", "2 раба"),  # noqa: RUF001
    ],
)
def test_both_wordings_of_the_card(app: Flask, language: str, fakirs: str, slaves: str) -> None:
    for wording, words in (("fakir", fakirs), ("slave", slaves)):
        with app.test_request_context("/"):
            session["language"], session["wording"] = language, wording
            assert say_n("%(n)s fakir", "%(n)s fakirs", 2) == words


def test_a_player_called_fakir_keeps_the_name(asked: None) -> None:
    session["wording"] = "slave"
    assert say("%(name)s ends the turn.", name="Fakir") == "Fakir ends the turn."


def test_a_viewer_chooses_the_table_suggests(app: Flask) -> None:
    client = app.test_client()
    assert 'lang="en"' in client.get("/t/oak/").text
    token = re.search(r'name="csrf" value="([^"]+)"', client.get("/t/oak/join").text)
    assert token
    sent = {"csrf": token[1], "language": "ru", "theme": "dark", "wording": "slave", "back": "/t/oak/join"}
    answer = client.post("/prefer", data=sent, headers={"Origin": "http://localhost"})
    assert answer.location == "/t/oak/join"
    page = client.get("/t/oak/join").text
    assert 'lang="ru" data-theme="dark"' in page
    assert "Кто вы?" in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_of_a_game_speaks(app: Flask, language: str) -> None:
    client = app.test_client()
    with client.session_transaction() as cookie:
        cookie["language"] = language
    for address in ("/t/oak/", "/t/oak/log", "/t/oak/join"):
        assert f'<html lang="{language}"' in client.get(address).text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_viewer_of_the_first_printing_reads_its_word_on_every_page(tmp_path: Path, language: str) -> None:
    """Screen, seat in every phase, tags and score sheet: the other printing's word is nowhere, and this one's is."""
    record = a_game(("Ann", "Bob", "Cleo"), 5)
    stand = Stand(snapshot_after(record, 0))
    app = app_for(tmp_path, stand)
    app.testing = True
    client = app.test_client()
    seats = app.extensions["naqala-seats"]
    claims = {name: seats.claim("oak", name) for name in ("Ann", "Bob", "Cleo")}
    ours, theirs = {"en": ("slave", "fakir"), "fr": ("esclave", "fakir"), "nl": ("sla[av]", "fakir")}.get(
        language,
        ("раб", "факир"),  # noqa: RUF001
    )
    read = 0
    for step in [*range(0, len(record.steps), 9), len(record.steps)]:
        shown = snapshot_after(record, step)
        facts = ("stage", "game", "choices", "log", "step")
        stand.show(**{name: getattr(shown, name) for name in facts}, language=language)
        acting = shown.game.turn.player or "Ann"
        with client.session_transaction() as cookie:
            cookie.update(language=language, wording="slave", seats={"oak": claims}, sitting={"oak": acting})
        for page in ("", "seat", "log", "end"):
            answer = client.get(f"/t/oak/{page}")
            if answer.status_code == 200:
                text = re.sub(r"<[^>]*>", " ", re.sub(r"<option.*?</option>", "", answer.text)).lower()
                assert not re.search(theirs, text), (page, step)
                read += len(re.findall(ours, text))
    assert read > 20
