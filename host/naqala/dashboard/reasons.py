"""Reasons and actions of the robots' room in words: where points come from, and what a turn consists of.

    Reason("tiles", "Ann", +6.0, facts=(Fact("controlled", 1, "C3"),))   ->  "Tiles +6: a camel on C3"
    Reason("viziers_ahead", "Bob", -8.7)                                  ->  "Bob loses ground in viziers: -9"

Points are rounded to whole ones: what is less than half a point is no reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from naqala.dashboard import words
from naqala.dashboard.language import N_, say, say_n
from naqala.dashboard.words import ROWS
from naqala.robots.reasons import Fact, Reason
from naqala.rules import actions as a
from naqala.rules.scoring import CATEGORIES

# What is expected and not yet on the score sheet: one sentence for more, one for less.
EXPECTED: dict[str, tuple[str, str]] = {
    "viziers_ahead": (
        N_("%(name)s gains ground in viziers, 10 points for each rival with fewer"),
        N_("%(name)s loses ground in viziers, 10 points for each rival with fewer"),
    ),
    "elders_to_pay": (
        N_("%(name)s has elders to pay djinns with"),
        N_("%(name)s has fewer elders to pay djinns with"),
    ),
    "fakirs": (N_("%(name)s has fakirs that will help"), N_("%(name)s has fewer fakirs that will help")),
    "suit_growth": (
        N_("the next new good will add more to %(name)s's suit"),
        N_("the next new good will add less to %(name)s's suit"),
    ),
    "djinn_effects": (
        N_("%(name)s's djinns will bring something every turn"),
        N_("%(name)s's djinns will bring less"),
    ),
    "own_oases": (
        N_("palm trees will come to %(name)s's oases"),
        N_("fewer palm trees will come to %(name)s's oases"),
    ),
    "own_villages": (
        N_("palaces will come to %(name)s's villages"),
        N_("fewer palaces will come to %(name)s's villages"),
    ),
    "camels_left": (
        N_("%(name)s keeps camels for tiles to come"),
        N_("%(name)s has fewer camels for tiles to come"),
    ),
    "purse": (
        N_("%(name)s has gold for bids and markets to come"),
        N_("%(name)s has less gold for bids and markets to come"),
    ),
    "left_to_others": (
        N_("the board leaves %(name)s a better next turn"),
        N_("the board leaves %(name)s a worse next turn"),
    ),
    "turn_order": (
        N_("the place in the turn order suits %(name)s better"),
        N_("the place in the turn order suits %(name)s less"),
    ),
    "price": (N_("%(name)s pays less for it"), N_("%(name)s pays for it")),
}


def points(value: float) -> str:
    """Whole points with their sign, and a real minus."""
    return f"{round(value):+d}".replace("-", "\N{MINUS SIGN}")


def reason(one: Reason) -> str:
    """One reason, with its points."""
    if one.kind in CATEGORIES:
        label = say(ROWS[one.kind][0])
        told = [fact(each) for each in one.facts]
        what = words.listed([text for text in dict.fromkeys(told) if text])
        said = say("%(row)s of %(name)s: %(points)s", row=label, name=one.player, points=points(one.points))
        return f"{said} ({what})" if what else said
    more, less = EXPECTED[one.kind]
    sentence = more if one.points > 0 else less
    return f"{say(sentence, name=one.player)}: {points(one.points)}"


def fact(one: Fact) -> str:
    """What happens, in a few words."""
    return FACTS[one.kind](one) if one.kind in FACTS else ""


FACTS: dict[str, Callable[[Fact], str]] = {
    "collected": lambda one: say(
        "%(meeples)s from %(tile)s", meeples=words.meeples(str(one.what) * one.count), tile=one.tile
    ),
    "controlled": lambda one: say("a camel on %(tile)s", tile=one.tile),
    "gold": lambda one: words.cause(str(one.what)) if one.what else "",
    "card": lambda one: words.card(str(one.what)),
    "djinn": lambda one: str(one.what),
    "placed": lambda one: say("%(what)s on %(tile)s", what=words.piece(str(one.what)), tile=one.tile),
    "killed": lambda one: (
        say("%(what)s of %(name)s dies", what=words.one(str(one.what)), name=one.player)
        if one.player
        else say("%(what)s on %(tile)s dies", what=words.one(str(one.what)), tile=one.tile)
    ),
    "spent": lambda one: say("%(n)s spent", n=one.count),
}


# --- what is done in a turn -------------------------------------------------------------------------------------


def actions(done: Iterable[a.Action]) -> str:
    """A turn in words, its end left out."""
    return "; ".join(action(one) for one in done if not isinstance(one, a.End)) or say("end the turn")


def action(one: a.Action) -> str:
    """One action, short and without its player."""
    match one:
        case a.Bid(_, spot, fakirs):
            said = say("bid %(spot)s", spot=spot)
            return f"{said} ({words.fakirs(fakirs)})" if fakirs else said
        case a.Sow(_, start, drops):
            way = " ".join(f"{tile} {words.one(letter)}," for tile, letter in drops).rstrip(",")
            return say("move from %(start)s: %(way)s", start=start, way=way)
        case a.Build(_, fakirs):
            return _with(say("let the builders earn gold"), fakirs)
        case a.Kill(_, victims, fakirs, _):
            whom = words.listed([_victim(victim) for victim in victims]) or say("nobody")
            return _with(say("kill %(whom)s", whom=whom), fakirs)
        case a.Place(_, what, tile):
            return say("%(what)s on %(tile)s", what=words.piece(what), tile=tile)
        case a.Buy(_, cards):
            return say("buy %(cards)s", cards=words.listed([words.card(card) for card in cards]))
        case a.Summon(_, djinn, _, _):
            return say("summon %(djinn)s", djinn=djinn)
        case a.Power(_, djinn, tile=tile):
            said = say("call on %(djinn)s", djinn=djinn)
            return f"{said} ({tile})" if tile else said
        case a.Sell(_, suits):
            goods = sum(map(len, suits))
            return say_n("sell %(n)s good", "sell %(n)s goods", goods)
        case a.Pass():
            return say("pass")
    return say("end the turn")


def _with(said: str, fakirs: int) -> str:
    return f"{said} ({words.fakirs(fakirs)})" if fakirs else said


def _victim(victim: a.Victim) -> str:
    what = words.one(victim.meeple)
    if victim.player:
        return say("%(what)s of %(name)s", what=what, name=victim.player)
    return say("%(what)s on %(tile)s", what=what, tile=victim.tile)
