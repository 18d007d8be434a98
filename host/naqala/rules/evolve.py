"""Folding events into the game: one small function per event, in one table. The only place that changes a game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from naqala.rules import events as e
from naqala.rules.board import ELDER, VIZIER
from naqala.rules.goods import FAKIR, in_order, without
from naqala.rules.model import PALM, Game, Player, Turn, in_tribe_order


def _changed(game: Game, name: str, **changes: int) -> Game:
    """The game after adding each number to the player's field of that name."""
    player = game.player(name)
    return game.with_player(replace(player, **{key: getattr(player, key) + n for key, n in changes.items()}))


def _with_card(player: Player, card: str) -> Player:
    if card == FAKIR:
        return replace(player, fakirs=player.fakirs + 1)
    return replace(player, goods=in_order((*player.goods, card)))


def _into_bag(game: Game, meeples: str) -> Game:
    return replace(game, bag=in_tribe_order(game.bag + meeples))


def _off_tile(game: Game, name: str, meeples: str) -> Game:
    tile = game.tile(name)
    left = "".join(without(tuple(tile.meeples), meeples))
    return game.with_tile(name, replace(tile, meeples=left))


def _onto_tile(game: Game, name: str, meeples: str) -> Game:
    tile = game.tile(name)
    return game.with_tile(name, replace(tile, meeples=in_tribe_order(tile.meeples + meeples)))


def _held_by(meeple: str) -> str:
    return {VIZIER: "viziers", ELDER: "elders"}[meeple]


# --- bidding and turns --------------------------------------------------------------------------------------


def marker_placed(game: Game, event: e.MarkerPlaced) -> Game:
    """The newcomer on zero stands nearest to the paying spots: it plays before the earlier ones."""
    ahead = sum(spot > event.spot for spot, _ in game.track)
    track = (*game.track[:ahead], (event.spot, event.player), *game.track[ahead:])
    waiting = game.bid_order[1:]
    turn = Turn(waiting[0] if waiting else None, "bid")
    return replace(game, track=track, bid_order=waiting, turn=turn)


def turn_begun(game: Game, event: e.TurnBegun) -> Game:
    if game.switch("djinn_once_per") == "marker":
        game = game.with_player(replace(game.player(event.player), used=()))
    order = (*game.bid_order, event.player)
    return replace(game, track=game.track[1:], bid_order=order, turn=Turn(event.player, "sow"))


def phase_begun(game: Game, event: e.PhaseBegun) -> Game:
    if event.player is None:
        return replace(game, turn=Turn(None, event.phase))
    return replace(game, turn=replace(game.turn, phase=event.phase))


def round_begun(game: Game, event: e.RoundBegun) -> Game:
    rested = tuple(replace(player, used=()) for player in game.players)
    turn = Turn(game.bid_order[0] if game.bid_order else None, "bid")
    return replace(game, round=event.number, players=rested, turn=turn)


def end_near(game: Game, event: e.EndNear) -> Game:
    return replace(game, ending=event.ending)


# --- meeples and tiles --------------------------------------------------------------------------------------


def lifted(game: Game, event: e.Lifted) -> Game:
    return _off_tile(game, event.tile, event.meeples)


def dropped(game: Game, event: e.Dropped) -> Game:
    return _onto_tile(game, event.tile, event.meeple)


def collected(game: Game, event: e.Collected) -> Game:
    taken = event.meeple * event.count
    game = _off_tile(game, event.tile, taken)
    if event.meeple in (VIZIER, ELDER):
        game = _changed(game, event.player, **{_held_by(event.meeple): event.count})
    else:
        game = _into_bag(game, taken)
    return replace(game, turn=replace(game.turn, tile=event.tile, collected=taken))


def controlled(game: Game, event: e.Controlled) -> Game:
    game = game.with_tile(event.tile, replace(game.tile(event.tile), camel=event.player))
    return _changed(game, event.player, camels=-1)


def _struck(game: Game, event: e.Killed | e.Kept) -> Game:
    if event.tile is not None:
        return _off_tile(game, event.tile, event.meeple)
    assert event.of is not None
    return _changed(game, event.of, **{_held_by(event.meeple): -1})


def killed(game: Game, event: e.Killed) -> Game:
    return _into_bag(_struck(game, event), event.meeple)


def kept(game: Game, event: e.Kept) -> Game:
    return _changed(_struck(game, event), event.player, **{_held_by(event.meeple): 1})


def placed(game: Game, event: e.Placed) -> Game:
    tile = game.tile(event.tile)
    if event.what == PALM:
        return replace(game.with_tile(event.tile, replace(tile, palms=tile.palms + 1)), palms=game.palms - 1)
    return replace(
        game.with_tile(event.tile, replace(tile, palaces=tile.palaces + 1)), palaces=game.palaces - 1
    )


