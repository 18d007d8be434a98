"""What players do: fourteen kinds of action as frozen values. How they are written is in `notation.py`.

Whether an action is allowed is asked in `game.py`. What each field means is in the README of this folder.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Victim:
    """A meeple to be killed: on a tile, or held by a player."""

    meeple: str
    tile: str | None = None
    player: str | None = None


@dataclass(frozen=True, slots=True)
class Bid:
    """Put the marker on the spot with this printed price; fakirs make it cheaper with Kumarbi."""

    player: str
    spot: int
    fakirs: int = 0


@dataclass(frozen=True, slots=True)
class Sow:
    """Take all meeples of `start` and drop them one by one. What follows by itself is not part of it.

    `as_it_lies`: the people let a move stand that breaks a rule; it counts as made, and the record says so.
    """

    player: str
    start: str
    drops: tuple[tuple[str, str], ...]
    as_it_lies: bool = False


@dataclass(frozen=True, slots=True)
class Pass:
    """Do not sow, because no legal sowing exists."""

    player: str


@dataclass(frozen=True, slots=True)
class Build:
    """Let the collected builders earn gold."""

    player: str
    fakirs: int = 0


@dataclass(frozen=True, slots=True)
class Kill:
    """Let the collected assassins kill. `card` are the cards Kandicha draws."""

    player: str
    victims: tuple[Victim, ...]
    fakirs: int = 0
    card: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Place the palm or palace that the end tile asks for."""

    player: str
    what: str
    tile: str


@dataclass(frozen=True, slots=True)
class Buy:
    """Buy cards in the end tile's market."""

    player: str
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summon:
    """Take a visible djinn in the end tile's sacred place."""

    player: str
    djinn: str
    elders: int = 0
    fakirs: int = 0


@dataclass(frozen=True, slots=True)
class Power:
    """Pay for a djinn. `meeples`, `card`, `drawn` are what was drawn, `keep` is the djinn kept of the drawn ones."""

    player: str
    djinn: str
    elders: int = 0
    fakirs: int = 0
    tile: str | None = None
    meeples: str = ""
    card: tuple[str, ...] = ()
    drawn: tuple[str, ...] = ()
    keep: str | None = None


@dataclass(frozen=True, slots=True)
class Sell:
    """Sell suits of different goods."""

    player: str
    suits: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class End:
    """The turn is over."""

    player: str


@dataclass(frozen=True, slots=True)
class Reveal:
    """Clean-up: the cards newly turned up, in order. Nobody in particular does it."""

    row: tuple[str, ...] = ()
    djinns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands on one tile."""

    tile: str
    meeples: str = ""
    camel: str | None = None
    palms: int = 0
    palaces: int = 0


@dataclass(frozen=True, slots=True)
class Correct:
    """The table is right: these tiles hold what is said here. No move, no turn; nobody in particular does it."""

    tiles: tuple[Standing, ...]


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back: `to` is the number of actions that stand. The record does this, not `play`."""

    to: int
    player: str | None = None


Action = Bid | Sow | Pass | Build | Kill | Place | Buy | Summon | Power | Sell | End | Reveal | Correct | Undo
VERBS: dict[str, type[Action]] = {
    "bid": Bid,
    "sow": Sow,
    "pass": Pass,
    "build": Build,
    "kill": Kill,
    "place": Place,
    "buy": Buy,
    "summon": Summon,
    "power": Power,
    "sell": Sell,
    "end": End,
    "reveal": Reveal,
    "correct": Correct,
    "undo": Undo,
}
_VERB_OF: dict[type[Action], str] = {kind: verb for verb, kind in VERBS.items()}


def verb(action: Action) -> str:
    """The word in `do`."""
    return _VERB_OF[type(action)]
