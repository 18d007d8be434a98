"""What may I do? `legal(game)` lists every choice that is open, so that a page can offer them without knowing a rule.

A choice is an action, complete but for what only the table knows: the drops of a sowing, cards and meeples drawn.
Those are its `asks`. `filled` answers them by a caller's own dice, for digital decks and robots.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from naqala.rules import actions as a
from naqala.rules import bidding, djinns, market, notation, piles, powers, tribes
from naqala.rules import events as e
from naqala.rules.board import TILES
from naqala.rules.djinns import DJINNS
from naqala.rules.evolve import evolve
from naqala.rules.goods import best_suits, suit_value
from naqala.rules.model import Game
from naqala.rules.paths import count_per_start, open_drops
from naqala.rules.tiles import asked_for


@dataclass(frozen=True, slots=True)
class Ask:
    """A field that has to be told: `count` entries out of `options` (each as often as it may occur).

    For `drops` the options are the meeples in hand; where they may go is asked drop by drop (`paths.open_drops`).
    """

    field: str
    count: int
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One open choice. `player` is None where anybody may do it; `pays` and `brings` are for the label.

    `must` says that the turn waits for a choice of this kind: there is no going past it.
    """

    action: a.Action
    must: bool = False
    pays: tuple[tuple[str, int], ...] = ()
    brings: tuple[tuple[str, int], ...] = ()
    asks: tuple[Ask, ...] = ()

    @property
    def do(self) -> str:
        """The kind of action."""
        return a.verb(self.action)

    @property
    def player(self) -> str | None:
        """Who may choose it; None for anybody."""
        return getattr(self.action, "player", None)

    def to_json(self) -> dict[str, Any]:
        """For a page: the action as it would be posted, and what is still to be told."""
        return {
            "do": self.do,
            "player": self.player,
            "must": self.must,
            "action": notation.to_json(self.action),
            "pays": dict(self.pays),
            "brings": dict(self.brings),
            "asks": [
                {"field": ask.field, "count": ask.count, "options": list(ask.options)} for ask in self.asks
            ],
        }


def legal(game: Game) -> tuple[Choice, ...]:
    """Every open choice, in the order of a turn; nothing when the game is over."""
    phase, player = game.turn.phase, game.turn.player
    if phase == "reveal":
        return tuple(_reveal(game))
    if player is None:
        return ()
    return tuple(_PHASES[phase](game, player))


# --- round --------------------------------------------------------------------------------------------------


def _bids(game: Game, name: str) -> Iterator[Choice]:
    player = game.player(name)
    most = player.fakirs if djinns.cheaper_bids(player) else 0
    for spot in bidding.free_spots(game):
        useful = min(most, bidding.PRICES.index(spot))
        for fakirs in range(useful + 1):
            if any(bidding.pays_the_spot(game, player, spot, fakirs)):
                continue
            gold = bidding.to_pay(game, player, spot, fakirs)
            yield Choice(a.Bid(name, spot, fakirs), True, _amounts(gold=gold, fakirs=fakirs))


def _reveal(game: Game) -> Iterator[Choice]:
    cards, spirits = piles.missing(game)
    asks = []
    for field, count, which in (
        ("row", cards, piles.RESOURCE_PILE),
        ("djinns", spirits, piles.DJINN_PILE),
    ):
        if count:
            asks.append(Ask(field, count, _drawable(game, which, count)))
    yield Choice(a.Reveal(), True, asks=tuple(asks))


def _drawable(game: Game, which: str, count: int) -> tuple[str, ...]:
    """What can turn up in a draw: the pile, and the discards when it does not reach."""
    hidden = piles.pile(game, which)
    if hidden.total() < count:
        hidden += Counter(piles.discards(game, which))
    return tuple(sorted(hidden.elements()))


# --- turn ---------------------------------------------------------------------------------------------------


def _sowings(game: Game, name: str) -> Iterator[Choice]:
    starts = count_per_start(game.meeples)
    for start, count in starts.items():
        ask = Ask("drops", len(game.tile(start).meeples), tuple(game.tile(start).meeples))
        yield Choice(a.Sow(name, start, ()), True, brings=_amounts(sowings=count), asks=(ask,))
    if not starts:
        yield Choice(a.Pass(name), True)
    yield from _powers(game, name)


def _builds(game: Game, name: str) -> Iterator[Choice]:
    for fakirs in range(game.player(name).fakirs + 1):
        gold = tribes.builder_gold(game, fakirs)
        yield Choice(a.Build(name, fakirs), True, _amounts(fakirs=fakirs), _amounts(gold=gold))
    yield from _powers(game, name)


def _kills(game: Game, name: str) -> Iterator[Choice]:
    """Each group of victims once, with the fewest fakirs that reach it."""
    player = game.player(name)
    offered: set[tuple[a.Victim, ...]] = set()
    for fakirs in range(player.fakirs + 1):
        for victims in tribes.groups(game, name, fakirs):
            if victims in offered:
                continue
            offered.add(victims)
            asks = _spoils_asked(game, name, victims, fakirs)
            yield Choice(a.Kill(name, victims, fakirs), True, _amounts(fakirs=fakirs), asks=asks)
    if not tribes.someone_can_die(game, name, 0):
        yield Choice(a.Kill(name, ()), True)
    yield from _powers(game, name)


def _spoils_asked(game: Game, name: str, victims: tuple[a.Victim, ...], fakirs: int) -> tuple[Ask, ...]:
    player = game.player(name)
    found = [djinns.spoils(player, victim.meeple) for victim in victims]
    wanted = sum(1 for spoil in found if spoil and spoil[0] == "card")
    paid = evolve(game, e.Spent(name, 0, fakirs, "assassins"))
    count = min(wanted, piles.available(paid, piles.RESOURCE_PILE))
    return (Ask("card", count, _drawable(paid, piles.RESOURCE_PILE, count)),) if count else ()


