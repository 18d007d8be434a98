"""The buttons of a seat: every open choice of `legal`, grouped as a turn runs, with its consequences on the button.

In come the `choices` of `view.show` (only the viewer's own are in there), out go groups of buttons for
`fragments/seat-choices.html`. No rule lives here: what follows from a choice was played out by the rules beforehand.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from naqala.dashboard import words
from naqala.dashboard.language import N_, say

Choice = dict[str, Any]
Button = dict[str, Any]

TITLES: dict[str, str] = {
    "bid": N_("Your bid"),
    "build": N_("Your builders"),
    "kill": N_("Your assassins"),
    "place": N_("Tile action"),
    "buy": N_("The market"),
    "summon": N_("The sacred place"),
    "power": N_("Your djinns"),
    "sell": N_("Sell goods"),
    "end": N_("End of the turn"),
    "pass": N_("No move is left"),
    "reveal": N_("Clean-up"),
}


def value(choice: Choice) -> str:
    """What the button posts. `fill` says which of the page's fields complete the action."""
    action = choice["action"]
    if choice["asks"]:
        action = action | {"fill": choice["number"]}
    return json.dumps(action, separators=(",", ":"))


def _paid(choice: Choice) -> str:
    pays = choice["pays"]
    parts = [words.gold(pays["gold"])] if pays.get("gold") else []
    if pays.get("elders") or pays.get("fakirs"):
        parts.append(words.price(pays.get("elders", 0), pays.get("fakirs", 0)))
    return words.listed(parts)


def _pays(choice: Choice) -> str:
    paid = _paid(choice)
    return say("costs %(paid)s", paid=paid) if paid else ""


def _follows(choice: Choice, name: str) -> list[str]:
    """What else would happen, in the fewest words: tiles won, gold of answering djinns, the last round."""
    found = []
    for event in choice["events"]:
        if event["event"] == "Controlled" and event["player"] == name:
            found.append(say("you win %(tile)s", tile=event["tile"]))
        elif event["event"] == "GoldMoved" and event["cause"][:1].isupper():
            found.append(
                say("%(djinn)s: %(gold)s", djinn=event["cause"], gold=words.gold(event["amount"]))
                if event["player"] == name
                else say("%(djinn)s pays %(name)s", djinn=event["cause"], name=event["player"])
            )
        elif event["event"] == "EndNear":
            found.append(say("last round"))
    return list(dict.fromkeys(found))


def _button(choice: Choice, what: str, cost: list[str], **more: Any) -> Button:
    return {
        "value": value(choice),
        "what": what,
        "cost": " · ".join(part for part in cost if part),
        "asks": [_ask(choice, ask) for ask in choice["asks"]],
        "number": choice["number"],
        **more,
    }


def _ask(choice: Choice, ask: dict[str, Any]) -> dict[str, Any]:
    """A field to be told: selects with what can be told there."""
    field = ask["field"]
    label = say(ASKED[field])
    names = words.CARD_NAMES if field in ("row", "card") else words.TRIBE_NAMES
    options = [(option, say(names[option]) if option in names else option) for option in ask["options"]]
    return {
        "fields": [
            {
                "name": f"fill.{choice['number']}.{field}.{place}",
                "label": f"{label} {place + 1}" if ask["count"] > 1 else label,
                "preset": ask["preset"][place] if place < len(ask["preset"]) else "",
            }
            for place in range(ask["count"])
        ],
        "options": options,
    }


ASKED: dict[str, str] = {
    "row": N_("Card"),
    "djinns": N_("Djinn"),
    "card": N_("Card drawn"),
    "drawn": N_("Djinn drawn"),
    "keep": N_("Djinn kept"),
    "meeples": N_("Meeple drawn"),
}


# --- one function per kind of action ------------------------------------------------------------------------


def _bid(choice: Choice, name: str) -> Button:
    spot, gold = choice["action"]["spot"], choice["pays"].get("gold", 0)
    fakirs = choice["pays"].get("fakirs", 0)
    cost = [words.fakirs(fakirs)] if fakirs else []
    if fakirs or gold != spot:
        cost.append(say("pays %(gold)s", gold=words.gold(gold)))
    return _button(choice, str(spot), cost, coin=True)


def _build(choice: Choice, name: str) -> Button:
    fakirs = choice["pays"].get("fakirs", 0)
    gold = choice["brings"].get("gold", 0)
    cost = say("spend %(what)s", what=words.fakirs(fakirs)) if fakirs else say("no fakir")
    return _button(choice, say("Take %(gold)s", gold=words.gold(gold)), [cost], icon="coin")


def _kill(choice: Choice, name: str) -> Button:
    victims = choice["action"].get("victims", [])
    if not victims:
        return _button(choice, say("No victim is within reach"), [], wins=False, fakirs=0)
    letters = "".join(victim["meeple"] for victim in victims)
    where = victims[0].get("tile") or victims[0].get("player")
    fakirs = choice["pays"].get("fakirs", 0)
    cost = [say("spend %(what)s", what=words.fakirs(fakirs))] if fakirs else []
    wins = any(event["event"] == "Controlled" for event in choice["events"])
    return _button(
        choice, str(where), [*cost, *_follows(choice, name)], meeples=letters, wins=wins, fakirs=fakirs
    )


def _place(choice: Choice, name: str) -> Button:
    action = choice["action"]
    what = say("Put %(what)s on %(to)s", what=words.piece(action["what"]), to=action["tile"])
    return _button(choice, what, _follows(choice, name), icon=action["what"])


def _buy(choice: Choice, name: str) -> Button:
    cards = choice["action"]["cards"]
    return _button(choice, words.listed([words.card(card) for card in cards]), [_pays(choice)], cards=cards)


