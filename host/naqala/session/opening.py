"""From what a table shows and a wizard was told to the opening of a game: layout, meeples, seats, companion's settings.

The opening's JSON in the journal carries what is not the rules' affair under the key `companion`: colours of the
camels, who deals the cards, whether help is on, the language of the screen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from naqala.rules import opening, position
from naqala.rules.board import NUMBER, TILES
from naqala.rules.model import DJINN_ROW, ROW, Game, in_tribe_order, markers_of_each
from naqala.rules.opening import BOX_MEEPLES, BOX_TILES, Printed
from naqala.rules.piles import DJINN_PILE, RESOURCE_PILE, Pick, drawn_by
from naqala.session.commands import NewGame
from naqala.session.refusal import Refused
from naqala.session.snapshot import Problem, Seat
from naqala.table.evidence import Evidence, stand
from naqala.table.pieces import CAMEL, CAMEL_COLOURS, TILE, printed
from naqala.table.setup_check import check_setup
from naqala.transcript import Piece

SETTINGS = "companion"  # the key


def layout(wanted: NewGame, table: Evidence) -> tuple[Printed, ...] | None:
    """Type and points of every tile in the order of TILES: as told, else as the tiles' own tags say; None if unknown."""
    told = wanted.tiles or {}
    seen = {
        place: printed(table.tags[tag].which)
        for tag, place in table.places().items()
        if table.tags[tag].kind == TILE
    }
    found: dict[str, Printed] = {}
    for name in TILES:
        tile = told.get(name)
        printed_there = (str(tile["type"]), int(tile["points"])) if tile else seen.get(name)
        if printed_there is not None:
            found[name] = printed_there
    unseen = [name for name in TILES if name not in found]
    left = list((Counter(BOX_TILES) - Counter(found.values())).elements())
    if len(unseen) == len(left) == 1:  # one dead reader does not stop a game: the box has no other tile left
        found[unseen[0]] = left[0]
    return tuple(found[name] for name in TILES) if len(found) == len(TILES) else None


def _all_meeples(table: Evidence) -> tuple[str, ...]:
    """What stands on each tile; on a single silent one, what is left of the box."""
    meeples = list(stand(table).meeples)
    if len(table.silent) == 1:
        (silent,) = table.silent
        meeples[NUMBER[silent]] = ""
        left = Counter(BOX_MEEPLES) - Counter("".join(meeples))
        meeples[NUMBER[silent]] = in_tribe_order("".join(left.elements()))
    return tuple(meeples)


def opened(wanted: NewGame, table: Evidence, pick: Pick) -> Game:
    """The game that begins with what lies there. InvalidAction says what does not fit the box."""
    tiles = layout(wanted, table)
    if tiles is None:
        raise Refused("layout_unknown")
    order = opening.shuffled(list(wanted.players) * markers_of_each(len(wanted.players)), pick)
    facts: dict[str, Any] = {"bid_order": order, "edition": wanted.edition, "switches": dict(wanted.switches)}
    meeples = _all_meeples(table)
    game = opening.opened(wanted.players, tiles, meeples, **facts)
    if wanted.cards != "dealt":
        return game
    row = drawn_by(game, RESOURCE_PILE, ROW, pick)
    djinns = drawn_by(game, DJINN_PILE, DJINN_ROW, pick)
    return opening.opened(wanted.players, tiles, meeples, row=row, djinn_row=djinns, **facts)


def written(game: Game, wanted: NewGame) -> dict[str, Any]:
    """The opening as the journal keeps it."""
    companion = {
        "colours": list(wanted.colours),
        "cards": wanted.cards,
        "help": wanted.help,
        "language": wanted.language,
    }
    return position.to_json(game) | {SETTINGS: companion}


def bound(table: Evidence, seats: tuple[Seat, ...], game: Game) -> Evidence:
    """The table as this game sees it: camels of a colour belong to a player, tiles have their place in the layout. A tile
    that lies where the game has another is still on its way: people lay the table after they have resumed, too."""
    owner = {seat.colour: seat.name for seat in seats}
    tags, places = dict(table.tags), table.places()
    for tag, piece in table.tags.items():
        if piece.kind == CAMEL and piece.which in owner:
            tags[tag] = Piece(CAMEL, owner[piece.which])
        elif piece.kind == TILE and tag in places:
            place = places[tag]
            if printed(piece.which) in (None, (game.tile(place).type, game.tile(place).points)):
                tags[tag] = Piece(TILE, place)
    return replace(table, tags=tags)


def seats(names: Iterable[str], colours: Iterable[str]) -> tuple[Seat, ...]:
    """Who plays with which camels; where no colour was said, with the next that is free."""
    each_once = dict.fromkeys([*colours, *CAMEL_COLOURS])
    return tuple(Seat(name, colour) for name, colour in zip(names, each_once, strict=False))


def settings(opening_json: Mapping[str, Any]) -> dict[str, Any]:
    """What the snapshot shows of them."""
    companion = opening_json.get(SETTINGS, {})
    return {
        "seats": seats([player["name"] for player in opening_json["players"]], companion.get("colours", ())),
        "edition": opening_json.get("edition", "fakir"),
        "cards": companion.get("cards", "dealt"),
        "help": companion.get("help", False),
        "language": companion.get("language", "en"),
    }


def problems(wanted: NewGame | None, table: Evidence) -> tuple[Problem, ...]:
    """What is still missing before the game can begin, in the order in which people would put it right."""
    if wanted is None:
        return ()
    found: list[Problem] = []
    if layout(wanted, table) is None:
        found.append(Problem("layout_unknown"))
    for trouble in check_setup(table):
        tile = trouble.tiles[0] if trouble.tiles else ""
        facts = (("tiles", trouble.tiles), *trouble.facts)
        found.append(Problem(trouble.what, tile, trouble.text, facts))
    return tuple(found)
