"""Stories of a sowing: every way in which hands and readers can have made what was seen, the cheapest first.

A story is a list of motions that explains all evidence since table and record last agreed: a tile was lifted, its meeples
were dropped one by one, a group was taken up, and whatever else was read is a slip of some reader. Each motion has a price
(`prices.toml`), and the story's price is their sum. One best-first search over all start tiles finds them in the order of
their prices; it never lists what is dearer than the best story by more than `WINDOW`.

Example. C3 holds G and R, C4 a Y, D4 an R. C3 is lifted, then D4's reader shows the R, and C4's nothing:

    lift C3 0.7, drop R on D4: out of reach 4.0, G in the hand                                  4.7   breaks a rule
    lift C3 0.7, drop G on C4 (not read yet: 0.4 and 3.2 for every look of C4's reader), R on D4   1.1   legal

The second one is cheaper, so nobody is flagged. After two looks of C4's reader it costs 7.5, after three 10.7: now the first
one is 6.0 cheaper, which is more than 400 to 1, and the flag is raised. Nothing waited for a fixed time.

A node of the search is a half-told story: where the hand is, where it came from, which meeples are still to be told of.
Every meeple of the start tile has options: it was dropped where it was read, it is in the hand, it never left. What the
cheapest options cost is a lower bound for the rest, so that the search goes straight to the best story.
"""

from __future__ import annotations

import heapq
from itertools import count as counting

from naqala.table.start import Start
from naqala.table.story import Ending, Node, Root, Story

WINDOW = 8.0  # stories dearer than the best one by more than this cannot matter: one in three thousand
MOST_NODES = 700  # of one search; beyond that what was found so far is all that is claimed


def stories(root: Root) -> list[Story]:
    """The stories of this table, the cheapest first: that nobody moved, and of each outcome the cheapest."""
    idle = root.idle()
    found = {"": Story(idle.price, idle.rate)}
    best = idle.price
    heap: list[tuple[float, int, Start, Node | Ending | Story]] = []
    order = counting()
    for tile in root.at:
        start = Start.of(root, tile)
        if start is not None:
            for node in start.begun():
                heapq.heappush(heap, (start.bound(node), next(order), start, node))
    known: dict[tuple[object, ...], float] = {}
    for _ in range(MOST_NODES):
        if not heap or heap[0][0] > best + WINDOW:
            break
        price, _, start, item = heapq.heappop(heap)
        if isinstance(item, Story):
            best = min(best, price)
            key = str((item.outcome, item.over, bool(item.breaches), item.hand, item.left))
            if key not in found or found[key].price > item.price:
                found[key] = item
            continue
        if isinstance(item, Ending):
            for told in start.told(item):
                if told.price <= best + WINDOW:
                    heapq.heappush(heap, (told.price, next(order), start, told))
            continue
        state = (start.tile, item.here, item.before, item.left, item.laid, item.broken, start.dropped(item))
        if known.get(state, price + 1) <= item.price:
            continue
        known[state] = item.price
        for onward in start.onward(item):
            bound = start.bound(onward)
            if bound <= best + WINDOW:
                heapq.heappush(heap, (bound, next(order), start, onward))
        for ending in start.endings(item):
            least = ending.cost.price - start.saves
            if least <= best + WINDOW:
                heapq.heappush(heap, (max(least, price), next(order), start, ending))
    return sorted(found.values(), key=lambda story: story.price)
