"""The flag and the question: what broke, what was seen, how to put it right, in the words of who looks.

In comes the `reading` of `view.show`; out go plain sentences for `fragments/flag.html`. One table, RULES, has a title
and the rule itself for every rule id; a test holds it against the rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from naqala.dashboard import words
from naqala.dashboard.language import N_, say, say_n
from naqala.rules.board import TRIBES

# Rule id: what broke (large), and the rule in one sentence.
RULES: dict[str, tuple[str, str]] = {
    "takes_every_meeple": (
        N_("Some meeples stayed behind"),
        N_("A hand takes all meeples of one tile."),
    ),
    "drops_on_neighbours": (
        N_("That drop is not next door"),
        N_("Each meeple goes to a tile that shares a side with the one before, one meeple a tile."),
    ),
    "no_immediate_backtracking": (
        N_("That drop turns straight back"),
        N_("A meeple may not go straight back to the tile the hand has just left."),
    ),
    "ends_on_its_own_colour": (
        N_("The last meeple is alone in its colour"),
        N_("The last meeple goes to a tile that already holds one of its colour."),
    ),
    "collects_every_one_of_its_colour": (
        N_("Not the whole colour was collected"),
        N_("All meeples of the last one's colour on the end tile are taken, and no others."),
    ),
    "marks_control": (
        N_("The camels are not where they belong"),
        N_("Who empties a free tile puts a camel there; an owned tile keeps its camel."),
    ),
    "places_what_the_tile_asks": (
        N_("The tile asks for something else"),
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
        N_("It is another player's turn"),
        N_("Only the player whose turn it is acts."),
    ),
    "pays_the_price": (
        N_("That cannot be paid"),
        N_("What is paid is the price, and the player has it."),
    ),
    "once_per_turn": (
        N_("This djinn was already called"),
        N_("A djinn with a cost is called once."),
    ),
    "bids_on_a_free_spot": (
        N_("This spot is taken"),
        N_("A marker goes to a free spot; three may stand on zero."),
    ),
    "takes_from_the_front": (
        N_("These cards are not on offer"),
        N_("Merchants and markets take from the front of the row."),
    ),
    "sells_different_goods": (
        N_("These goods make no suit"),
        N_("A suit is of different goods from one's own hand."),
    ),
}
DIFFERS = (
    N_("The table and the record differ"),
    N_("What lies there cannot come from what was played so far."),
)
UNDONE = (N_("Undone"), N_("The pieces go back to where they were."))
STILL_DUE = (N_("Still to be done on the table"), N_("The record is a step ahead; the table follows."))


def titles(rules: Iterable[str]) -> list[str]:
    """What broke, for each of these rules that has a sentence."""
    return [say(RULES[rule][0]) for rule in rules if rule in RULES]


def piece(word: str) -> str:
    """A piece as the referee names it ("meeple R", "camel Ann") in words."""
    kind, _, name = word.partition(" ")
    if kind == "meeple" or word in [*TRIBES]:
        return words.one(name or word)
    if kind == "camel" and name in words.COLOUR_NAMES:  # before a game its colour is all one knows
        return say("a camel (%(colour)s)", colour=say(words.COLOUR_NAMES[name]))
    if kind == "camel" and name:
        return say("a camel of %(name)s", name=name)
    return say(words.PIECE_NAMES.get(kind, word))


def step(instruction: dict[str, Any], count: int = 1) -> str:
    """One instruction of a repair, so many times."""
    word, source, onto = (
        instruction["piece"],
        instruction.get("from"),
        sorted(instruction.get("onto") or []),
    )
    what = words.meeples(word[-1] * count) if count > 1 and word.startswith("meeple") else piece(word)
    if source and len(onto) == 1:
        return say("From %(from)s to %(to)s: %(what)s.", what=what, to=onto[0], **{"from": source})
    if source and onto:
        return say(
            "Take from %(from)s: %(what)s. It may go to %(to)s.",
            what=what,
            to=words.either(onto),
            **{"from": source},
        )
    if source:
        return say("Take from %(from)s: %(what)s.", what=what, **{"from": source})
    return say("Put on %(to)s: %(what)s.", what=what, to=words.either(onto))


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
    """What was seen: the way of the hand up to the wrong step."""
    path = [reading["start"], *(tile for tile, _ in reading["drops"])] if reading["start"] else []
    drop = breach["drop"]
    if drop and len(path) > drop:
        return say(
            "Seen: %(way)s, then %(tile)s.", way=", ".join(path[max(0, drop - 2) : drop]), tile=path[drop]
        )
    if breach["tiles"]:
        return say("Seen on %(tiles)s.", tiles=words.listed(breach["tiles"]))
    return ""


def flag(shown: dict[str, Any]) -> dict[str, Any] | None:
    """The flag that stands, or None. `steps` are the shortest way on, first one first, and `done` those that are ticked off;
    `back` is the way to the record as it was before the move, where that is another one; `key` changes with the flag."""
    reading, guide = shown["reading"], shown["guide"]
    if reading["kind"] != "wrong":
        return None
    first = reading["breaches"][0] if reading["breaches"] else None
    title, rule = _about(shown, first)  # nobody did anything wrong where it is `calm`
    back = steps(guide["back"] if guide else shown["repair"])
    left = steps(guide["steps"] if guide else reading["repair"]) or ([] if guide else back)
    small = [first["rule"]] if first else []
    if first and first["drop"]:
        small.append(say("drop %(n)s", n=first["drop"]))
    small += titles(other["rule"] for other in reading["breaches"][1:])
    return {
        "key": "-".join([first["rule"] if first else "differs", *(first["tiles"] if first else [])]),
        "calm": title in (UNDONE[0], STILL_DUE[0]),
        "title": say(title),
        "seen": _seen(reading, first) if first else "",
        "rule": say(rule),
        "stuck": _stuck(reading),
        "done": steps(guide["done"]) if guide else [],
        "steps": left,
        "back": back[:1] if back != left else [],
        "back_more": _more(back),
        "more": _more(left),
        "print": " · ".join(small),
        "drops": _wrong_drops(reading),
    }


def _about(shown: dict[str, Any], first: dict[str, Any] | None) -> tuple[str, str]:
    """What broke and the rule of it; where nothing broke, why the table is not as recorded."""
    if shown["guide"] and shown["guide"]["undone"]:
        return UNDONE
    if first:
        return RULES.get(first["rule"], DIFFERS)
    return STILL_DUE if shown["due"] else DIFFERS


def _stuck(reading: dict[str, Any]) -> str:
    """Why mending the last drop would not do."""
    tile = reading["stuck"]
    if tile and tile == reading["start"]:
        return say("No move from %(tile)s can end as the rules ask.", tile=tile)
    return say("From %(tile)s on this move could no longer end as the rules ask.", tile=tile) if tile else ""


def _wrong_drops(reading: dict[str, Any]) -> list[int]:
    """The wrong drops that still lie there, by their number among those."""
    wrong = [reading["drops"][b["drop"] - 1] for b in reading["breaches"] if b["drop"]]
    return [number for number, drop in enumerate(reading["lying"], 1) if drop in wrong]


def _more(steps: list[str]) -> str:
    count = len(steps) - 1
    return say_n("%(n)s step more after this", "%(n)s steps more after this", count) if count > 0 else ""


def question(shown: dict[str, Any]) -> dict[str, Any] | None:
    """The one question when several legal moves fit: each option in words, the likeliest first; `back` is for none of them."""
    reading = shown["reading"]
    if reading["kind"] != "unclear":
        return None
    options = [
        say(
            "From %(start)s, ending on %(end)s with %(what)s",
            start=option["start"],
            end=option["end"],
            what=words.one(option["colour"]),
        )
        for option in reading["options"]
    ]
    options += [_other(action) for action in reading["actions"]]
    back = steps(shown["repair"])
    return {
        "title": say("Which move was it?"),
        "options": options,
        "back": back[:1],
        "back_more": _more(back),
    }


def _other(action: dict[str, Any]) -> str:
    if action.get("do") == "place":
        return say("Put on %(to)s: %(what)s.", what=piece(action["what"]), to=action["tile"])
    victims = words.meeples("".join(victim["meeple"] for victim in action.get("victims", [])))
    places = [victim.get("tile") or victim.get("player") for victim in action.get("victims", [])]
    return say("Struck: %(whom)s (%(where)s)", whom=victims, where=words.listed(sorted(set(places))))


# Notes beside a reading, by the word the referee uses.
NOTES: dict[str, str] = {
    "unknown_tag": N_("%(tile)s: a tag nobody knows"),
    "two_places": N_("%(tile)s: one piece is seen in two places"),
    "silent_reader": N_("%(tile)s: this reader is silent"),
    "shifted_tile": N_("%(tile)s: this tile belongs elsewhere"),
    "missing": N_("%(tile)s: a piece is missing"),
    "enter_tile": N_("%(tile)s: tell by taps what lies there"),
    "owed": N_("Still to be put on %(tile)s: %(what)s."),
    "take": N_("Still to be taken off %(tile)s: %(what)s."),
}
REMINDERS = ("owed", "take")
KEPT = "YW"  # what a move collects of these stays with the player


def notes(shown: dict[str, Any]) -> list[str]:
    """Small remarks of the readers; what is owed is said by `due`."""
    found = []
    for note in shown["reading"]["notes"]:
        kind, tile = note["note"], note["tile"]
        if kind in REMINDERS:
            continue
        text = say(NOTES[kind], tile=tile)
        about = kind == "missing" and note.get("what")  # the others name tags and faults: for the diagnostics
        found.append(f"{text} ({piece(about)})" if about else text)
    return found


def due(shown: dict[str, Any]) -> list[str]:
    """Reminders: what was done by the record and the hands have still to do, and where the meeples go. First of all where
    the piece may go that a flag has sent into the hand."""
    guide = shown["guide"]
    found = steps(guide["steps"]) if guide and guide["eased"] else []
    for note in shown["due"]:
        kind, tile, which = note["note"], note["tile"], note["what"]
        what = words.meeples(which) if kind == "take" else piece(which)
        said = say(NOTES[kind], tile=tile, what=what)
        found.append(f"{said} {_whereto(shown, which[0])}".strip() if kind == "take" else said)
    return found


def _whereto(shown: dict[str, Any], letter: str) -> str:
    """Viziers and elders that a move collects are kept, all others go into the bag."""
    if letter not in KEPT:
        return say("They go into the bag.")
    turn = shown.get("turn") or {}
    if letter not in turn.get("collected", ""):
        return ""  # the turn has gone on, or it is a victim
    who = turn["player"]
    return say("You keep them.") if who == shown["me"] else say("%(name)s keeps them.", name=who)
