"""Thousands of posts by four seats, the owner and a spectator, while a game is played: no 500, no change without the right.

Rules, referee, session and journal are real. After each post the journal is looked at: whatever was added was posted by somebody
who may. `NAQALA_LONG=1 pytest tests/dashboard/test_many_posts.py` makes the full 20,000.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from naqala.journal import Entry
from naqala.rules import notation
from naqala.rules.actions import VERBS
from naqala.rules.board import TILES
from naqala.rules.choices import legal
from naqala.rules.djinns import DJINNS
from naqala.rules.goods import RESOURCES
from naqala.simulate import simulated

from tests.dashboard.two_worlds import World, anything

POSTS = 20_000 if os.environ.get("NAQALA_LONG") else 1_000
A_STEP_EVERY = 12  # posts: meanwhile the game goes on, through all its phases
HANDS, COMPANION, OWNER = "hands", "companion", "owner"
JUNK: tuple[Any, ...] = (
    None,
    True,
    [],
    {},
    [[]],
    {"a": []},
    -1,
    10**30,
    0.5,
    "",
    "x" * 300,
    "\ud800",
    "\0",
    "Ann",
    "C3",
)


class Poster:
    """Makes up posts: sensible ones, such that belong to somebody else, and nonsense."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.chance = world, random.Random(seed)
        rules = world.app.url_map.iter_rules()
        self.addresses = sorted(
            rule.rule.replace("<table>", "oak") for rule in rules if "POST" in (rule.methods or ())
        )

        self.common = [
            f"/t/oak/{word}" for word in ("tap", "tap", "tap", "undo", "table-is-right", "choose", "sell")
        ]

    def action(self) -> str:
        """An action as a form holds it: open to somebody, open to nobody, or none at all."""
        choices = legal(self.world.game)
        kind = self.chance.random()
        if kind < 0.4 and choices:
            found = notation.to_json(self.chance.choice(choices).action)
        else:
            found = {"do": self.chance.choice([*VERBS, *map(str, JUNK[:3])])}
        if kind > 0.3:
            found["player"] = self.chance.choice([*self.world.browsers, "Nobody"])
        for _ in range(self.chance.choice((0, 0, 0, 1, 2)) if kind > 0.2 else 0):
            field = self.chance.choice(
                ["do", "spot", "fakirs", "drops", "tile", "suits", "cards", "djinn", "fill", "row"]
            )
            found[field] = self.chance.choice([*JUNK, *TILES[:3], *list(RESOURCES)[:2], *list(DJINNS)[:2], 3])
        text = json.dumps(found)
        return text if kind < 0.95 else text[: self.chance.randrange(len(text))] + self.chance.choice('[{"')

    def fields(self) -> dict[str, str]:
        step = self.world.session.snapshot.step

        def number() -> str:
            return str(self.chance.choice([0, 1, 2, step, step - 1, 10**12, -1, "x", ""]))

        return {
            "step": str(step) if self.chance.random() < 0.8 else number(),
            "action": self.action(),
            "to": number() if self.chance.random() < 0.3 else str(step),
            "option": number(),
            "agreed": self.chance.choice(["yes", "no", "no", ""]),
            "tile": self.chance.choice(["", "C3", "Z9", "A1"]),
            "count.Y": number(),
            "good": self.chance.choice([*list(RESOURCES)[:3], "x"]),
            "name": self.chance.choice([*self.world.browsers, "", "\n", "x" * 200]),
            "reader": number(),
            "kind": self.chance.choice(["meeple Y", "", "tile x", "camel pink"]),
            "back": self.chance.choice(["/", "/\n", "//evil", "\t"]),
            "language": self.chance.choice(["fr", "xx", ""]),
        }


# What would end the evening, or change who is who, is tried by those who may not; the owner's own is another test's affair.
ENDS = ("setup/abort", "setup/new", "owner/leave", "owner/renew", "stand-up", "sit")


@pytest.mark.long
def test_no_post_is_a_500_and_nothing_changes_without_the_right(tmp_path: Path) -> None:
    answers: Counter[int] = Counter()
    changed: Counter[str] = Counter()
    games = written = 0
    while sum(answers.values()) < POSTS:
        folder = tmp_path / str(games)
        folder.mkdir()
        written += one_game(folder, 3 + games, POSTS - sum(answers.values()), answers, changed)
        games += 1
    print(
        f"{sum(answers.values())} posts in {games} games: {dict(answers)}; changes by {dict(changed)}; {written} entries"
    )
    assert changed["spectator"] == 0 and sum(changed.values()) >= 5


def one_game(folder: Path, seed: int, most: int, answers: Counter[int], changed: Counter[str]) -> int:
    """Post until so many were answered or the game is over; how many entries its journal has then."""
    record = simulated(4, seed)
    world = World(folder, record.at(next(n for n in range(len(record.steps)) if record.at(n).round == 2)))
    poster = Poster(world, 22 + seed)
    game_id = world.session.game_id
    entries: tuple[Entry, ...] = world.journal.entries(game_id)
    number, done = 0, sum(answers.values())
    try:
        while sum(answers.values()) - done < most and world.game.turn.phase != "over":
            number += 1
            if number % A_STEP_EVERY == 0:
                world.do(anything([world.game], poster.chance))
                entries = world.journal.entries(game_id)
            who = poster.chance.choice(list(world.browsers))
            address = poster.chance.choice(poster.addresses if number % 2 else poster.common)
            if address.endswith(ENDS) and who not in ("spectator",):
                continue
            asked = world.session.snapshot.asked
            question = str(poster.chance.choice([0, 3, asked.number if asked else 1]))
            address = address.replace("<int:question>", question)
            status, _, _ = world.post(world.browsers[who], address, **poster.fields())
            answers[status] += 1
            assert status < 500, (who, address)
            assert not world.session.snapshot.stopped
            now = world.journal.entries(game_id)
            assert now[: len(entries)] == entries, "nothing is ever changed"
            for entry in now[len(entries) :]:
                changed[who] += 1
                allowed(entry, who, address, asked.by if asked else "")
            entries = now
    finally:
        world.close()
    return len(entries)


def allowed(entry: Entry, who: str, address: str, asked_by: str) -> None:
    """Whoever posts writes in his own name; what follows by itself is the companion's, or was seen on the table."""
    authors = {who, COMPANION, HANDS} | ({asked_by} if "/consent/" in address and asked_by else set())
    assert entry.author in authors, (who, address, entry)
    assert who != "spectator", (address, entry)
    player = entry.body.get("player") if isinstance(entry.body, dict) else None
    if entry.kind == "action" and entry.author not in (HANDS, OWNER) and player is not None:
        assert player == who, (who, address, entry)
