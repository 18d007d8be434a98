"""What may have become of one meeple of the start tile: dropped where it was read, in the hand, or never lifted.

In: a track and the prices of slips. Out: a `Meeple` with its options and what each costs. A meeple that was read on C4 and then on
C5 has two places: it was put down on C4 and taken up again (2.0), or C4's reader caught it in the passing hand.
"""

from __future__ import annotations

from collections.abc import Sequence

from naqala.rules.board import NUMBER
from naqala.table.evidence import Stay
from naqala.table.noise import FREE, Cost, Noise
from naqala.table.story import Meeple, Placed
from naqala.table.tracks import Track


def meeple_of(noise: Noise, track: Track, start: str, away: bool) -> Meeple:
    """What may have become of a meeple of the start tile."""
    prices = noise.prices
    placed = []
    for chosen in track.stays:
        cost = FREE
        for stay in track.stays:
            if stay is chosen:
                continue
            before = stay.until is not None and stay.until <= chosen.since
            if not before and stay.tile != start:
                cost = cost.plus(noise.elsewhere(stay, chosen.tile))
        earlier = [s for s in track.stays if s.until is not None and s.until <= chosen.since]
        cost = cost.plus(_passing(noise, earlier))
        if track.left is None and start not in noise.silent:
            seconds = noise.seconds(chosen.since)
            cost = cost.plus(
                Cost(prices.still_read + prices.still_read_rate * seconds, prices.still_read_rate)
            )
        placed.append(Placed(NUMBER[chosen.tile], chosen.since, cost, chosen.until))
    if track.left is None and start not in noise.silent:
        rest, in_hand = noise.idle_native(track), False
    elif track.back and track.left is not None:
        rest = Cost(prices.put_back)
        if away:
            back = max(stay.since for stay in track.stays if stay.open and stay.tile == start)
            since = noise.seconds(back) * prices.put_back_rate
            rest = Cost(prices.put_back_one + since, prices.put_back_rate)
        for stay in track.places:
            rest = rest.plus(noise.elsewhere(stay, start))
        in_hand = False
    else:
        rest, in_hand = _passing(noise, track.stays), True
    return Meeple(track.piece.which, track.tag, tuple(sorted(placed, key=lambda p: p.moment)), rest, in_hand)


def _passing(noise: Noise, stays: Sequence[Stay]) -> Cost:
    """Stays of a meeple that is in the hand, or was before it was put elsewhere: put down and taken up, or carried low. Whoever
    has changed their mind once does so again more easily."""
    cost, price = FREE, noise.prices.take_back
    for stay in stays:
        carried = noise.carried(stay)
        if not stay.open and price < carried.price:
            carried, price = Cost(price), noise.prices.take_back_again
        cost = cost.plus(carried)
    return cost
