"""The djinns: one table to be proof-read against the cards, and the questions that rules may ask about them.

Four shapes: worth at the end, answers to an event, changed permissions and amounts, paid powers. A rule never names a
djinn; it asks by topic (`protected`, `worth`, `spoils`, `reactions` ...). This module returns values and events and
calls no rule; how a power is paid and aimed is in `powers.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from naqala.rules import events as e
from naqala.rules.board import BUILDER, ELDER, MERCHANT, SURROUNDINGS, VIZIER
from naqala.rules.model import PALACE, PALM, Game, Player, Tile, Turn

# Ways to pay: pairs of (elders, fakirs).
Payment = tuple[int, int]
FREE: tuple[Payment, ...] = ()
E_OR_F: tuple[Payment, ...] = ((1, 0), (0, 1))
E_AND_E_OR_F: tuple[Payment, ...] = ((2, 0), (1, 1))
F: tuple[Payment, ...] = ((0, 1),)
TO_SUMMON = E_AND_E_OR_F  # in a sacred place: not a djinn's own cost, but the same two ways

BUILDERS, ASSASSINS = "builders", "assassins"

Answer = Callable[[Game, Player, e.Event], int]


# --- answers: how often a djinn pays for an event (its owner's 1, another's 2) -------------------------------


def a_djinn_is_gained(game: Game, owner: Player, event: e.Event) -> int:
    """Ba'al; not for itself."""
    return int(isinstance(event, e.DjinnGained) and DJINNS[event.djinn].answers != a_djinn_is_gained)


def a_meeple_lands_on_ones_tile(game: Game, owner: Player, event: e.Event) -> int:
    """Marid: by ownership at that moment."""
    return int(isinstance(event, e.Dropped) and game.tile(event.tile).camel == owner.name)


def a_palace_is_placed(game: Game, owner: Player, event: e.Event) -> int:
    """Monkir."""
    return int(isinstance(event, e.Placed) and event.what == PALACE)


def assassins_kill(game: Game, owner: Player, event: e.Event) -> int:
    """Nekir: once per killing. Victims who were kept count only where the table says so."""
    if not isinstance(event, e.KillingDone):
        return 0
    counted = event.dead + (event.kept if game.switch("kandicha_feeds_nekir") == "yes" else 0)
    return int(counted > 0)


def viziers_are_taken(game: Game, owner: Player, event: e.Event) -> int:
    """Dhenim: once per taking, or for each vizier. A vizier that is kept through Kandicha is taken, each by itself."""
    if isinstance(event, e.Kept):
        return int(event.meeple == VIZIER)
    if not isinstance(event, e.Collected) or event.meeple != VIZIER:
        return 0
    return event.count if game.switch("promo_dhenim") == "per_vizier" else 1


# --- where a power may be aimed -----------------------------------------------------------------------------


def forsaken(tile: Tile) -> bool:
    """No camel, meeple, palm or palace."""
    return tile.bare and not tile.meeples


def peopled(tile: Tile) -> bool:
    """Meeples, and no camel, palm or palace."""
    return tile.bare and bool(tile.meeples)


def an_oasis(tile: Tile) -> bool:
    return tile.type == "oasis"


def a_village(tile: Tile) -> bool:
    return tile.type == "village"


@dataclass(frozen=True, slots=True)
class Power:
    """What a paid power does on a tile or with a pile. `places` is a palm, a palace or a camel."""

    on: Callable[[Tile], bool] | None = None
    places: str | None = None
    draws: str | None = None  # "meeples", "card" or "djinns"
    count: int = 0


CAMEL = "camel"


@dataclass(frozen=True, slots=True)
class Djinn:
    """One card. Only what it changes is filled in."""

    name: str
    points: int
    cost: tuple[Payment, ...] = FREE
    worth: dict[str, int] = field(default_factory=dict)
    wilds: bool = False
    answers: Answer | None = None
    protects: str = ""
    spoils: dict[str, str] = field(default_factory=dict)
    changes: str | None = None
    power: Power | None = None
    cheaper_bids: bool = False

    @property
    def shape(self) -> str:
        """The rulebook aid's sorting: scoring, reaction, permission, modifier, bidding or power."""
        shapes = {
            "power": self.power,
            "modifier": self.changes,
            "reaction": self.answers or self.spoils,
            "permission": self.protects,
            "bidding": self.cheaper_bids,
        }
        return next((shape for shape, filled in shapes.items() if filled), "scoring")


KANDICHA_SPOILS = {MERCHANT: "card", BUILDER: "gold", VIZIER: "keep", ELDER: "keep"}

