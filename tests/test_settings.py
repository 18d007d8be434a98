"""Settings: flags over file over defaults, and a sentence for each mistake in the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from naqala import settings
from naqala.settings import Settings, SettingsError, load

FILE = """
journal = "postgresql://naqala@clubhouse/naqala"
[tables]
oak = "serial:name=oak"
elm = "mqtts://clubhouse/elm"
[serial]
ports = ["/dev/serial/by-id/*"]
[mqtt]
user = "host"
password = "caravan"
insecure = true
"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder and a home without any settings."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


def test_defaults(elsewhere: Path) -> None:
    found = load()
    assert found == Settings()
    assert found.journal_url == str(elsewhere / "data/naqala/journal.sqlite")
    assert found.tables == {"table": "serial"}


def test_the_file_in_this_folder(elsewhere: Path) -> None:
    (elsewhere / "naqala.toml").write_text(FILE)
    found = load()
    assert found.journal_url == "postgresql://naqala@clubhouse/naqala"
    assert found.tables == {"oak": "serial:name=oak", "elm": "mqtts://clubhouse/elm"}
    options = found.link_options(announce=True)
    assert options.ports == ("/dev/serial/by-id/*",)
    assert (options.user, options.password, options.insecure, options.announce) == (
        "host",
        "caravan",
        True,
        True,
    )


def test_flags_win_and_the_rest_stays(elsewhere: Path) -> None:
    (elsewhere / "naqala.toml").write_text(FILE)
    found = load({"journal": "here.sqlite", "tables": None})
    assert found.journal == "here.sqlite"
    assert "oak" in found.tables


def test_the_user_s_own_file_comes_after_this_folder_s(elsewhere: Path) -> None:
    own = elsewhere / "config/naqala/naqala.toml"
    own.parent.mkdir(parents=True)
    own.write_text('journal = "own"')
    assert load().journal == "own" and load().file == own
    (elsewhere / "naqala.toml").write_text('journal = "here"')
    assert load().journal == "here"
    (elsewhere / "other.toml").write_text('journal = "other"')
    assert load(config="other.toml").journal == "other"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("jurnal = 'x'", "naqala.toml: unknown setting 'jurnal'; did you mean 'journal'?"),
        ("[mqtt]\nusr = 'x'", "naqala.toml: unknown setting 'mqtt.usr'; did you mean 'mqtt.user'?"),
        ("zzz = 1", "naqala.toml: unknown setting 'zzz'; known are tables, journal, serial.ports"),
        ("journal = 3", "naqala.toml: 'journal' should be a text, not 3"),
        ("[mqtt]\ninsecure = 'yes'", "naqala.toml: 'mqtt.insecure' should be true or false, not 'yes'"),
        ("[serial]\nports = 'x'", "naqala.toml: 'serial.ports' should be a list of texts, not 'x'"),
        ("[tables]\noak = 1", "naqala.toml: 'tables' should be names and texts, not {'oak': 1}"),
        ("journal = ", "naqala.toml: Invalid value (at end of document)"),
    ],
)
def test_each_mistake_is_named(elsewhere: Path, text: str, sentence: str) -> None:
    (elsewhere / "naqala.toml").write_text(text)
    with pytest.raises(SettingsError) as error:
        load()
    assert str(error.value).startswith(sentence)


def test_a_file_that_was_named_must_be_there() -> None:
    with pytest.raises(SettingsError, match=r"there is no settings file 'no\.toml'"):
        load(config="no.toml")


def test_every_setting_has_its_help() -> None:
    assert all(one.metadata["help"] for one in settings.KEYS.values())


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 20_000, "a = " + "{b=" * 20_000, "[" + "a." * 5_000 + "b]\nc = 1"]
)
def test_a_file_nested_too_deeply_is_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "naqala.toml").write_text(text)
    with pytest.raises(SettingsError):
        load(config=tmp_path / "naqala.toml")
