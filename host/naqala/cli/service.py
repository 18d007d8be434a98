"""`naqala service`: let systemd start the companion with the machine, for people who installed it with pipx or uv.

By default as a unit of this user, which needs no root; `--system` makes one of the whole machine. The Debian package brings its
own unit and does not need this.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from naqala import settings, unit
from naqala.cli import fail
from naqala.cli.given import a_port

SYSTEM_UNITS = Path("/etc/systemd/system")


@dataclass(frozen=True)
class Systemd:
    """The machine's systemd or this user's."""

    system: bool

    @property
    def file(self) -> Path:
        folder = SYSTEM_UNITS if self.system else settings.config_folder().parent / "systemd" / "user"
        return folder / unit.NAME

    def command(self, program: str, *words: str) -> list[str]:
        found = shutil.which(program)
        if found is None:
            fail(f"there is no {program} here: this machine does not start services with systemd")
        return [found, *([] if self.system else ["--user"]), *words]

    def run(self, *words: str) -> None:
        """One word to systemctl; what it complains about ends the program."""
        done = subprocess.run(self.command("systemctl", *words), capture_output=True, text=True, check=False)
        if done.returncode:
            said = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
            hint = "" if self.system else "; without a login session use --system"
            fail(f"systemctl {' '.join(words)} failed: {said[0]}{hint}")


def _which(system: bool) -> Systemd:
    if sys.platform != "linux":
        fail("services are made for systemd; on this system start `naqala play` with what it has for that")
    return Systemd(system)


system_option = click.option(
    "--system", is_flag=True, help="A unit of the whole machine, made by root; else of this user."
)


@click.group()
def command() -> None:
    """Start the companion with the machine: install, status, logs, remove."""


@command.command(context_settings={"ignore_unknown_options": True})
@system_option
@click.option("--user", "name", help="Who runs a unit of the system; by default who calls sudo.")
@click.option("--home", type=click.Path(path_type=Path), help="Folder for tags, keys and the journal.")
@click.option(
    "--port", default="8000", show_default=True, metavar="NUMBER", callback=a_port, help="Port of the pages."
)
@click.option(
    "--https-port",
    default="8443",
    show_default=True,
    metavar="NUMBER",
    callback=a_port,
    help="Port with https.",
)
@click.option("--lan/--no-lan", default=True, show_default=True, help="Let phones on this network join.")
@click.option("--dry-run", is_flag=True, help="Print the unit, change nothing.")
@click.argument("further", nargs=-1, metavar="[-- OPTIONS OF PLAY]")
def install(
    system: bool,
    name: str | None,
    home: Path | None,
    port: int,
    https_port: int,
    lan: bool,
    dry_run: bool,
    further: tuple[str, ...],
) -> None:
    """Make the unit, and start it now and with every start of the machine."""
    systemd = _which(system)
    who = (name or os.environ.get("SUDO_USER") or "") if system else ""
    if system and who in ("", "root"):
        fail("name the user who runs it: --user NAME (not root)")
    if not system and name:
        fail("--user belongs to --system")
    if not system and 0 < port < unit.LOW_PORTS:
        fail(f"port {port} needs --system: a user's own service may only use ports from {unit.LOW_PORTS} on")
    place = _home(home, who)
    made = unit.Unit(
        [*_program(), "play", *_play(place, port, https_port, lan, further)],
        place,
        who,
        ports=(port, https_port),
        writes=(place,),
    )
    if dry_run:
        click.echo(unit.text(made), nl=False)
        return
    _write(systemd.file, unit.text(made))
    if system:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.chown(place, who)
    systemd.run("daemon-reload")
    systemd.run("enable", "--now", unit.NAME)
    click.echo(f"{systemd.file} is written, and Naqala runs now and after every start of this machine.")
    if not system:
        _linger()
    click.echo(f"`naqala service logs{' --system' if system else ''}` shows its address.")


def _home(home: Path | None, who: str) -> Path:
    if home is not None:
        return home.absolute()
    if sys.platform == "win32" or not who:
        return settings.data_folder()
    import pwd

    try:
        return Path(pwd.getpwnam(who).pw_dir) / ".local/share/naqala"
    except KeyError:
        fail(f"there is no user '{who}' on this machine")


def _program() -> list[str]:
    """How this very installation is called, whatever the path is then."""
    beside = Path(sys.executable).parent / "naqala"
    return [str(beside)] if beside.exists() else [sys.executable, "-c", "from naqala.cli import main; main()"]


def _play(home: Path, port: int, https_port: int, lan: bool, further: tuple[str, ...]) -> list[str]:
    ports = ["--port", str(port), "--https-port", str(https_port)]
    return ["--home", str(home), *ports, "--lan" if lan else "--no-lan", "--no-browser", *further]


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        root = "; use sudo" if file.is_relative_to(SYSTEM_UNITS) else ""
        fail(f"cannot write {file}: {error.strerror}{root}")


def _linger() -> None:
    """A user's services end with the last session unless the user may linger."""
    program = shutil.which("loginctl")
    done = subprocess.run([program, "enable-linger"], capture_output=True, check=False) if program else None
    if done is None or done.returncode:
        click.echo("It ends when you log out; to keep it: sudo loginctl enable-linger $USER")


def _there(systemd: Systemd) -> None:
    if not systemd.file.exists():
        where = " --system" if systemd.system else ""
        fail(f"there is no {systemd.file}; `naqala service install{where}` makes it")


@command.command()
@system_option
def status(system: bool) -> None:
    """Whether it runs, and since when. Ends with systemctl's exit code: 0 when it runs."""
    systemd = _which(system)
    _there(systemd)
    _hand_over(systemd.command("systemctl", "status", "--no-pager", unit.NAME))


@command.command()
@system_option
@click.option("--lines", type=click.IntRange(1, 100_000), default=100, show_default=True, help="How many.")
@click.option("--follow", "-f", is_flag=True, help="Go on with new ones until Ctrl-C.")
def logs(system: bool, lines: int, follow: bool) -> None:
    """What it said last."""
    systemd = _which(system)
    _there(systemd)
    more = ["--follow"] if follow else ["--no-pager"]
    _hand_over(systemd.command("journalctl", "--unit", unit.NAME, "--lines", str(lines), *more))


def _hand_over(words: list[str]) -> Any:
    try:
        raise SystemExit(subprocess.run(words, check=False).returncode)
    except KeyboardInterrupt:
        raise SystemExit(0) from None


@command.command()
@system_option
def remove(system: bool) -> None:
    """Stop it and remove the unit. Games, tags and keys stay."""
    systemd = _which(system)
    _there(systemd)
    systemd.run("disable", "--now", unit.NAME)
    try:
        systemd.file.unlink()
    except OSError as error:
        fail(f"cannot remove {systemd.file}: {error.strerror}{'; use sudo' if system else ''}")
    systemd.run("daemon-reload")
    click.echo(f"{systemd.file} is removed; games, tags and keys stay where they are.")
