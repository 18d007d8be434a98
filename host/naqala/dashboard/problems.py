"""The live set-up check in words: "2 meeples missing on D2". A kind, tiles and numbers come in, a sentence goes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from naqala.dashboard import flags, words
from naqala.dashboard.answers import WHY
from naqala.dashboard.language import N_, say, say_n
from naqala.rules.board import TILES

# What each kind says. %(tile)s is the first tile concerned, %(place)s the last.
PROBLEMS: dict[str, str] = {
    "layout_unknown": WHY["layout_unknown"],
    "no_reader": N_("%(tile)s: no reader is mapped to this tile"),
    "unknown_tag": N_("%(tile)s: tag %(tag)s is not registered. Register it or take it away."),
    "two_places": N_(
        "%(tiles)s: one piece is seen in two places, %(piece)s. Move it to the middle of its tile."
    ),
    "missing_tile": N_("%(tile)s: no tile lies here"),
    "two_tiles": N_("%(tile)s: two tiles are seen here"),
    "shifted_tile": N_("The tile of %(tile)s lies on %(place)s."),
    "turned_round": N_("The board lies turned round: turn it, or start with naqala play --turned."),
    "too_early": N_("%(tile)s: take away %(piece)s, the game has not begun."),
}
# Readers that give no answer for a reason that has its own sentence.
SILENT: dict[str, str] = {
    "silent": N_("%(tile)s: this reader has not said anything yet"),
    "blind": N_("%(tile)s: this reader no longer sees its own tile"),
}


def _three(facts: dict[str, Any]) -> str:
    short = facts["wanted"] - facts["seen"]
    if short > 0:
        return say_n(
            "%(n)s meeple missing on %(tile)s", "%(n)s meeples missing on %(tile)s", short, tile=facts["tile"]
        )
    return say_n(
        "%(n)s meeple too many on %(tile)s", "%(n)s meeples too many on %(tile)s", -short, tile=facts["tile"]
    )


def _total(facts: dict[str, Any]) -> str:
    seen = words.of_tribe(facts["tribe"], facts["seen"])
    return say("Seen: %(seen)s, not %(wanted)s.", seen=seen, wanted=facts["wanted"])


def _silent(facts: dict[str, Any]) -> str:
    tile, code = facts["tile"], facts["code"]
    sentence = SILENT.get(code)
    if sentence:
        return say(sentence, tile=tile)
    return say("%(tile)s: this reader reports a fault (%(code)s)", tile=tile, code=code)


def _agreed(facts: dict[str, Any]) -> str:
    return flags.step({"piece": facts["piece"], "from": facts["from"], "onto": facts["onto"].split()})


# Kinds whose sentence depends on their numbers.
COUNTED: dict[str, Callable[[dict[str, Any]], str]] = {
    "silent_reader": _silent,
    "not_three": _three,
    "wrong_total": _total,
    "not_as_agreed": _agreed,
}


MANY = 12  # problems from here on: nobody errs, somebody is laying out


def laying_out(given: list[Any]) -> int | None:
    """How many tiles are ready while people still lay out the table; None when there is little left that is wrong."""
    if len(given) < MANY:
        return None
    named = {one["tile"] for one in given}
    named |= {tile for one in given for tile in dict(one["facts"]).get("tiles", ())}
    return len(set(TILES) - named)


def problem(given: dict[str, Any]) -> str:
    """One problem as a sentence."""
    facts = dict(given["facts"]) | {"tile": given["tile"]}
    kind = given["problem"]
    if kind in COUNTED:
        return COUNTED[kind](facts)
    tiles = facts.get("tiles", ())
    told = {"tile": given["tile"], "place": tiles[-1] if tiles else "", "tiles": words.listed(tiles)}
    if "piece" in facts:
        told["piece"] = words.piece(facts["piece"])
    return say(PROBLEMS[kind], **facts | told)
