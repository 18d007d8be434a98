"""`naqala doctor`: looks at everything a table needs and says what to do about what is wrong.

CHECKS is the table of all checks, in the order of a cable: each takes the settings and yields findings. A finding
that is a problem always says what to do.
"""

from __future__ import annotations

import json
import queue
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

import click
from naqala_protocol import VERSION, Alive

import naqala
from naqala import flash
from naqala import link as links
from naqala import settings as all_settings
from naqala.cli import acceptance, broker_check, fail, repair
from naqala.cli.given import journal_in, tables_from
from naqala.dashboard import language
from naqala.journal import Journal, JournalDamaged, JournalError
from naqala.link import Arrived, Event, Health, LinkError, LinkUp, Message, ports
from naqala.settings import Settings, SettingsError

UP_S = 5.0  # how long a table's link may take
ALIVE_S = 5.0  # how long its first `alive` may then take, of which there is one a second
LEAST_FREE_MB = 50


@dataclass(frozen=True)
class Finding:
    """One thing looked at. `do` is what to do about a problem; empty: it is well."""

    text: str
    do: str = ""


def check_settings(settings: Settings) -> Iterator[Finding]:
    where = settings.file or "defaults, there is no naqala.toml"
    yield Finding(f"naqala {naqala.__version__}, settings from {where}")
    if settings.mqtt_insecure:
        yield Finding(
            "the broker's certificate is not checked",
            "name its authority with mqtt.ca and take mqtt.insecure out",
        )
    if settings.mqtt_password and settings.file and settings.file.stat().st_mode & 0o044:
        yield Finding(
            f"others may read the password in {settings.file}", f"run: chmod go-rwx {settings.file}"
        )


def check_clock(settings: Settings) -> Iterator[Finding]:
    """A small computer without a battery wakes up in 1970; entries would bear that date."""
    now = datetime.now(UTC)
    made = datetime.fromtimestamp(Path(naqala.__file__).stat().st_mtime, UTC)
    if now < made:
        yield Finding(
            f"the clock says {now:%Y-%m-%d}, before this program was installed",
            "set it: sudo timedatectl set-ntp true",
        )
    else:
        yield Finding(f"the clock says {now:%Y-%m-%d %H:%M} UTC")


def check_journal(settings: Settings) -> Iterator[Finding]:
    """A journal that is not there yet is not made either: who looks at the wrong folder is told so."""
    file = None if "://" in settings.journal_url else Path(settings.journal_url).expanduser()
    if file is not None and not file.exists():
        above = next(folder for folder in file.absolute().parents if folder.exists())
        stands = "" if above.is_dir() else f"{above} is no folder: choose another with --home or --journal"
        yield Finding(f"there is no journal at {file} yet; the first game makes it", stands)
        if not stands:
            yield from _room(above)
        return
    try:
        with Journal.open(settings.journal_url) as journal:
            games = journal.games()
            for lost in journal.damaged():
                yield Finding(lost.why, "it was set aside; the other games are not affected")
            for game in games:
                journal.entries(game.id)
            open_games = sum(game.ended_ms is None for game in games)
            yield Finding(f"{journal.name} is whole: {len(games)} games, {open_games} to be resumed")
    except JournalDamaged as error:
        yield Finding(str(error), "save what is whole: naqala doctor --repair")
        return
    except JournalError as error:
        yield Finding(
            str(error), "see the sentence itself; `naqala play --journal FILE` uses another meanwhile"
        )
        return
    if file is not None:
        yield from _room(file.parent)


def _room(folder: Path) -> Iterator[Finding]:
    free = shutil.disk_usage(folder).free // 1_000_000
    if free < LEAST_FREE_MB:
        yield Finding(
            f"only {free} MB are free in {folder}", f"make room: an evening needs about {LEAST_FREE_MB} MB"
        )


