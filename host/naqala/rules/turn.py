"""One marker's turn: a function per kind of action, which asks the rules and tells what happened.

Each takes the Telling and the action, refuses (InvalidAction, IllegalMove with every breach) or tells events. Whose
turn it is and which phase it is was asked before, in `game.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from naqala.rules import actions as a
from naqala.rules import djinns, market, powers, tribes
from naqala.rules import events as e
from naqala.rules.board import ASSASSIN, BUILDER, MERCHANT
from naqala.rules.breach import Breach, IllegalMove, InvalidAction
from naqala.rules.goods import suit_value
from naqala.rules.model import Game, in_tribe_order
from naqala.rules.paths import any_sowing
from naqala.rules.sowing import Sowing
from naqala.rules.sowing import breaches as sowing_breaches
from naqala.rules.telling import Telling, refuse
from naqala.rules.tiles import asked_for, blue_around, kind_of

# --- sowing, control, tribes --------------------------------------------------------------------------------


def sow(telling: Telling, action: a.Sow) -> None:
    """Lift, drop, collect, mark control; viziers, elders and merchants act by themselves."""
    game = telling.game
    sowing = Sowing(action.start, action.drops)
    if action.as_it_lies:
        lifted = _taken_as_it_lies(game, sowing)
    else:
        refuse(action, sowing_breaches(game.meeples, sowing))
        lifted = game.tile(action.start).meeples
    telling.tell(e.Lifted(action.player, action.start, lifted))
    for number, (tile, meeple) in enumerate(action.drops, 1):
        telling.tell(e.Dropped(action.player, tile, meeple, number))
    end, colour = action.drops[-1]
    collects_every_one_of_its_colour(telling, action.player, end, colour)
    marks_control(telling, action.player, end, "sowing")
    if colour == MERCHANT:
        for card in telling.game.row[: len(telling.game.turn.collected)]:
            telling.tell(e.CardTaken(action.player, card, "merchants"))
    if colour in (BUILDER, ASSASSIN):
        telling.phase("build" if colour == BUILDER else "kill")
    else:
        _tile_action(telling)


def _taken_as_it_lies(game: Game, sowing: Sowing) -> str:
    """What a move that the people let stand has lifted: what it dropped, if the start tile held that."""
    if not sowing.drops or Counter(sowing.hand) - Counter(game.tile(sowing.start).meeples):
        raise InvalidAction(f"{sowing} drops meeples that did not lie on {sowing.start}")
    return in_tribe_order(sowing.hand)


def collects_every_one_of_its_colour(telling: Telling, player: str, tile: str, colour: str) -> None:
    """The last meeple and all of its colour on the tile, those dropped earlier in the move too."""
    count = telling.game.tile(tile).meeples.count(colour)
    telling.tell(e.Collected(player, tile, colour, count))


def marks_control(telling: Telling, player: str, tile: str, cause: str) -> None:
    """An emptied tile without a camel gets one, if the player has one left."""
    there = telling.game.tile(tile)
    if not there.meeples and there.camel is None and telling.game.player(player).camels:
        telling.tell(e.Controlled(player, tile, cause))


def _tile_action(telling: Telling) -> None:
    """Go on to the end tile's action, or past it when there is none."""
    assert telling.game.turn.tile is not None
    kind = kind_of(telling.game, telling.game.turn.tile)
    asks = kind.places is not None and telling.game.supply(kind.places) > 0
    telling.phase("tile" if asks or kind.price or kind.summons else "end")


def pass_turn(telling: Telling, action: a.Pass) -> None:
    """Only who has no legal sowing passes."""
    if any_sowing(telling.game.meeples):
        raise InvalidAction("there is a legal sowing, so it must be done")
    telling.end_is_near("no_sowing", action.player)
    telling.phase("end")


def build(telling: Telling, action: a.Build) -> None:
    """Builders earn gold."""
    game = telling.game
    refuse(action, market.pays_the_price(game.player(action.player), fakirs=action.fakirs))
    if action.fakirs:
        telling.tell(e.Spent(action.player, 0, action.fakirs, "builders"))
    gold = tribes.builder_gold(game, action.fakirs)
    if gold:
        telling.tell(e.GoldMoved(action.player, gold, "builders", game.turn.tile))
    _tile_action(telling)


def kill(telling: Telling, action: a.Kill) -> None:
    """Assassins kill; what the dead bring, who is kept, and the tile that is emptied."""
    game, player = telling.game, telling.game.player(action.player)
    for victim in action.victims:
        if victim.player is not None and victim.player not in [one.name for one in game.players]:
            raise InvalidAction(f"nobody is called {victim.player!r}")
    refuse(
        action,
        market.pays_the_price(player, fakirs=action.fakirs),
        tribes.kills_within_reach(game, action),
        tribes.spares_the_protected(game, action),
    )
    if action.fakirs:
        telling.tell(e.Spent(action.player, 0, action.fakirs, "assassins"))
    spoils = [djinns.spoils(player, victim.meeple) for victim in action.victims]
    for victim, spoil in zip(action.victims, spoils, strict=True):
        what, djinn = spoil or ("", "")
        strike = e.Kept if what == "keep" else e.Killed
        cause = djinn if what == "keep" else "assassins"
        telling.tell(strike(action.player, victim.meeple, cause, victim.tile, victim.player))
        if what == "gold" and victim.tile and (gold := blue_around(game, victim.tile)):
            telling.tell(e.GoldMoved(action.player, gold, djinn, victim.tile))
    _draw_spoils(telling, action, [djinn for what, djinn in filter(None, spoils) if what == "card"])
    if action.victims and action.victims[0].tile:
        marks_control(telling, action.player, action.victims[0].tile, "assassins")
    kept = sum(1 for spoil in spoils if spoil and spoil[0] == "keep")
    if action.victims:
        telling.tell(e.KillingDone(action.player, len(action.victims) - kept, kept))
    _tile_action(telling)