DJINNS: dict[str, Djinn] = {
    djinn.name: djinn
    for djinn in (
        #     name        points cost           what it changes
        Djinn("Al-Amin", 5, FREE, wilds=True),
        Djinn("Anun-Nak", 8, E_OR_F, power=Power(on=forsaken, draws="meeples", count=3)),
        Djinn("Ba'al", 6, FREE, answers=a_djinn_is_gained),
        Djinn("Boaz", 6, FREE, protects=VIZIER + ELDER),
        Djinn("Bouraq", 6, E_OR_F, power=Power(on=a_village, places=PALACE)),
        Djinn("Echidna", 4, E_AND_E_OR_F, changes=BUILDERS),
        Djinn("Enki", 8, E_OR_F, power=Power(on=an_oasis, places=PALM)),
        Djinn("Hagis", 10, E_OR_F, changes=PALACE),
        Djinn("Haurvatat", 8, FREE, worth={PALM: 5}),
        Djinn("Iblis", 8, E_OR_F, changes=ASSASSINS),
        Djinn("Jafaar", 6, FREE, worth={VIZIER: 3}),
        Djinn("Kandicha", 6, FREE, spoils=KANDICHA_SPOILS),
        Djinn("Kumarbi", 6, F, cheaper_bids=True),
        Djinn("Lamia", 10, E_OR_F, changes=PALM),
        Djinn("Leta", 4, E_AND_E_OR_F, power=Power(on=forsaken, places=CAMEL)),
        Djinn("Marid", 6, FREE, answers=a_meeple_lands_on_ones_tile),
        Djinn("Monkir", 6, FREE, answers=a_palace_is_placed),
        Djinn("Nekir", 6, FREE, answers=assassins_kill),
        Djinn("Shamhat", 6, FREE, worth={ELDER: 4}),
        Djinn("Sibittis", 4, E_AND_E_OR_F, power=Power(draws="djinns", count=3)),
        Djinn("Sloar", 8, F, power=Power(draws="card", count=1)),
        Djinn("Utug", 4, E_AND_E_OR_F, power=Power(on=peopled, places=CAMEL)),
        # The promo card, in the pile only where the table turns it on.
        Djinn("Dhenim", 6, FREE, answers=viziers_are_taken),
    )
}
PROMO = "Dhenim"


def in_the_box(game: Game) -> tuple[str, ...]:
    """The djinns this table plays with."""
    return tuple(name for name in DJINNS if name != PROMO or game.switch("promo_dhenim") != "off")


# --- the questions ------------------------------------------------------------------------------------------


def _held(player: Player) -> Iterable[Djinn]:
    return (DJINNS[name] for name in player.djinns)


def worth(player: Player, what: str, printed: int) -> int:
    """Points of one vizier, elder or palm of this player at the end."""
    return max((djinn.worth.get(what, printed) for djinn in _held(player)), default=printed)


FAKIRS_OF_A_WILD = 2


def wilds(player: Player) -> int:
    """Wild goods of this player at the end."""
    return player.fakirs // FAKIRS_OF_A_WILD if any(djinn.wilds for djinn in _held(player)) else 0


def protected(player: Player, meeple: str) -> bool:
    """Whether a held meeple of this player can't be killed."""
    return any(meeple in djinn.protects for djinn in _held(player))


def spoils(player: Player, meeple: str) -> tuple[str, str] | None:
    """What a victim of this player's assassins brings: ("card", "gold" or "keep", the djinn), or None."""
    found = ((djinn.spoils[meeple], djinn.name) for djinn in _held(player) if meeple in djinn.spoils)
    return next(found, None)


def cheaper_bids(player: Player) -> str | None:
    """The djinn that turns fakirs into cheaper bids, if it is held and not used up."""
    found = (djinn.name for djinn in _held(player) if djinn.cheaper_bids and djinn.name not in player.used)
    return next(found, None)


def active(turn: Turn, what: str) -> str | None:
    """The paid modifier that waits to change builders, assassins, a palm or a palace."""
    return next((name for name in turn.active if DJINNS[name].changes == what), None)


def builder_factor(turn: Turn) -> int:
    """By how much the gold of the builders is multiplied."""
    return 2 if active(turn, BUILDERS) else 1


def victims_at_once(turn: Turn) -> int:
    """How many die in one killing."""
    return 2 if active(turn, ASSASSINS) else 1


def spots_for(game: Game, what: str, tile: str) -> tuple[str, ...]:
    """Where a palm or palace meant for a tile may be placed: there, or around it when a modifier waits."""
    return SURROUNDINGS[tile] if active(game.turn, what) else (tile,)


def modifies_powers(game: Game) -> bool:
    """Whether modifiers of placements also work on palms and palaces placed by other djinns."""
    return game.switch("lamia_hagis_scope") == "any_placement"


def reactions(game: Game, event: e.Event) -> Iterator[e.GoldMoved]:
    """Gold that djinns pay for an event: 1 for each time to the one who did it, 2 to anyone else."""
    for owner in game.players:
        for djinn in _held(owner):
            times = djinn.answers(game, owner, event) if djinn.answers else 0
            if times:
                own = getattr(event, "player", None) == owner.name
                tile = getattr(event, "tile", None)
                yield e.GoldMoved(owner.name, times * (1 if own else 2), djinn.name, tile)
