"""Flags as people meet them: a piece is dragged where it may not go, everybody reads the rule, one does what is said.

`raised` measures how long the flag took, from the moment the hand lets go to the moment the screen shows it. `followed` reads nothing but the instruction on the screen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from naqala.hands.table import BAG, HAND, SUPPLY, before
from playwright.sync_api import expect

from tests.evening.people import WAIT_MS, People

# The title in French, for the player who reads it so.
EN_FRANCAIS = {
    "drops_on_neighbours": "Ce meeple n'est pas posé à côté",
    "no_immediate_backtracking": "Ce meeple revient en arrière",
    "ends_on_its_own_colour": "Le dernier meeple est seul de sa couleur",
    "takes_every_meeple": "Des meeples sont restés",
    "marks_control": "Les chameaux ne sont pas à leur place",
}
TRIBES = {"vizier": "Y", "elder": "W", "merchant": "G", "builder": "B", "assassin": "R"}
INSTRUCTIONS = (
    r"Move (?P<what>.*) from (?P<source>[A-F][1-5]) to (?P<onto>[A-F][1-5])\.",
    r"Take (?P<what>[^.]*) off (?P<source>[A-F][1-5])\. It can go to (?P<onto>.*)\.",
    r"Take (?P<what>[^.]*) off (?P<source>[A-F][1-5])\.",
    r"Put (?P<what>[^.]*) on (?P<onto>[^.]*)\.",
)
MOST_STEPS = 6  # of one repair
FLAGGED = """(rule) => { window.flagged = new Promise((done) => {
  const look = () => {
    if (document.querySelector(`#now .flag[data-rule~="${rule}"]`)) done(Date.now());
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}); }"""


def raised(people: People, rule: str, tags: Sequence[str], onto: str) -> None:
    """Pieces are put where they may not go: the flag names the rule on the screen and on every phone."""
    people.screen.evaluate(FLAGGED, rule)
    made = people.hands.lay(tags, onto)
    for viewer in (people.screen, *people.phones.values()):
        expect(viewer.locator(f".flag[data-rule~='{rule}']")).to_be_visible(timeout=WAIT_MS)
    french = people.phones[people.reads_french].locator(".flag h2")
    expect(french).to_contain_text(EN_FRANCAIS[rule], timeout=WAIT_MS)
    expect(people.screen.locator(".is-wrong")).not_to_have_count(0, timeout=WAIT_MS)
    people.flags.append((rule, round(people.screen.evaluate("() => window.flagged") - made)))


def followed(people: People, meant: str = "") -> None:
    """Do what the screen says until the flag is gone. Where it leaves a choice, the tile that was meant all along."""
    remedy = people.screen.locator("#now .flag .remedy")
    for _ in range(MOST_STEPS):
        said = remedy.all_inner_texts()
        if not said:
            return
        obey(people, said[0], meant)
        expect(remedy.filter(has_text=said[0])).to_have_count(0, timeout=WAIT_MS)
    raise AssertionError(f"the flag goes on after {MOST_STEPS} steps: {remedy.all_inner_texts()}")


def obey(people: People, said: str, meant: str) -> None:
    """One instruction, as it is read."""
    found = next(match for pattern in INSTRUCTIONS if (match := re.fullmatch(pattern, said)))
    told = found.groupdict()
    options = re.findall(r"[A-F][1-5]", told.get("onto") or "")
    onto = meant if meant in options else options[0] if options else HAND
    people.hands.move(piece(people, told["what"], told.get("source")), onto)


def piece(people: People, what: str, source: str | None) -> list[str]:
    """A piece of that name, from the tile that is said, or from where people would take one.

    None when the screen has not seen yet that it is gone: then people look again.
    """
    tribe = next((letter for name, letter in TRIBES.items() if name in what), "")
    if tribe:
        kind, which, spots = "meeple", tribe, (HAND, BAG)
    elif "camel" in what:
        kind, which = "camel", people.colours[what.rpartition(" ")[2]]
        spots = (before(which), HAND)
    else:
        kind, which, spots = ("palm" if "palm" in what else "palace"), "", (SUPPLY, HAND)
    spots = (source, HAND) if source else spots
    return next(
        (tags[-1:] for spot in spots if (tags := people.hands.table.at(spot, kind, which or None))), []
    )
