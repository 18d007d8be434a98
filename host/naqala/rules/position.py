"""A position as JSON and as one line of text, both ways: what `naqala rules` reads and `--position` writes.

`from_json` takes whatever came out of a JSON parser and gives a Game or raises BadPosition with one sentence that
names the place ("tiles.A1.meeples: ..."). Absent keys take the opening's value; keys of other programs are left alone.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

from naqala.rules.bidding import PRICES, ZEROS
from naqala.rules.board import ELDER, MEEPLES, NUMBER, TILES, VIZIER
from naqala.rules.djinns import DJINNS, in_the_box
from naqala.rules.goods import FAKIR, RESOURCES
from naqala.rules.model import (
    DJINN_ROW,
    EDITIONS,
    ENDINGS,
    OPENING_GOLD,
    PALACE,
    PALM,
    PHASES,
    ROW,
    SUPPLY,
    SWITCHES,
    TURN_PHASES,
    Game,
    Player,
    Tile,
    Turn,
    camels_at_the_start,
    house_of,
    markers_of_each,
)
from naqala.rules.reading import (
    BadPosition,
    a_list,
    a_name,
    a_number,
    a_word,
    an_object,
    counted_cards,
    meeples,
    parsed,
    shown,
    words,
)
from naqala.rules.tiles import TILE_TYPES

VERSION = 1


# --- writing ------------------------------------------------------------------------------------------------


def to_json(game: Game) -> dict[str, Any]:
    """The whole game, ready for a JSON writer."""
    found: dict[str, Any] = {
        "version": VERSION,
        "edition": game.edition,
        "switches": dict(game.house),
        "tiles": {name: _tile_json(tile) for name, tile in zip(TILES, game.tiles, strict=True)},
        "players": [_player_json(player) for player in game.players],
        "bag": game.bag,
        "row": list(game.row),
        "djinn_row": list(game.djinn_row),
        "supply": {"palms": game.palms, "palaces": game.palaces},
        "discards": dict(Counter(game.discards)),
        "djinn_discards": list(game.djinn_discards),
        "round": game.round,
        "bid_order": list(game.bid_order),
        "track": [{"spot": spot, "player": player} for spot, player in game.track],
        "turn": _turn_json(game.turn),
    }
    if game.ending:
        found["ending"] = game.ending
    return found


def to_text(game: Game) -> str:
    """The position on one line, for records, logs and bug reports."""
    return json.dumps(to_json(game), ensure_ascii=False)


def _tile_json(tile: Tile) -> dict[str, Any]:
    return {
        "type": tile.type,
        "points": tile.points,
        "meeples": tile.meeples,
        "camel": tile.camel,
        "palms": tile.palms,
        "palaces": tile.palaces,
    }


def _player_json(player: Player) -> dict[str, Any]:
    found = {
        "name": player.name,
        "gold": player.gold,
        "camels": player.camels,
        "viziers": player.viziers,
        "elders": player.elders,
        "djinns": list(player.djinns),
        "goods": dict(Counter(player.goods)),
        "fakirs": player.fakirs,
    }
    return found | ({"used": list(player.used)} if player.used else {})


def _turn_json(turn: Turn) -> dict[str, Any]:
    found: dict[str, Any] = {"player": turn.player, "phase": turn.phase}
    if turn.tile:
        found |= {"tile": turn.tile, "collected": turn.collected}
    return found | ({"active": list(turn.active)} if turn.active else {})


# --- reading: the parts -------------------------------------------------------------------------------------


def _tile(value: Any, where: str) -> Tile:
    data = an_object(value, where)
    kind, camel = data.get("type"), data.get("camel")
    return Tile(
        type=None if kind is None else a_word(kind, f"{where}.type", TILE_TYPES, "type of tile"),
        points=a_number(data.get("points", 0), f"{where}.points"),
        meeples=meeples(data.get("meeples", ""), f"{where}.meeples"),
        camel=None if camel is None else a_name(camel, f"{where}.camel"),
        palms=a_number(data.get("palms", 0), f"{where}.palms"),
        palaces=a_number(data.get("palaces", 0), f"{where}.palaces"),
    )


def _tiles(value: Any) -> tuple[Tile, ...]:
    tiles = [Tile()] * len(TILES)
    for name, tile in an_object(value, "tiles").items():
        a_word(name, "tiles", NUMBER, "tile")
        tiles[NUMBER[name]] = _tile(tile, f"tiles.{name}")
    return tuple(tiles)


def _player(value: Any, where: str, camels: int, tiles: tuple[Tile, ...]) -> Player:
    data = an_object(value, where)
    name = a_name(data.get("name"), f"{where}.name")
    where = f"players.{name}"
    standing = sum(tile.camel == name for tile in tiles)
    found = Player(
        name=name,
        gold=a_number(data.get("gold", OPENING_GOLD), f"{where}.gold"),
        camels=a_number(data.get("camels", max(0, camels - standing)), f"{where}.camels"),
        viziers=a_number(data.get("viziers", 0), f"{where}.viziers"),
        elders=a_number(data.get("elders", 0), f"{where}.elders"),
        djinns=words(data.get("djinns", []), f"{where}.djinns", DJINNS, "djinn", len(DJINNS)),
        goods=counted_cards(data.get("goods", {}), f"{where}.goods"),
        fakirs=a_number(data.get("fakirs", 0), f"{where}.fakirs"),
        used=words(data.get("used", []), f"{where}.used", DJINNS, "djinn", len(DJINNS)),
    )
    if found.camels + standing > camels:
        raise BadPosition(f"{where}.camels: {found.camels} and {standing} on tiles, but there are {camels}")
    if FAKIR in found.goods:
        raise BadPosition(f"{where}.goods: fakirs are not goods; they are counted in {where}.fakirs")
    return found


def _players(data: dict[str, Any], tiles: tuple[Tile, ...]) -> tuple[Player, ...]:
    if "players" in data:
        listed = a_list(data["players"], "players", 4)
        camels = camels_at_the_start(len(listed))
        players = tuple(_player(value, f"players[{n}]", camels, tiles) for n, value in enumerate(listed))
        twice = [name for name, count in Counter(p.name for p in players).items() if count > 1]
        if twice:
            raise BadPosition(f"players: two are called {shown(twice[0])}")
        return players
    # Nobody is listed: the players are those whom camels, the turn and the bid order name.
    turn, order = data.get("turn"), data.get("bid_order")
    named = [tile.camel for tile in tiles if tile.camel]
    named += order if isinstance(order, list) else []
    named += [turn["player"]] if isinstance(turn, dict) and turn.get("player") is not None else []
    names = list(dict.fromkeys(a_name(name, "players") for name in named))
    if len(names) > 4:
        raise BadPosition(f"players: {len(names)} are named, at most 4 can play")
    camels = camels_at_the_start(2)  # who else plays is not known, so the larger box is allowed
    return tuple(_player({"name": name}, "players", camels, tiles) for name in names)


def _switches(data: dict[str, Any]) -> tuple[str, tuple[tuple[str, str], ...]]:
    found: dict[str, str] = {}
    edition = a_word(data.get("edition", EDITIONS[0]), "edition", EDITIONS, "edition")
    for name, value in an_object(data.get("switches", {}), "switches").items():
        if name == "edition":
            edition = a_word(value, "switches.edition", EDITIONS, "edition")
            continue
        a_word(name, "switches", SWITCHES, "switch")
        found[name] = a_word(value, f"switches.{name}", SWITCHES[name], "value")
    return edition, house_of(found)


def _supply(value: Any, tiles: tuple[Tile, ...]) -> tuple[int, int]:
    data = an_object(value, "supply")
    found = []
    for what, key in ((PALM, "palms"), (PALACE, "palaces")):
        standing = sum(getattr(tile, key) for tile in tiles)
        left = a_number(data.get(key, max(0, SUPPLY[what] - standing)), f"supply.{key}")
        if left + standing > SUPPLY[what]:
            raise BadPosition(
                f"supply.{key}: {left} and {standing} on tiles, but the box holds {SUPPLY[what]}"
            )
        found.append(left)
    return found[0], found[1]


def _tracks(data: dict[str, Any], game: Game, phase: str) -> Game:
    """Markers on both tracks; where nothing is said, everybody else still has to bid or to play."""
    names = [player.name for player in game.players]
    each = markers_of_each(len(names)) if names else 0
    acting = game.turn.player
    order = words(data.get("bid_order", []), "bid_order", names, "player", 4)
    track = tuple(
        (
            a_number(an_object(spot, "track").get("spot"), "track.spot"),
            a_word(spot.get("player"), "track.player", names, "player"),
        )
        for spot in a_list(data.get("track", []), "track", 4)
    )
    if not order and not track:
        seat = names.index(acting) if acting else 0
        waiting = (names[seat:] + names[:seat]) * each
        if phase == "bid" or acting is None:
            return replace(game, bid_order=tuple(waiting))
        return replace(game, bid_order=(acting,), track=tuple((0, name) for name in waiting[1:]))
    spots = [spot for spot, _ in track]
    for spot in spots:
        if spot not in PRICES:
            raise BadPosition(f"track: no spot costs {spot}")
        if spots.count(spot) > (ZEROS if spot == 0 else 1):
            raise BadPosition(f"track: {spots.count(spot)} markers on spot {spot}")
    if spots != sorted(spots, reverse=True):
        raise BadPosition("track: markers are listed in the order of play, the highest spot first")
    markers = Counter(order) + Counter(name for _, name in track)
    for name in names:
        if markers[name] != each:
            raise BadPosition(f"bid_order: {name} has {markers[name]} markers on the tracks, not {each}")
    return replace(game, bid_order=order, track=track)


def _turn(value: Any, names: list[str]) -> Turn:
    data = an_object(value, "turn")
    player, tile = data.get("player"), data.get("tile")
    phase = a_word(data.get("phase", "sow" if player else "bid"), "turn.phase", PHASES, "phase")
    if player is not None:
        a_word(player, "turn.player", names, "player")
    elif phase in TURN_PHASES:
        raise BadPosition(f"turn.player: phase {phase} needs a player")
    if tile is not None:
        a_word(tile, "turn.tile", NUMBER, "tile")
    collected = meeples(data.get("collected", ""), "turn.collected")
    if phase in ("build", "kill", "tile") and tile is None:
        raise BadPosition(f"turn.tile: phase {phase} needs the tile on which the sowing ended")
    if {"build": "B", "kill": "R"}.get(phase, collected[:1]) != collected[:1] or len(set(collected)) > 1:
        raise BadPosition(f"turn.collected: {shown(collected)} does not fit phase {phase}")
    active = words(data.get("active", []), "turn.active", DJINNS, "djinn", len(DJINNS))
    if phase not in TURN_PHASES:
        return Turn(player if phase == "bid" else None, phase)
    return Turn(player, phase, tile, collected, active)


# --- reading: the whole -------------------------------------------------------------------------------------


def from_json(data: Any) -> Game:
    """The game of a position, every part checked and every piece counted."""
    data = {key: value for key, value in an_object(data, "position").items() if value is not None}
    if a_number(data.get("version", VERSION), "version") != VERSION:
        raise BadPosition(f"version: {shown(data['version'])}, this program reads version {VERSION}")
    edition, house = _switches(data)
    tiles = _tiles(data.get("tiles", {}))
    players = _players(data, tiles)
    names = [player.name for player in players]
    for name, tile in zip(TILES, tiles, strict=True):
        if tile.camel is not None and tile.camel not in names:
            raise BadPosition(f"tiles.{name}.camel: no such player {shown(tile.camel)}")
    palms, palaces = _supply(data.get("supply", {}), tiles)
    ending = data.get("ending")
    game = Game(
        tiles=tiles,
        players=players,
        bag=meeples(data.get("bag", ""), "bag"),
        row=words(data.get("row", []), "row", RESOURCES, "resource card", ROW),
        djinn_row=words(data.get("djinn_row", []), "djinn_row", DJINNS, "djinn", DJINN_ROW),
        palms=palms,
        palaces=palaces,
        discards=counted_cards(data.get("discards", {}), "discards"),
        djinn_discards=tuple(
            sorted(words(data.get("djinn_discards", []), "djinn_discards", DJINNS, "djinn", len(DJINNS)))
        ),
        round=a_number(data.get("round", 1), "round"),
        turn=_turn(data.get("turn", {}), names),
        ending=None if ending is None else a_word(ending, "ending", ENDINGS, "ending"),
        edition=edition,
        house=house,
    )
    game = _tracks(data, game, game.turn.phase)
    if game.turn.phase == "bid":
        game = _bidder(game)
    _count_pieces(game)
    return game


def from_text(line: str) -> Game:
    """The game of a line as `to_text` writes it."""
    try:
        return from_json(parsed(line))
    except ValueError as error:
        raise BadPosition(f"not JSON: {error}") from None


def _bidder(game: Game) -> Game:
    first = game.bid_order[0] if game.bid_order else None
    if game.turn.player not in (None, first):
        raise BadPosition(f"turn.player: {game.turn.player} does not stand first in bid_order")
    return replace(game, turn=Turn(first, "bid"))


def _count_pieces(game: Game) -> None:
    """No more meeples, cards and djinns than the box holds, each djinn once."""
    pieces = Counter("".join(game.meeples) + game.bag)
    pieces[VIZIER] += sum(player.viziers for player in game.players)
    pieces[ELDER] += sum(player.elders for player in game.players)
    for tribe, count in pieces.items():
        if count > MEEPLES[tribe]:
            raise BadPosition(f"meeples: {count} of {tribe} in all, but the box holds {MEEPLES[tribe]}")
    cards = Counter(game.row + game.discards)
    djinns = Counter(game.djinn_row + game.djinn_discards)
    for player in game.players:
        cards.update(player.goods)
        cards[FAKIR] += player.fakirs
        djinns.update(player.djinns)
    for card, count in cards.items():
        if count > RESOURCES[card]:
            raise BadPosition(f"cards: {count} of {card} in all, but the deck has {RESOURCES[card]}")
    for djinn, count in djinns.items():
        if count > 1:
            raise BadPosition(f"djinns: {djinn} is in {count} places")
        if djinn not in in_the_box(game):
            raise BadPosition(f"djinns: {djinn} is a promo card; switch promo_dhenim is off")
