"""The board as people see it: what stands on each tile while a hand is in flight, what lies there by mistake, and its mark.

A part of the gate in `view`, and reached through it alone; nothing on the board is a secret. Out go plain values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from naqala.rules.board import TILES
from naqala.rules.model import Game
from naqala.rules.paths import open_drops
from naqala.rules.tiles import TILE_TYPES
from naqala.session.snapshot import Snapshot

PLACING = "places_what_the_tile_asks"  # its steps say more of the places than its breach
REMINDS = {"take": "take", "owed": "put"}  # the mark of a tile, by the note of what is due there


def board(game: Game, snapshot: Snapshot, shown: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Every tile as it lies while a hand is in flight, with its mark."""
    colours = {seat["name"]: seat["colour"] for seat in shown["seats"]}
    letters = {seat["name"]: seat["initial"] for seat in shown["seats"]}
    reading = shown["reading"]
    meeples = dict(zip(TILES, game.meeples, strict=True))
    if reading["kind"] in ("doing", "wrong") and reading["start"] and game.turn.phase == "sow":
        meeples[reading["start"]] = _left_behind(meeples[reading["start"]], reading) + reading["home"]
        for tile, letter in reading["lying"]:
            meeples[tile] += letter
    marks, lying = _marks(game, snapshot, shown), _strays(shown)
    found = {}
    for name, tile in zip(TILES, game.tiles, strict=True):
        kind = TILE_TYPES.get(tile.type or "")
        found[name] = {
            "type": tile.type,
            "points": tile.points,
            "colour": None if kind is None else "blue" if kind.blue else "red",
            "meeples": meeples[name],
            "camel": tile.camel,
            "camel_colour": colours.get(tile.camel or ""),
            "initial": letters.get(tile.camel or "", (tile.camel or "")[:1].upper()),
            "palms": tile.palms,
            "palaces": tile.palaces,
            "strays": tuple(
                (piece, colours.get(piece[6:], ""), letters.get(piece[6:], ""))
                for piece in lying.get(name, ())
            ),
            "mark": marks.get(name),
        }
    return found


def _left_behind(meeples: str, reading: dict[str, Any]) -> str:
    """What still stands on the tile a hand came from: nothing, unless that is what the flag is about."""
    if all(breach["rule"] != "takes_every_meeple" for breach in reading["breaches"]):
        return ""
    return "".join((Counter(meeples) - Counter(letter for _, letter in reading["drops"])).elements())


# --- marks --------------------------------------------------------------------------------------------------


def _marks(game: Game, snapshot: Snapshot, shown: dict[str, Any]) -> dict[str, str]:
    """The mark of each tile that has one: what is wrong before what is due, that before where the hand is and may go."""
    reading = shown["reading"]
    in_flight = reading["kind"] in ("doing", "wrong") and reading["start"]
    marks: dict[str, str] = {}
    if snapshot.link.up:
        marks |= {reader.tile: "unread" for reader in snapshot.readers if reader.state != "ok"}
    if reading["kind"] == "doing":
        marks |= dict.fromkeys(reading["open"] if snapshot.help else (), "open")
    if in_flight:
        marks[reading["start"]] = "start"
    if reading["kind"] == "quiet" and game.turn.phase in ("build", "kill", "tile") and game.turn.tile:
        marks[game.turn.tile] = "end"
    marks |= {note["tile"]: REMINDS[note["note"]] for note in shown["due"]}
    if reading["kind"] == "wrong":
        marks |= _flagged(shown)
    return marks | {step["from"]: "wrong" for step in reading["way_back"]}


def _flagged(shown: dict[str, Any]) -> dict[str, str]:
    """The marks of a flag: the tiles that its rule names and those where pieces lie that do not belong there. Where nothing
    was done wrong, only what is still to be done is marked."""
    left, calm = _left(shown), is_calm(shown)
    takes = {step["from"]: "take" if calm else "wrong" for step in left if step.get("from")}
    puts = {step["onto"][0]: "put" for step in left if len(step.get("onto") or ()) == 1}
    if calm:
        return puts | takes
    breaches = shown["reading"]["breaches"]
    named = {tile: "wrong" for breach in breaches if breach["rule"] != PLACING for tile in breach["tiles"]}
    if shown["reading"]["start"]:  # the drops of a move bear their own numbers
        targets = dict.fromkeys(
            left[0].get("onto") or () if left else (), "open"
        )  # the flag names them as well
        return targets | named
    return puts | named | takes


def is_calm(shown: dict[str, Any]) -> bool:
    """Whether a flag blames nobody: an undo is to be followed, or the record is a step ahead of the hands."""
    reading = shown["reading"]
    if shown["guide"] and shown["guide"]["undone"]:
        return True
    rules = {breach["rule"] for breach in reading["breaches"]}
    if rules == {PLACING}:
        return not any(step.get("from") for step in reading["repair"])
    return not rules and bool(shown["due"])


def _left(shown: dict[str, Any]) -> list[dict[str, Any]]:
    """The steps of the flag that are still to be done."""
    found: list[dict[str, Any]] = shown["guide"]["steps"] if shown["guide"] else shown["reading"]["repair"]
    return found


def _strays(shown: dict[str, Any]) -> dict[str, list[str]]:
    """Camels, palms and palaces that lie where they do not belong, by tile."""
    found: dict[str, list[str]] = {}
    if shown["reading"]["kind"] == "wrong":
        for step in _left(shown):
            if step.get("from") and not step["piece"].startswith("meeple"):
                found.setdefault(step["from"], []).append(step["piece"])
    return found


# --- a move that can no longer end --------------------------------------------------------------------------


def way_back(meeples: Sequence[str], start: str, drops: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """The drops to be taken up again, the last one first, until the move can go on, and where that one may go instead; none
    where no move from there can end."""
    made = [(tile, letter) for tile, letter in drops]
    for kept in range(len(made) - 1, -1, -1):
        following = open_drops(meeples, start, made[:kept])
        if following:
            break
    else:
        return []
    tile, letter = made[kept]
    others = sorted(onto for onto, which in following if which == letter and onto != tile)
    steps = [{"piece": f"meeple {which}", "from": on, "onto": []} for on, which in reversed(made[kept:])]
    return [*steps[:-1], {"piece": f"meeple {letter}", "from": tile, "onto": others}]
