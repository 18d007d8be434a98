"""Journals to test with: the same suite runs on SQLite and on a PostgreSQL started here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journal.postgres import PostgresServer


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.remove()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty journal of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "journal.sqlite")
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.fresh()
