"""From what a viewer may see to what a template needs: sentences, drawing, buttons. And which fragments a page has.

The same fragments are rendered into the page and sent on its stream, so a page and its updates never differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType, SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import segno
from flask import request, url_for
from markupsafe import Markup

from naqala.dashboard import coach, drawing, flags, offers, reminders, robot_card, story, teller, words
from naqala.dashboard.now_put import now_put
from naqala.dashboard.problems import laying_out, problem
from naqala.dashboard.speaking import spoken
from naqala.dashboard.story import SEATS
from naqala.dashboard.viewers import Sitting
from naqala.rules.goods import SUIT_VALUES
from naqala.rules.model import camels_at_the_start

# Fragments by page; each is `fragments/<name>.html` and its outermost element has the id <name>.
FRAGMENTS: dict[str, tuple[str, ...]] = {
    "screen": ("now", "board", "tracks", "holdings", "join", "log", "cards", "health"),
    "seat": (
        "seat-robot",
        "seat-state",
        "robot-card",
        "seat-coach",
        "seat-teller",
        "seat-cards",
        "seat-choices",
        "seat-hand",
        "seat-board",
        "health",
    ),
    "layout": ("layout-board", "join"),
    "together": (
        "seat-state",
        "together-asked",
        "robot-card",
        "seat-teller",
        "seat-cards",
        "seat-choices",
        "together-hands",
        "seat-board",
        "health",
    ),
    "join": ("join-seats",),
    "end": ("end-veil",),
    "virtual": ("virtual-now", "robot-card", "virtual-seats", "health"),
    "setup": ("setup-check", "setup-seats", "health"),
    "touch": ("touch-grid", "health"),
    "enrol": ("enrol-known", "health"),
    "diagnostics": ("diagnostics-tune", "diagnostics-readers", "diagnostics-link"),
}
RECENT = 9
NOBODY = Sitting()
NOTHING: Mapping[str, Any] = MappingProxyType({})

SAID = SimpleNamespace(
    card=words.card,
    colour=words.colour,
    tile_type=words.tile_type,
    tribe=words.tribe,
    cost=words.cost,
    meeples=words.meeples,
    listed=words.listed,
    one=words.one,
    gold=words.gold,
    fakirs=words.fakirs,
    tile_label=words.tile_label,
    djinn=words.djinn,
)


@lru_cache(maxsize=64)
def qr(address: str) -> Markup:
    """A QR code as drawing for the page. The text is ours, the marks are the library's."""
    return Markup(
        segno.make(address, error="m").svg_inline(scale=4, border=2, svgclass="qr-code", omitsize=True)
    )


