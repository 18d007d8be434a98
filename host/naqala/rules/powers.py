"""Paying for a djinn in one's own turn: when it may be done, where it may be aimed, and what follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from naqala.rules import djinns, piles
from naqala.rules import events as e
from naqala.rules.actions import Power
from naqala.rules.board import SURROUNDINGS, TILES
from naqala.rules.breach import Breach, InvalidAction
from naqala.rules.djinns import ASSASSINS, BUILDERS, CAMEL, DJINNS, Djinn, Payment
from naqala.rules.evolve import evolve
from naqala.rules.market import pays_the_price
from naqala.rules.model import Game, in_tribe_order
from naqala.rules.paths import outcomes
from naqala.rules.tiles import asked_for, kind_of
from naqala.rules.tribes import someone_can_die


def after_payment(game: Game, player: str, djinn: str, payment: Payment) -> Game:
    """The game with the price in the bag and on the discards, as the power finds it."""
    return evolve(game, e.Spent(player, *payment, djinn))


def payments(game: Game, player: str, djinn: str) -> tuple[Payment, ...]:
    """The ways in which a player can pay for a djinn now; none when it is used up or has no cost of its own."""
    holder, card = game.player(player), DJINNS[djinn]
    if djinn in holder.used or card.cheaper_bids:
        return ()
    return tuple((e, f) for e, f in card.cost if e <= holder.elders and f <= holder.fakirs)


# --- when and where -----------------------------------------------------------------------------------------


def placement_can_follow(game: Game, player: str, what: str) -> bool:
    """Whether a palm or palace may still be placed in this turn: by the tile, or by a power where the table says so."""
    if not game.supply(what):
        return False
    if game.turn.phase == "sow" and any(
        kind_of(game, end).places == what for _, end, _ in outcomes(game.meeples)
    ):
        return True
    if asked_for(game) == what:
        return True
    return djinns.modifies_powers(game) and any(
        payments(game, player, name) and targets(game, player, DJINNS[name])
        for name in game.player(player).djinns
        if (power := DJINNS[name].power) and power.places == what
    )


def modifier_fits(game: Game, player: str, what: str) -> bool:
    """Whether what a modifier changes is still owed (builders, assassins) or can still follow (palm, palace)."""
    if what == BUILDERS:
        return game.turn.phase == "build"
    if what == ASSASSINS:
        fakirs = game.player(player).fakirs
        return game.turn.phase == "kill" and someone_can_die(game, player, fakirs)
    return placement_can_follow(game, player, what)


def targets(game: Game, player: str, djinn: Djinn) -> tuple[str, ...]:
    """Tiles at which a power may be aimed. None when its effect is impossible."""
    power = djinn.power
    if power is None or power.on is None:
        return ()
    fitting = tuple(name for name, tile in zip(TILES, game.tiles, strict=True) if power.on(tile))
    if power.places == CAMEL:
        return fitting if game.player(player).camels else ()
    if power.places is None:
        return fitting if meeples_to_draw(game, power.count) else ()
    if not game.supply(power.places):
        return ()
    if djinns.modifies_powers(game) and djinns.active(game.turn, power.places):
        around = {near for name in fitting for near in SURROUNDINGS[name]}
        return tuple(name for name in TILES if name in around)
    return fitting


def meeples_to_draw(game: Game, count: int) -> int:
    """Meeples a power takes from the bag: all three, or what there is where the table plays so."""
    if len(game.bag) < count and game.switch("anun_nak_short_bag") == "needs_three":
        return 0
    return min(count, len(game.bag))


def possible(game: Game, player: str, djinn: Djinn) -> bool:
    """Whether a paid djinn would have an effect; `game` is after the payment."""
    if djinn.changes:
        return modifier_fits(game, player, djinn.changes)
    assert djinn.power is not None
    if djinn.power.on is not None:
        return bool(targets(game, player, djinn))
    which = piles.RESOURCE_PILE if djinn.power.draws == "card" else piles.DJINN_PILE
    return piles.available(game, which) > 0


# --- rules --------------------------------------------------------------------------------------------------


def once_per_turn(game: Game, player: str, djinn: str) -> Iterator[Breach]:
    """A djinn with a cost is used once: in a round, or in a marker's turn where two players agree on that."""
    if djinn in game.player(player).used:
        yield Breach("once_per_turn", details=(("djinn", djinn),))


