"""Charts of a finished game as numbers for `templates/charts.svg`: curves over rounds, and bars of time per player."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from naqala.rules.record import Record
from naqala.rules.scoring import score

WIDTH, HEIGHT = 360, 240  # about as wide as a phone, so that its letters are as large as they say
LEFT, RIGHT, TOP, BOTTOM = 40, 86, 14, 32
LINE = 17  # between two names at the ends of curves
BAR, BAR_WIDTH = 44, WIDTH - 154  # from one bar to the next, and the longest of them beside name and minutes
A_BREAK_S = 900  # a pause longer than a quarter of an hour is a break, not a thought


@dataclass(frozen=True, slots=True)
class Curve:
    """One player's line: points of the drawing, and where its name stands."""

    name: str
    points: tuple[tuple[float, float], ...]
    values: tuple[int, ...]
    label_y: float


@dataclass(frozen=True, slots=True)
class Chart:
    """Curves with their scales: pairs of (place in the drawing, number)."""

    curves: tuple[Curve, ...]
    across: tuple[tuple[float, int], ...]
    up: tuple[tuple[float, int], ...]


def over_rounds(record: Record, what: str) -> dict[str, tuple[int, ...]]:
    """A number per player at the start and after every round: `total` (the score as it stood) or `gold`."""
    games = [record.opening]
    for before, after in zip(record.steps, record.steps[1:], strict=False):
        if after.game.round != before.game.round:
            games.append(after.game)
    games.append(record.game)
    found: dict[str, list[int]] = {player.name: [] for player in record.opening.players}
    for game in games:
        for one in score(game):
            found[one.name].append(one.total if what == "total" else one.gold)
    return {name: tuple(values) for name, values in found.items()}


def time_played(lines: Iterable[tuple[float, str | None]]) -> float:
    """Seconds from the first action to the last, without breaks and without jumps of the clock."""
    times = [at for at, _ in lines]
    gaps = (after - before for before, after in pairwise(times))
    return sum(gap for gap in gaps if 0 <= gap <= A_BREAK_S)


def time_per_player(lines: Iterable[tuple[float, str | None]]) -> dict[str, float]:
    """Seconds each player took: from one action to the next, counted for who did the next one; breaks do not count."""
    found: dict[str, float] = {}
    before: float | None = None
    for at, player in lines:
        if before is not None and player is not None and 0 <= at - before <= A_BREAK_S:
            found[player] = found.get(player, 0.0) + at - before
        before = at
    return found


def _step(most: int) -> int:
    """A round number that divides a scale into about five."""
    for step in (1, 2, 5, 10, 20, 25, 50, 100):
        if most / step <= 6:
            return step
    return 200


def chart(values: Mapping[str, Sequence[int]]) -> Chart:
    """Curves in their frame; names are moved apart where lines end close together."""
    most = max((value for line in values.values() for value in line), default=1) or 1
    step = _step(most)
    top = (most // step + 1) * step
    rounds = max((len(line) for line in values.values()), default=1)

    def x(place: int) -> float:
        return round(LEFT + place * (WIDTH - LEFT - RIGHT) / max(1, rounds - 1), 1)

    def y(value: float) -> float:
        return round(HEIGHT - BOTTOM - value * (HEIGHT - TOP - BOTTOM) / top, 1)

    labels: dict[str, float] = {}
    for name, line in sorted(values.items(), key=lambda item: -item[1][-1]):
        labels[name] = max(y(line[-1]), max(labels.values(), default=-LINE) + LINE)
    curves = tuple(
        Curve(name, tuple((x(n), y(v)) for n, v in enumerate(line)), tuple(line), labels[name])
        for name, line in values.items()
    )
    every = -(-rounds // 8)
    across = tuple((x(n), n) for n in range(0, rounds, every))
    return Chart(curves, across, tuple((y(value), value) for value in range(0, top + 1, step)))


def bars(seconds: Mapping[str, float]) -> tuple[tuple[str, float, float, str], ...]:
    """Rows of (name, y, width, minutes in words)."""
    most = max(seconds.values(), default=0) or 1
    return tuple(
        (
            name,
            10 + BAR * n,
            round(BAR_WIDTH * value / most, 1),
            f"{int(value // 60)}:{int(value % 60):02d}",
        )
        for n, (name, value) in enumerate(seconds.items())
    )