def meeples_arrived(game: Game, event: e.MeeplesArrived) -> Game:
    left = "".join(without(tuple(game.bag), event.meeples))
    return _onto_tile(replace(game, bag=left), event.tile, event.meeples)


def corrected(game: Game, event: e.Corrected) -> Game:
    old = game.tile(event.tile)
    bag = "".join(without(tuple(game.bag + old.meeples), event.meeples))
    if event.camel != old.camel:
        for name, change in ((old.camel, 1), (event.camel, -1)):
            game = _changed(game, name, camels=change) if name is not None else game
    tile = replace(old, meeples=event.meeples, camel=event.camel, palms=event.palms, palaces=event.palaces)
    return replace(
        game.with_tile(event.tile, tile),
        bag=in_tribe_order(bag),
        palms=game.palms + old.palms - event.palms,
        palaces=game.palaces + old.palaces - event.palaces,
    )


# --- gold, cards, djinns ------------------------------------------------------------------------------------


def gold_moved(game: Game, event: e.GoldMoved) -> Game:
    return _changed(game, event.player, gold=event.amount)


def spent(game: Game, event: e.Spent) -> Game:
    game = _changed(game, event.player, elders=-event.elders, fakirs=-event.fakirs)
    discards = in_order((*game.discards, *[FAKIR] * event.fakirs))
    return replace(_into_bag(game, ELDER * event.elders), discards=discards)


def card_taken(game: Game, event: e.CardTaken) -> Game:
    game = game.with_player(_with_card(game.player(event.player), event.card))
    return replace(game, row=without(game.row, (event.card,)))


def card_drawn(game: Game, event: e.CardDrawn) -> Game:
    return game.with_player(_with_card(game.player(event.player), event.card))


def sold(game: Game, event: e.Sold) -> Game:
    player = game.player(event.player)
    game = game.with_player(replace(player, goods=without(player.goods, event.suit)))
    return replace(game, discards=in_order((*game.discards, *event.suit)))


def djinn_gained(game: Game, event: e.DjinnGained) -> Game:
    player = game.player(event.player)
    game = game.with_player(replace(player, djinns=(*player.djinns, event.djinn)))
    return replace(game, djinn_row=tuple(djinn for djinn in game.djinn_row if djinn != event.djinn))


def djinns_discarded(game: Game, event: e.DjinnsDiscarded) -> Game:
    return replace(game, djinn_discards=tuple(sorted((*game.djinn_discards, *event.djinns))))


def djinn_used(game: Game, event: e.DjinnUsed) -> Game:
    player = game.player(event.player)
    return game.with_player(replace(player, used=(*player.used, event.djinn)))


def djinn_active(game: Game, event: e.DjinnActive) -> Game:
    return replace(game, turn=replace(game.turn, active=(*game.turn.active, event.djinn)))


def djinn_spent(game: Game, event: e.DjinnSpent) -> Game:
    active = tuple(djinn for djinn in game.turn.active if djinn != event.djinn)
    return replace(game, turn=replace(game.turn, active=active))


def reshuffled(game: Game, event: e.Reshuffled) -> Game:
    return replace(game, discards=()) if event.pile == "resources" else replace(game, djinn_discards=())


def revealed(game: Game, event: e.Revealed) -> Game:
    return replace(game, row=game.row + event.row, djinn_row=game.djinn_row + event.djinns)


def killing_done(game: Game, event: e.KillingDone) -> Game:
    return game


FOLDS: dict[type, Callable[[Game, Any], Game]] = {
    e.MarkerPlaced: marker_placed,
    e.GoldMoved: gold_moved,
    e.Spent: spent,
    e.TurnBegun: turn_begun,
    e.Lifted: lifted,
    e.Dropped: dropped,
    e.Collected: collected,
    e.Controlled: controlled,
    e.CardTaken: card_taken,
    e.CardDrawn: card_drawn,
    e.Killed: killed,
    e.Kept: kept,
    e.KillingDone: killing_done,
    e.Placed: placed,
    e.DjinnGained: djinn_gained,
    e.DjinnsDiscarded: djinns_discarded,
    e.DjinnUsed: djinn_used,
    e.DjinnActive: djinn_active,
    e.DjinnSpent: djinn_spent,
    e.MeeplesArrived: meeples_arrived,
    e.Sold: sold,
    e.Reshuffled: reshuffled,
    e.Revealed: revealed,
    e.Corrected: corrected,
    e.PhaseBegun: phase_begun,
    e.RoundBegun: round_begun,
    e.EndNear: end_near,
}


def evolve(game: Game, event: e.Event) -> Game:
    """The game after the event."""
    return FOLDS[type(event)](game, event)
