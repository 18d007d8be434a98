"""Notes of the log in words: what happened beside the actions. A breach that people let stand, a tile told by hand, a seat that was
taken, a hint of the coach, readers that are asked again.
"""

from __future__ import annotations

from typing import Any

from naqala.dashboard import flags, words
from naqala.dashboard.language import N_, say
from naqala.dashboard.seat_requests import (
    ADMITTED,
    FREED,
    LEFT,
    PERSON,
    PROGRAM,
    ROBOT,
    TAKEN,
    TAKEN_BY_HOST,
)

Event = dict[str, Any]

ABOUT_SEATS: dict[str, str] = {
    TAKEN: N_("A phone took the seat of %(name)s."),
    ADMITTED: N_("The host let a phone take the seat of %(name)s."),
    TAKEN_BY_HOST: N_("The host took the seat of %(name)s."),
    LEFT: N_("The phone of %(name)s left its seat."),
    FREED: N_("The host freed the seat of %(name)s."),
    ROBOT: N_("A robot plays for %(name)s now."),
    PERSON: N_("A person plays for %(name)s again."),
    PROGRAM: N_("The host made a key with which a program sits on the seat of %(name)s."),
}


def note(line: Event) -> str:
    """A note of the session: a breach that was let stand, or a tile told by hand."""
    told = line["note"] or {}
    if "played_on" in told:
        titles = flags.titles(breach["rule"] for breach in told["played_on"])
        rules = words.listed(titles) or say("allowed anyway")
        return say("%(name)s allows it anyway: %(rules)s.", name=who(line["by"]), rules=rules)
    if told.get("seat") in ABOUT_SEATS:
        sentence = ABOUT_SEATS[told["seat"]]
        return say(sentence, name=told["name"])
    if "agreed" in told:
        names = words.listed(told["agreed"])
        return say("%(names)s agreed to what %(name)s asked.", names=names, name=who(line["by"]))
    if "not_agreed" in told:
        return say("%(name)s did not agree that the move stands.", name=who(line["by"]))
    if "entered" in told:
        tiles = words.listed(sorted(told["entered"]))
        return say("%(name)s tells what lies on %(tiles)s.", name=who(line["by"]), tiles=tiles)
    if "coach" in told:
        return say("%(name)s asks the coach.", name=who(line["by"]))
    if "evidence" in told:
        sentence = EVIDENCE[told["evidence"]]
        return say(sentence)
    return say("Cards were turned up.")


# What the record rests on from here on.
EVIDENCE: dict[str, str] = {
    "phones": N_("The game goes on with phones; the readers are not asked."),
    "readers": N_("The readers are asked again."),
}


def who(by: str) -> str:
    """Who wrote something, in words."""
    return say(SPEAKERS[by]) if by in SPEAKERS else by


# Who writes into the journal besides the players.
SPEAKERS: dict[str, str] = {
    "owner": N_("The host"),
    "companion": N_("The companion"),
    "hands": N_("The table"),
}
