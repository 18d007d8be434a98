"""Searching one marker's turn: the sowings worth a look, the rest of the turn played out, and what is left to the others.

Three stages, each more exact and slower than the one before:

1. an estimate of every outcome (start, end tile, colour), and of the best some ways of sowing each;
2. for each of those the board it leaves, and an estimate of what the players who come next would take there;
3. for the best of these the whole turn with the rules' own `play`: fakirs, victim, purchase, djinn, powers, sale.

A value is the standing of `evaluation.py` plus what the markers still waiting in this round can take from the board.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random

from naqala.robots.estimate import Estimator, ends_per_start, free_tiles, picks
from naqala.robots.evaluation import standing
from naqala.robots.features import PURSE
from naqala.robots.robot import Stop, never
from naqala.robots.ways import Way, after, ways
from naqala.robots.weights import Weights
from naqala.rules import actions as a
from naqala.rules.board import NUMBER, TILES
from naqala.rules.choices import Choice, filled, legal
from naqala.rules.djinns import DJINNS
from naqala.rules.game import play
from naqala.rules.model import PIECES, Game


@dataclass(frozen=True, slots=True)
class Width:
    """How much of a turn is looked at."""

    outcomes: int = 14  # with the best estimates
    ways: int = 6  # of sowing each
    played: int = 6  # whole turns played out
    improved: int = 3  # of these, with powers and sales
    rest: int = 6  # ways to go on after the sowing: victims, cards, djinns
    hand: int = 99  # meeples in the hand of the longest sowing that is thought of
    reply: float = 0.6  # what the markers that come next can take, as a share of the estimate


@dataclass(frozen=True, slots=True)
class Line:
    """One way to play a turn: its actions, the game before its `end`, and what that is worth to the player."""

    value: float
    actions: tuple[a.Action, ...]
    game: Game


class Search:
    """One player's turn in a game that is known to that player; what does not change within it is worked out once."""

    def __init__(self, game: Game, weights: Weights, width: Width, dice: Random, stop: Stop = never) -> None:
        assert game.turn.player is not None
        self.game, self.me = game, game.turn.player
        self.weights, self.width, self.dice, self.stop = weights, width, dice, stop
        self.waiting = [name for _, name in game.track] if width.reply else []
        self._estimators: dict[str, Estimator] = {}
        self._taken: dict[tuple[tuple[str, ...], int], list[float]] = {}

    def estimator(self, name: str) -> Estimator:
        """What a player of this game sees; made when it is first asked for."""
        if name not in self._estimators:
            self._estimators[name] = Estimator(self.game, name, self.weights)
        return self._estimators[name]

    # --- first and second stage -------------------------------------------------------------------------------

    def sowings(self) -> list[tuple[float, a.Sow]]:
        """Sowings worth playing out, the best estimate first."""
        estimator, meeples = self.estimator(self.me), self.game.meeples
        seen = []
        for start, colour, ends in ends_per_start(meeples):
            while ends:
                low = ends & -ends
                ends ^= low
                end = low.bit_length() - 1
                gain = estimator.gain(meeples, estimator.free, start, end, colour)
                seen.append((gain, start, end, colour))
        short = [one for one in seen if len(meeples[one[1]]) <= self.width.hand]
        seen = sorted(short or seen, reverse=True)
        found = []
        for gain, start, end, colour in seen[: self.width.outcomes]:
            found += [
                (gain + self._left_to_others(start, way), a.Sow(self.me, TILES[start], way))
                for way in ways(meeples, start, end, colour, self.width.ways, self.dice)
            ]
            if found and self.stop():
                break
        found.sort(key=lambda one: -one[0])
        return found

    def _left_to_others(self, start: int, way: Way) -> float:
        if not self.waiting:
            return 0.0
        board = after(self.game.meeples, start, way, NUMBER)
        end = NUMBER[way[-1][0]]
        free = self.estimator(self.me).free
        if not board[end] and self.estimator(self.me).camels:
            free &= ~(1 << end)
        return self.to_come(board, free)

    def to_come(self, meeples: Sequence[str], free: int) -> float:
        """What the markers that wait can take from a board: the player's own, less the rivals' on average."""
        rivals = max(1, len(self.game.players) - 1)
        total = 0.0
        for name, points in zip(self.waiting, self._picks(meeples, free), strict=True):
            total += points if name == self.me else -points / rivals
        return self.width.reply * total

    def _picks(self, meeples: Sequence[str], free: int) -> list[float]:
        board = (tuple(meeples), free)
        if board not in self._taken:  # a purchase, a djinn or a sale leaves the same board
            tables = {name: self.estimator(name).gains(meeples, free) for name in set(self.waiting)}
            self._taken[board] = picks([tables[name] for name in self.waiting])
        return self._taken[board]

    def left(self, game: Game) -> dict[str, float]:
        """What each player who has a turn to come in this round can take from the board, as far as that is believed."""
        found: dict[str, float] = {}
        for name, points in zip(self.waiting, self._picks(game.meeples, free_tiles(game)), strict=True):
            found[name] = found.get(name, 0.0) + self.width.reply * points
        return found

    # --- third stage ------------------------------------------------------------------------------------------

    def lines(self) -> list[Line]:
        """Whole turns from here on, the best first."""
        found = []
        if self.game.turn.phase != "sow":
            found.append(self.rest(self.game))
        else:
            firsts: list[a.Action] = [sow for _, sow in self.sowings()[: self.width.played]]
            for first in firsts or [a.Pass(self.me)]:
                rest = self.rest(play(self.game, first)[0])
                found.append(replace(rest, actions=(first, *rest.actions)))
                if self.stop():
                    break
            found.sort(key=lambda line: -line.value)
        # What djinns add hardly depends on the sowing, so they come last, and only for the best.
        found[: self.width.improved] = [self._improved(line) for line in found[: self.width.improved]]
        return sorted(found, key=lambda line: -line.value)

    def value(self, game: Game) -> float:
        """What a game is worth to the player once this turn is over."""
        if not self.waiting:
            return standing(game, self.me, self.weights)
        return standing(game, self.me, self.weights) + self.to_come(game.meeples, free_tiles(game))

    def rest(self, game: Game) -> Line:
        """The best rest of a turn after the sowing, up to (not with) its end; powers that fit anywhere are left out."""
        choices = legal(game)
        done = game.turn.phase == "end" or not any(choice.must for choice in choices)
        best = Line(self.value(game), (), game) if done else None
        if game.turn.phase == "end":
            assert best is not None
            return best
        ranked = sorted(self._options(game, choices), key=lambda one: -one[0])
        for _, action, then in ranked[: self.width.rest]:
            rest = self.rest(then)
            if best is None or rest.value > best.value:
                best = replace(rest, actions=(action, *rest.actions))
            if self.stop():
                break
        assert best is not None
        return best

    def _options(self, game: Game, choices: Iterable[Choice]) -> list[tuple[float, a.Action, Game]]:
        """What this phase asks or offers, each with the standing after it."""
        found: list[tuple[float, a.Action, Game]] = []
        for choice in choices:
            if choice.do in ("sell", "end") or (choice.do == "power" and not _fits(game, choice)):
                continue
            action = self._drawn(game, choice)
            then = play(game, action)[0]
            worth = standing(then, self.me, self.weights)
            if choice.do == "power":
                worth += 100.0  # a modifier shows its worth only in what follows: it is always looked at
            found.append((worth, action, then))
        return found

    def _drawn(self, game: Game, choice: Choice) -> a.Action:
        """The choice with draws as they may turn out."""
        return best_kept(game, filled(game, choice, self.dice.randrange), self.weights)

    def _improved(self, line: Line) -> Line:
        """Powers and sales at the end of a turn, one by one, as long as they gain something."""
        while True:
            best: Line | None = None
            for choice in legal(line.game):
                if choice.do not in ("power", "sell") or (choice.do == "power" and _changes(choice)):
                    continue
                if choice.do == "sell" and line.game.player(self.me).gold >= PURSE:
                    continue  # goods count as much in the hand, and there they can grow
                action = self._drawn(line.game, choice)
                then = play(line.game, action)[0]
                one = Line(self.value(then), (*line.actions, action), then)
                if one.value > line.value + 0.01 and (best is None or one.value > best.value):
                    best = one
            if best is None:
                return line
            line = best


def best_kept(game: Game, action: a.Action, weights: Weights) -> a.Action:
    """Of djinns that were drawn the one worth most is kept; every other action stays as it is."""
    if not isinstance(action, a.Power) or not action.drawn:
        return action
    ways_to_keep = [replace(action, keep=djinn) for djinn in dict.fromkeys(action.drawn)]
    return max(ways_to_keep, key=lambda one: standing(play(game, one)[0], one.player, weights))


def _changes(choice: Choice) -> str | None:
    assert isinstance(choice.action, a.Power)
    return DJINNS[choice.action.djinn].changes


def _fits(game: Game, choice: Choice) -> bool:
    """Modifiers are paid just before what they change; other powers come at the end of the turn."""
    changes = _changes(choice)
    return bool(changes) and (changes not in PIECES or game.turn.phase == "tile")
