"""What is merely to be said beside a reading: notes of the readers, and what the hands have still to do on the table.

In comes what `view.show` gives, out go sentences. Nobody did anything wrong here: the record is a step ahead of the hands.
"""

from __future__ import annotations

from typing import Any

from naqala.dashboard import words
from naqala.dashboard.flags import steps
from naqala.dashboard.language import N_, say, say_n

# Notes beside a reading, by the word the referee uses.
NOTES: dict[str, str] = {
    "unknown_tag": N_("%(tile)s: a tag nobody knows"),
    "two_places": N_("%(tile)s: one piece is seen in two places"),
    "silent_reader": N_("%(tile)s: this reader is silent"),
    "shifted_tile": N_("%(tile)s: this tile belongs elsewhere"),
    "missing": N_("%(tile)s: a piece is missing"),
    "left_behind": N_("Still on %(tile)s: %(what)s."),
    "enter_tile": N_("%(tile)s: tell by taps what lies there"),
    "owed": N_("Still to be put on %(tile)s: %(what)s."),
    "take": N_("Still to be taken off %(tile)s: %(what)s."),
}
REMINDERS = ("owed", "take")
ASKED = ("palm", "palace")
KEPT = "YW"  # what a move collects of these stays with the player


def notes(shown: dict[str, Any]) -> list[str]:
    """Small remarks of the readers; what is owed is said by `due`."""
    found = []
    for note in shown["reading"]["notes"]:
        kind, tile = note["note"], note["tile"]
        if kind in REMINDERS:
            continue
        if kind == "left_behind":
            found.append(say(NOTES[kind], tile=tile, what=words.meeples(note["what"])))
            continue
        text = say(NOTES[kind], tile=tile)
        about = kind == "missing" and note.get("what")  # the others name tags and faults: for the diagnostics
        found.append(f"{text} ({words.piece(about)})" if about else text)
    return found


def due(shown: dict[str, Any]) -> list[str]:
    """Reminders: what was done by the record and the hands have still to do, and where the meeples go. First of all where
    the piece may go that a flag has sent into the hand."""
    guide = shown["guide"]
    found = steps(guide["steps"]) if guide and guide["eased"] else []
    for note in shown["due"]:
        kind, tile, which = note["note"], note["tile"], note["what"]
        if (
            kind == "owed"
            and which in ASKED
            and (shown["turn"]["phase"], shown["turn"]["tile"]) == ("tile", tile)
        ):
            continue  # that is what the tile asks for, and whose turn it is reads it there
        what = words.meeples(which) if kind == "take" else words.piece(which)
        said = say(NOTES[kind], tile=tile, what=what)
        found.append(f"{said} {_whereto(shown, tile, which)}".strip() if kind == "take" else said)
    return found


def _whereto(shown: dict[str, Any], tile: str, letters: str) -> str:
    """Viziers and elders that a move collects are kept, those spent since and all others go into the bag."""
    letter, count, spent = letters[0], len(letters), 0
    for line in reversed([line for line in shown["log"] if not line["undone"]]):
        spent += sum(event["elders"] for event in line["events"] if event["event"] == "Spent")
        taken = _taken(line["events"], tile, letter)
        if taken:
            break
    else:
        return ""
    who = taken["player"]
    kept = taken["event"] == "Kept" or (taken["event"] == "Collected" and letter in KEPT)
    spent = min(count, spent) if letter == "W" else 0  # only elders are ever spent
    gone = spent if kept else count
    if gone == count:
        return say_n("It goes into the bag.", "They go into the bag.", count)
    if gone:
        return say_n(
            "%(n)s of them was spent and goes into the bag, the rest is kept.",
            "%(n)s of them were spent and go into the bag, the rest is kept.",
            gone,
        )
    if who == shown["me"]:
        return say_n("You keep it.", "You keep them.", count)
    return say_n("%(name)s keeps it.", "%(name)s keeps them.", count, name=who)


def _taken(events: list[dict[str, Any]], tile: str, letter: str) -> dict[str, Any] | None:
    """The event by which such a meeple left that tile."""
    kinds = ("Collected", "Killed", "Kept")
    found = (e for e in events if e["event"] in kinds and (e["tile"], e["meeple"]) == (tile, letter))
    return next(found, None)
