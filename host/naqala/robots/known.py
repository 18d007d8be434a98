"""What the player at a seat can know, as a game to think in: everything else is guessed, never read.

Open to everybody: the board, viziers, elders, camels, djinns, rows, bids, discards, and how many cards each rival holds.
Secret: rivals' gold, and which cards they hold (unless the table plays with open hands). A robot has no memory of who took
which card, so a rival's hand is any hand of that size out of the cards this seat has not in sight.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

from naqala.rules.goods import FAKIR, RESOURCES, in_order
from naqala.rules.model import OPENING_GOLD, Game, Player

GUESSED_GOLD = (
    OPENING_GOLD  # over a game, what a player earns in gold and what bids and markets cost are about equal
)


def known(game: Game, seat: str, dice: Random) -> Game:
    """The game with one guess at what this seat cannot know. Equal for all games that look alike from there."""
    open_hands = game.switch("hand_visibility") == "public"
    unseen = [] if open_hands else _unseen(game, game.player(seat))
    dice.shuffle(unseen)
    players = []
    for player in game.players:
        if player.name != seat:
            player = replace(player, gold=GUESSED_GOLD)
            if not open_hands:
                size = len(player.goods) + player.fakirs
                cards, unseen = unseen[:size], unseen[size:]
                fakirs = cards.count(FAKIR)
                goods = in_order(card for card in cards if card != FAKIR)
                player = replace(player, goods=goods, fakirs=fakirs)
        players.append(player)
    return replace(game, players=tuple(players))


def _unseen(game: Game, player: Player) -> list[str]:
    """The resource cards that lie in the pile or in a rival's hand, in a fixed order."""
    seen = Counter((*game.row, *game.discards, *player.goods))
    seen[FAKIR] += player.fakirs
    return sorted((Counter(RESOURCES) - seen).elements())
