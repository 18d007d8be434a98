"""Explain: the meeples of the game against those on the table, and what the hands are doing or have done.

In: a `Scene` and whose turn it is. Out: an `Explanation`, or None when they agree. Pure; in the order of charity: the
same, a legal result, a move in flight that can still end legally, a broken rule with its way back. What belongs to the
rest of a turn (camels, palms, palaces, victims) is in `rest`; earlier positions and waiting are the follower's (`watch`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from naqala.rules.actions import Sow
from naqala.rules.board import TILES
from naqala.rules.breach import Breach
from naqala.rules.model import in_tribe_order
from naqala.rules.paths import open_drops
from naqala.rules.sowing import Sowing, breaches, breaches_so_far
from naqala.table import remedy, timing
from naqala.table.difference import UNKNOWN, Guess, Scene, guesses, scooped_tiles, taken_from
from naqala.table.flight import doing, gap_waits, laid_down, so_far
from naqala.table.hidden import Veil, veil
from naqala.table.moves import NO_SCOOP, PART_SCOOP, WHOLE_SCOOP, Candidate, Settled, settle
from naqala.table.readings import (
    WHEN_OVER,
    Did,
    Doing,
    Explanation,
    Note,
    Option,
    Reading,
    Remedy,
    Step,
    Unclear,
    Wrong,
    say,
)
from naqala.table.search import Drop, Fit, TooMany, can_be_joined, legal_ends, named, numbered
from naqala.table.ways import of_sowing

STEPS = ("drops_on_neighbours", "no_immediate_backtracking")  # the rules about single steps of a path
ASSASSIN = "R"


def explain(scene: Scene, player: str) -> Explanation | None:
    """What this player's hands did to make the table differ from the game; None when it does not."""
    if scene.before == scene.after:
        return None
    settled = settle(scene)
    if settled.done and not settled.in_hand and not settled.between:
        return _done(scene, settled.done, player)
    found = guesses(scene)
    if settled.done or settled.between:
        return _asked(scene, settled, found[0], player)
    if not found:
        return None
    struck = _before_the_victim(scene)
    if struck is not None:
        return _done(scene, struck, player)
    return Explanation((*_not_legal(scene, found[0]).steps, *_taken_up(scene, found[0], player)))


def _before_the_victim(scene: Scene) -> Candidate | None:
    """Assassins were taken up, and at once a victim that this very hand had dropped: the sowing before that."""
    for start in {guess.start for guess in guesses(scene) if len(guess.missing) > 1}:
        for tile, letter in scene.taken_up(start):
            after = list(scene.after)
            after[tile] = in_tribe_order(after[tile] + letter)
            done = settle(replace(scene, after=tuple(after))).done
            if done is not None and done.scoop == WHOLE_SCOOP and done.drops[-1][1] == ASSASSIN:
                return done
    return None


def _asked(scene: Scene, settled: Settled, guess: Guess, player: str) -> Explanation:
    """Several legal sowings fit, or one that may still be going on where nobody can see it."""
    between = settled.between or ((settled.done,) if settled.done else ())
    options = tuple(Option(candidate.sowing) for candidate in between)
    notes = tuple(_to_be_entered(scene)) if settled.more else ()
    shown = doing(scene, guess if settled.in_hand else between[0].guess)
    wait = timing.HIDDEN if settled.in_hand else timing.ASKS
    steps: list[tuple[int, Reading]] = [(timing.AT_ONCE, shown), (wait, Unclear(options, notes=notes))]
    if settled.done:
        sowing = settled.done.sowing
        steps.append((WHEN_OVER, Did(Sow(player, sowing.start, sowing.drops))))
    return Explanation(tuple(steps))


def _to_be_entered(scene: Scene) -> list[Note]:
    """Tiles that only people can tell about."""
    return [Note("enter_tile", TILES[tile]) for tile in sorted(scene.silent)]


# --- a legal sowing -----------------------------------------------------------------------------------------