def check_ports(settings: Settings) -> Iterator[Finding]:
    devices = ports.candidates(settings.ports)
    needed = [name for name, link in settings.tables.items() if link.startswith("serial")]
    if not devices:
        plug = "plug the controller in; its cable must carry data, not only power"
        yield Finding("no serial port", plug if needed else "")
    for found in ports.who_answers(devices, "host"):
        text = f"{found.device}: {found.text.removeprefix(found.device).strip()}"
        if found.hello is not None and found.hello.version != VERSION:
            text += (
                f"; it speaks version {found.hello.version} of the protocol, this program version {VERSION}"
            )
            yield Finding(text, "run: naqala flash")
        elif found.state == ports.FORBIDDEN:
            yield Finding(f"{found.device} needs permission", found.text.partition("; ")[2] or found.text)
        elif found.state == ports.PROMPT:
            yield Finding(f"{found.device} is a controller without our firmware", "run: naqala flash")
        else:
            yield Finding(text + (_firmware(found.hello) if found.hello is not None else ""))


def check_languages(settings: Settings) -> Iterator[Finding]:
    """Every language's catalogue can be read; what is not translated is said in English."""
    there = []
    for code, name in language.LANGUAGES.items():
        try:
            sentences = language.read_catalogue(code)._catalog
            if code != "en" and len(sentences) < 2:
                raise ValueError("no catalogue")
            there.append(name)
        except (OSError, ValueError) as error:
            yield Finding(
                f"the words of {name} cannot be read ({error})",
                "install naqala again: pip install --force-reinstall",
            )
    yield Finding(f"pages speak {', '.join(there)}")


def _firmware(hello: Message) -> str:
    """What the controller runs beside what this program brings."""
    try:
        ours = flash.build().folder
    except (flash.FlashError, OSError):
        return ""
    same = "the one of this program" if hello.firmware == ours else f"`naqala flash` brings {ours}"
    return f"; firmware {hello.firmware}, {same}"


def check_tables(settings: Settings) -> Iterator[Finding]:
    """Each table's link is opened and listened to for a moment: broker, password, certificate, controller, counters."""
    for name, text in settings.tables.items():
        if text.startswith(("replay:", "virtual")):
            yield Finding(f"table '{name}' needs no controller ({text})")
            continue
        try:
            health = _listen(text, settings)
        except LinkError as error:
            yield Finding(
                f"table '{name}': {error}", f"put its link right in {settings.file or all_settings.FILE}"
            )
            continue
        if not health.up:
            yield Finding(
                f"table '{name}' is not there: {health.problem}",
                "plug it in and look again, or play without one: naqala play --virtual",
            )
        else:
            do = "check cable and power: lines arrive damaged" if _is_noisy(health) else health.problem
            yield Finding(f"table '{name}': {counters_text(health)}", do)


def _listen(text: str, settings: Settings) -> Health:
    link = links.open(text, settings.link_options())
    inbox: queue.Queue[Event] = queue.Queue()
    link.start(inbox.put)
    try:
        end = time.monotonic() + UP_S
        while time.monotonic() < end:
            try:
                event = inbox.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                break
            if isinstance(event, Arrived) and isinstance(event.message, Alive):
                break  # the controller has told its own counters
            if isinstance(event, LinkUp):
                end = time.monotonic() + ALIVE_S
        return link.health()
    finally:
        link.stop()


def _is_noisy(health: Health) -> bool:
    return health.counters.bad * 50 > health.counters.lines


def counters_text(health: Health) -> str:
    """The counters of a link and of its controller, in one line."""
    ours = {key: value for key, value in asdict(health.counters).items() if value and key != "round_trip_ms"}
    said = ", ".join(f"{key} {value}" for key, value in ours.items())
    trip = health.counters.round_trip_ms
    text = f"'{health.hello.name}' at {health.where}, firmware {health.hello.firmware}, "
    text += f"{health.hello.wired} readers; {said}; round trip {'unknown' if trip is None else f'{trip} ms'}"
    if health.alive is not None:
        own = ", ".join(f"{key} {value}" for key, value in health.alive.counters)
        free = f"{health.alive.free} bytes free" if health.alive.free else "free bytes not told"
        text += f"; controller: sweep {health.alive.sweep} ms, {free}{', ' if own else ''}{own}"
    return text


