"""The two piles of hidden cards: what can still be in them, and whether a told draw is possible.

A pile is what the box holds and lies nowhere else. It is made anew of its discards when a card is needed and it is
empty, not earlier. Nothing is drawn here: cards come in as facts, or by a caller's own dice (`drawn_by`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from naqala.rules import djinns
from naqala.rules.breach import InvalidAction
from naqala.rules.goods import FAKIR, RESOURCES
from naqala.rules.model import DJINN_ROW, ROW, Game

RESOURCE_PILE, DJINN_PILE = "resources", "djinns"
Pick = Callable[[int], int]  # a die: a number below the given one


def pile(game: Game, which: str) -> Counter[str]:
    """The cards in a pile; nobody knows their order."""
    if which == DJINN_PILE:
        seen = Counter(game.djinn_row + game.djinn_discards)
        for player in game.players:
            seen.update(player.djinns)
        return Counter(djinns.in_the_box(game)) - seen
    seen = Counter(game.row + game.discards)
    for player in game.players:
        seen.update(player.goods)
        seen[FAKIR] += player.fakirs
    return Counter(RESOURCES) - seen


def discards(game: Game, which: str) -> tuple[str, ...]:
    """The cards a pile is made anew of."""
    return game.djinn_discards if which == DJINN_PILE else game.discards


def available(game: Game, which: str) -> int:
    """How many cards can be drawn at all, discards included."""
    return pile(game, which).total() + len(discards(game, which))


def missing(game: Game) -> tuple[int, int]:
    """Cards and djinns that clean-up has to turn up: to 9 and 3, or as far as the piles go."""
    return (
        min(ROW - len(game.row), available(game, RESOURCE_PILE)),
        min(DJINN_ROW - len(game.djinn_row), available(game, DJINN_PILE)),
    )


def split_draw(game: Game, which: str, cards: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The cards of a told draw that came from the pile, and those that came after it was made anew.

    InvalidAction when they cannot have been drawn so: a card that lies elsewhere, or one left out of an emptied pile.
    """
    hidden = pile(game, which)
    before, after = cards[: hidden.total()], cards[hidden.total() :]
    for part, source in ((before, hidden), (after, Counter(discards(game, which)))):
        for card in Counter(part) - source:
            raise InvalidAction(f"{card} cannot be drawn: it is not in the pile")
    return before, after


def drawn_by(game: Game, which: str, count: int, pick: Pick) -> tuple[str, ...]:
    """What a shuffled pile would give, by the caller's die."""
    found: list[str] = []
    source = sorted(pile(game, which).elements())
    rest = sorted(discards(game, which))
    while len(found) < count and (source or rest):
        if not source:
            source, rest = rest, []
        found.append(source.pop(pick(len(source))))
    return tuple(found)