def _done(scene: Scene, candidate: Candidate, player: str) -> Explanation:
    guess, sowing = candidate.guess, candidate.sowing
    waits = [timing.AT_ONCE]
    waits += [timing.GROWS] if guess.untouched else []
    waits += [timing.UNSEEN_LAST] if candidate.unseen else []
    if scene.silent and scene.unsure(guess.start).intersection(candidate.drops):
        # By then it lies there, or was misread: it may be where nobody sees it.
        waits.append(timing.REAPPEARS)
    if candidate.hidden:
        waits.append(timing.GROWS if candidate.scoop == WHOLE_SCOOP else timing.ASKS)
    did = Did(Sow(player, sowing.start, sowing.drops))
    steps: list[tuple[int, Reading]] = [(timing.AT_ONCE, doing(scene, guess))] if max(waits) else []
    steps.append((max(waits), did))
    flaw = _scoop_flaw(scene, candidate)
    if flaw:
        # A group half taken up is due, as a camel is; another colour in the hand is not a matter of patience.
        due = candidate.scoop == PART_SCOOP and not any(step.onto for step in flaw.remedy.steps)
        steps.append((timing.OWED if due else timing.SCOOPS, flaw))
    return Explanation(tuple(steps))


def _scoop_flaw(scene: Scene, candidate: Candidate) -> Wrong | None:
    """A meeple of the group forgotten, or another colour taken from the end tile."""
    end, colour = candidate.drops[-1]
    if end in scene.silent:
        return None
    others = Counter({c: n for c, n in candidate.guess.gone.get(end, Counter()).items() if c != colour})
    tile = TILES[end]
    breach = Breach("collects_every_one_of_its_colour", len(candidate.drops), (tile,))
    if others and colour == ASSASSIN and candidate.scoop == WHOLE_SCOOP:
        return None  # a victim on the end tile itself: whether it may be one is asked when the kill is due
    if others:
        who = remedy.and_all(f"the {remedy.a_meeple(c)}" for c in remedy.in_order(others.elements()))
        steps = tuple(Step(f"meeple {c}", None, (tile,)) for c in remedy.in_order(others.elements()))
        text = f"Put {who} back on {tile}"
        if colour in scene.after[end]:
            text += f" and take every {remedy.a_meeple(colour)} instead"
            steps += (Step(f"meeple {colour}", tile),) * scene.after[end].count(colour)
        return Wrong((breach,), Remedy(text + ".", steps), candidate.sowing)
    if candidate.scoop == PART_SCOOP:
        left = scene.after[end].count(colour)
        who = f"the {remedy.a_meeple(colour)}" if left == 1 else f"all {left} {remedy.a_meeple(colour)}s"
        return Wrong(
            (breach,),
            Remedy(f"Take {who} from {tile} as well.", (Step(f"meeple {colour}", tile),) * left),
            candidate.sowing,
        )
    if candidate.scoop == NO_SCOOP and candidate.noise:
        return _moved_and_taken(scene, candidate) or _scooped_elsewhere(scene, candidate, breach)
    return None


def _moved_and_taken(scene: Scene, candidate: Candidate) -> Wrong | None:
    """A meeple of a second tile was carried on, put down and taken up: it was seen where it had no business."""
    gone = {letter for lost in candidate.guess.gone.values() for letter in lost}
    for drop in scene.taken_up(candidate.guess.start):
        if drop[1] in gone and drop not in candidate.drops:
            sowing = Sowing(candidate.sowing.start, named((*candidate.drops, drop)))
            found = breaches(scene.before, sowing)
            lost = {tile: gone[drop[1]] for tile, gone in candidate.guess.gone.items() if gone[drop[1]]}
            way = remedy.of_difference({(TILES[t], remedy.meeple(drop[1])): -n for t, n in lost.items()})
            return Wrong(found, way, sowing)
    return None


def _scooped_elsewhere(scene: Scene, candidate: Candidate, breach: Breach) -> Wrong | None:
    """Meeples were taken up from a tile the move passed, not from its end."""
    passed = {tile for tile, _ in candidate.drops}
    gone = [(tile, lost) for tile, lost in candidate.guess.gone.items() if tile in passed]
    if not gone:
        return None
    tile, lost = gone[0]
    taken = [(TILES[tile], letter) for letter in remedy.in_order(lost.elements())]
    end, colour = candidate.drops[-1]
    way = remedy.taken_instead(taken, candidate.sowing.drops[-1], scene.after[end].count(colour))
    return Wrong((breach,), way, candidate.sowing)