def _draw_spoils(telling: Telling, action: a.Kill, causes: list[str]) -> None:
    if not causes:
        if action.card:
            raise InvalidAction("no card is drawn for these victims")
        return
    game = telling.game
    for event in powers.drawn_cards(game, action.player, action.card, len(causes), causes[0]):
        telling.tell(event)


# --- the end tile -------------------------------------------------------------------------------------------


def places_what_the_tile_asks(game: Game, action: a.Place) -> Iterator[Breach]:
    """A palm on the oasis, a palace on the village, or around it when a djinn was paid for that."""
    assert game.turn.tile is not None
    asked = asked_for(game)
    if action.what != asked:
        yield Breach("places_what_the_tile_asks", tiles=(game.turn.tile,), details=(("asked", asked),))
    elif action.tile not in djinns.spots_for(game, action.what, game.turn.tile):
        yield Breach("places_what_the_tile_asks", tiles=(action.tile,), details=(("asked", asked),))


def place(telling: Telling, action: a.Place) -> None:
    """The compulsory palm or palace; a waiting modifier is used up wherever it goes."""
    game = telling.game
    assert game.turn.tile is not None
    refuse(action, places_what_the_tile_asks(game, action))
    telling.tell(e.Placed(action.player, action.what, action.tile, kind_of(game, game.turn.tile).name))
    waiting = djinns.active(game.turn, action.what)
    if waiting:
        telling.tell(e.DjinnSpent(action.player, waiting))
    telling.phase("end")


def buy(telling: Telling, action: a.Buy) -> None:
    """Cards of the end tile's market."""
    game, player = telling.game, telling.game.player(action.player)
    kind = market.market(game)
    if not kind.price:
        raise InvalidAction(f"the end tile {game.turn.tile} is no market")
    refuse(
        action,
        market.takes_from_the_front(game, action.cards),
        market.pays_the_price(player, gold=kind.price),
    )
    telling.tell(e.GoldMoved(action.player, -kind.price, kind.name, game.turn.tile))
    for card in action.cards:
        telling.tell(e.CardTaken(action.player, card, kind.name))
    telling.phase("end")


def summon(telling: Telling, action: a.Summon) -> None:
    """A visible djinn in the end tile's sacred place."""
    game, player = telling.game, telling.game.player(action.player)
    kind = market.market(game)
    if not kind.summons:
        raise InvalidAction(f"the end tile {game.turn.tile} is no sacred place")
    if action.djinn not in game.djinn_row:
        raise InvalidAction(f"{action.djinn} does not lie in the row")
    paid = market.pays_the_price(player, elders=action.elders, fakirs=action.fakirs, cost=djinns.TO_SUMMON)
    refuse(action, paid)
    telling.tell(e.Spent(action.player, action.elders, action.fakirs, kind.name))
    telling.tell(e.DjinnGained(action.player, action.djinn, kind.name))
    telling.phase("end")


# --- djinns, sale, end --------------------------------------------------------------------------------------


def power(telling: Telling, action: a.Power) -> None:
    """A paid djinn, at any moment of one's own turn."""
    phase = telling.game.turn.phase
    refuse(action, powers.breaches(telling.game, action))
    if phase == "sow" and not any_sowing(telling.game.meeples):
        telling.end_is_near("no_sowing", action.player)
    telling.tell(e.Spent(action.player, action.elders, action.fakirs, action.djinn))
    telling.tell(e.DjinnUsed(action.player, action.djinn))
    for event in powers.effects(telling.game, action):
        telling.tell(event)
    if phase == "tile" and market.market(telling.game).places and not asked_for(telling.game):
        telling.phase("end")  # the power took the last palm or palace: the tile asks no more


def sell(telling: Telling, action: a.Sell) -> None:
    """Suits of different goods for gold; after that the tile's offer is gone."""
    if not action.suits:
        raise InvalidAction("nothing is sold")
    owes_no_placement(telling.game, action)
    refuse(action, market.sells_different_goods(telling.game.player(action.player), action.suits))
    for suit in action.suits:
        telling.tell(e.Sold(action.player, suit))
        telling.tell(e.GoldMoved(action.player, suit_value(suit), "sale"))
    if telling.game.turn.phase == "tile":
        telling.phase("end")


def owes_no_placement(game: Game, action: a.Action) -> None:
    """Refuse what comes after the tile's action while a palm or palace is still owed."""
    asked = asked_for(game)
    if asked:
        details = (("asked", asked),)
        breach = Breach("places_what_the_tile_asks", tiles=(str(game.turn.tile),), details=details)
        raise IllegalMove((breach,), action)
