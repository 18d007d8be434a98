"""From stories to a reading: compare the cheapest story with the cheapest one that means something else.

In: stories and prices. Out: a `Verdict`: the reading, how sure it is, and in how many seconds the answer will change if
nothing new is heard. There are two thresholds and no waiting time: a flag needs every story without a breach to be 200 times
less likely, a move needs every other story to be 20 times less likely. Below that the hands are still doing something, or,
when nobody has moved for so long that the group should have been taken up, people are asked.

Example: prices 1.1 (legal, one drop not read yet) and 4.7 (out of reach): `doing`. A look later 4.3 and 4.7: still `doing`.
After two more 10.7 and 4.7: the difference 6.0 is above log 200 = 5.3: `wrong`, 99.75 % sure.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from naqala.rules.actions import Sow
from naqala.rules.board import NUMBER, TILES
from naqala.rules.model import in_tribe_order
from naqala.rules.paths import open_drops
from naqala.rules.sowing import Sowing
from naqala.table import remedy
from naqala.table.prices import Prices
from naqala.table.readings import Did, Doing, Note, Option, Quiet, Reading, Remedy, Step, Unclear, Wrong
from naqala.table.story import NO_SCOOP, Story
from naqala.table.ways import of_sowing
from naqala.transcript import Piece

MOST_OPTIONS = 4
CANNOT_END = "No drop from here can end on its own colour."
SOONEST, LATEST = 0.02, 1.0  # seconds: rates change on the way, so an answer far off is looked at again


@dataclass(frozen=True, slots=True)
class Verdict:
    reading: Reading
    story: Story | None = None  # the story that is told
    due: float | None = None  # seconds until another look is worth while


@dataclass(frozen=True, slots=True)
class Bench:
    """What the judging of a sowing needs to know beside the stories."""

    meeples: tuple[str, ...]  # of the record, before the move
    player: str
    prices: Prices
    idle: float  # seconds since any piece came or went
    over: bool = False  # the move is over: somebody has told what comes after it, or the file ends
    forced: bool = False  # an answer is needed now, however likely


def judge(bench: Bench, found: Sequence[Story]) -> Verdict:
    """What the stories of one table say."""
    fair = next((story for story in found if not story.breaches), None)
    foul = next((story for story in found if story.breaches), None)
    if foul is not None and _flagged(bench, foul, fair):
        return Verdict(wrong(bench, foul, _sure(found, [s for s in found if s.breaches])), foul)
    if fair is None or fair.start is None:
        return Verdict(
            Quiet(sure=_sure(found, [s for s in found if s.start is None])), None, _due(bench, foul, fair)
        )
    if fair.done:
        return _of_a_whole_move(bench, found, fair)
    hidden = next((s for s in found if s.done and s.hidden), None)
    needed = bench.prices.sure_of_a_move
    if hidden is not None and hidden.price - fair.price < needed and not bench.forced:
        if bench.prices.idle_rate * bench.idle >= 2 * needed:
            return Verdict(
                unclear(_options(found, fair.price + needed), hidden, _sure(found, [hidden])), hidden
            )
        wait = 2 * needed / bench.prices.idle_rate - bench.idle
        due = min(d for d in (_due(bench, foul, fair), max(wait, SOONEST)) if d is not None)
        return Verdict(doing(bench, fair, _sure(found, _in_flight(found))), fair, min(due, LATEST))
    return Verdict(doing(bench, fair, _sure(found, _in_flight(found))), fair, _due(bench, foul, fair))


def _flagged(bench: Bench, foul: Story, fair: Story | None) -> bool:
    if fair is None:
        return True
    return fair.price - foul.price >= (0.0 if bench.forced else bench.prices.sure_of_a_flag)


def _due(bench: Bench, foul: Story | None, fair: Story | None) -> float | None:
    """When the cheapest broken story will be cheaper enough, if the fair one gets dearer."""
    if foul is None or fair is None or fair.rate <= foul.rate:
        return None
    lacking = bench.prices.sure_of_a_flag - (fair.price - foul.price)
    return min(max(lacking / (fair.rate - foul.rate), SOONEST), LATEST)


def _of_a_whole_move(bench: Bench, found: Sequence[Story], fair: Story) -> Verdict:
    same = [story for story in found if story.outcome == fair.outcome]
    rival = next((story for story in found if story.outcome != fair.outcome), None)
    sure = _sure(found, same)
    # A drop that its reader has not had time to read must be likely enough without the next look, too.
    needed = bench.prices.sure_of_a_move + (bench.prices.miss if fair.awaited else 0.0)
    if rival is None or rival.price - fair.price >= needed or bench.forced:
        return Verdict(did(bench, fair, sure), fair)
    asked = bench.prices.idle_rate * bench.idle >= needed
    options = _options(found, fair.price + needed)
    if asked and (len(options) > 1 or fair.hidden):
        return Verdict(unclear(options, fair, sure), fair)
    waits = [] if asked else [needed / bench.prices.idle_rate - bench.idle]
    if rival.rate > fair.rate:
        waits.append((needed - (rival.price - fair.price)) / (rival.rate - fair.rate))
    due = min(max(min(waits), SOONEST), LATEST) if waits else None
    return Verdict(doing(bench, fair, _sure(found, _in_flight(found))), fair, due)


def _options(found: Sequence[Story], most: float) -> list[Story]:
    """The whole legal moves that are likely enough to be asked about, of each outcome one."""
    kept: dict[object, Story] = {}
    for story in found:
        if story.done and story.price <= most:
            kept.setdefault(story.outcome, story)
    return list(kept.values())


def _in_flight(found: Sequence[Story]) -> list[Story]:
    return [story for story in found if story.start is not None and not story.breaches]


def _sure(found: Sequence[Story], these: Sequence[Story]) -> float:
    """The probability of some stories among all that were found."""
    least = found[0].price
    total = sum(math.exp(least - story.price) for story in found)
    return sum(math.exp(least - story.price) for story in these) / total


# --- readings of a story ------------------------------------------------------------------------------------


def doing(bench: Bench, story: Story, sure: float = 1.0) -> Doing:
    """The move as far as it is seen, and the drops that keep it legal."""
    assert story.start is not None
    drops = story.drops
    following = tuple(sorted(open_drops(bench.meeples, story.start, drops)))
    stuck = not following and bool(drops) and not story.over
    notes: tuple[Note, ...] = ()
    if story.left and drops and not story.hand:
        notes = (Note("left_behind", story.start, story.left),)
    return Doing(story.hand, story.start, drops, following, CANNOT_END if stuck else "", notes, sure=sure)


def did(bench: Bench, story: Story, sure: float = 1.0) -> Did:
    assert story.start is not None
    return Did(Sow(bench.player, story.start, story.drops), sure=sure)


def unclear(options: Sequence[Story], fair: Story, sure: float) -> Unclear:
    sowings = [Option(Sowing(str(story.start), story.drops)) for story in options]
    notes: tuple[Note, ...] = ()
    if len(options) > MOST_OPTIONS:
        notes = tuple(Note("enter_tile", tile) for tile in sorted({tile for tile, _ in fair.drops}))
    return Unclear(tuple(sowings[:MOST_OPTIONS]), notes=notes, sure=sure)


def wrong(bench: Bench, story: Story, sure: float = 1.0) -> Wrong:
    """A broken rule, with the way back."""
    assert story.start is not None
    sowing = Sowing(story.start, story.drops)
    rules = {breach.rule for breach in story.breaches}
    if rules == {"collects_every_one_of_its_colour"}:
        way = _right_group(bench, story)
    elif not story.drops:
        way = remedy.of_difference(_surplus(bench, story))
    else:
        way = of_sowing(bench.meeples, lying(bench, story), sowing, story.breaches)
    return Wrong(story.breaches, way, sowing, sure=sure)


def lying(bench: Bench, story: Story) -> tuple[str, ...]:
    """The meeples as they lie if the story is true: slips of readers are not to be put right by hands."""
    found = [Counter(letters) for letters in bench.meeples]
    assert story.start is not None
    found[NUMBER[story.start]] = Counter(story.left)
    for tile, letter in story.drops:
        found[NUMBER[tile]][letter] += 1
    if story.drops and story.scoop != NO_SCOOP:
        end, colour = story.drops[-1]
        found[NUMBER[end]][colour] = 0
    for home, onto, letter in story.foreign:
        found[NUMBER[home]][letter] -= 1
        if onto is not None and (onto, letter) not in story.drops:
            found[NUMBER[onto]][letter] += 1
    return tuple(in_tribe_order("".join((+letters).elements())) for letters in found)


def _surplus(bench: Bench, story: Story) -> remedy.Surplus:
    found: dict[tuple[str, Piece], int] = {}
    for tile, before, after in zip(TILES, bench.meeples, lying(bench, story), strict=True):
        count = Counter(after)
        count.subtract(Counter(before))
        found |= {(tile, remedy.meeple(letter)): n for letter, n in count.items() if n}
    return found


def _right_group(bench: Bench, story: Story) -> Remedy:
    """Another colour was taken up, or a group on the way: it goes back, and the right one is taken."""
    end, colour = story.drops[-1]
    group = lying(bench, replace(story, scoop=NO_SCOOP))[NUMBER[end]].count(colour)
    where = story.wrong_group
    steps = tuple(Step(f"meeple {letter}", None, (tile,)) for tile, letter in where)
    back = remedy.and_all(f"the {remedy.a_meeple(letter)} back on {tile}" for tile, letter in where)
    text = f"Put {back}"
    if story.scoop == NO_SCOOP:
        text += f" and take every {remedy.a_meeple(colour)} from {end}"
        steps += (Step(f"meeple {colour}", end),) * group
    return Remedy(text + ".", steps)


def odds(gap: float) -> float:
    """The probability of a story against another one that is so much dearer."""
    return 1 / (1 + math.exp(-gap))


def within(lacking: float, rate: float) -> float | None:
    """Seconds until a difference that grows by `rate` has grown enough."""
    return min(max(lacking / rate, SOONEST), LATEST) if rate > 0 else None