def _summon(choice: Choice, name: str) -> Button:
    djinn = choice["action"]["djinn"]
    points = say("%(n)s points", n=choice["brings"].get("points", 0))
    note = words.djinn(djinn)
    return _button(choice, djinn, [points, _pays(choice)], icon="lamp", note=note)


def _power(choice: Choice, name: str) -> Button:
    action = choice["action"]
    what = (
        say("%(djinn)s on %(tile)s", djinn=action["djinn"], tile=action["tile"])
        if action.get("tile")
        else action["djinn"]
    )
    note = words.djinn(action["djinn"])
    return _button(
        choice, what, [_pays(choice), *_follows(choice, name)], icon="lamp", djinn=action["djinn"], note=note
    )


def _sell(choice: Choice, name: str) -> Button:
    suits = choice["action"]["suits"]
    goods = [words.card(card) for suit in suits for card in suit]
    what = say("Take %(gold)s", gold=words.gold(choice["brings"].get("gold", 0)))
    return _button(choice, what, [words.listed(goods)], icon="coin", wide=True)


def _end(choice: Choice, name: str) -> Button:
    return _button(choice, say("End my turn"), _follows(choice, name))


def _pass(choice: Choice, name: str) -> Button:
    return _button(choice, say("Pass"), _follows(choice, name))


def _reveal(choice: Choice, name: str) -> Button:
    return _button(choice, say("These were turned up"), [])


BUTTONS: dict[str, Callable[[Choice, str], Button]] = {
    "bid": _bid,
    "build": _build,
    "kill": _kill,
    "place": _place,
    "buy": _buy,
    "summon": _summon,
    "power": _power,
    "sell": _sell,
    "end": _end,
    "pass": _pass,
    "reveal": _reveal,
}
GRIDS = ("bid", "kill", "buy")
WAITED_FOR = ("bid", "reveal", "pass", "build", "kill", "place", "buy", "summon")


def groups(shown: dict[str, Any]) -> list[dict[str, Any]]:
    """The buttons in their groups: what the turn waits for first, the djinns and the sale after it, the end last; but first
    where nothing else is waited for: few sell before their hand is full."""
    found: list[dict[str, Any]] = []
    open_now = {choice["do"] for choice in shown["choices"]}
    for do in (*WAITED_FOR, "sell", "power", "end") if open_now & {*WAITED_FOR} else ("end", "sell", "power"):
        choices = _each_once([choice for choice in shown["choices"] if choice["do"] == do])
        if not choices:
            continue
        buttons = [BUTTONS[do](choice, str(shown["me"])) for choice in choices]
        if do == "kill":
            buttons.sort(key=lambda button: (not button["wins"], button["fakirs"], button["what"]))
        if do == "place":
            here = shown["turn"]["tile"]
            buttons.sort(key=lambda button: json.loads(button["value"])["tile"] != here)
        found.append(
            {
                "do": do,
                "title": say(TITLES[do]),
                "buttons": buttons,
                "grid": do in GRIDS and not any(button["asks"] for button in buttons),
                "must": any(choice["must"] for choice in choices),
                "first": do != "power" and not found,
            }
        )
    return found


def _each_once(choices: list[Choice]) -> list[Choice]:
    """Cards bought together are the same purchase in either order: `legal` lists both, people want to read one."""
    found: dict[str, Choice] = {}
    for choice in choices:
        action = choice["action"]
        same = action | {"cards": sorted(action["cards"])} if choice["do"] == "buy" else action
        found.setdefault(json.dumps(same, sort_keys=True), choice)
    return list(found.values())


def sowing_starts(shown: dict[str, Any]) -> dict[str, int]:
    """Tiles a move can start from, with the number of legal moves there."""
    return {
        choice["action"]["start"]: choice["brings"].get("sowings", 0)
        for choice in shown["choices"]
        if choice["do"] == "sow"
    }


def starts_in_words(shown: dict[str, Any]) -> str:
    """Where a move can start: by name, or by the names of the others where these are fewer."""
    starts = list(sowing_starts(shown))
    others = sorted(tile for tile, facts in shown["board"].items() if facts["meeples"] and tile not in starts)
    if len(starts) <= len(others) or len(starts) < MANY_STARTS:
        return say("A legal move can start from %(tiles)s.", tiles=words.either(starts))
    if others:
        tiles = words.listed(others)
        return say("A legal move can start from any tile with meeples except %(tiles)s.", tiles=tiles)
    return say("A legal move can start from any tile with meeples.")


MANY_STARTS = 8


def help_now(shown: dict[str, Any]) -> list[str]:
    """What may I do now: one sentence per kind of choice."""
    return [say(HELP[do]) for do in HELP if any(choice["do"] == do for choice in shown["choices"])]


HELP: dict[str, str] = {
    "bid": N_("Take a free spot and pay its price. The highest spot plays first."),
    "reveal": N_("Turn up cards until the rows are full, and tell which they are."),
    "sow": N_(
        "Take all meeples of one tile and drop them one by one, each on a neighbour of the last, never straight back. The last one must meet its own colour."
    ),
    "pass": N_("There is no legal move. You may still call djinns and sell."),
    "build": N_("Gold for each builder and each fakir spent, times the blue tiles around the end tile."),
    "kill": N_(
        "One meeple within as many steps as assassins and fakirs, or a vizier or elder of an opponent."
    ),
    "place": N_("The tile's palm tree or palace must be placed."),
    "buy": N_("You may buy from the front of the row."),
    "summon": N_("You may summon a djinn for 2 elders, or 1 elder and 1 fakir."),
    "power": N_("You may call on a djinn of yours, once."),
    "sell": N_("You may sell suits of different goods: the longer the suit, the more gold."),
    "end": N_("You may end your turn."),
}
