"""Bids: what a place in the turn order is worth on this board, and who will pay how much for it.

`estimate.picks` says what each player would take as first, second, third.. on this board. For every order of play
that gives the points of each player; less the prices, that is what a bid is for. Markers still to bid are thought
through to the last one, each bidding for its owner's good: the tree has a few thousand leaves at most.
"""

from __future__ import annotations

from naqala.robots.estimate import Estimator, free_tiles, picks
from naqala.robots.robot import Stop, never
from naqala.robots.weights import Weights
from naqala.rules import actions as a
from naqala.rules import bidding
from naqala.rules.choices import legal
from naqala.rules.model import Game

Track = tuple[tuple[int, str], ...]
Points = dict[str, float]

SEEN_AHEAD = 4  # markers whose bids are thought through


class Auction:
    """The bidding of one round from the seat of whoever bids now."""

    def __init__(self, game: Game, weights: Weights, share: float) -> None:
        self.game, self.share = game, share
        self.names = [player.name for player in game.players]
        free = free_tiles(game)
        self._tables = {name: Estimator(game, name, weights).gains(game.meeples, free) for name in self.names}
        self._orders: dict[tuple[str, ...], Points] = {}
        markers = [*(name for _, name in game.track), *game.bid_order]
        # Nobody pays more for the first place than it brings more than the last one.
        self._most = max(
            share * (first - last)
            for first, *_, last in (picks([self._tables[name]] * len(markers)) for name in self.names)
        )

    def taken(self, order: tuple[str, ...]) -> Points:
        """What each player takes from the board in this order of play."""
        if order not in self._orders:
            found = dict.fromkeys(self.names, 0.0)
            for name, points in zip(order, picks([self._tables[name] for name in order]), strict=True):
                found[name] += self.share * points
            self._orders[order] = found
        return self._orders[order]

    def outlook(self, track: Track, waiting: tuple[str, ...]) -> Points:
        """What everybody gets, prices still to be paid taken off, when the markers that wait bid as well as they can."""
        if not waiting:
            return self.taken(tuple(name for _, name in track))
        name, best = waiting[0], None
        for spot in self._worth_a_thought(track):
            found = dict(self.outlook(_placed(track, spot, name), waiting[1:]))
            found[name] -= spot
            if best is None or self.margin(found, name) > self.margin(best, name):
                best = found
        assert best is not None
        return best

    def _worth_a_thought(self, track: Track) -> list[int]:
        taken = [spot for spot, _ in track]
        free = [spot for spot in bidding.PRICES if taken.count(spot) < (bidding.ZEROS if spot == 0 else 1)]
        return [spot for spot in free if spot <= self._most] or free[:1]

    def margin(self, points: Points, name: str) -> float:
        """A player's points less the others' on average."""
        others = sum(one for other, one in points.items() if other != name)
        return points[name] - others / max(1, len(points) - 1)

    def offers(self, stop: Stop = never) -> list[tuple[float, a.Bid]]:
        """Every bid the player can make, with the margin it leads to, the best first."""
        name = str(self.game.turn.player)
        waiting = self.game.bid_order[1:]
        found = []
        for choice in legal(self.game):
            bid = choice.action
            assert isinstance(bid, a.Bid)
            points = dict(self.outlook(_placed(self.game.track, bid.spot, name), waiting[: SEEN_AHEAD - 1]))
            points[name] -= dict(choice.pays).get("gold", 0) + FAKIR_PRICE * bid.fakirs
            found.append((self.margin(points, name), bid))
            if stop():
                break
        found.sort(key=lambda one: (-one[0], one[1].spot))
        return found


FAKIR_PRICE = 2.0  # about what a fakir helps elsewhere


def _placed(track: Track, spot: int, name: str) -> Track:
    ahead = sum(one > spot for one, _ in track)
    return (*track[:ahead], (spot, name), *track[ahead:])
