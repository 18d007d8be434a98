"""A move told on the board picture: start tile, then each tile, one tap each. The address carries what was told so far.

In: what lies on the tiles, the way so far (`C3>C4?>D4R`), and the tile that was just tapped. Out: a `Telling`, whose links
lead to the next step. The rules are asked about every tap: a step that breaks one is said in the referee's own words and goes
nowhere. People tell tiles; which meeple went where is worked out as far as the rules leave no choice (`?` where they do). Only
when more than MOST_WAYS moves would fit is the colour of a drop asked at once; otherwise the few that fit are offered at the end.

    told(meeples, starts, "C3>C4?", "D4")  ->  Telling("C3", (("C4", "?"), ("D4", "R")), ways (C3>C4G>D4R>..., ...), ...)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from naqala.dashboard.flags import NO_END, RULES
from naqala.dashboard.language import say
from naqala.rules.board import NUMBER, TILES, TRIBES
from naqala.rules.model import in_tribe_order
from naqala.rules.paths import open_drops
from naqala.rules.sowing import Drop, Sowing, breaches, breaches_so_far

LONGEST_WAY = 200  # letters: more than a tile ever holds
UNKNOWN = "?"
MOST_WAYS = 6  # moves that people are shown to choose from


@dataclass(frozen=True, slots=True)
class Telling:
    """How far a move is told. `ways` are the drops that fit it; `asks` are the colours that could go to `at`, each with the way
    it leads to; `title` and `rule` say which rule the last tap broke."""

    start: str = ""
    steps: tuple[Drop, ...] = ()
    ways: tuple[tuple[Drop, ...], ...] = ()
    hand: str = ""  # what may still be in it
    left: int = 0  # how many of these
    at: str = ""
    asks: tuple[tuple[str, str], ...] = ()
    title: str = ""
    rule: str = ""
    rule_id: str = ""
    open: frozenset[str] = frozenset()

    @property
    def way(self) -> str:
        """What was told, as the address carries it."""
        return _text(self.start, self.steps)

    @property
    def back(self) -> str:
        """The way without the last step."""
        return _text(self.start, self.steps[:-1]) if self.steps else ""

    @property
    def whole(self) -> bool:
        """Whether every meeple is down."""
        return bool(self.start) and not self.left and not self.asks

    @property
    def sure(self) -> tuple[Drop, ...]:
        """The drops whose colour is known."""
        found = ((tile, {way[at][1] for way in self.ways}) for at, (tile, _) in enumerate(self.steps))
        return tuple((tile, letters.pop()) for tile, letters in found if len(letters) == 1)


def _text(start: str, steps: Sequence[Drop]) -> str:
    return ">".join((start, *(tile + letter for tile, letter in steps))) if start else ""


def standing(meeples: Sequence[str], telling: Telling) -> dict[str, str]:
    """What stands on each tile after the steps so far, as far as it is known."""
    found = dict(zip(TILES, meeples, strict=True))
    if telling.start:
        found[telling.start] = ""
        for tile, letter in telling.sure:
            found[tile] += letter
    return found


def told(meeples: Sequence[str], starts: Sequence[str], way: str, at: str = "") -> Telling | None:
    """The move so far, after a tap on `at`; None for an address that makes no sense."""
    if len(way) > LONGEST_WAY or (at and at not in NUMBER):
        return None
    if not way:
        return _begun(meeples, starts, at)
    start, *words = way.split(">")
    steps = tuple((word[:2], word[2:]) for word in words)
    known = all(tile in NUMBER and letter in (*TRIBES, UNKNOWN) for tile, letter in steps)
    if start not in starts or not known:
        return None
    ways = _fitting(meeples, start, steps)
    if not ways:
        return None
    now = _so_far(meeples, start, steps, ways)
    return _dropped(meeples, now, at) if at and now.left else now


def _fitting(meeples: Sequence[str], start: str, steps: Sequence[Drop]) -> tuple[tuple[Drop, ...], ...]:
    """All drops that are told by these steps and can still end, or have ended, as the rules ask."""
    ways: list[tuple[Drop, ...]] = [()]
    for tile, letter in steps:
        ways = [
            (*way, (tile, which))
            for way in ways
            for onto, which in sorted(open_drops(meeples, start, way))
            if onto == tile and letter in (which, UNKNOWN)
        ]
    return tuple(ways)


def _begun(meeples: Sequence[str], starts: Sequence[str], at: str) -> Telling:
    nothing = Telling(open=frozenset(starts))
    if not at:
        return nothing
    if at in starts:
        return _so_far(meeples, at, (), ((),))
    if meeples[NUMBER[at]]:
        title = say("No move from %(tile)s can end legally.", tile=at)
        return replace(nothing, title=title, rule=say(NO_END[1]), rule_id="ends_on_its_own_colour")
    return _refused(nothing, "takes_every_meeple", say("No meeple stands on %(tile)s.", tile=at))


def _so_far(
    meeples: Sequence[str], start: str, steps: tuple[Drop, ...], ways: tuple[tuple[Drop, ...], ...]
) -> Telling:
    there = meeples[NUMBER[start]]
    hands = [Counter(there) - Counter(letter for _, letter in way) for way in ways]
    most = Counter[str]()
    for hand in hands:
        most |= hand
    following = {tile for way in ways for tile, _ in open_drops(meeples, start, way)}
    left = len(there) - len(steps)
    return Telling(
        start, steps, ways, in_tribe_order("".join(most.elements())), left, open=frozenset(following)
    )


def _dropped(meeples: Sequence[str], now: Telling, at: str) -> Telling:
    """One meeple more, on this tile."""
    ways = _fitting(meeples, now.start, (*now.steps, (at, UNKNOWN)))
    ways = tuple(way for way in ways if way[:-1] in now.ways)
    if not ways:
        return _why_not(meeples, now, at)
    letters = in_tribe_order("".join({way[-1][1] for way in ways}))
    if len(ways) > MOST_WAYS and len(letters) > 1:
        asks = tuple((letter, _text(now.start, (*now.steps, (at, letter)))) for letter in letters)
        return replace(now, at=at, asks=asks)
    letter = letters if len(letters) == 1 else UNKNOWN
    return _so_far(meeples, now.start, (*now.steps, (at, letter)), ways)


def _why_not(meeples: Sequence[str], now: Telling, at: str) -> Telling:
    """The rule that no meeple of the hand could keep on this tile."""
    step = Sowing(now.start, (*now.ways[0], (at, now.hand[0])))
    found = breaches_so_far(meeples, step) or (breaches(meeples, step) if now.left == 1 else ())
    if found:
        return _refused(now, found[0].rule)
    return replace(now, title=say(NO_END[0]), rule=say(NO_END[1]), rule_id="ends_on_its_own_colour")


def _refused(now: Telling, rule: str, title: str = "") -> Telling:
    """The same as before the tap, with what was wrong about it."""
    large, sentence = RULES[rule]
    return replace(now, title=title or say(large), rule=say(sentence), rule_id=rule)