def breaches(game: Game, action: Power) -> tuple[Breach, ...]:
    """Everything that forbids the power, the price first. InvalidAction for what is no use of this djinn at all."""
    holder = game.player(action.player)
    card = DJINNS[action.djinn]
    if action.djinn not in holder.djinns:
        raise InvalidAction(f"{action.player} does not hold {action.djinn}")
    if not card.power and not card.changes:
        raise InvalidAction(f"{action.djinn} has no power to be paid in a turn")
    found = [*once_per_turn(game, action.player, action.djinn)]
    found += pays_the_price(holder, elders=action.elders, fakirs=action.fakirs, cost=card.cost)
    if found:
        return tuple(found)
    paid = after_payment(game, action.player, action.djinn, (action.elders, action.fakirs))
    if card.changes:
        if not modifier_fits(paid, action.player, card.changes):
            raise InvalidAction(f"{action.djinn} changes {card.changes}, and none is due now")
        return ()
    return tuple(_aim(paid, action, card))


def _aim(game: Game, action: Power, card: Djinn) -> Iterator[Breach]:
    assert card.power is not None
    if card.power.on is None:
        if not possible(game, action.player, card):
            raise InvalidAction(f"no card is left for {action.djinn}")
        return
    if action.tile is None:
        raise InvalidAction(f"{action.djinn} needs a tile")
    if action.tile not in targets(game, action.player, card):
        rule = "marks_control" if card.power.places == CAMEL else "places_what_the_tile_asks"
        yield Breach(rule, tiles=(action.tile,), details=(("djinn", action.djinn),))


# --- effects ------------------------------------------------------------------------------------------------


def effects(game: Game, action: Power) -> Iterator[e.Event]:
    """What a legal use brings about, the payment apart; `game` is after the payment. Told draws are checked here."""
    card = DJINNS[action.djinn]
    _no_more_than_needed(action, card)
    if card.changes:
        yield e.DjinnActive(action.player, action.djinn)
        return
    assert card.power is not None
    if card.power.draws == "djinns":
        yield from _choose_a_djinn(game, action, card.power.count)
    elif card.power.draws == "card":
        yield from drawn_cards(game, action.player, action.card, 1, action.djinn)
    elif card.power.draws == "meeples":
        assert action.tile is not None
        yield _people(game, action, card.power.count)
    elif card.power.places == CAMEL:
        assert action.tile is not None
        yield e.Controlled(action.player, action.tile, action.djinn)
    else:
        assert action.tile is not None and card.power.places is not None
        yield e.Placed(action.player, card.power.places, action.tile, action.djinn)
        waiting = djinns.active(game.turn, card.power.places)
        if waiting and djinns.modifies_powers(game):
            yield e.DjinnSpent(action.player, waiting)


def _no_more_than_needed(action: Power, card: Djinn) -> None:
    power = card.power or djinns.Power()
    allowed = {
        "tile": power.on is not None,
        "meeples": power.draws == "meeples",
        "card": power.draws == "card",
        "drawn": power.draws == "djinns",
        "keep": power.draws == "djinns",
    }
    for name, fits in allowed.items():
        if getattr(action, name) and not fits:
            raise InvalidAction(f"{action.djinn} has no use for {name}")


def drawn_cards(
    game: Game, player: str, cards: tuple[str, ...], count: int, cause: str
) -> Iterator[e.CardDrawn | e.Reshuffled]:
    """Cards drawn from the resource pile, as told; fewer than `count` only when there are no more."""
    due = min(count, piles.available(game, piles.RESOURCE_PILE))
    if len(cards) != due:
        raise InvalidAction(f"{cause} draws {due} from the pile, told were {len(cards)}")
    before, after = piles.split_draw(game, piles.RESOURCE_PILE, cards)
    for card in before:
        yield e.CardDrawn(player, card, cause)
    if after:
        yield e.Reshuffled(piles.RESOURCE_PILE)
    for card in after:
        yield e.CardDrawn(player, card, cause)


def _choose_a_djinn(game: Game, action: Power, count: int) -> Iterator[e.Event]:
    due = min(count, piles.available(game, piles.DJINN_PILE))
    if len(action.drawn) != due:
        raise InvalidAction(f"{action.djinn} draws {due} djinns, told were {len(action.drawn)}")
    if action.keep not in action.drawn:
        raise InvalidAction(f"{action.djinn} keeps one of the djinns drawn")
    _, after = piles.split_draw(game, piles.DJINN_PILE, action.drawn)
    if after:
        yield e.Reshuffled(piles.DJINN_PILE)
    yield e.DjinnGained(action.player, action.keep, action.djinn)
    others = tuple(djinn for djinn in action.drawn if djinn != action.keep)
    if others:
        yield e.DjinnsDiscarded(others, action.djinn)


def _people(game: Game, action: Power, count: int) -> e.MeeplesArrived:
    due = meeples_to_draw(game, count)
    if len(action.meeples) != due:
        raise InvalidAction(f"{action.djinn} draws {due} meeples, told were {len(action.meeples)}")
    for letter in Counter(action.meeples) - Counter(game.bag):
        raise InvalidAction(f"no such meeple {letter} is in the bag")
    return e.MeeplesArrived(action.player, str(action.tile), in_tribe_order(action.meeples), action.djinn)