# --- a move in flight ---------------------------------------------------------------------------------------


def _not_legal(scene: Scene, guess: Guess) -> Explanation:
    """No legal result fits: a move that can still become one, or a broken rule."""
    left_to_drop = guess.missing + guess.untouched
    doubtful = any(arrival.drop in scene.doubtful for arrival in guess.dropped)
    settles = timing.STRANGE if doubtful else timing.SETTLES
    if guess.foreign:
        return say((settles, _with_foreign(scene, guess, left_to_drop)))
    over = _over(scene, guess)
    begun = Sowing(TILES[guess.start], named(guess.drops))
    broken = breaches_so_far(scene.before, begun)
    veiled = veil(scene, guess) if broken or over else Veil()
    if veiled:
        return _veiled(scene, guess, veiled)
    if broken:
        begun = Sowing(TILES[guess.start], named(so_far(guess)))
        broken = breaches_so_far(scene.before, begun)
    if over is not None and guess.missing and not scene.vanished.get(over.drops[-1]):
        settles = timing.SCOOPS  # nobody saw it lie there: those that are gone may only have been bumped
    if over is not None and not guess.untouched:
        return say((settles, _wrong(scene, over, scooped=bool(guess.missing))))
    goes_on = not broken and bool(open_drops(scene.before, begun.start, begun.drops))
    joined = goes_on or can_be_joined(scene.before, guess.start, guess.drops, left_to_drop)
    steps: list[tuple[int, Doing | Wrong]] = []
    if joined or not broken:
        steps.append((timing.AT_ONCE, doing(scene, guess, joined, numbered(begun.drops))))
    if broken:
        way = of_sowing(scene.before, scene.after, begun, broken)
        wait = max(settles, gap_waits(scene, guess, begun)) if joined else settles
        steps.append((wait, Wrong(broken, way, begun)))
    elif joined and not goes_on:  # only a drop not yet seen could still save it, and by then it would be
        steps.append((timing.GAP, doing(scene, guess, False, numbered(begun.drops))))
    if over is not None:
        # The group is scooped, so the meeples left on the start tile were left for good.
        steps = [(settles, _wrong(scene, over, scooped=bool(guess.missing)))]
    elif not guess.missing and begun.drops:
        found = breaches(scene.before, begun)
        way = of_sowing(scene.before, scene.after, begun, found)
        steps.append((WHEN_OVER, Wrong(found, way, begun)))
    return Explanation(tuple(steps))


def _veiled(scene: Scene, guess: Guess, veiled: Veil) -> Explanation:
    """What looks like a gap may be a drop on a tile that nobody can read: in flight, and for people to tell in the end."""
    shown = doing(scene, guess)
    if not veiled.too_many:
        return say((timing.AT_ONCE, shown))
    return say((timing.AT_ONCE, shown), (timing.HIDDEN, replace(shown, notes=tuple(_to_be_entered(scene)))))


def _over(scene: Scene, guess: Guess) -> Guess | None:
    """The whole of a move that nobody can continue: all are down, or the last was scooped with its group."""
    if guess.missing:
        if len(set(guess.missing)) > 1:
            return None
        colour = guess.missing[0]
        tiles = [tile for tile in scooped_tiles(scene, guess, colour) if colour not in scene.after[tile]]
        return taken_from(scene, guess, (tiles[0], colour)) if tiles else None
    if not guess.untouched:
        return guess
    taken = any(tile in guess.gone for tile, _ in guess.drops)
    return guess if taken else None


