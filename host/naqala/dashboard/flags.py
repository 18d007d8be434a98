"""The flag and the question: what broke, what was seen, how to put it right, in the words of who looks.

In comes the `reading` of `view.show`; out go plain sentences for `fragments/flag-card.html`. One table, RULES, has a title
and the rule itself for every rule id; a test holds it against the rules. What is merely still to be done is in `reminders`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from naqala.dashboard import standing, words
from naqala.dashboard.language import N_, say, say_n

# Rule id: what broke (large), and the rule in one sentence.
RULES: dict[str, tuple[str, str]] = {
    "takes_every_meeple": (
        N_("Some meeples were left behind"),
        N_("Pick up all the meeples from one tile."),
    ),
    "drops_on_neighbours": (
        N_("That tile isn't adjacent"),
        N_("Each meeple goes to a tile that shares a side with the last one, one meeple per tile."),
    ),
    "no_immediate_backtracking": (
        N_("That meeple went straight back"),
        N_("A meeple can't go straight back to the tile you just came from."),
    ),
    "ends_on_its_own_colour": (
        N_("The last meeple is alone in its colour"),
        N_("The last meeple goes to a tile that already holds one of its colour."),
    ),
    "collects_every_one_of_its_colour": (
        N_("Not exactly that colour was taken"),
        N_("Take all meeples of the last one's colour from the final tile, and no others."),
    ),
    "marks_control": (
        N_("The camels are not where they belong"),
        N_("If you empty a free tile, put your camel there; an owned tile keeps its camel."),
    ),
    "places_what_the_tile_asks": (
        N_("That isn't what this tile needs"),
        N_("An oasis gets a palm tree, a village gets a palace."),
    ),
    "kills_within_reach": (
        N_("The assassins do not reach that far"),
        N_(
            "A victim stands within as many steps as there are assassins and fakirs, or is held by an opponent."
        ),
    ),
    "spares_the_protected": (
        N_("This player is protected"),
        N_("Boaz protects the elders and viziers of its player."),
    ),
    "plays_in_turn": (
        N_("It's another player's turn"),
        N_("Only the player whose turn it is moves pieces."),
    ),
    "pays_the_price": (
        N_("That can't be paid"),
        N_("You pay the exact price, with what you have."),
    ),
    "once_per_turn": (
        N_("This djinn was already called"),
        N_("A djinn with a cost is called once."),
    ),
    "bids_on_a_free_spot": (
        N_("This spot is taken"),
        N_("Choose a free spot; up to three markers can stand on zero."),
    ),
    "takes_from_the_front": (
        N_("These cards are not on offer"),
        N_("Merchants and markets take from the front of the row."),
    ),
    "sells_different_goods": (
        N_("These goods aren't a suit"),
        N_("A suit is of different goods from one's own hand."),
    ),
}
DIFFERS = (
    N_("The table and the record differ"),
    N_("What's on the table doesn't follow from the moves so far."),
)
UNDONE = (N_("Undone"), N_("The pieces go back to where they were."))
STILL_DUE = (N_("Still to do on the table"), N_("The record is a step ahead; the table follows."))
NO_END = (
    N_("This move can't end legally any more"),
    RULES["ends_on_its_own_colour"][1],
)
# A palm or a palace where it does not belong, by what lies there: on a wrong tile, though another piece is due, undue.
PLACED: dict[str, tuple[str, str, str]] = {
    "palm": (
        N_("The palm tree belongs on %(tile)s"),
        N_("%(tile)s needs a palm tree"),
        N_("No palm tree is due now"),
    ),
    "palace": (
        N_("The palace belongs on %(tile)s"),
        N_("%(tile)s needs a palace"),
        N_("No palace is due now"),
    ),
}


def titles(rules: Iterable[str]) -> list[str]:
    """What broke, for each of these rules that has a sentence."""
    return [say(RULES[rule][0]) for rule in rules if rule in RULES]


def step(instruction: dict[str, Any], count: int = 1) -> str:
    """One instruction of a repair, so many times."""
    word, source = instruction["piece"], instruction.get("from")
    onto = sorted(instruction.get("onto") or [])
    what = words.piece(word)
    if word.startswith("meeple"):
        what = words.meeples(word[-1] * count) if count > 1 else words.the_one(word[-1]) if source else what
    if source and len(onto) == 1:
        return say("Move %(what)s from %(from)s to %(to)s.", what=what, to=onto[0], **{"from": source})
    if source and onto:
        return say(
            "Take %(what)s off %(from)s. It can go to %(to)s.",
            what=what,
            to=words.either(onto),
            **{"from": source},
        )
    if source:
        return say("Take %(what)s off %(from)s.", what=what, **{"from": source})
    return say("Put %(what)s on %(to)s.", what=what, to=words.either(onto))


def steps(instructions: Iterable[dict[str, Any]]) -> list[str]:
    """Instructions in words; the same meeple from and to the same tiles several times is one of them."""
    counted: list[tuple[dict[str, Any], int]] = []
    for instruction in instructions:
        same = [number for number, (known, _) in enumerate(counted) if known == instruction]
        if same and instruction["piece"].startswith("meeple") and len(instruction.get("onto") or []) < 2:
            counted[same[0]] = (instruction, counted[same[0]][1] + 1)
        else:
            counted.append((instruction, 1))
    return [step(instruction, count) for instruction, count in counted]


def _seen(reading: dict[str, Any], breach: dict[str, Any]) -> str:
    """What was seen: the way of the hand up to the wrong step, or where the pieces lie that do not belong there."""
    path = [reading["start"], *(tile for tile, _ in reading["drops"])] if reading["start"] else []
    drop = breach["drop"]
    if drop and len(path) > drop:
        return say(
            "Seen: %(way)s, then %(tile)s.", way=", ".join(path[max(0, drop - 2) : drop]), tile=path[drop]
        )
    tiles = breach["tiles"]
    if breach["rule"] == standing.PLACING:
        tiles = sorted({step["from"] for step in reading["repair"] if step.get("from")})
    if len(tiles) > MOST_NAMED:
        return say_n("Seen on %(n)s tile.", "Seen on %(n)s tiles.", len(tiles))
    return say("Seen on %(tiles)s.", tiles=words.listed(tiles)) if tiles else ""


MOST_NAMED = 6  # tiles in one sentence; the board marks all of them


def flag(shown: dict[str, Any]) -> dict[str, Any] | None:
    """The flag that stands, or None. `steps` are the shortest way on, first one first, and `done` those that are ticked off;
    `back` is the way to the record as it was before the move, where that is another one; `key` changes with the flag;
    `rules` are the ids, for the small print and for programs. People may let a flag stand or be right about it only where
    they may `decide`."""
    reading, guide = shown["reading"], shown["guide"]
    if reading["kind"] == "doing" and reading["warning"]:
        return _dead_end(reading)
    if reading["kind"] != "wrong":
        return None
    first = reading["breaches"][0] if reading["breaches"] else None
    title, rule = _about(shown, first)
    back = steps(guide["back"] if guide else shown["repair"])
    left = steps(guide["steps"] if guide else reading["repair"]) or ([] if guide else back)
    start_over = back if back != left and reading["start"] else []  # only a move can be started over
    small = [say("drop %(n)s", n=first["drop"])] if first and first["drop"] else []
    small += titles(other["rule"] for other in reading["breaches"][1:])
    return {
        "key": "-".join([first["rule"] if first else "differs", *(first["tiles"] if first else [])]),
        "rules": " ".join(dict.fromkeys(breach["rule"] for breach in reading["breaches"])),
        "calm": standing.is_calm(shown),
        "decide": True,
        "title": title,
        "seen": _seen(reading, first) if first else "",
        "rule": rule,
        "stuck": _stuck(reading),
        "done": steps(guide["done"]) if guide else [],
        "steps": left,
        "back": start_over[:1],
        "back_more": _more(start_over),
        "more": _more(left),
        "print": " · ".join(small),
        "drops": _wrong_drops(reading),
    }


def _dead_end(reading: dict[str, Any]) -> dict[str, Any]:
    """No rule is broken yet, but one will be: the way back to the last drop from which the move could still end."""
    start, drops, way = reading["start"], reading["drops"], steps(reading["way_back"])
    home = [{"piece": f"meeple {m}", "from": tile, "onto": [start]} for tile, m in reversed(drops)]
    home += [{"piece": f"meeple {m}", "from": None, "onto": [start]} for m in reading["hand"]]
    start_over = steps(home)
    kept = len(drops) - len(reading["way_back"])
    return {
        "key": "-".join(["dead-end", *(tile for tile, _ in drops)]),
        "rules": "",
        "calm": False,
        "decide": False,
        "title": say(NO_END[0]),
        "seen": "",
        "rule": say(NO_END[1]),
        "stuck": "" if way else say("No move from %(tile)s can end legally.", tile=start),
        "done": [],
        "steps": way or start_over,
        "back": start_over[:1] if way else [],
        "back_more": _more(start_over) if way else "",
        "more": _more(way or start_over),
        "print": "",
        "drops": list(range(kept + 1, len(drops) + 1)),
    }


def _about(shown: dict[str, Any], first: dict[str, Any] | None) -> tuple[str, str]:
    """What broke and the rule of it; where nothing broke, why the table is not as recorded."""
    if shown["guide"] and shown["guide"]["undone"]:
        return say(UNDONE[0]), say(UNDONE[1])
    if first and first["rule"] == standing.PLACING:
        return _placing(shown, first["facts"].get("asked"))
    if first:
        title, rule = RULES.get(first["rule"], DIFFERS)
    else:
        title, rule = STILL_DUE if standing.is_calm(shown) else DIFFERS
    return say(title), say(rule)


def _placing(shown: dict[str, Any], asked: str | None) -> tuple[str, str]:
    """A palm or a palace, by the place where it belongs."""
    tile, kinds = shown["turn"]["tile"], say(RULES[standing.PLACING][1])
    lying = [step["piece"] for step in shown["reading"]["repair"] if step.get("from")]
    if not asked:
        return say(PLACED[next((piece for piece in lying if piece in PLACED), "palm")][2]), kinds
    here = say("The last meeple of this move stands on %(tile)s.", tile=tile)
    if lying and asked not in lying:
        return say(PLACED[asked][1], tile=tile), f"{here} {kinds}"
    around = [words.djinn(name) for name in AROUND if name in shown["turn"]["active"]]
    return say(PLACED[asked][0 if lying else 1], tile=tile), " ".join([here, *around])


AROUND = ("Lamia", "Hagis")  # whom it may be paid to that the piece goes to a tile around


def _stuck(reading: dict[str, Any]) -> str:
    """Why mending the last drop would not do."""
    tile = reading["stuck"]
    if tile and tile == reading["start"]:
        return say("No move from %(tile)s can end legally.", tile=tile)
    return say("From %(tile)s on, this move can't end legally.", tile=tile) if tile else ""


def _wrong_drops(reading: dict[str, Any]) -> list[int]:
    """The wrong drops that still lie there, by their number among those."""
    wrong = [reading["drops"][b["drop"] - 1] for b in reading["breaches"] if b["drop"]]
    return [number for number, drop in enumerate(reading["lying"], 1) if drop in wrong]


def _more(steps: list[str]) -> str:
    count = len(steps) - 1
    return say_n("%(n)s more step after this", "%(n)s more steps after this", count) if count > 0 else ""


def question(shown: dict[str, Any]) -> dict[str, Any] | None:
    """The one question when several legal moves fit, or when something was paid that nobody else sees: each option with its
    number and in words, the likeliest first; `back` is for none of them. How something was paid is listed for whoever may
    answer; the others read who decides."""
    reading = shown["reading"]
    if reading["kind"] != "unclear":
        return None
    options = [
        (
            number,
            say(
                "From %(start)s, ending on %(end)s with %(what)s",
                start=option["start"],
                end=option["end"],
                what=words.one(option["colour"]),
            ),
        )
        for number, option in enumerate(reading["options"])
    ]
    options += [(action["option"], _other(action)) for action in reading["actions"]]
    back = steps(shown["repair"])
    return {
        "title": _asks(shown, bool(options)),
        "options": options,
        "back": back[:1],
        "back_more": _more(back),
    }


def _asks(shown: dict[str, Any], listed: bool) -> str:
    """Above the question: what is asked, or of whom."""
    who = shown["reading"]["decides"]
    if listed or who is None:
        return say("Which move was it?")
    if who == shown["me"]:
        return say("You cannot pay for this: it goes back.")
    return say("%(name)s decides how this was paid.", name=who)


def _other(action: dict[str, Any]) -> str:
    """An action that is no sowing, with what it takes: fakirs and elders are on no reader."""
    if action.get("do") == "place":
        return say("Put %(what)s on %(to)s.", what=words.piece(action["what"]), to=action["tile"])
    elders, fakirs = action.get("elders", 0), action.get("fakirs", 0)
    paid = words.price(elders, fakirs) if elders or fakirs else ""
    if action.get("do") == "power":
        return say("%(djinn)s: %(gold)s", djinn=action["djinn"], gold=paid) if paid else str(action["djinn"])
    victims = words.meeples("".join(victim["meeple"] for victim in action.get("victims", [])))
    places = [victim.get("tile") or victim.get("player") for victim in action.get("victims", [])]
    struck = say("Struck: %(whom)s (%(where)s)", whom=victims, where=words.listed(sorted(set(places))))
    return f"{struck}, {say('costs %(paid)s', paid=paid)}" if paid else struck