def _tile_actions(game: Game, name: str) -> Iterator[Choice]:
    assert game.turn.tile is not None
    asked, kind = asked_for(game), market.market(game)
    if asked:
        for tile in djinns.spots_for(game, asked, game.turn.tile):
            yield Choice(a.Place(name, asked, tile), True)
        yield from _powers(game, name)
        return
    if kind.price and kind.price <= game.player(name).gold:
        for size in market.sizes_of_purchase(game):
            for cards in sorted(set(combinations(market.on_offer(game), size))):
                yield Choice(a.Buy(name, cards), pays=_amounts(gold=kind.price))
    if kind.summons:
        for djinn in game.djinn_row:
            for elders, fakirs in djinns.TO_SUMMON:
                if not any(market.pays_the_price(game.player(name), elders=elders, fakirs=fakirs)):
                    paid = _amounts(elders=elders, fakirs=fakirs)
                    points = _amounts(points=DJINNS[djinn].points)
                    yield Choice(a.Summon(name, djinn, elders, fakirs), pays=paid, brings=points)
    yield from _last_things(game, name)


def _last_things(game: Game, name: str) -> Iterator[Choice]:
    yield from _powers(game, name)
    suits = best_suits(game.player(name).goods)
    if len(suits) > 1:
        yield Choice(a.Sell(name, suits), brings=_amounts(gold=sum(map(suit_value, suits))))
    for suit in dict.fromkeys(suits):
        yield Choice(a.Sell(name, (suit,)), brings=_amounts(gold=suit_value(suit)))
    yield Choice(a.End(name))


def _powers(game: Game, name: str) -> Iterator[Choice]:
    for djinn in game.player(name).djinns:
        card = DJINNS[djinn]
        for payment in powers.payments(game, name, djinn):
            paid = powers.after_payment(game, name, djinn, payment)
            if not powers.possible(paid, name, card):
                continue
            asks = tuple(_power_asks(paid, card))
            pays = _amounts(elders=payment[0], fakirs=payment[1])
            for tile in powers.targets(paid, name, card) or (None,):
                yield Choice(a.Power(name, djinn, *payment, tile=tile), pays=pays, asks=asks)


def _power_asks(paid: Game, card: djinns.Djinn) -> Iterator[Ask]:
    power = card.power or djinns.Power()
    if power.draws == "meeples":
        yield Ask("meeples", powers.meeples_to_draw(paid, power.count), tuple(paid.bag))
    elif power.draws == "card":
        yield Ask("card", 1, _drawable(paid, piles.RESOURCE_PILE, 1))
    elif power.draws == "djinns":
        count = min(power.count, piles.available(paid, piles.DJINN_PILE))
        drawable = _drawable(paid, piles.DJINN_PILE, count)
        yield Ask("drawn", count, drawable)
        yield Ask("keep", 1, drawable)


def _amounts(**amounts: int) -> tuple[tuple[str, int], ...]:
    return tuple((what, amount) for what, amount in amounts.items() if amount)


_PHASES = {
    "bid": _bids,
    "sow": _sowings,
    "build": _builds,
    "kill": _kills,
    "tile": _tile_actions,
    "end": _last_things,
}


# --- answering what is asked --------------------------------------------------------------------------------


def filled(game: Game, choice: Choice, pick: piles.Pick) -> a.Action:
    """The choice as a whole action, draws and drops by the caller's die."""
    action = choice.action
    fields = {ask.field for ask in choice.asks}
    if isinstance(action, a.Sow):
        return replace(action, drops=_walked(game, action.start, pick))
    if isinstance(action, a.Reveal):
        cards, spirits = piles.missing(game)
        row = piles.drawn_by(game, piles.RESOURCE_PILE, cards, pick)
        return a.Reveal(row, piles.drawn_by(game, piles.DJINN_PILE, spirits, pick))
    counts = {ask.field: ask.count for ask in choice.asks}
    if isinstance(action, a.Kill) and "card" in fields:
        paid = evolve(game, e.Spent(action.player, 0, action.fakirs, "assassins"))
        return replace(action, card=piles.drawn_by(paid, piles.RESOURCE_PILE, counts["card"], pick))
    if isinstance(action, a.Power) and fields:
        paid = powers.after_payment(game, action.player, action.djinn, (action.elders, action.fakirs))
        return _drawn(paid, action, counts, pick)
    return action


def _drawn(paid: Game, action: a.Power, counts: dict[str, int], pick: piles.Pick) -> a.Power:
    if "meeples" in counts:
        bag = list(paid.bag)
        drawn = (bag.pop(pick(len(bag))) for _ in range(counts["meeples"]))
        return replace(action, meeples="".join(drawn))
    if "card" in counts:
        return replace(action, card=piles.drawn_by(paid, piles.RESOURCE_PILE, counts["card"], pick))
    spirits = piles.drawn_by(paid, piles.DJINN_PILE, counts["drawn"], pick)
    return replace(action, drawn=spirits, keep=spirits[pick(len(spirits))])


def _walked(game: Game, start: str, pick: piles.Pick) -> tuple[tuple[str, str], ...]:
    """A legal sowing from a tile, drop by drop among those that can still end legally."""
    drops: tuple[tuple[str, str], ...] = ()
    order = {name: place for place, name in enumerate(TILES)}
    for _ in game.tile(start).meeples:
        open_now = sorted(open_drops(game.meeples, start, drops), key=lambda drop: (order[drop[0]], drop[1]))
        drops = (*drops, open_now[pick(len(open_now))])
    return drops
