"""`naqala rules`: the rulebook for programs. A position comes in on standard input, JSON goes out."""

from __future__ import annotations

import json

import click

from naqala.cli import fail
from naqala.cli.given import game_from, json_from
from naqala.cli.rules_sowing import judge_answer, sowings_answer
from naqala.rules import InvalidAction
from naqala.rules.paths import count_per_start
from naqala.rules.scoring import score, winners

MANY = 10_000_000  # sowings that take minutes to list: whoever waits for them is told


@click.group()
def command() -> None:
    """Ask the rulebook: JSON on standard input, JSON on standard output.

    A position is described in host/naqala/rules/README.md; the least one is {"tiles": {"A1": {"meeples": "YWB"}}}.
    """


@command.command()
@click.option("--list", "listed", is_flag=True, help="List every sowing, too, as they are found.")
@click.option(
    "--first",
    type=click.IntRange(0),
    metavar="NUMBER",
    help="List only the first NUMBER of them; with --list.",
)
def sowings(listed: bool, first: int | None) -> None:
    """Count the legal sowings of a position.

    With many meeples on a tile there are more than anybody can wait for: standard error says how many before the list begins.
    """
    game = game_from(json_from("-"))
    if listed:
        count = sum(count_per_start(game.meeples).values())
        shown = count if first is None else min(first, count)
        if count > MANY:
            click.echo(f"{count} sowings, {shown} are listed", err=True)
    for piece in sowings_answer(game.meeples, listed, first):
        click.echo(piece, nl=False)


@command.command()
def judge() -> None:
    """Judge one sowing: {"position": ..., "sowing": {"start": "C3", "drops": [["C4", "G"]]}}."""
    data = json_from("-")
    if not isinstance(data, dict) or "position" not in data or "sowing" not in data:
        fail("expected an object with a position and a sowing")
    game = game_from(data["position"])
    try:
        click.echo(json.dumps(judge_answer(game.meeples, data["sowing"])))
    except InvalidAction as error:
        fail(str(error))


@command.command(name="score")
def score_command() -> None:
    """Score a position as it stands."""
    found = score(game_from(json_from("-")))
    answer = {"scores": [one.to_json() for one in found], "winners": list(winners(found))}
    click.echo(json.dumps(answer, ensure_ascii=False))
