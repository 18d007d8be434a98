"""What every emulated controller needs: its image and the emulator, and patience on a busy machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.emulated.board import TOOLS
from tests.emulated.table import patience


@pytest.fixture(autouse=True, scope="session")
def no_hurry() -> Iterator[None]:
    with patience():
        yield


@pytest.fixture(scope="session")
def tools() -> None:
    if not (TOOLS / "micropython.bin").exists():
        pytest.skip(f"no image for the emulated controller in {TOOLS}: run `make needs`")
