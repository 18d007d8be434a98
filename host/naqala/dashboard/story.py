"""The log in words: one sentence per line of the journal, made of the events a viewer may know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from naqala.dashboard import flags, words
from naqala.dashboard.language import N_, say, say_n
from naqala.dashboard.seat_requests import FREED, LEFT, PERSON, PROGRAM, ROBOT, TAKEN, TAKEN_BY_HOST

Event = dict[str, Any]


def _gold(events: list[Event], player: str | None) -> int:
    """Gold that came to the player, what others got apart."""
    return sum(
        event["amount"] for event in events if event["event"] == "GoldMoved" and event["player"] == player
    )


def _of(events: list[Event], kind: str) -> list[Event]:
    return [event for event in events if event["event"] == kind]


def _cards(events: list[Event]) -> str:
    """The cards that came into a hand, or only how many."""
    taken = _of(events, "CardTaken") + _of(events, "CardDrawn")
    if not taken:
        return ""
    known = [words.card(event["card"]) for event in taken if event["card"]]
    if len(known) < len(taken):
        return say_n("%(n)s card", "%(n)s cards", len(taken))
    return words.listed(known)


def _spent(events: list[Event]) -> str:
    paid = _of(events, "Spent")
    return words.price(sum(e["elders"] for e in paid), sum(e["fakirs"] for e in paid))


def bid(line: Event, events: list[Event]) -> str:
    spot = _of(events, "MarkerPlaced")[0]["spot"]
    if spent := _spent(events):
        return say(
            "%(name)s bids %(spot)s and pays with %(paid)s.", name=line["player"], spot=spot, paid=spent
        )
    return say("%(name)s bids %(spot)s.", name=line["player"], spot=spot)


def sow(line: Event, events: list[Event]) -> str:
    start = _of(events, "Lifted")[0]
    got = _of(events, "Collected")[0]
    said = say(
        "%(name)s moves from %(start)s to %(end)s and collects %(meeples)s.",
        name=line["player"],
        start=start["tile"],
        end=got["tile"],
        meeples=words.meeples(got["meeple"] * got["count"]),
    )
    if cards := _cards(events):
        said += " " + say("They bring %(cards)s.", cards=cards)
    return said


def then_the_tile(tile: str, kind: str) -> str:
    """What comes after a move: what its end tile asks for or offers."""
    return f"{tile}: {say(words.OFFERS[kind])}."


def build(line: Event, events: list[Event]) -> str:
    gold = _gold(events, line["player"])
    if not gold:
        return say("%(name)s's builders are paid.", name=line["player"])
    if spent := _spent(events):
        return say(
            "%(name)s's builders and %(paid)s bring %(gold)s.",
            name=line["player"],
            paid=spent,
            gold=words.gold(gold),
        )
    return say("%(name)s's builders bring %(gold)s.", name=line["player"], gold=words.gold(gold))


def kill(line: Event, events: list[Event]) -> str:
    struck = _of(events, "Killed") + _of(events, "Kept")
    if not struck:
        return say("%(name)s's assassins find no victim.", name=line["player"])
    whom = words.meeples("".join(event["meeple"] for event in struck))
    first = struck[0]
    if first["of"]:
        said = say(
            "%(name)s's assassins strike %(whom)s of %(other)s.",
            name=line["player"],
            whom=whom,
            other=first["of"],
        )
    else:
        said = say(
            "%(name)s's assassins strike %(whom)s on %(tile)s.",
            name=line["player"],
            whom=whom,
            tile=first["tile"],
        )
    if cards := _cards(events):
        said += " " + say("%(name)s draws %(cards)s.", name=line["player"], cards=cards)
    return said


def place(line: Event, events: list[Event]) -> str:
    put = _of(events, "Placed")[0]
    return say(
        "%(name)s puts %(what)s on %(tile)s.",
        name=line["player"],
        what=words.piece(put["what"]),
        tile=put["tile"],
    )


def buy(line: Event, events: list[Event]) -> str:
    return say("%(name)s buys %(cards)s.", name=line["player"], cards=_cards(events))


def summon(line: Event, events: list[Event]) -> str:
    djinn = _of(events, "DjinnGained")[0]["djinn"]
    return say(
        "%(name)s summons %(djinn)s for %(paid)s.", name=line["player"], djinn=djinn, paid=_spent(events)
    )


def power(line: Event, events: list[Event]) -> str:
    djinn = _of(events, "DjinnUsed")[0]["djinn"]
    said = say(
        "%(name)s calls on %(djinn)s for %(paid)s.", name=line["player"], djinn=djinn, paid=_spent(events)
    )
    if cards := _cards(events):
        said += " " + say("%(name)s draws %(cards)s.", name=line["player"], cards=cards)
    for put in _of(events, "Placed"):
        what = words.piece(put["what"])
        said += " " + say(
            "%(name)s puts %(what)s on %(tile)s.", name=line["player"], what=what, tile=put["tile"]
        )
    for came in _of(events, "MeeplesArrived"):
        said += " " + say(
            "%(meeples)s come to %(tile)s.", meeples=words.meeples(came["meeples"]), tile=came["tile"]
        )
    for gained in _of(events, "DjinnGained"):
        said += " " + say("%(name)s keeps %(djinn)s.", name=line["player"], djinn=gained["djinn"])
    return said


def sell(line: Event, events: list[Event]) -> str:
    suits = [event["suit"] for event in _of(events, "Sold")]
    gold = _gold(events, line["player"])
    if not suits or None in suits or not gold:
        return say("%(name)s sells goods.", name=line["player"])
    goods = words.listed([words.card(card) for suit in suits for card in suit])
    return say(
        "%(name)s sells %(goods)s for %(gold)s.", name=line["player"], goods=goods, gold=words.gold(gold)
    )


def reveal(line: Event, events: list[Event]) -> str:
    cards = [words.card(card) for event in _of(events, "Revealed") for card in event["row"]]
    djinns = [djinn for event in _of(events, "Revealed") for djinn in event["djinns"]]
    if not cards and not djinns:
        return say("Nothing had to be turned up.")
    return say("Turned up: %(cards)s.", cards=words.listed(cards + djinns))


def end(line: Event, events: list[Event]) -> str:
    return say("%(name)s ends the turn.", name=line["player"])


def pass_turn(line: Event, events: list[Event]) -> str:
    return say("%(name)s has no move left and passes.", name=line["player"])


TOLD: dict[str, Callable[[Event, list[Event]], str]] = {
    "bid": bid,
    "sow": sow,
    "build": build,
    "kill": kill,
    "place": place,
    "buy": buy,
    "summon": summon,
    "power": power,
    "sell": sell,
    "reveal": reveal,
    "end": end,
    "pass": pass_turn,
}


def _asides(events: list[Event]) -> list[str]:
    """What followed by itself: control, djinns that pay, the coming end."""
    said = [
        say("%(name)s puts a camel on %(tile)s.", name=event["player"], tile=event["tile"])
        for event in _of(events, "Controlled")
    ]
    answers = [e for e in _of(events, "GoldMoved") if e["cause"][:1].isupper()]  # a djinn's name
    for name, djinn in dict.fromkeys((e["player"], e["cause"]) for e in answers):
        amount = sum(e["amount"] for e in answers if (e["player"], e["cause"]) == (name, djinn))
        said.append(
            say("%(djinn)s brings %(name)s %(gold)s.", djinn=djinn, name=name, gold=words.gold(amount))
        )
    endings = [event["ending"] for event in _of(events, "EndNear")]
    said += [say(ENDINGS[ending]) for ending in endings]
    said += [say("Round %(n)s begins.", n=event["number"]) for event in _of(events, "RoundBegun")]
    return said


ENDINGS: dict[str, str] = {
    "last_camel": N_("The last camel is placed: this is the last round."),
    "no_sowing": N_("No move is left: this is the last round."),
}


# A step by its name, for the button that takes it back.
DEEDS: dict[str, str] = {
    "bid": N_("%(name)s's bid"),
    "sow": N_("%(name)s's move"),
    "build": N_("%(name)s's builders"),
    "kill": N_("%(name)s's assassins"),
    "place": N_("what %(name)s put on a tile"),
    "buy": N_("%(name)s's purchase"),
    "summon": N_("%(name)s's new djinn"),
    "power": N_("%(name)s's call on a djinn"),
    "sell": N_("%(name)s's sale"),
    "reveal": N_("the cards turned up"),
    "end": N_("the end of %(name)s's turn"),
    "pass": N_("%(name)s's passing"),
    "correct": N_("“Use what's on the table”"),
}


def undoes(line: Event, standing: int) -> str:
    """What a tap on undo would take back: this step by its name, and how many of those that stand came after it."""
    if line["before"] is None:
        return ""
    deed = DEEDS[line["do"]]
    what = say(deed, name=line["player"])
    more = standing - line["before"] - 1
    if not more:
        return say("Undo from here: %(what)s", what=what)
    return say_n(
        "Undo from here: %(what)s and %(n)s more", "Undo from here: %(what)s and %(n)s more", more, what=what
    )


SEATS = "seats"  # the kind of a line about a seat
ABOUT_SEATS: dict[str, str] = {
    TAKEN: N_("A phone took the seat of %(name)s."),
    TAKEN_BY_HOST: N_("The host took the seat of %(name)s."),
    LEFT: N_("The phone of %(name)s left its seat."),
    FREED: N_("The host freed the seat of %(name)s."),
    ROBOT: N_("A robot plays for %(name)s now."),
    PERSON: N_("A person plays for %(name)s again."),
    PROGRAM: N_("The host made a key with which a program sits on the seat of %(name)s."),
}


def tell(line: Event) -> str:
    """One line of the log as `view.show` gives it, in words."""
    if line["kind"] == SEATS:
        sentence = ABOUT_SEATS[line["what"]]
        return say(sentence, name=line["name"])
    if line["kind"] == "undo":
        return _taken_back(line)
    if line["kind"] == "correction":
        return _corrected(line)
    if line["do"] not in TOLD:
        return _note(line)
    events = line["events"]
    return " ".join([TOLD[line["do"]](line, events), *_asides(events)])


def _corrected(line: Event) -> str:
    """What the record took over, tile by tile: as it was, and as it lies."""
    said = say("%(name)s uses what's on the table.", name=_who(line["by"]))
    were = {tile["tile"]: tile for tile in line["were"]}
    events = sorted(_of(line["events"], "Corrected"), key=lambda event: str(event["tile"]))
    told = [_changed(were[event["tile"]], event) for event in events if event["tile"] in were]
    return f"{said} {'; '.join(told)}." if told else said


def _changed(old: Event, new: Event) -> str:
    """One tile: only what differs, before and after."""
    before, after = [], []
    if sorted(old["meeples"]) != sorted(new["meeples"]):
        before.append(words.meeples(old["meeples"]) or say("no meeple"))
        after.append(words.meeples(new["meeples"]) or say("no meeple"))
    if old["camel"] != new["camel"]:
        for told, name in ((before, old["camel"]), (after, new["camel"])):
            told.append(say("camel of %(name)s", name=name) if name else say("no camel"))
    for kind, count in words.COUNTED.items():
        if old[kind] != new[kind]:
            before.append(count(old[kind]))
            after.append(count(new[kind]))
    return f"{new['tile']}: {', '.join(before)} → {', '.join(after)}"


def _taken_back(line: Event) -> str:
    """An undo, by the first thing that it lifted: numbers of steps are nowhere to be seen."""
    if not line["gone"]:
        return say("%(name)s takes back.", name=_who(line["by"]))
    said = say("%(name)s takes back: %(what)s", name=_who(line["by"]), what=tell(line["gone"][0]))
    more = len(line["gone"]) - 1
    after = say_n("And %(n)s step after it.", "And %(n)s steps after it.", more) if more else ""
    return f"{said} {after}".strip()


def _note(line: Event) -> str:
    """A note of the session: a breach that was let stand, or a tile told by hand."""
    note = line["note"] or {}
    if "played_on" in note:
        titles = flags.titles(breach["rule"] for breach in note["played_on"])
        rules = words.listed(titles) or say("allowed anyway")
        return say("%(name)s allows it anyway: %(rules)s.", name=_who(line["by"]), rules=rules)
    if "entered" in note:
        tiles = words.listed(sorted(note["entered"]))
        return say("%(name)s tells what lies on %(tiles)s.", name=_who(line["by"]), tiles=tiles)
    if "coach" in note:
        return say("%(name)s asks the coach.", name=_who(line["by"]))
    if "evidence" in note:
        sentence = EVIDENCE[note["evidence"]]
        return say(sentence)
    return say("Cards were turned up.")


# What the record rests on from here on.
EVIDENCE: dict[str, str] = {
    "phones": N_("The game goes on with phones; the readers are not asked."),
    "readers": N_("The readers are asked again."),
}


def _who(by: str) -> str:
    return say(SPEAKERS[by]) if by in SPEAKERS else by


# Who writes into the journal besides the players.
SPEAKERS: dict[str, str] = {
    "owner": N_("The host"),
    "companion": N_("The companion"),
    "hands": N_("The table"),
}
