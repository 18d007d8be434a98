"""`naqala replay`: verify a record line by line, and show how the game went."""

from __future__ import annotations

import json
from typing import Any

import click

from naqala.cli import fail
from naqala.cli.given import text_from
from naqala.cli.sheet import sheet
from naqala.rules import events as e
from naqala.rules import position
from naqala.rules.record import BadRecord, Record, read, to_json_lines
from naqala.rules.scoring import Part, Told, score, story, winners


@click.command()
@click.argument("file")
@click.option("--json", "form", flag_value="json", help="Print the final scores as JSON.")
@click.option("--position", "form", flag_value="position", help="Print the final position as JSON.")
@click.option(
    "--actions", "form", flag_value="actions", help="Print JSON lines: opening, actions, final position."
)
@click.option("--story", "with_story", is_flag=True, help="Tell where every point comes from.")
def command(file: str, form: str | None, with_story: bool) -> None:
    """Verify the record in FILE (- for standard input) and print the scores.

    Text records and the JSON lines of --actions are read alike. The first bad line is named, and why.
    """
    try:
        record = read(text_from(file))
    except BadRecord as bad:
        fail(f"{'standard input' if file == '-' else file}, {bad}")
    if form == "position":
        click.echo(position.to_text(record.game))
    elif form == "actions":
        for line in to_json_lines(record):
            click.echo(line)
    elif form == "json":
        click.echo(json.dumps(_result(record, with_story), ensure_ascii=False))
    else:
        _for_people(record, with_story)


def _result(record: Record, with_story: bool) -> dict[str, Any]:
    found = score(record.game)
    result: dict[str, Any] = {
        "actions": len(record.steps),
        "round": record.game.round,
        "over": record.game.turn.phase == "over",
        "ending": record.game.ending,
        "scores": [one.to_json() for one in found],
        "winners": list(winners(found)),
    }
    if with_story:
        result["story"] = {
            one.name: [
                {"category": part.category, "points": part.points, "what": part.what}
                | {"events": [_told(one) for one in part.told]}
                for part in story(record.opening, record.game, record.told(), one.name)
            ]
            for one in found
        }
    return result


def _told(one: Told) -> dict[str, Any]:
    return {"action": one.action, "round": one.round} | e.to_json(one.event)


# How an event is named behind a part of the score. What has no word here is said by the part itself.
SAID: dict[type, str] = {
    e.Controlled: "camel placed by {cause}",
    e.Placed: "placed by {cause}",
    e.DjinnGained: "gained at the {cause}",
    e.CardTaken: "{cause}",
    e.CardDrawn: "{cause}",
    e.Collected: "collected",
    e.Killed: "lost to {cause}",
    e.Kept: "taken by {cause}",
    e.Spent: "paid for {cause}",
    e.Corrected: "corrected",
}


def line_of(part: Part) -> str:
    """One part of the story for people: "tiles 12: C3; camel placed by sowing in round 4"."""
    rounds: dict[str, dict[int, None]] = {}
    for one in part.told:
        said = SAID.get(type(one.event), "").format(cause=getattr(one.event, "cause", ""))
        rounds.setdefault(said.replace("_", " "), {})[one.round] = None
    reasons = [
        f"{said} in round{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}".strip()
        for said, numbers in rounds.items()
    ]
    return f"{part.category} {part.points}: " + "; ".join([part.what.replace("_", " "), *reasons])


ENDINGS = {"last_camel": "the last camel was placed", "no_sowing": "no sowing was left", None: "not over yet"}


def _for_people(record: Record, with_story: bool) -> None:
    game, found = record.game, score(record.game)
    click.echo(f"{len(record.steps)} actions stand, round {game.round}, {ENDINGS[game.ending]}")
    if not found:
        return
    click.echo("\n".join(sheet(found)))
    if game.turn.phase == "over":
        click.echo(f"Winner: {' and '.join(winners(found))}")
    for one in found if with_story else ():
        click.echo(f"\n{one.name}")
        for part in story(record.opening, game, record.told(), one.name):
            click.echo(f"  {line_of(part)}")
