"""What the referee says: Quiet, Doing, Did, Wrong, Unclear, as frozen values with their JSON form.

Each carries `sure`, the probability (0 to 1) that this is what happened, given all stories that the referee knows. Two
readings that differ in `sure` alone are the same reading.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from naqala.rules.actions import Action, Sow
from naqala.rules.breach import Breach
from naqala.rules.notation import to_json as action_json
from naqala.rules.sowing import Drop, Sowing


@dataclass(frozen=True, slots=True)
class Note:
    """Something to be said beside a reading: a stranger's tag, a piece read twice, a dead reader, a piece missing."""

    note: str
    tile: str
    what: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"note": self.note, "tile": self.tile} | ({"what": self.what} if self.what else {})


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction of a repair: take `piece` from a tile (or from beside the board), put it on one of `onto`."""

    piece: str
    take_from: str | None = None
    onto: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {"piece": self.piece, "from": self.take_from, "onto": list(self.onto)}


@dataclass(frozen=True, slots=True)
class Remedy:
    """The shortest way back: a sentence, and the same as steps for a screen that speaks another language. `stuck` is the
    tile from which on the move could not end any more, where that is why the way is longer."""

    text: str = ""
    steps: tuple[Step, ...] = ()
    stuck: str = ""


@dataclass(frozen=True, slots=True)
class Option:
    """One legal sowing that fits what lies there."""

    sowing: Sowing

    def to_json(self) -> dict[str, Any]:
        end, colour = self.sowing.drops[-1]
        return self.sowing.to_json() | {"end": end, "colour": colour}


@dataclass(frozen=True, slots=True)
class Quiet:
    """Table and game agree."""

    notes: tuple[Note, ...] = ()
    withdraws: bool = False
    sure: float = field(default=1.0, compare=False)

    def to_json(self) -> dict[str, Any]:
        return {"reading": "quiet"} | _marks(self)


@dataclass(frozen=True, slots=True)
class Doing:
    """A move in flight. `open` are the drops that keep it legal; a `warning` says that none does any more."""

    hand: str
    start: str
    drops: tuple[Drop, ...] = ()
    open: tuple[Drop, ...] = ()
    warning: str = ""
    notes: tuple[Note, ...] = ()
    withdraws: bool = False
    sure: float = field(default=1.0, compare=False)

    @property
    def path(self) -> tuple[str, ...]:
        return (self.start, *(tile for tile, _ in self.drops))

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "reading": "doing",
            "hand": self.hand,
            "path": list(self.path),
            "drops": [list(drop) for drop in self.drops],
            "open": [list(drop) for drop in self.open],
        }
        return found | ({"warning": self.warning} if self.warning else {}) | _marks(self)


@dataclass(frozen=True, slots=True)
class Did:
    """An action was done. `replaces`: it takes the place of the one said before, the scoop has shown another move."""

    action: Action
    replaces: bool = False
    notes: tuple[Note, ...] = ()
    withdraws: bool = False
    sure: float = field(default=1.0, compare=False)

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"reading": "did"}
        if isinstance(self.action, Sow):
            found["sowing"] = Sowing(self.action.start, self.action.drops).to_json()
        found["action"] = action_json(self.action)
        return found | ({"replaces": True} if self.replaces else {}) | _marks(self)


@dataclass(frozen=True, slots=True)
class Wrong:
    """What lies there breaks a rule, or is not what the game says (then there is no breach, only a way back)."""

    breaches: tuple[Breach, ...]
    remedy: Remedy
    sowing: Sowing | None = None
    notes: tuple[Note, ...] = ()
    withdraws: bool = False
    sure: float = field(default=1.0, compare=False)

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "reading": "wrong",
            "breaches": [breach.to_json() for breach in self.breaches],
            "remedy": self.remedy.text,
            "repair": [step.to_json() for step in self.remedy.steps],
        }
        found |= {"stuck": self.remedy.stuck} if self.remedy.stuck else {}
        return found | ({"sowing": self.sowing.to_json()} if self.sowing else {}) | _marks(self)


@dataclass(frozen=True, slots=True)
class Unclear:
    """Several legal readings, most likely first. `actions` are the options where the question is not about a sowing."""

    options: tuple[Option, ...] = ()
    actions: tuple[Action, ...] = ()
    notes: tuple[Note, ...] = ()
    withdraws: bool = False
    sure: float = field(default=1.0, compare=False)

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "reading": "unclear",
            "options": [option.to_json() for option in self.options],
        }
        if self.actions:
            found["actions"] = [action_json(action) for action in self.actions]
        return found | _marks(self)


Reading = Quiet | Doing | Did | Wrong | Unclear


def _marks(reading: Reading) -> dict[str, Any]:
    found: dict[str, Any] = {"sure": round(reading.sure, 4)}
    if reading.withdraws:
        found["withdraws"] = True
    if reading.notes:
        found["notes"] = [note.to_json() for note in reading.notes]
    return found
