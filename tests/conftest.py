"""What all tests share: where MicroPython is, and the rule that CI skips nothing."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, expect, sync_playwright

# What CI says must be about the change, not about luck: there each run tries the same examples, however busy the machine.
settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
if os.environ.get("CI"):
    settings.load_profile("ci")

ROOT = Path(__file__).parent.parent
MICROPYTHON = ROOT / ".tools/micropython/micropython"
CHROMIUM = "/usr/bin/chromium-headless-shell"  # the same browser without a window, for half the work
PATIENCE_MS = 60_000  # of a browser; what is awaited comes at once, but a machine may have other things to do
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]


def pytest_configure() -> None:
    """Who runs tests in the background ignores Ctrl-C, and so would every program that a test interrupts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def micropython() -> Path:
    """The real interpreter, as `make test` unpacks it."""
    if not MICROPYTHON.exists():
        pytest.skip(f"no MicroPython at {MICROPYTHON}: run `make needs`")
    return MICROPYTHON


@pytest.fixture(scope="session")
def on_micropython(micropython: Path) -> Callable[..., str]:
    """Run shared unittest files on the real interpreter with the controller's heap; returns what it printed."""

    def run(*files: str, heap: str = "192k", timeout: float = 300) -> str:
        command = [micropython, "-X", f"heapsize={heap}", ROOT / "tests/micropython/run.py", *files]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=timeout, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter, for tests that give up root's powers; pytest's own are closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="naqala-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, as `make test` installs it: one for all, as one process can hold only one Playwright."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The long ones first, so that no worker begins one when the others have gone home."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What a long test says of itself (how soon a flag came, how many hosts were killed) is read though it passed."""
    for report in terminalreporter.getreports("passed"):
        if report.when == "call" and "long" in report.keywords and report.capstdout.strip():
            terminalreporter.write_sep("-", report.nodeid)
            terminalreporter.write_line(report.capstdout.strip())


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI a skipped test is an error: it would mean that a part is missing and nobody notices."""
    if not os.environ.get("CI") or hasattr(session.config, "workerinput"):
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if skipped:
        reporter.write_line(f"{len(skipped)} skipped, and CI skips nothing", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
