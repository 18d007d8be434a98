"""One box of pieces at two tables: what is enrolled at one is known at the other, and neither forgets the other's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from naqala.service import TAGS, Service
from naqala.session import commands as c
from naqala.session.commands import Answer
from naqala.settings import Settings
from naqala.table.evidence import FRAME
from naqala.table.pieces import read_tags

from tests.link.conftest import PtyController
from tests.link.model import ModelController
from tests.session.conftest import until

NAMES = ("oak", "elm")


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """Two tables with three unknown pieces each, on reader 4."""
    cables = []
    for number, name in enumerate(NAMES):
        controller = ModelController(name, 30)
        controller.state[4] = tuple(f"e004010000{number:02x}00{tag:02x}" for tag in range(3))
        cables.append(PtyController(tmp_path / f"tty-{name}", controller))
        cables[-1].plug()
    (tmp_path / TAGS).write_text("tag,piece,name,note\n# do not lose this line\n04a0000001,palm,,worn\n")
    tables = {name: f"serial:{cable.path}" for name, cable in zip(NAMES, cables, strict=True)}
    service = Service(Settings(tables=tables, journal=str(tmp_path / "journal.sqlite")), tmp_path, port=0)
    service.start()
    yield service
    service.stop()
    for cable in cables:
        cable.pull()


def test_two_tables_that_enrol_at_once_keep_all_pieces(service: Service, tmp_path: Path) -> None:
    answers: dict[str, Answer] = {}
    tile = FRAME[4]
    for name in NAMES:
        until(service.sessions[name], lambda shown: bool(shown.sight) and tile in shown.sight.unknown)

    def enrol(name: str, kind: str) -> None:
        answers[name] = service.sessions[name].tell(c.Enrol("owner", 4, kind), timeout=60)

    both = [threading.Thread(target=enrol, args=one) for one in zip(NAMES, ("palm", "palace"), strict=True)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert answers == dict.fromkeys(NAMES, Answer(True))
    text = (tmp_path / TAGS).read_text()
    assert text.startswith("tag,piece,name,note\n# do not lose this line\n04a0000001,palm,,worn\n")
    kept = read_tags(text)
    assert sorted(map(str, kept.values())) == ["palace"] * 3 + ["palm"] * 4
    for name in NAMES:
        until(service.sessions[name], lambda shown: shown.sight.tags == kept)


def test_a_list_that_somebody_spoilt_meanwhile_is_left_alone(service: Service, tmp_path: Path) -> None:
    tile = FRAME[4]
    until(service.sessions["oak"], lambda shown: bool(shown.sight) and tile in shown.sight.unknown)
    (tmp_path / TAGS).write_text("tag,piece\n04a0000001,zebra\n")
    answer = service.sessions["oak"].tell(c.Enrol("owner", 4, "palm"), timeout=60)
    assert (answer.accepted, answer.why) == (False, "tags_not_kept")
    assert "line 2" in dict(answer.facts)["reason"]
    assert (tmp_path / TAGS).read_text() == "tag,piece\n04a0000001,zebra\n"
    assert set(service.sessions["oak"].box) == {"04a0000001"}
