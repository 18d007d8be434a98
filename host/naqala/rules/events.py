"""What happened, as frozen events. An action is decided into events (`game.py`), which are folded (`evolve.py`).

Every event names its cause in the rulebook's words ("bid", "builders", "Marid"), so that each coin, card, meeple and
point of the final score can be traced to where it came from.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class MarkerPlaced:
    """A marker left the bid-order track for this spot of the turn-order track."""

    player: str
    spot: int


@dataclass(frozen=True, slots=True)
class GoldMoved:
    """Gold from the bank (amount > 0) or to it. `tile` is where it was earned, if anywhere."""

    player: str
    amount: int
    cause: str
    tile: str | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """Elders into the bag and fakirs onto the discards, for the djinn, tribe or tile named as cause."""

    player: str
    elders: int
    fakirs: int
    cause: str


@dataclass(frozen=True, slots=True)
class TurnBegun:
    """The first marker of the turn-order track moved to the bid-order track: its owner plays."""

    player: str
    spot: int


@dataclass(frozen=True, slots=True)
class Lifted:
    """All meeples of a tile were taken in hand."""

    player: str
    tile: str
    meeples: str


@dataclass(frozen=True, slots=True)
class Dropped:
    """One meeple was dropped in a move; `drop` counts from 1."""

    player: str
    tile: str
    meeple: str
    drop: int


@dataclass(frozen=True, slots=True)
class Collected:
    """The meeples of the last one's colour: viziers and elders kept, the others into the bag."""

    player: str
    tile: str
    meeple: str
    count: int


@dataclass(frozen=True, slots=True)
class Controlled:
    """A camel was put on a tile."""

    player: str
    tile: str
    cause: str


@dataclass(frozen=True, slots=True)
class CardTaken:
    """A card of the row, the leftmost of its kind, came into a hand."""

    player: str
    card: str
    cause: str


@dataclass(frozen=True, slots=True)
class CardDrawn:
    """The top card of the resource pile came into a hand."""

    player: str
    card: str
    cause: str


@dataclass(frozen=True, slots=True)
class Killed:
    """A meeple went into the bag, from a tile or from the player `of`."""

    player: str
    meeple: str
    cause: str
    tile: str | None = None
    of: str | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """A victim came to the killer instead of dying."""

    player: str
    meeple: str
    cause: str
    tile: str | None = None
    of: str | None = None


@dataclass(frozen=True, slots=True)
class KillingDone:
    """One killing is over: how many died, how many were kept. Changes nothing; djinns answer to it."""

    player: str
    dead: int
    kept: int


@dataclass(frozen=True, slots=True)
class Placed:
    """A palm or palace was put on a tile."""

    player: str
    what: str
    tile: str
    cause: str


@dataclass(frozen=True, slots=True)
class DjinnGained:
    """A djinn came to a player, from the row or (by `Sibittis`) from the pile."""

    player: str
    djinn: str
    cause: str


@dataclass(frozen=True, slots=True)
class DjinnsDiscarded:
    """Djinns that were drawn and not kept."""

    djinns: tuple[str, ...]
    cause: str


@dataclass(frozen=True, slots=True)
class DjinnUsed:
    """A djinn was paid and is used up for this turn or round."""

    player: str
    djinn: str


@dataclass(frozen=True, slots=True)
class DjinnActive:
    """A paid modifier waits for the action it changes."""

    player: str
    djinn: str


@dataclass(frozen=True, slots=True)
class DjinnSpent:
    """A waiting modifier was used up."""

    player: str
    djinn: str


@dataclass(frozen=True, slots=True)
class MeeplesArrived:
    """Meeples from the bag were put on a tile."""

    player: str
    tile: str
    meeples: str
    cause: str


@dataclass(frozen=True, slots=True)
class Sold:
    """A suit of goods went to the discards; the gold follows as an event of its own."""

    player: str
    suit: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reshuffled:
    """An empty pile, `resources` or `djinns`, was made anew of its discards."""

    pile: str


@dataclass(frozen=True, slots=True)
class Revealed:
    """Cards turned up at the end of the rows."""

    row: tuple[str, ...]
    djinns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Corrected:
    """A tile holds something else than the record said; the difference comes from or goes to bag, players, supply."""

    tile: str
    meeples: str
    camel: str | None
    palms: int
    palaces: int


@dataclass(frozen=True, slots=True)
class PhaseBegun:
    """The turn, or the round, went on to a phase."""

    phase: str
    player: str | None = None


@dataclass(frozen=True, slots=True)
class RoundBegun:
    """Everybody bids again."""

    number: int


@dataclass(frozen=True, slots=True)
class EndNear:
    """The round is finished, then the game is scored: `last_camel` or `no_sowing`."""

    ending: str
    player: str | None


Event = (
    MarkerPlaced
    | GoldMoved
    | Spent
    | TurnBegun
    | Lifted
    | Dropped
    | Collected
    | Controlled
    | CardTaken
    | CardDrawn
    | Killed
    | Kept
    | KillingDone
    | Placed
    | DjinnGained
    | DjinnsDiscarded
    | DjinnUsed
    | DjinnActive
    | DjinnSpent
    | MeeplesArrived
    | Sold
    | Reshuffled
    | Revealed
    | Corrected
    | PhaseBegun
    | RoundBegun
    | EndNear
)


def to_json(event: Event) -> dict[str, Any]:
    """An event for programs: its name and its fields."""
    found: dict[str, Any] = {"event": type(event).__name__}
    for field in fields(event):
        value = getattr(event, field.name)
        found[field.name] = list(value) if isinstance(value, tuple) else value
    return found