def _taken_up(scene: Scene, guess: Guess, player: str) -> tuple[tuple[int, Did | Wrong], ...]:
    """The last meeple was put down and taken up again. While the move goes on it is in the hand; when the move is over it
    was scooped: alone, where nothing of its colour stood, or without the rest of its group."""
    if guess.foreign or not guess.missing or len(set(guess.missing)) > 1 or guess.start in scene.silent:
        return ()
    colour, count = guess.missing[0], len(guess.missing)
    taken_up = scene.taken_up(guess.start).items()
    there = [drop for drop, times in taken_up if drop[1] == colour and times >= count]
    if not there:
        return ()
    found = []
    for last in sorted(there, key=scene.latest, reverse=True):  # others are misreadings on the way
        whole = taken_from(scene, guess, last)
        order = tuple(_likely_order(scene, whole, scooped=True))
        broken = breaches(scene.before, Sowing(TILES[guess.start], named(order)))
        found.append((len(broken), sum(breach.rule in STEPS for breach in broken), whole, order))
    _, _, whole, drops = min(found, key=lambda one: one[:2])
    sowing = Sowing(TILES[guess.start], named(drops))
    if breaches(scene.before, sowing):
        return ((WHEN_OVER, _wrong(scene, whole, scooped=True)),)
    did = Did(Sow(player, sowing.start, sowing.drops))
    flaw = _scoop_flaw(scene, Candidate(guess, drops, PART_SCOOP))
    return ((WHEN_OVER, did), (WHEN_OVER, flaw)) if flaw else ((WHEN_OVER, did),)


# --- a broken rule ------------------------------------------------------------------------------------------


def _with_foreign(scene: Scene, guess: Guess, left_to_drop: str) -> Wrong:
    """A meeple that was never in this hand. Carried along, it is the last drop; put elsewhere, it is no part of the path."""
    drops, foreign = list(guess.drops), list(guess.foreign)
    if not left_to_drop:
        drops = list(_likely_order(scene, guess, scooped=False))
    if not (left_to_drop == "" and drops[-1][1] in foreign):
        for drop in [drop for drop in drops if drop[1] in foreign]:
            if drop[1] in foreign:
                foreign.remove(drop[1])
                drops.remove(drop)
    sowing = Sowing(TILES[guess.start], named(drops))
    found = breaches_so_far(scene.before, sowing) if left_to_drop else breaches(scene.before, sowing)
    if not any(breach.rule == "takes_every_meeple" for breach in found):
        found = (*found, Breach("takes_every_meeple", tiles=(sowing.start,)))
    return Wrong(found, of_sowing(scene.before, scene.after, sowing, found), sowing)


def _wrong(scene: Scene, guess: Guess, scooped: bool) -> Wrong:
    sowing = Sowing(TILES[guess.start], named(_likely_order(scene, guess, scooped)))
    found = breaches(scene.before, sowing)
    if not found:  # too many ways to try them all, and this one breaks nothing
        return Wrong((), Remedy(), sowing)
    return Wrong(found, of_sowing(scene.before, scene.after, sowing, found), sowing)


def _likely_order(scene: Scene, guess: Guess, scooped: bool) -> Sequence[Drop]:
    """The order in which an illegal move was made: as seen, unless what was seen is a jumble.

    A jumble (late reads, meeples stood up at the end in any order) has several wrong steps; then the order with the
    fewest breaches is meant, the one that ends like the one seen if there are two.
    """
    start, drops = TILES[guess.start], guess.drops
    seen = breaches(scene.before, Sowing(start, named(drops)))
    unseen = any(arrival.moment == UNKNOWN for arrival in guess.seen)
    steps = sum(breach.rule in STEPS for breach in seen)
    if len(seen) <= 1 and not unseen:
        return drops
    # Wrong steps are believed, unless drops came so close together that late reads can have turned them round, or were
    # all laid down before.
    late = any(two.moment[1] - one.moment[1] < timing.LATE for one, two in pairwise(guess.seen))
    laid = laid_down(scene, guess)
    if not late and not unseen and (steps <= 1 or not laid):
        return drops
    jumbled = unseen or steps > (1 if laid else 2)  # a drop turned round makes two wrong steps of right ones
    doubts = (False, True) if jumbled else (False,)
    fit = Fit(guess.start, drops)
    last_first = list(dict.fromkeys(reversed(drops)))
    ends = last_first[:1] if scooped else last_first
    may_end = legal_ends(scene.before, guess.start, drops)
    found: list[tuple[int, int, tuple[Drop, ...]]] = []
    try:
        for rank, end in enumerate(ends):
            for wrong in doubts:
                order = fit.order(end, wrong) if not wrong or end in may_end else None
                if order is not None:
                    count = len(breaches(scene.before, Sowing(start, named(order))))
                    found.append((count, rank, order))
    except TooMany:
        return drops
    best = min(found, default=(len(seen), 0, drops))
    return best[2] if best[0] < len(seen) else drops
