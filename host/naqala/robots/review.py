"""The review of a finished game: for every turn and bid what was played, what the strong robot would have played, and why.

    review = reviewed(record)
    review.turning_points        # three numbers of review.turns: where the chances to win changed most
    review.turns[12].lost        # expected points that another choice would have brought, with its uncertainty
    review.curve[12].expected    # everybody's expected final points at the end of that turn, with their spread

A decision is judged by what its player could know at that moment: rivals' gold and cards are guessed several times
(`known.py`), cards drawn later in the turn are drawn again each time, and the mean and its standard error are told. So luck
is no merit, and a difference smaller than its uncertainty is no mistake. `judged` goes turn by turn, for progress.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, sqrt
from random import Random
from statistics import fmean, stdev
from typing import Any

from naqala.robots.bids import Auction
from naqala.robots.coach import happened
from naqala.robots.evaluation import Expected, expected
from naqala.robots.features import FEATURES, holdings, turns_left
from naqala.robots.known import known
from naqala.robots.levels import LEVELS, Level, bare, with_facts
from naqala.robots.reasons import TURN_ORDER, Ledger, Reason, ledger, left_to_others, reasons
from naqala.robots.robot import Stop, never
from naqala.robots.turns import Line, Search
from naqala.robots.weights import Weights, learned
from naqala.rules import actions as a
from naqala.rules import notation
from naqala.rules.breach import IllegalMove, InvalidAction
from naqala.rules.game import play
from naqala.rules.model import Game
from naqala.rules.record import Record

GUESSES = 3  # at what the player could not know
TURNING_POINTS = 3
ESTIMATE_ERROR = (
    0.5  # of what somebody is estimated to take: how the board changes until then is not foreseen
)
BID, TURN = "bid", "turn"


@dataclass(frozen=True, slots=True)
class Turn:
    """One decision: a bid, or a marker's turn. `first` and `last` count the record's actions that stand, from 1."""

    kind: str
    player: str
    round: int
    first: int
    last: int
    played: tuple[a.Action, ...]
    best: tuple[a.Action, ...]  # what was played itself when nothing better was found
    lost: float  # expected points, against the rivals' average
    uncertain: float  # standard error of `lost`: of what was guessed, and of the weights
    reasons: tuple[Reason, ...]  # why the best is better
    swing: float = 0.0  # by how much the turn changed the chances to win, 0 to 1

    @property
    def mistake(self) -> bool:
        """Whether the best was better beyond doubt: by a point at least, and by two standard errors."""
        return self.lost >= 1 and self.lost > 2 * self.uncertain

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "kind": self.kind,
            "player": self.player,
            "round": self.round,
            "first": self.first,
            "last": self.last,
            "played": [notation.to_text(action) for action in self.played],
            "best": [notation.to_text(action) for action in self.best],
            "lost": round(self.lost, 1),
            "uncertain": round(self.uncertain, 1),
            "mistake": self.mistake,
            "swing": round(self.swing, 3),
            "reasons": [reason.to_json() for reason in self.reasons],
        }


@dataclass(frozen=True, slots=True)
class Moment:
    """A point of the curve: after so many actions, everybody's expected final points and chances to win."""

    action: int
    expected: tuple[Expected, ...]
    chances: tuple[float, ...]

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "action": self.action,
            "expected": {
                one.player: {"points": round(one.points, 1), "spread": round(one.spread, 1)}
                for one in self.expected
            },
            "chances": {
                one.player: round(chance, 3) for one, chance in zip(self.expected, self.chances, strict=True)
            },
        }


@dataclass(frozen=True, slots=True)
class Review:
    """A whole game."""

    turns: tuple[Turn, ...]
    turning_points: tuple[int, ...]  # numbers of turns, in the order of the game
    curve: tuple[Moment, ...]  # the opening, then the end of every marker's turn

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "turns": [turn.to_json() for turn in self.turns],
            "turning_points": list(self.turning_points),
            "curve": [moment.to_json() for moment in self.curve],
        }


# --- the whole game -----------------------------------------------------------------------------------------


def reviewed(record: Record, level: Level = LEVELS["strong"], stop: Stop = never) -> Review:
    """The review of a record in one go."""
    return assembled(record, list(judged(record, level, stop)))


def judged(
    record: Record, level: Level = LEVELS["strong"], stop: Stop = never, weights: Weights | None = None
) -> Iterator[Turn]:
    """The decisions of a game, one by one in their order. `last` says how far it has come."""
    weights = weights or learned()
    for first, last in decisions(record):
        if stop():
            return
        yield _judged(record, first, last, level, weights)


def decisions(record: Record) -> list[tuple[int, int]]:
    """First and last action of every bid and every marker's turn, counted from 1. An unfinished turn is left out."""
    found = []
    begun: int | None = None
    for number, action in enumerate(record.actions, 1):
        if isinstance(action, a.Bid):
            found.append((number, number))
        elif isinstance(action, a.End):
            found.append((begun or number, number))
            begun = None
        elif begun is None and not isinstance(action, a.Reveal | a.Correct):
            begun = number
    return found


def assembled(record: Record, turns: list[Turn]) -> Review:
    """Decisions with their swings, the turning points, and the curve."""
    curve = [_moment(record, 0)]
    told: list[Turn] = []
    for turn in turns:
        if turn.kind == TURN:
            curve.append(_moment(record, turn.last))
            change = zip(curve[-2].chances, curve[-1].chances, strict=True)
            swing = sum(abs(after - before) for before, after in change) / 2
            turn = _with_swing(turn, swing)
        told.append(turn)
    ranked = sorted(range(len(told)), key=lambda number: -told[number].swing)
    points = sorted(number for number in ranked[:TURNING_POINTS] if told[number].swing > 0)
    return Review(tuple(told), tuple(points), tuple(curve))