CHECKS: tuple[tuple[str, Callable[[Settings], Iterator[Finding]]], ...] = (
    ("settings", check_settings),
    ("clock", check_clock),
    ("journal", check_journal),
    ("ports", check_ports),
    ("tables", check_tables),
    ("broker", lambda settings: (Finding(*found) for found in broker_check.check(settings))),
    ("languages", check_languages),
)


@click.command()
@click.option("--table", "tables", multiple=True, metavar="NAME=LINK", help="Look at this table; repeatable.")
@click.option("--journal", help="Look at this journal: a file or postgresql://user@host/name.")
@click.option(
    "--home",
    type=click.Path(path_type=Path),
    help="Look at the journal in this folder, as `naqala play --home` does.",
)
@click.option(
    "--only", type=click.Choice([name for name, _ in CHECKS]), multiple=True, help="Make only this check."
)
@click.option(
    "--repair", "mend", is_flag=True, help="Save what is whole of a damaged journal into a new one."
)
@click.option(
    "--rung",
    type=click.Choice(list(acceptance.RUNGS)),
    help="Print the acceptance sheet of this kit instead, with what was measured.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(1, 86400),
    default=acceptance.SECONDS,
    show_default=True,
    help="How long to listen for the acceptance sheet.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per finding, for programs.")
@click.option("--config", type=click.Path(), help="Another naqala.toml.")
def command(
    tables: tuple[str, ...],
    journal: str | None,
    home: Path | None,
    only: tuple[str, ...],
    mend: bool,
    rung: str | None,
    seconds: float,
    as_json: bool,
    config: str | None,
) -> None:
    """Check everything a table needs, and say what to do about what is wrong.

    Ends with exit code 0 when all is well and 1 when something is not.
    """
    try:
        settings = all_settings.load(
            {"tables": tables_from(tables) or None, "journal": journal or journal_in(home)}, config
        )
    except SettingsError as error:
        fail(str(error))
    if mend:
        repair.run(settings.journal_url)
    if rung is not None:
        _accept(rung, settings, seconds, as_json)
    problems = 0
    for name, check in CHECKS:
        if only and name not in only:
            continue
        for finding in check(settings):
            problems += bool(finding.do)
            click.echo(_as_json(name, finding) if as_json else _as_line(name, finding))
    raise SystemExit(1 if problems else 0)


def _accept(name: str, settings: Settings, seconds: float, as_json: bool) -> NoReturn:
    """The acceptance sheet of one kit, from its first table. Ends the program: 0 when what was measured passes, 1 otherwise."""
    rung = acceptance.RUNGS[name]
    table, text = next(iter(settings.tables.items()))
    click.echo(f"listening to table '{table}' for {seconds:.0f} s; lay on it: {rung.lay}", err=True)
    try:
        found = acceptance.listen(text, settings.link_options(), seconds)
    except LinkError as error:
        fail(f"table '{table}': {error}")
    if found.health is None or not found.health.up:
        fail(f"table '{table}' is not there: {found.health.problem if found.health else 'no answer'}")
    if as_json:
        for line in acceptance.judge(rung, found):
            click.echo(json.dumps(asdict(line)))
    words, good = acceptance.sheet(rung, found)
    if not as_json:
        click.echo(words)
    raise SystemExit(0 if good else 1)


def _as_json(name: str, finding: Finding) -> str:
    return json.dumps({"check": name, "ok": not finding.do, "text": finding.text, "do": finding.do})


def _as_line(name: str, finding: Finding) -> str:
    line = f"{'--' if finding.do else 'ok'}  {name:<9} {finding.text}"
    return f"{line}\n{'':15}do: {finding.do}" if finding.do else line
