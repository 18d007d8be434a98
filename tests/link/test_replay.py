"""The replay link: a transcript as a controller, at its own pace or at once."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from naqala import link as links
from naqala.link import Arrived, LinkDown, LinkError, LinkUp
from naqala_protocol import VERSION, Hello, Seen

from tests.link.conftest import Inbox

TEXT = """naqala-transcript 1
reader 17 C4
reader 18 C5
@0 seen 1 17 04a1b2c3
@100 tap {"do": "end", "player": "Ann"}
@200 resync all
@60000 seen 5 18 -
"""


@pytest.fixture
def evening(tmp_path: Path) -> Path:
    path = tmp_path / "evening.txt"
    path.write_text(TEXT)
    return path


def played(link: str) -> list[object]:
    inbox = Inbox()
    opened = links.open(link)
    opened.start(inbox)
    inbox.until(inbox.of(LinkDown))
    assert not opened.health().up
    opened.stop()
    return inbox.events


def test_as_fast_as_possible_in_the_transcript_s_own_time(evening: Path) -> None:
    assert played(f"replay:{evening}?pace=fast") == [
        LinkUp(Hello(VERSION, "replay", 2, 0, 0, "replay", ()), 0),
        Arrived(Seen(1, 17, ("04a1b2c3",)), 0),
        Arrived(Seen(5, 18, ()), 60000),
        LinkDown(f"'{evening}' has ended", 60000, for_good=True),
    ]


def test_a_pace_of_its_own(evening: Path) -> None:
    begun = time.monotonic()
    played(f"replay:{evening}?pace=200")
    assert 0.3 <= time.monotonic() - begun < 30  # a minute, 200 times as fast


def test_a_recorded_hello_is_the_greeting(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_text("naqala-transcript 1\n@3 hello 1 oak 30 0 7 0.9.1 -\n@4 seen 1 2 -\n")
    up, line, _ = played(f"replay:{path}?pace=fast")
    assert up == LinkUp(Hello(1, "oak", 30, 0, 7, "0.9.1", ()), 3)
    assert line.message == Seen(1, 2, ())


def test_stopping_does_not_wait_for_the_end(evening: Path) -> None:
    inbox = Inbox()
    link = links.open(f"replay:{evening}")
    link.start(inbox)
    inbox.until(inbox.of(Arrived))
    begun = time.monotonic()
    link.stop()
    assert time.monotonic() - begun < 20  # of the sixty seconds it would last


@pytest.mark.parametrize(
    ("content", "query", "sentence"),
    [
        (None, "", "cannot read '{path}': No such file or directory"),
        (b"\xff\xfe\x00", "", "'{path}' is no transcript: it is not text"),
        (b"naqala-transcript 1\n@1 seen\n", "", "'{path}', line 2: 'seen' needs 3 words in line 'seen'"),
        (b"naqala-transcript 1\n", "?pace=slow", "a pace is 'fast' or a number such as 2, not 'slow'"),
        (b"naqala-transcript 1\n", "?pace=-1", "a pace is 'fast' or a number from 0.001 on, not '-1'"),
    ],
)
def test_a_file_that_cannot_be_played_is_refused(tmp_path, content, query, sentence) -> None:
    path = tmp_path / "t"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(LinkError) as error:
        links.open(f"replay:{path}{query}")
    assert str(error.value) == sentence.format(path=path)
