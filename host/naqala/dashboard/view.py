"""The one gate: `show(snapshot, viewer)` cuts out of a snapshot what this viewer may see, as plain JSON values.

Pages, streams, exports before the end and every JSON address are made from what comes out here and from nothing else.
Secret until the end: gold, and the goods and fakirs in hand (unless the table plays with open hands); the cards drawn
from a pile; and what only memory keeps at a real table: which cards were taken and what gold was moved in earlier
rounds. The log says that something happened, the numbers fade when the round is over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from naqala.dashboard.logbook import is_step, the_log
from naqala.dashboard.plain import plain
from naqala.dashboard.standing import board, way_back
from naqala.dashboard.viewers import Viewer
from naqala.rules import events as rule_events
from naqala.rules import notation, piles
from naqala.rules.bidding import TRACK
from naqala.rules.choices import Choice
from naqala.rules.djinns import DJINNS
from naqala.rules.game import play
from naqala.rules.goods import RESOURCES
from naqala.rules.model import Game, Player
from naqala.rules.tiles import blue_around
from naqala.session.snapshot import OVER, Snapshot

# Details of a breach that name what somebody holds.
PRIVATE_DETAILS = frozenset({"gold", "held", "fakirs"})
TROUBLE = "the journal cannot be written just now"  # where it lies is the owner's affair


def show(
    snapshot: Snapshot,
    viewer: Viewer,
    before: Snapshot | None = None,
    then: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """What this viewer may see of the table.

    `before` is an earlier snapshot and `then` what the same viewer saw of it: parts of the very same values are taken over.
    """
    same_log = (
        before is not None
        and before.log is snapshot.log
        and everything_open(before) == everything_open(snapshot)
    )
    shown: dict[str, Any] = {
        "table": snapshot.table,
        "version": snapshot.version,
        "step": snapshot.step,
        "stage": snapshot.stage,
        "edition": snapshot.edition,
        "cards": snapshot.cards,
        "help": snapshot.help,
        "table_language": snapshot.language,
        "me": viewer.name,
        "owner": viewer.owner,
        "seats": _seats(snapshot),
        "health": health(snapshot),
        "problems": [plain(problem) for problem in snapshot.problems],
        "repair": [plain(step) for step in snapshot.repair],
        "guide": plain(snapshot.guide),
        "due": [plain(note) for note in snapshot.due],
        "unfinished": plain(snapshot.unfinished),
        "undo_asked": plain(snapshot.undo_asked),
        "stopped": snapshot.stopped,
        "trouble": snapshot.trouble if viewer.owner or not snapshot.trouble else TROUBLE,
        "drawn_djinns": _drawn(snapshot, viewer),
        "reading": _reading(snapshot, viewer),
        "log": then["log"] if same_log else the_log(snapshot.log, viewer, everything_open(snapshot)),
        "all_open": everything_open(snapshot),
    }
    if snapshot.game is None:
        return shown
    if same_log and before is not None and _same_game(before, snapshot):
        shown |= {key: then[key] for key in GAME}
    else:
        shown |= _game(snapshot.game, snapshot, viewer)
    return shown | {"board": board(snapshot.game, snapshot, shown)}


# What `_game` makes of the game and its choices alone, whatever lies on the table.
GAME = (
    "round",
    "ending",
    "switches",
    "turn",
    "track",
    "bid_order",
    "row",
    "djinn_row",
    "piles",
    "missing",
    "players",
    "choices",
    "steps_standing",
)


def _same_game(before: Snapshot, now: Snapshot) -> bool:
    return before.game is now.game and before.choices is now.choices and before.cards == now.cards


def everything_open(snapshot: Snapshot) -> bool:
    """The game is over: there are no secrets any more."""
    return snapshot.stage == OVER or (snapshot.game is not None and snapshot.game.turn.phase == "over")


# --- people -------------------------------------------------------------------------------------------------


def initials(names: list[str]) -> dict[str, str]:
    """One or two letters per name, all different: what a camel carries."""
    found: dict[str, str] = {}
    for name in names:
        wishes = [name[:1], name[:2], *(name[:1] + letter for letter in name[1:]), *map(str, range(1, 10))]
        found[name] = next(wish.upper() for wish in wishes if wish.upper() not in found.values())
    return found


def _seats(snapshot: Snapshot) -> list[dict[str, Any]]:
    letters = initials([seat.name for seat in snapshot.seats])
    return [
        {"name": seat.name, "colour": seat.colour, "initial": letters[seat.name]} for seat in snapshot.seats
    ]


def _player(player: Player, snapshot: Snapshot, viewer: Viewer) -> dict[str, Any]:
    """One player's holdings. `gold`, `goods` and `fakirs` are None where they are not this viewer's business."""
    game: Game = snapshot.playing
    mine = everything_open(snapshot) or viewer.name == player.name
    hand = mine or game.switch("hand_visibility") == "public"
    owned = [tile for tile in game.tiles if tile.camel == player.name]
    return {
        "name": player.name,
        "viziers": player.viziers,
        "elders": player.elders,
        "camels": player.camels,
        "tiles": len(owned),
        "palms": sum(tile.palms for tile in owned),
        "palaces": sum(tile.palaces for tile in owned),
        "djinns": [_djinn(name) | {"used": name in player.used} for name in player.djinns],
        "gold": player.gold if mine else None,
        "goods": dict(Counter(player.goods)) if hand else None,
        "fakirs": player.fakirs if hand else None,
    }


def _djinn(name: str) -> dict[str, Any]:
    djinn = DJINNS[name]
    return {
        "name": name,
        "points": djinn.points,
        "cost": [list(way) for way in djinn.cost],
        "shape": djinn.shape,
    }


# --- the game -----------------------------------------------------------------------------------------------


def _game(game: Game, snapshot: Snapshot, viewer: Viewer) -> dict[str, Any]:
    acting = game.turn.player
    return {
        "round": game.round,
        "ending": game.ending,
        "switches": dict(game.house),
        "turn": {
            "player": acting,
            "phase": game.turn.phase,
            "tile": game.turn.tile,
            "collected": game.turn.collected,
            "active": list(game.turn.active),
            "blue": blue_around(game, game.turn.tile) if game.turn.tile else 0,
        },
        "track": _track(game),
        "bid_order": list(game.bid_order),
        "row": list(game.row),
        "djinn_row": [_djinn(name) for name in game.djinn_row],
        "piles": {
            "resources": piles.pile(game, piles.RESOURCE_PILE).total(),
            "djinns": piles.pile(game, piles.DJINN_PILE).total(),
            "bag": len(game.bag),
            "palms": game.palms,
            "palaces": game.palaces,
        },
        "missing": list(piles.missing(game)) if game.turn.phase == "reveal" else [0, 0],
        "players": [_player(player, snapshot, viewer) for player in game.players],
        "choices": _choices(game, snapshot, viewer),
        "steps_standing": sum(map(is_step, snapshot.log)),
    }


def _track(game: Game) -> list[dict[str, Any]]:
    """The turn-order track from the dearest spot to the last zero, with who stands there.

    Among the zeros the newcomer stands nearest to the paying spots, as in `track`, which is in the order of play.
    """
    waiting = list(game.track)
    found = []
    for price in reversed(TRACK):
        here = next((place for place, (spot, _) in enumerate(waiting) if spot == price), None)
        player = waiting.pop(here)[1] if here is not None else None
        found.append({"price": price, "player": player})
    return found


# --- choices ------------------------------------------------------------------------------------------------


def _choices(game: Game, snapshot: Snapshot, viewer: Viewer) -> list[dict[str, Any]]:
    """The viewer's own open choices, each with what would follow.

    What could be drawn from the resource pile is left out: with one's own cards it would tell the others' hands.
    With cards dealt by the companion nobody has to tell what was drawn.
    """
    found = []
    for number, choice in enumerate(snapshot.choices or ()):
        if viewer.name is None or choice.player not in (viewer.name, None):
            continue
        data = choice.to_json() | {"number": number, "events": _foreseen(game, choice)}
        asks = [ask for ask in data["asks"] if ask["field"] != "drops" and snapshot.cards != "dealt"]
        for ask in asks:
            if ask["field"] in ("row", "card"):
                ask["options"] = list(RESOURCES)
            ask["options"] = list(dict.fromkeys(ask["options"]))
        found.append(data | {"asks": asks})
    return found


def _drawn(snapshot: Snapshot, viewer: Viewer) -> dict[str, Any] | None:
    """Djinns turned up for somebody to keep one; only that player sees them before they choose."""
    drawn = snapshot.drawn
    if drawn is None or viewer.name != drawn.player:
        return None
    power = notation.to_json(drawn.power)
    return {
        "djinn": drawn.djinn,
        "choices": [
            _djinn(name) | {"action": power | {"drawn": list(drawn.drawn), "keep": name}}
            for name in drawn.drawn
        ],
    }


def _foreseen(game: Game, choice: Choice) -> list[dict[str, Any]]:
    """The events a choice would bring, where nothing has to be told first."""
    if choice.asks:
        return []
    return [rule_events.to_json(event) for event in play(game, choice.action)[1]]


# --- what the readers say -----------------------------------------------------------------------------------


def _reading(snapshot: Snapshot, viewer: Viewer) -> dict[str, Any]:
    """The reading with all its keys, so that no page has to ask whether there is one."""
    data = plain(snapshot.reading) or {}
    sowing = data.get("sowing") or {}
    way = data.get("path") or []
    drops = data.get("drops") or sowing.get("drops") or []
    followed = plain(snapshot.guide) or {}
    followed = {} if followed.get("eased") else followed
    acting = snapshot.game.turn.player if snapshot.game is not None else None
    return {
        "kind": data.get("reading", "quiet"),
        "hand": data.get("hand", ""),
        "start": way[0] if way else sowing.get("start"),
        "drops": drops,
        "lying": followed.get("lying", drops),  # of these what is still there, while a flag is followed
        "home": followed.get("home", ""),
        "open": list(dict.fromkeys(tile for tile, _ in data.get("open", []))),
        "warning": data.get("warning", ""),
        "way_back": way_back(snapshot.playing.meeples, way[0], drops) if data.get("warning") else [],
        "remedy": data.get("remedy", ""),
        "stuck": data.get("stuck", ""),
        "repair": data.get("repair", []),
        "options": data.get("options", []),
        "actions": data.get("actions", []),
        "notes": data.get("notes", []),
        "breaches": [_breach(breach, viewer.name == acting) for breach in data.get("breaches", [])],
    }


def _breach(breach: dict[str, Any], mine: bool) -> dict[str, Any]:
    known = {"rule": breach["rule"], "drop": breach.get("drop"), "tiles": breach.get("tiles", [])}
    facts = {k: v for k, v in breach.items() if k not in known and (mine or k not in PRIVATE_DETAILS)}
    return known | {"facts": facts}


def health(snapshot: Snapshot) -> dict[str, Any]:
    """One quiet dot: fine, in part (some readers silent), or down, as it is when the companion stopped following."""
    silent = [reader.tile for reader in snapshot.readers if reader.state != "ok"]
    state = "fine" if snapshot.link.up and not silent else "part" if snapshot.link.up else "down"
    if snapshot.link.kind == "none":
        state = "none"
    if snapshot.stopped:
        state = "down"
    return {"state": state, "silent": silent, "why": snapshot.link.why}
