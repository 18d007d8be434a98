"""`naqala review`: the turns of a recorded game that mattered, what would have been better, and why."""

from __future__ import annotations

import json
import sys

import click

from naqala.cli import fail
from naqala.cli.given import text_from
from naqala.robots.levels import LEVELS
from naqala.robots.reasons import Reason
from naqala.robots.review import Review, Turn, assembled, decisions, judged
from naqala.rules import notation
from naqala.rules.record import BadRecord, Record, read

NAMED = 3  # reasons told for a turn


def _reviewed(record: Record, level: str) -> Review:
    """Turn by turn, with a progress bar on a terminal."""
    turns: list[Turn] = []
    length = len(decisions(record))
    with click.progressbar(
        length=length, label="reviewing", file=sys.stderr, hidden=not sys.stderr.isatty()
    ) as bar:
        for turn in judged(record, LEVELS[level]):
            turns.append(turn)
            bar.update(1)
    return assembled(record, turns)


def _reason(reason: Reason) -> str:
    return f"{reason.kind.replace('_', ' ')} of {reason.player} {reason.points:+.0f}"


def _told(turn: Turn) -> list[str]:
    played = "; ".join(notation.to_text(action) for action in turn.played)
    lines = [f"action {turn.first:>3}, round {turn.round}: {played}"]
    if turn.best != turn.played:
        best = "; ".join(notation.to_text(action) for action in turn.best)
        sure = "better" if turn.mistake else "perhaps better"
        lines.append(f"    {sure} by {turn.lost:.1f} (+-{turn.uncertain:.1f}): {best}")
        lines.append(f"    because: {', '.join(_reason(one) for one in turn.reasons[:NAMED])}")
    return lines


def _for_people(record: Record, review: Review) -> None:
    click.echo("Turning points")
    for number in review.turning_points:
        turn = review.turns[number]
        for line in _told(turn):
            click.echo(f"  {line}")
        click.echo(f"      chances to win changed by {100 * turn.swing:.0f} %")
    click.echo("\nExpected final points")
    names = [player.name for player in record.opening.players]
    click.echo("  action  " + "".join(f"{name[:12]:>14}" for name in names))
    for moment in review.curve:
        points = "".join(f"{one.points:>8.0f} +-{one.spread:>3.0f}" for one in moment.expected)
        click.echo(f"  {moment.action:>6}  {points}")
    click.echo("\nPoints given away, by player")
    for name in names:
        own = [turn for turn in review.turns if turn.player == name]
        lost = sum(turn.lost for turn in own)
        mistakes = sum(turn.mistake for turn in own)
        click.echo(
            f"  {name}: {lost:.0f} in {len(own)} decisions; {mistakes} of them were mistakes beyond doubt"
        )


@click.command()
@click.argument("file")
@click.option(
    "--level", type=click.Choice(list(LEVELS)), default="strong", show_default=True, help="Who judges."
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole review for programs.")
def command(file: str, level: str, as_json: bool) -> None:
    """Review the record in FILE (- for standard input): turning points, expected points, what would have been better.

    Each decision is judged by what its player could know at that moment; +- is one standard error.
    """
    try:
        record = read(text_from(file))
    except BadRecord as bad:
        fail(f"{'standard input' if file == '-' else file}, {bad}")
    review = _reviewed(record, level)
    if as_json:
        click.echo(json.dumps(review.to_json(), ensure_ascii=False))
    else:
        _for_people(record, review)
