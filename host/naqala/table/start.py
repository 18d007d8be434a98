"""The stories that begin with one start tile: one drop after the other, then how they end and what else the hand did.

In: a `Root` and a tile. Out: half-told stories that go on (`onward`), endings (`endings`) and whole stories (`told`), each with
its price. Every meeple of the tile has options: it was dropped where it was read, it is in the hand, it never left. What the
rules forbid is asked of `rules.sowing`; here stands only what each breach costs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from naqala.rules.board import ASSASSIN, NEIGHBOURS, NUMBER, TILES
from naqala.rules.model import in_tribe_order
from naqala.rules.sowing import Sowing, breaches, breaches_so_far
from naqala.table.noise import FREE, Cost
from naqala.table.options import meeple_of
from naqala.table.remaining import DISTANCE, Rest, awaited, remaining
from naqala.table.same_hand import foreign, other_colour, second_tile
from naqala.table.story import (
    NO_SCOOP,
    PART_SCOOP,
    WHOLE_SCOOP,
    Ending,
    Meeple,
    Node,
    Path,
    Root,
    Story,
)
from naqala.table.tracks import Track

_NEAR = tuple(tuple(NUMBER[onto] for onto in NEIGHBOURS[tile]) for tile in TILES)


class Start:
    """The stories that begin with one tile."""

    def __init__(self, root: Root, tile: str, meeples: tuple[Meeple, ...], lifted: int) -> None:
        self.root, self.noise, self.prices = root, root.noise, root.prices
        self.tile, self.number = tile, NUMBER[tile]
        self.meeples, self.lifted = meeples, lifted
        self.all = (1 << len(meeples)) - 1
        self.others = root.idle(without=tile)
        # What a scoop can explain at most, so that the bound stays below every story's price.
        self.saves = sum(root.absent(home).price for home in root.gone if home != tile) + sum(
            root.misread(track).price for track in root.carried if track.home != tile
        )
        self.first_read = min((p.moment for m in meeples for p in m.placed), default=None)
        self._rest: dict[int, Rest] = {}

    @classmethod
    def of(cls, root: Root, tile: str) -> Start | None:
        """None where nothing says that a hand was at this tile."""
        there = root.at[tile]
        moved = [track for track in there if not track.back or track.places]
        if not moved:
            return None
        away = any(track.places for track in there)
        meeples = [meeple_of(root.noise, track, tile, away) for track in there]
        lacking = Counter(root.meeples[NUMBER[tile]]) - Counter(meeple.letter for meeple in meeples)
        meeples += [Meeple(letter, "", (), FREE, True) for letter in lacking.elements()]
        lost = [track.left for track in moved if track.left is not None]
        return cls(root, tile, tuple(meeples), min(lost, default=root.noise.now))

    def begun(self) -> Iterator[Node]:
        price = self.prices.lift
        if not self.root.watched:
            yield Node(price, 0.0, self.number, -1, self.all, True, False, ())
            return
        yield Node(price, 0.0, self.number, -1, self.all, False, False, ())
        if self.first_read is not None:
            pause = max(0, self.first_read - self.lifted) / 1000
            laid = max(0.5, self.prices.laid + self.prices.laid_rate * pause)
            yield Node(price + laid, 0.0, self.number, -1, self.all, True, False, ())

    def rest(self, left: int) -> Rest:
        """What follows from the meeples that are still to be told of; many half-told stories share them."""
        if left not in self._rest:
            others = max(0.0, self.others.price - self.saves)
            self._rest[left] = remaining(self.meeples, left, others, self.noise.now)
        return self._rest[left]

    def bound(self, node: Node) -> float:
        return node.price + self.rest(node.left).least

    def dropped(self, node: Node) -> tuple[tuple[int, str, bool], ...]:
        """The drops so far, whatever their order."""
        return tuple(
            sorted((t, self.meeples[m].letter, p is None or p.until is None) for m, t, p in node.path)
        )

    def closed(self, node: Node) -> tuple[tuple[int, str], ...]:
        """The drops so far that were read and lost again: whether they were taken up is told at the end."""
        return tuple(
            sorted((t, self.meeples[m].letter) for m, t, p in node.path if p and p.until is not None)
        )

    # --- one more drop ---

    def onward(self, node: Node) -> Iterator[Node]:
        yield from self._read(node)
        yield from self._unread(node)

    def _read(self, node: Node) -> Iterator[Node]:
        """The next drop is one that was read."""
        moments = self.rest(node.left).read
        tried = set[tuple[int, str, bool]]()
        for _, bit in moments:
            meeple = self.meeples[bit]
            for option in meeple.placed:
                alike = (option.tile, meeple.letter, option.until is None)
                if alike in tried and len(meeple.placed) == 1:
                    continue
                tried.add(alike)
                step, broken = self._step(node, option.tile)
                late = 0.0
                if not node.laid:
                    sooner = next((moment for moment, other in moments if other != bit), option.moment)
                    late = self.noise.late(TILES[option.tile], sooner, option.moment)
                yield Node(
                    node.price + step + late + option.cost.price,
                    node.rate + option.cost.rate,
                    option.tile,
                    node.here,
                    node.left & ~(1 << bit),
                    node.laid,
                    node.broken or broken,
                    (*node.path, (bit, option.tile, option)),
                )

    def _unread(self, node: Node) -> Iterator[Node]:
        """The next drop is one that nobody has read: its reader tells nothing, has not looked, or the meeple lies."""
        rest = self.rest(node.left)
        if not rest.unread:
            return
        for onto in _NEAR[node.here]:
            if onto == node.before:
                continue
            blind = TILES[onto] in self.noise.silent
            # At a table that nobody watched every working reader has said what it sees.
            if not blind and (onto not in rest.within or not self.root.watched):
                continue
            if node.laid and not blind:
                cost = self._lying(node, rest.since)
            else:
                cost = self.noise.unseen(TILES[onto], rest.since)
            for bit in rest.unread:
                held = self.meeples[bit].rest
                yield Node(
                    node.price + cost.price + held.price,
                    node.rate + cost.rate + held.rate,
                    onto,
                    node.here,
                    node.left & ~(1 << bit),
                    node.laid,
                    node.broken,
                    (*node.path, (bit, onto, None)),
                )

    def _lying(self, node: Node, since: int) -> Cost:
        """A meeple lies on its tile; that others stand already is paid for once."""
        if any(option is None for _, _, option in node.path):
            return Cost(self.prices.lying)
        standing = self.noise.seconds(self.first_read or since)
        return Cost(self.prices.lying + self.prices.lying_rate * standing, self.prices.lying_rate)

    def _step(self, node: Node, onto: int) -> tuple[float, bool]:
        """What a step costs, and whether it breaks a rule."""
        if onto in _NEAR[node.here] and onto != node.before:
            return 0.0, False
        if node.broken:
            return self.prices.further, True
        if onto == node.before:
            return self.prices.back, True
        far = DISTANCE[node.here][onto]
        if not far:
            return self.prices.same, True
        return self.prices.reach + self.prices.far * (far - 2), True

    # --- the story so far ---

    def endings(self, node: Node) -> Iterator[Ending]:
        """The stories that end here: in flight, all down, or the last one taken up with its group."""
        rest = Cost(node.price, node.rate).plus(self.others)
        hand = left = ""
        for bit in self.rest(node.left).bits:
            rest = rest.plus(self.meeples[bit].rest)
            if self.meeples[bit].in_hand:
                hand += self.meeples[bit].letter
            else:
                left += self.meeples[bit].letter
        if hand or left:
            if node.path or hand:
                yield from self._in_flight(node, rest, hand, left)
            if hand and not left and len(set(hand)) == 1:
                yield from self._last_unseen(node, rest, hand)
            if left and not hand and node.path:
                yield from self._ended(node, rest, left, node.path)
        elif node.path:
            yield from self._ended(node, rest, "", node.path)

    def _in_flight(self, node: Node, cost: Cost, hand: str, left: str) -> Iterator[Ending]:
        cost = cost.plus(self._lost(node.path, None))
        if self.root.over:
            cost = cost.plus(Cost(self.prices.over))
        if left:
            cost = cost.plus(Cost(self.prices.grab * (1 if node.path else len(left))))
        yield Ending(cost, hand, left, NO_SCOOP, False, node.path)

    def _last_unseen(self, node: Node, cost: Cost, hand: str) -> Iterator[Ending]:
        """The last meeple was never put down: its group is gone, so it went with it."""
        colour, own = hand[0], self.closed(node)
        bits = self.rest(node.left).bits
        ends = {NUMBER[tile] for tile, lost in self.root.gone.items() if colour in lost and tile != self.tile}
        ends |= {tile for tile, letter in own if letter == colour}
        for end in ends:
            path, price, broken = list(node.path), 0.0, node.broken
            at = node
            for bit in bits:
                step, breaks = self._step(at, end)
                price += self.prices.unseen_last + (step if bit == bits[0] else self.prices.further)
                broken = broken or breaks
                path.append((bit, end, None))
                at = at._replace(here=end, before=at.here, broken=broken)
            last = node._replace(here=end, broken=broken, path=tuple(path))
            yield from self._ended(last, cost.plus(Cost(price)), "", last.path)

    def _ended(self, node: Node, cost: Cost, left: str, path: Path) -> Iterator[Ending]:
        """All are down, or what is left was left for good; the group of the last drop is taken up, partly, or not yet."""
        bit, end, _ = path[-1]
        colour, tile = self.meeples[bit].letter, TILES[end]
        natives = [t for t in self.root.at.get(tile, ()) if t.piece.which == colour and tile != self.tile]
        gone = [track for track in natives if not track.back]
        own = [(m, p) for m, t, p in path if t == end and self.meeples[m].letter == colour]
        lost = [p for _, p in own if p is None or p.until is not None]
        if not gone and not lost:
            scoop = NO_SCOOP
        elif len(gone) == len(natives) and len(lost) == len(own):
            scoop = WHOLE_SCOOP
        else:
            scoop = PART_SCOOP
            cost = cost.plus(Cost(self.prices.part_scoop))
        if scoop == NO_SCOOP and left and not self.root.over:
            return  # somebody may still grab them: that is a move in flight
        if gone:
            cost = cost.less(self.root.absent(tile)).plus(self.root.absent(tile, gone))
        for track in gone:
            for stay in track.places:  # taken up, and then read from beside the board
                cost = cost.less(self.root.misread(track)).plus(self.noise.ghost(stay))
        lost_on_the_way = self._lost(path, (end, colour))
        if colour == ASSASSIN and scoop == WHOLE_SCOOP:
            victim = Cost(self.prices.victim)  # killed in the same breath
            if lost_on_the_way.price > victim.price:
                lost_on_the_way = victim
            else:
                cost = min(cost, cost.plus(victim).plus(self._struck(tile, gone)))
        cost = cost.plus(lost_on_the_way)
        if not node.laid:
            cost = cost.plus(Cost(self._scooped_too_soon(path, gone, end)))
        met = bool(natives) or len(own) > 1
        broken = node.broken
        if not met:
            cost = cost.plus(Cost(self.prices.further if broken else self.prices.alone))
            broken = True
        if left:
            cost = cost.plus(Cost(self.prices.further if broken else self.prices.left))
        taken = tuple(track.tag for track in gone)
        yield Ending(cost, "", left, scoop, True, path, taken, lost_on_the_way)

    def _struck(self, end: str, gone: Sequence[Track]) -> Cost:
        """What is saved when one meeple that is missing from a tile was the victim, as a negative cost."""
        best = FREE
        for tile, letters in self.root.gone.items():
            if tile == self.tile:
                continue  # its meeples are told of as drops
            explained = gone if tile == end else ()
            before = self.root.absent(tile, explained)
            for track in (one for group in letters.values() for one in group if one not in explained):
                after = self.root.absent(tile, (*explained, track))
                best = min(best, after.less(before))
        return best

    def _scooped_too_soon(self, path: Path, gone: Sequence[Track], end: int) -> float:
        """A group was taken up before a drop was read that must have been made before that: it was read late."""
        moment = max((track.left for track in gone if track.left is not None), default=None)
        if moment is None:
            return 0.0
        price = sum(
            self.noise.late(TILES[t], moment, p.moment) for _, t, p in path if p is not None and t != end
        )
        return price + self.prices.late_gone_rate * max(0, self.lifted - moment) / 1000

    def _lost(self, path: Path, end: tuple[int, str] | None) -> Cost:
        """Drops that were read and are not read any more, those that were taken up at the end apart."""
        cost = FREE
        lost: dict[int, list[int]] = {}
        for bit, tile, option in path:
            if option is not None and option.until is not None and (tile, self.meeples[bit].letter) != end:
                lost.setdefault(tile, []).append(option.until)
        for tile, moments in lost.items():
            cost = cost.plus(self.noise.unread(TILES[tile], moments))
        return cost

    # --- what else differs ---

    def told(self, ending: Ending) -> Iterator[Story]:
        """The story with all else as slips of readers; and the stories in which the same hand did that as well."""
        cost, hand, left, scoop, over, path, taken, lost = ending
        drops = tuple((TILES[tile], self.meeples[bit].letter) for bit, tile, _ in path)
        sowing = Sowing(self.tile, drops)
        found = breaches(self.root.meeples, sowing) if over else breaches_so_far(self.root.meeples, sowing)
        if not drops:
            found = ()
        unseen = [tile for _, tile, option in path if option is None]
        hidden = sum(TILES[tile] in self.noise.silent for tile in unseen)
        places = tuple((self.meeples[bit].tag, TILES[tile]) for bit, tile, _ in path if self.meeples[bit].tag)
        story = Story(
            cost.price,
            cost.rate,
            self.tile,
            drops,
            in_tribe_order(hand),
            in_tribe_order(left),
            scoop,
            over,
            found,
            places,
            taken,
            len(unseen),
            hidden,
            awaited(self.noise, path),
        )
        yield story
        last = (path[-1][1], self.meeples[path[-1][0]].letter) if path else None
        own = [(t, self.meeples[m].letter) for m, t, p in path if p is not None and p.until is not None]
        dropped = tuple(sorted((TILES[tile], letter) for tile, letter in own if (tile, letter) != last))
        yield from other_colour(self.root, story, cost, lost, dropped)
        read = max((option.moment for _, _, option in path if option is not None), default=0)
        yield from foreign(self.root, story, cost, read)
        yield from second_tile(self.root, story, cost)