def _with_swing(turn: Turn, swing: float) -> Turn:
    return Turn(**{name: getattr(turn, name) for name in Turn.__slots__ if name != "swing"}, swing=swing)


def _moment(record: Record, action: int) -> Moment:
    """Everybody counts what they hold themselves, which each knows of their own."""
    points = expected(record.at(action))
    return Moment(action, points, chances(points))


def chances(points: tuple[Expected, ...]) -> tuple[float, ...]:
    """How likely each is to win: the farther ahead, and the less can still happen, the surer."""
    wide = max(one.spread for one in points) * sqrt(3) / 2
    best = max(one.points for one in points)
    if not wide:
        ahead = [float(one.points == best) for one in points]
    else:
        ahead = [exp((one.points - best) / wide) for one in points]
    return tuple(one / sum(ahead) for one in ahead)


# --- one decision -------------------------------------------------------------------------------------------


def _judged(record: Record, first: int, last: int, level: Level, weights: Weights) -> Turn:
    game, played = record.at(first - 1), record.actions[first - 1 : last]
    bid = isinstance(played[0], a.Bid)
    if bid:
        best, lost, error, why = _bid(game, played[0], level, weights)
    else:
        best, lost, error, why = _turn(game, played, record.at(last - 1), level, weights)
    mean, error = fmean(lost), sqrt(error**2 + stdev(lost) ** 2 / len(lost))
    better = mean > 0 and best is not None
    return Turn(
        BID if bid else TURN,
        str(game.turn.player),
        game.round,
        first,
        last,
        played,
        tuple(map(bare, best)) if better and best is not None else played,
        max(0.0, mean),
        error,
        why if better else (),
    )


# What is better, by how much in each guess, the error that all guesses share, and why.
Judged = tuple[tuple[a.Action, ...] | None, list[float], float, tuple[Reason, ...]]
NOTHING_BETTER: Judged = (None, [0.0] * GUESSES, 0.0, ())


def _bid(game: Game, done: a.Action, level: Level, weights: Weights) -> Judged:
    name = str(game.turn.player)
    totals: dict[a.Action, list[float]] = {}
    for guess in range(GUESSES):
        for margin, bid in Auction(known(game, name, Random(guess)), weights, level.bids).offers():
            totals.setdefault(bid, []).append(margin)
    best = max(totals, key=lambda bid: fmean(totals[bid]))
    if done not in totals:  # people let something stand that the rules do not offer
        return NOTHING_BETTER
    lost = [one - other for one, other in zip(totals[best], totals[done], strict=True)]
    return (best,), lost, ESTIMATE_ERROR * abs(fmean(lost)), (Reason(TURN_ORDER, name, fmean(lost)),)


def _turn(game: Game, played: tuple[a.Action, ...], ended: Game, level: Level, weights: Weights) -> Judged:
    """The first guess chooses the better turn; all guesses say how much better it is. `ended` is before its `end`."""
    name = str(game.turn.player)
    best: tuple[a.Action, ...] | None = None
    lost: list[float] = []
    error, why = 0.0, ()  # type: tuple[float, tuple[Reason, ...]]
    for guess in range(GUESSES):
        dice = Random(guess)
        view = known(game, name, dice)
        search = Search(view, weights, level.width, dice)
        done = _replayed(search, view, played, dice)
        if done is None:  # such as a sale of the very card that was drawn: then the draw stands as it was
            end = known(ended, name, dice)
            done = Line(search.value(end), played, end)
        if best is None:
            line = search.lines()[0]
            if line.value <= done.value:
                return NOTHING_BETTER
            best, why, error = line.actions, _why(search, done, line), _error(search, done, line)
            lost.append(line.value - done.value)
            continue
        again = _replayed(search, view, best, dice)
        lost.append(again.value - done.value if again else lost[0])
    return best, lost, error, why


def _error(search: Search, done: Line, line: Line) -> float:
    """The standard error of a difference between two turns: of each weight with what it weighs, and of the estimates."""
    pairs = zip(
        *(holdings(one.game, turns_left(one.game, search.weights.pace)) for one in (done, line)), strict=True
    )
    square = 0.0
    share = 1 / max(1, len(search.game.players) - 1)
    changes = [0.0] * len(FEATURES)
    for before, after in pairs:
        factor = 1.0 if before.player.name == search.me else -share
        for place, feature in enumerate(FEATURES):
            changes[place] += factor * (feature.of(after) - feature.of(before))
    for change, error in zip(changes, search.weights.errors, strict=True):
        square += (change * error) ** 2
    left, leaves = search.left(done.game), search.left(line.game)
    return sqrt(square + sum((ESTIMATE_ERROR * (leaves[name] - left[name])) ** 2 for name in left))


def _replayed(search: Search, view: Game, actions: tuple[a.Action, ...], dice: Random) -> Line | None:
    """A turn played in a guessed game, its draws made again. None where the guess does not allow it."""
    made: list[a.Action] = []
    try:
        for action in actions:
            if not isinstance(action, a.End | a.Correct):
                action = with_facts(view, action, dice)
                view = play(view, action)[0]
                made.append(action)
    except (InvalidAction, IllegalMove):
        return None
    return Line(search.value(view), tuple(made), view)


def _why(search: Search, done: Line, line: Line) -> tuple[Reason, ...]:
    """The best turn against the one that was played, in the points of everybody."""
    others = left_to_others(search.left(done.game), search.left(line.game))
    before: Ledger = ledger(done.game, search.weights)
    return reasons(before, ledger(line.game, search.weights), happened(search.game, line.actions), others)