def scene(
    shown: dict[str, Any],
    sitting: Sitting = NOBODY,
    address: str = "",
    last: Mapping[str, Any] = NOTHING,
) -> dict[str, Any]:
    """Everything a template of the table needs, from what the viewer may see. `last` is the scene before this one in the
    same words: what was told of the same log is not told again."""
    same_log = last.get("log") is shown["log"]
    names = [seat["name"] for seat in shown["seats"]]
    free = [name for name in names if name not in sitting.taken | sitting.robots]
    found = {
        "turn": None,
        "players": [],
        "drawn": (),
        "steps": (),
        "now": {},
        "groups": [],
        "starts": {},
        "help_now": [],
        "now_put": [],
        "own": None,
        "undo_to": 0,
        **teller.NOTHING_TOLD,
        "last_of_mine": "",
        **shown,
        "colours": {seat["name"]: seat["colour"] for seat in shown["seats"]},
        "letters": {seat["name"]: seat["initial"] for seat in shown["seats"]},
        "flag": flags.flag(shown),
        "question": flags.question(shown),
        "notes": reminders.notes(shown)
        if shown["stage"] != "over"
        else [],  # the readers have done their work
        "due": reminders.due(shown),
        "robot_card": robot_card.card(shown),
        "coach_told": coach.told(shown),
        "problems": [problem(one) for one in shown["problems"]],
        "tiles_ready": laying_out(shown["problems"]),
        "recent": last["recent"]
        if same_log and last.get("seats_told") == sitting.told
        else [
            line | {"said": story.tell(line)}
            for line in with_seats(shown["log"][-RECENT:], sitting.told)[:RECENT]
        ],
        "seats_told": sitting.told,
        "seats_asked": sitting.asked,
        "seats_waiting": [(name, number) for name, number, admitted in sitting.asked if not admitted],
        "corrected": last["corrected"] if same_log else _just_corrected(shown),
        "asked_back": taken_back(shown, shown["undo_asked"]["to"]) if shown["undo_asked"] else [],
        "taken": sitting.taken,
        "robots": sitting.robots,
        "free_seats": free if shown["stage"] in ("setup", "play") else [],
        "join_qr": qr(address) if free and address and not _only_here(address) else "",
        "only_here": _only_here(address),
        "join_at": "" if _only_here(address) else urlsplit(address).netloc,
        "said": SAID,
        "suit_values": SUIT_VALUES[1:],
        "replayed": False,  # gold and hands at the end are told by the score sheet, row by row
        "spare_camels": camels_at_the_start(2) - camels_at_the_start(len(names) or 2),  # they stay in the box
        "board_width": drawing.WIDTH,
        "board_height": drawing.HEIGHT,
    }
    if shown.get("turn"):
        reading = shown["reading"]
        wrong = found["flag"]["drops"] if found["flag"] else ()
        in_flight = reading["kind"] in ("doing", "wrong")
        found |= {
            "drawn": drawing.tiles(shown["board"]),
            "steps": drawing.steps(reading["start"], reading["lying"], wrong) if in_flight else (),
            "now": words.now(shown),
            "groups": offers.groups(shown),
            "starts": offers.sowing_starts(shown),
            "starts_in_words": offers.starts_in_words(shown),
            "help_now": offers.help_now(shown),
            "last_of_mine": last["last_of_mine"] if same_log else _last_of_mine(shown),
            "undo_to": _undo_to(shown),
            "now_put": now_put(shown) if shown["evidence"] == "phones" else [],
            **teller.begun(shown),
            "own": next((player for player in shown["players"] if player["name"] == shown["me"]), None),
        }
    found["spoken"] = spoken(found)
    return found


def with_seats(log: Sequence[dict[str, Any]], told: Sequence[tuple[int, str, str]]) -> list[dict[str, Any]]:
    """Lines of the log, newest first, with what was said of seats where it belongs by its time."""
    lines = [
        {"kind": SEATS, "at": at / 1000, "what": what, "name": name, "undone": False, "before": None}
        for at, what, name in told
    ]
    return sorted([*log, *lines], key=lambda line: line["at"])[::-1] if lines else list(log)[::-1]


def _only_here(address: str) -> bool:
    """An address that no phone can reach: the companion was not let onto the network."""
    host = urlsplit(address).hostname or ""
    return host == "localhost" or host.startswith("127.") or host == "::1"


def _just_corrected(shown: dict[str, Any]) -> str:
    """What "the table is right" took over, until the game goes on."""
    last = shown["log"][-1] if shown["log"] else None
    return story.tell(last) if last and last["kind"] == "correction" else ""


def taken_back(shown: dict[str, Any], to: int) -> list[str]:
    """The steps that an undo takes back, after which so many stand."""
    return [story.tell(line) for line in shown["log"] if line["before"] is not None and line["before"] >= to]


def _last_of_mine(shown: dict[str, Any]) -> str:
    """The last step that stands, in words, if it is the viewer's own: what a tap on undo takes back."""
    line = _last_step(shown)
    return story.tell(line) if line and line["player"] == shown["me"] else ""


def _last_step(shown: dict[str, Any]) -> dict[str, Any] | None:
    """The last step that somebody took: what the companion placed after it goes with it."""
    standing = (line for line in reversed(shown["log"]) if line["before"] is not None)
    return next((line for line in standing if (line["by"], line["do"]) != ("companion", "place")), None)


def _undo_to(shown: dict[str, Any]) -> int:
    """How many steps stand when the last one is taken back."""
    line = _last_step(shown)
    return int(line["before"]) if line else 0


def join_address(table: str, address: str) -> str:
    """Where a phone joins: at the address the owner gave, else at the one this page was asked by."""
    return (address or request.host_url.rstrip("/")) + url_for("pages.join", table=table)
