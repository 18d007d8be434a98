"""The shared tests of the loop (settle, scan, ring, links) on the real interpreter, with the controller's heap."""

from __future__ import annotations

from collections.abc import Callable

import pytest

SHARED = ("settle", "ring", "scan", "controller", "config", "lamps", "main", "start")


@pytest.mark.parametrize("name", SHARED)
def test_shared_tests_pass_with_192_kb(on_micropython: Callable[..., str], name: str) -> None:
    assert " passed, 0 failed" in on_micropython(f"tests/firmware/test_{name}.py")


def test_the_table_of_simulated_chips_runs_there_too(on_micropython: Callable[..., str]) -> None:
    assert " passed, 0 failed" in on_micropython("tests/firmware/test_table.py", heap="768k")
