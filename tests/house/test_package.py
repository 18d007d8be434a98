"""What is installed is what is here: the wheel carries every file of the three packages, and runs without the tree."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import naqala
import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("host/naqala", "protocol/naqala_protocol", "firmware/naqala_firmware")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return next(folder.glob("naqala-*.whl"))


def tracked(package: str) -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", package], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return {name.split("/", 1)[1] for name in listed.stdout.split()}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_file_of_a_package_travels(wheel: Path, package: str) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    files = tracked(package)
    assert len(files) >= 2
    assert files <= packed


def test_the_installed_command_runs_without_the_source_tree(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", site, wheel]
    subprocess.run(install, check=True, capture_output=True, timeout=300)
    code = (
        "import naqala, naqala_firmware, naqala_protocol, naqala.cli\n"
        f"assert naqala.__file__.startswith({str(site)!r}), naqala.__file__\n"
        f"assert naqala_firmware.__file__.startswith({str(site)!r})\n"
        "naqala.cli.main(['--version'])"
    )
    environment = {**os.environ, "PYTHONPATH": str(site)}
    run = [sys.executable, "-c", code]
    done = subprocess.run(
        run, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"naqala, version {naqala.__version__}\n"), done.stderr
