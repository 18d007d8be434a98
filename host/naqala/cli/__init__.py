"""The command `naqala`: one module of this package per command, named in one table.

A command's module is imported only when it is used, so that `naqala rules` starts without Flask and a machine
without a serial port can still replay a game. Bad input ends with exit code 2 and one line; see `fail`.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import os
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

import click
from click.exceptions import NoArgsIsHelpError

import naqala

# What `naqala --help` lists, in the order of an evening. The command lives in `naqala/cli/<name>.py` as `command`.
COMMANDS: dict[str, str] = {
    "play": "start the companion and print where to look",
    "watch": "follow the hands on a recorded transcript",
    "demo": "watch robots play a whole game on a virtual table",
    "replay": "verify a recorded game and show its scores",
    "export": "hand a finished game to other programs",
    "simulate": "let robots play a whole game and record it",
    "match": "let robots play many games and say how strong they are",
    "review": "say which turns of a recorded game mattered, and why",
    "learn": "learn the robots' weights from games against themselves",
    "rules": "ask the rulebook, for other programs",
    "enrol": "register pieces by their tags",
    "ports": "list serial ports and the controllers on them",
    "doctor": "check ports, broker, journal and clock, and say what to do",
    "service": "let systemd start the companion with the machine",
    "backup": "make, list, check and restore backups",
    "record": "record what a table says into a transcript",
    "flash": "put the firmware on a controller",
    "tune": "show how well a reader's coil is tuned, while its trimmer is turned",
    "broker": "make the configuration of an MQTT broker, a user for each controller",
}


LONGEST_LINE = 500  # of a message: what was given may be a whole file in one word


def fail(line: str) -> NoReturn:
    """End the program as every command does on bad input: one clear line on standard error, exit code 2."""
    click.echo(f"naqala: {line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + '...'}", err=True)
    raise SystemExit(2)


@contextlib.contextmanager
def _in_one_line() -> Iterator[None]:
    """Options and arguments that make no sense are bad input, too: click would print four lines."""
    try:
        yield
    except NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "naqala"
        fail(f"{' '.join(error.format_message().split())} See '{where} --help'.")
    except OSError as error:
        if error.errno == errno.EPIPE:  # who read our output has gone: click ends quietly
            raise
        with contextlib.suppress(OSError):
            os.dup2(
                os.open(os.devnull, os.O_WRONLY), 1
            )  # what a full disk refused is not tried again at the end
        what = f"'{error.filename}'" if error.filename else "what this command writes"
        fail(f"cannot use {what}: {(error.strerror or str(error)).lower()}")


class LazyCommands(click.Group):
    """A click group that reads names and one-line helps from COMMANDS and imports a command when it is called."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _in_one_line():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _in_one_line():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        found: Any = importlib.import_module(f"naqala.cli.{cmd_name}").command
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(naqala.__version__, prog_name="naqala")
def main() -> None:
    """The companion for people who play Five Tribes on a real table.

    `naqala play` starts it; `naqala COMMAND --help` explains each command.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A name that the terminal's encoding has no letters for is written as \u0410, which is JSON, too.
        sys.stdout.reconfigure(errors="backslashreplace")
