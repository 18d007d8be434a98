"""`/metrics` as Prometheus' own parser reads it, for the host and for keys made for it, and nobody else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from naqala.dashboard.programs import METRICS, PUBLIC
from naqala.outside import metrics
from naqala.service import Service
from naqala.settings import Settings
from prometheus_client.parser import text_string_to_metric_families

from tests.dashboard.stand import Stand, a_game, app_for, readers, snapshot_after

ODD = 'oak "\\ \n é'


def values(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    found = {}
    for family in text_string_to_metric_families(text):
        assert family.documentation and family.type in ("gauge", "counter"), family.name
        for sample in family.samples:
            key = (sample.name, frozenset(sample.labels.items()))
            assert key not in found, f"{key} is told twice"
            found[key] = sample.value
    return found


def at(name: str, /, **labels: str) -> tuple[str, frozenset[tuple[str, str]]]:
    return f"naqala_{name}", frozenset(labels.items())


def test_a_parser_that_is_not_ours_reads_every_line() -> None:
    table = replace(snapshot_after(a_game(2), 5, readers=readers(("B3", "C4"))), table=ODD)
    text = metrics.text([table], 1_760_000_000.25, 1_760_000_100)
    found = values(text)
    assert len(found) == sum(not line.startswith("#") for line in text.splitlines())
    assert found[at("table_up", table=ODD)] == 1
    assert found[at("table_stage", table=ODD, stage="play")] == 1
    assert found[at("table_stage", table=ODD, stage="over")] == 0
    assert found[at("readers", table=ODD, state="silent")] == 2
    assert found[at("readers", table=ODD, state="ok")] == 28
    assert found[at("link", table=ODD, name="lines")] == 4100
    assert found[at("start_time_seconds")] == 1_760_000_000.25
    assert found[at("table_steps_total", table=ODD)] == 6


def test_without_tables_and_backups_there_is_still_the_version() -> None:
    assert {name for name, _ in values(metrics.text([], 1.0, None))} == {
        "naqala_build_info",
        "naqala_start_time_seconds",
    }


@pytest.fixture
def app(tmp_path: Path) -> Any:
    stand = Stand(snapshot_after(a_game(2), 5))
    made = app_for(tmp_path, stand)
    metrics.add(made, lambda: [stand.snapshot], lambda: None)
    return made


def test_for_the_host_and_for_keys_of_its_scope(app: Any) -> None:
    client = app.test_client()
    assert client.get("/metrics").status_code == 403
    keys = app.extensions["naqala-programs"]
    for scope, status in ((METRICS, 200), (PUBLIC, 403)):
        token = keys.make("prometheus", [scope])[1]
        answer = client.get("/metrics", headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == status
    client.get(f"/owner?token={app.extensions['naqala-keys'].owner}")
    answer = client.get("/metrics")
    assert answer.status_code == 200 and answer.content_type.startswith("text/plain; version=0.0.4")
    assert values(answer.text)


def test_no_secret_is_among_them() -> None:
    """Gold and hands change nothing: the same numbers with another purse."""
    snapshot = snapshot_after(a_game(2), 5)
    rich = [replace(player, gold=999) for player in snapshot.game.players]
    other = replace(snapshot, game=replace(snapshot.game, players=tuple(rich)))
    assert metrics.text([snapshot], 1.0, None) == metrics.text([other], 1.0, None)


def test_the_running_service_has_them(tmp_path: Path) -> None:
    settings = Settings(tables={"oak": "virtual"}, journal=str(tmp_path / "journal.sqlite"), backup_at="")
    service = Service(settings, tmp_path, port=0)
    service.start()
    try:
        service._files.back_up("by hand")  # type: ignore[union-attr]
        assert service._app is not None
        client = service._app.test_client()
        client.get(f"/owner?token={service._app.extensions['naqala-keys'].owner}")
        found = values(client.get("/metrics").text)
        assert at("table_up", table="oak") in found and at("newest_backup_seconds") in found
    finally:
        service.stop()
