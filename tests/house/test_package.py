"""What is released is what is here: wheel and sdist, installed where the source tree is not, with all they need."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path

import naqala
import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.xdist_group("package")  # one clean environment is enough

PACKAGES = ("host/naqala", "protocol/naqala_protocol", "firmware/naqala_firmware")


def run(*command: str | Path, cwd: Path, expect: int = 0) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == expect, done.stderr
    return done.stdout


def built(target: str, folder: Path) -> Path:
    run(sys.executable, "-m", "hatchling", "build", "-t", target, "-d", folder, cwd=ROOT)
    return next(folder.iterdir())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("sdist", tmp_path_factory.mktemp("sdist"))


def tracked(*below: str) -> set[str]:
    return set(run("git", "ls-files", *below, cwd=ROOT).split())


@pytest.mark.parametrize("package", PACKAGES)
def test_every_file_of_a_package_travels_in_the_wheel(wheel: Path, package: str) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    files = {name.split("/", 1)[1] for name in tracked(package)}
    assert len(files) >= 2
    assert files <= packed


def test_the_sdist_is_the_whole_project(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {name for name in tracked() if not name.startswith(".")}
    assert wanted <= packed


@dataclass(frozen=True)
class Clean:
    """An environment that was empty before Naqala was installed in it, and a folder that holds nothing else."""

    bin: Path
    folder: Path

    def naqala(self, *arguments: str) -> str:
        return run(self.bin / "naqala", *arguments, cwd=self.folder)


@pytest.fixture(scope="module")
def clean(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Clean:
    """Installed from the sdist, so that what the wheel is made of has travelled, too."""
    folder = tmp_path_factory.mktemp("clean")
    run(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    found = Clean(folder / "venv" / "bin", folder / "empty")
    found.folder.mkdir()
    run(found.bin / "pip", "install", "-q", "--disable-pip-version-check", sdist, cwd=found.folder)
    return found


@pytest.mark.long
def test_the_version_stands_in_one_place(clean: Clean) -> None:
    assert clean.naqala("--version") == f"naqala, version {naqala.__version__}\n"
    assert f"## {naqala.__version__}" in (ROOT / "CHANGELOG.md").read_text()
    ours = [
        name
        for name in tracked("host", "hardware", "pyproject.toml", "Makefile")
        if name.endswith((".py", ".toml", "file"))
    ]
    again = [name for name in ours if f'"{naqala.__version__}"' in (ROOT / name).read_text()]
    assert again == ["host/naqala/__init__.py"]


@pytest.mark.long
def test_nothing_comes_from_the_source_tree_and_all_requirements_fit(clean: Clean) -> None:
    code = "import naqala, naqala_firmware, naqala_protocol as p; print(naqala.__file__, naqala_firmware.__file__, p.__file__)"
    for path in run(clean.bin / "python", "-c", code, cwd=clean.folder).split():
        assert Path(path).is_relative_to(clean.bin.parent)
    assert run(clean.bin / "pip", "check", cwd=clean.folder) == "No broken requirements found.\n"


@pytest.mark.long
def test_the_installed_firmware_would_go_onto_a_controller(clean: Clean) -> None:
    told = clean.naqala("flash", "--dry-run")
    modules = {
        Path(name).stem for name in tracked("firmware/naqala_firmware/*.py") if "/simulated/" not in name
    }
    sent = set(re.findall(r"send /naqala-\w{8}/naqala_firmware/(\w+)\.mpy", told))
    assert sent == modules - {"main"}
    assert "write main.py" in told


@pytest.mark.long
def test_the_installed_companion_plays(clean: Clean) -> None:
    command = [clean.bin / "naqala", "play", "--virtual", "--port", "0", "--home", clean.folder / "home"]
    with subprocess.Popen(command, cwd=clean.folder, stdout=subprocess.PIPE, text=True) as playing:
        try:
            assert playing.stdout is not None
            address = next(line.split()[-1] for line in playing.stdout if "Naqala is at" in line)
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            page = browser.open(address, timeout=60).read().decode()
            parts = set(re.findall(r'(?:src|href)="(/static/[^"?]+)', page))
            assert any(part.endswith(".css") for part in parts) and any(
                part.endswith(".js") for part in parts
            )
            base = address.partition("/owner")[0]
            assert all(browser.open(base + part, timeout=60).read() for part in parts)
        finally:
            playing.send_signal(signal.SIGINT)
        assert playing.wait(60) == 0


@pytest.mark.long
def test_licences_names_every_package_that_is_installed_with_it(clean: Clean) -> None:
    code = "from importlib.metadata import distributions\nprint(*(found.name for found in distributions()))"
    installed = {name.lower() for name in run(clean.bin / "python", "-c", code, cwd=clean.folder).split()}
    named = re.findall(
        r"^\| ([\w.-]+) \| [^|]+ \| [^|]+ \|$", (ROOT / "LICENCES.md").read_text(), re.MULTILINE
    )
    assert {name.lower().replace("-", "_") for name in named} >= {
        name.replace("-", "_") for name in installed - {"naqala", "pip", "setuptools"}
    }
