"""Human hands and noisy readers, made up from a seed: what a referee has to live with.

`Stage` is the physical table: every piece of a game with its tag, where it stands or lies, and a clock; hands lift, put
down, lay on the side, bump, change their mind. `recorded` lets readers look at what happened, with missed reads, ghosts,
leaks from the neighbour, repeated and lost lines, and gives a transcript. `sow` is one legal move in one of many manners.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

from naqala.rules.board import MEEPLES, NEIGHBOURS, TILES
from naqala.rules.model import Game
from naqala.rules.position import to_json
from naqala.rules.sowing import Sowing
from naqala.transcript import Moment, Piece, Tap, Transcript
from naqala_protocol import Seen

SWEEP = 400  # milliseconds between two looks of one reader
READERS = dict(enumerate(TILES))


@dataclass(frozen=True)
class Noise:
    """How bad the electronics are: chances per read of a tag, per look of a reader, per line."""

    missed: float = 0.03
    ghost: float = 0.001
    leak: float = 0.004
    repeated: float = 0.02
    lost: float = 0.02
    settle: int = 2  # looks without a tag before its reader gives it up, as the firmware does


CLEAN = Noise(0, 0, 0, 0, 0, 1)
BAD = Noise()


@dataclass
class Stage:
    """The physical table and its history: (moment, tag, tile or None) for every change that a reader could see."""

    game: Game
    dice: Random
    tags: dict[str, Piece] = field(default_factory=dict)
    places: dict[str, str | None] = field(default_factory=dict)
    history: list[tuple[int, str, str | None]] = field(default_factory=list)
    taps: list[tuple[int, dict[str, object]]] = field(default_factory=list)
    now: int = 0

    def __post_init__(self) -> None:
        bag = Counter(MEEPLES)
        for tile, here in zip(TILES, self.game.tiles, strict=True):
            for letter in here.meeples:
                self._make(Piece("meeple", letter), tile)
                bag[letter] -= 1
            for _ in range(here.palms):
                self._make(Piece("palm"), tile)
            for _ in range(here.palaces):
                self._make(Piece("palace"), tile)
            if here.camel:
                self._make(Piece("camel", here.camel), tile)
            self._make(Piece("tile", tile), tile)
        for letter, count in bag.items():
            for _ in range(count):
                self._make(Piece("meeple", letter), None)
        for player in self.game.players:
            for _ in range(player.camels):
                self._make(Piece("camel", player.name), None)
        for piece, count in ((Piece("palm"), self.game.palms), (Piece("palace"), self.game.palaces)):
            for _ in range(count):
                self._make(piece, None)

    def _make(self, piece: Piece, tile: str | None) -> None:
        tag = f"04{len(self.tags):04x}{self.dice.randrange(256):02x}"
        self.tags[tag] = piece
        self.places[tag] = tile

    # --- what hands do ---

    def wait(self, shortest: int, longest: int | None = None) -> None:
        self.now += self.dice.randint(shortest, longest or shortest)

    def put(self, tag: str, tile: str | None) -> None:
        self.places[tag] = tile
        self.history.append((self.now, tag, tile))

    def on(self, tile: str, kind: str = "meeple", which: str | None = None) -> list[str]:
        return [
            tag
            for tag, place in self.places.items()
            if place == tile and self.tags[tag].kind == kind and which in (None, self.tags[tag].which)
        ]

    def beside(self, kind: str, which: str = "") -> str:
        """A piece beside the board."""
        return next(t for t, p in self.places.items() if p is None and self.tags[t] == Piece(kind, which))

    def left_beside(self, kind: str, which: str = "") -> bool:
        return any(p is None and self.tags[t] == Piece(kind, which) for t, p in self.places.items())

    def tap(self, **action: object) -> None:
        self.taps.append((self.now, action))


def recorded(stage: Stage, noise: Noise = CLEAN, settle_after: int = 4000) -> Transcript:
    """What the readers made of it."""
    dice, end = stage.dice, stage.now + settle_after
    moments: list[tuple[int, int, Moment]] = [(at, 0, Moment(at, Tap(tap))) for at, tap in stage.taps]
    there: dict[str, set[str]] = {tile: set() for tile in TILES}
    begin = dict(stage.places)
    for _, tag, _ in stage.history:
        begin[tag] = None
    first = _beginning(stage)
    for tag, tile in first.items():
        if tile:
            there[tile].add(tag)
    changes = sorted(stage.history, key=lambda change: change[0])
    place = dict(first)
    settled: dict[str, dict[str, int]] = {tile: {} for tile in TILES}
    known = list(stage.tags)
    spoken: set[str] = set()
    seq = step = 0
    for base in range(0, end, SWEEP):
        for number, tile in READERS.items():
            at = base + number * 12
            while step < len(changes) and changes[step][0] <= at:
                _, tag, to = changes[step]
                if place[tag]:
                    there[place[tag]].discard(tag)  # type: ignore[index]
                if to:
                    there[to].add(tag)
                place[tag] = to
                step += 1
            # The last looks are undisturbed: a transcript that ends in the middle of a misreading tells nothing.
            now = CLEAN if at > end - 2 * SWEEP - settle_after // 4 else noise
            read = _look(there, tile, now, dice, known)
            if _settle(settled[tile], read, noise.settle) or tile not in spoken:
                spoken.add(tile)
                seq += 1
                message = Seen(seq, number, tuple(sorted(settled[tile])))
                if base and dice.random() < now.lost:
                    moments.append((at + dice.randint(200, 900), seq, Moment(0, message)))
                else:
                    moments.append((at, seq, Moment(0, message)))
                    if dice.random() < noise.repeated:
                        moments.append((at + dice.randint(10, 2000), seq, Moment(0, message)))
    moments.sort(key=lambda item: item[:2])
    return Transcript(
        to_json(stage.game), READERS, stage.tags, tuple(Moment(at, moment.what) for at, _, moment in moments)
    )


def _beginning(stage: Stage) -> dict[str, str | None]:
    """Where everything stood before the first hand came."""
    fresh = Stage(stage.game, Random(0))
    return dict(zip(stage.tags, fresh.places.values(), strict=True))


def _look(
    there: dict[str, set[str]], tile: str, noise: Noise, dice: Random, known: Sequence[str]
) -> set[str]:
    here = there[tile]
    if not (noise.missed or noise.ghost or noise.leak):
        return set(here)
    read = {tag for tag in sorted(here) if dice.random() >= noise.missed}
    if noise.leak and dice.random() < noise.leak * 12:
        near = [tag for other in NEIGHBOURS[tile] for tag in sorted(there[other])]
        if near:
            read.add(dice.choice(near))
    if dice.random() < noise.ghost:
        read.add(dice.choice(known) if dice.random() < 0.5 else f"{dice.getrandbits(32):08x}")
    return read


def _settle(settled: dict[str, int], read: set[str], patience: int) -> bool:
    """Presence at once, absence after so many looks; True when the settled set changed."""
    changed = False
    for tag in read:
        changed = changed or tag not in settled
        settled[tag] = 0
    for tag in [tag for tag in settled if tag not in read]:
        settled[tag] += 1
        if settled[tag] >= patience:
            del settled[tag]
            changed = True
    return changed


# --- one legal sowing, made by a person -----------------------------------------------------------------------


# Put down where no drop may go, for a moment: as long as it stands there, a flag is right.
OUT_OF_REACH = "tries a tile out of reach"
MANNERS = (
    "plain",
    "several grabs",
    "second grab later",
    "two together",
    "all stood up at the end",
    "stood up in any order",
    "changes mind",
    OUT_OF_REACH,
    "takes all back first",
    "last never put down",
    "bumps a neighbour",
    "swaps alike neighbours",
    "a piece unread for seconds",
    "another hand",
)


def sow(stage: Stage, sowing: Sowing, manner: str, scoops: str = "at once") -> None:
    """Make this move on the stage. `scoops`: at once, in two grabs, or not at all."""
    dice = stage.dice
    stage.wait(400, 1500)
    carried = _lift(stage, sowing, manner)
    if manner == "takes all back first":
        for tag in carried:
            stage.wait(100, 400)
            stage.put(tag, sowing.start)
        stage.wait(1500, 4000)
        carried = _lift(stage, sowing, "plain")
    stage.wait(200, 1200)
    hand = [
        (tag, tile) for tag, (tile, _) in zip(_in_order(stage, carried, sowing), sowing.drops, strict=True)
    ]
    if manner.startswith(("all stood", "stood up")):
        order = list(hand)
        if manner == "stood up in any order":
            dice.shuffle(order)
        stage.wait(2000, 6000)
        for tag, tile in order:
            stage.wait(250, 700)
            stage.put(tag, tile)
    else:
        _drop_one_by_one(stage, sowing, hand, manner, scoops)
    if scoops != "not at all":
        scoop(stage, *sowing.drops[-1], in_two=scoops == "in two grabs")


def _lift(stage: Stage, sowing: Sowing, manner: str) -> list[str]:
    tags = stage.on(sowing.start)
    stage.dice.shuffle(tags)
    held_back = 1 if manner == "second grab later" and len(tags) > 2 else 0
    for number, tag in enumerate(tags[: len(tags) - held_back]):
        if number and manner == "several grabs":
            stage.wait(200, 900)
        stage.put(tag, None)
    return tags


def _in_order(stage: Stage, carried: Iterable[str], sowing: Sowing) -> list[str]:
    left = list(carried)
    # a meeple held back in the first grab is dropped last where its colour allows it
    found = []
    for _, letter in sowing.drops:
        tag = next(tag for tag in left if stage.tags[tag].which == letter)
        left.remove(tag)
        found.append(tag)
    return found


def _drop_one_by_one(
    stage: Stage, sowing: Sowing, hand: list[tuple[str, str]], manner: str, scoops: str
) -> None:
    dice = stage.dice
    pace = dice.choice(((250, 450), (400, 800), (700, 1500)))
    disturbed = dice.randrange(len(hand))
    path = ("", sowing.start, *(tile for tile, _ in sowing.drops))
    bumped: list[tuple[int, str, str]] = []
    for number, (tag, tile) in enumerate(hand):
        if stage.places[tag] == sowing.start and tile != sowing.start:
            stage.put(tag, None)  # the second grab
            stage.wait(150, 500)
        last = number == len(hand) - 1
        if last and manner == "last never put down" and scoops != "not at all":
            break
        if number == disturbed:
            before, here = path[number : number + 2]
            in_reach = [t for t in NEIGHBOURS[here] if t != before]
            if last:  # a tile on which the move could end as well
                letter = stage.tags[tag].which
                in_reach = [t for t in in_reach if t == tile or stage.on(t, which=letter)]
            bumped = _disturb(stage, manner, tag, tile, in_reach)
        if not (manner == "two together" and number and number % 2):
            stage.wait(*pace)
        stage.put(tag, tile)
    for at, tag, tile in bumped:
        stage.now = max(stage.now, at)
        stage.put(tag, tile)


def _disturb(
    stage: Stage, manner: str, tag: str, tile: str, in_reach: Sequence[str]
) -> list[tuple[int, str, str]]:
    """Something else happens in the middle; what is put back later, and when."""
    dice = stage.dice
    others = [
        t for t, place in stage.places.items() if place and stage.tags[t].kind == "meeple" and place != tile
    ]
    if manner in ("changes mind", OUT_OF_REACH):
        stage.wait(300, 700)
        stage.put(tag, dice.choice(in_reach if manner == "changes mind" else NEIGHBOURS[tile]))
        stage.wait(600, 2500)
        stage.put(tag, None)
    elif manner in ("bumps a neighbour", "a piece unread for seconds", "another hand") and others:
        victim = dice.choice(others)
        home = stage.places[victim]
        assert home
        stage.put(victim, None)
        return [(stage.now + dice.randint(500, 4000), victim, home)]
    elif manner == "swaps alike neighbours":
        one = dice.choice(others) if others else ""
        alike = [
            t for t in others if stage.tags[t] == stage.tags.get(one) and stage.places[t] != stage.places[one]
        ]
        if alike:
            other = dice.choice(alike)
            first, second = stage.places[one], stage.places[other]
            assert first and second
            stage.put(one, None)
            stage.put(other, None)
            return [(stage.now + 900, one, second), (stage.now + 1300, other, first)]
    return []


def scoop(stage: Stage, tile: str, colour: str, in_two: bool = False) -> None:
    """Take up the whole group, the meeple still in hand included."""
    stage.wait(500, 1500)
    group = stage.on(tile, which=colour)
    for number, tag in enumerate(group):
        if in_two and number == len(group) // 2:
            stage.wait(300, 900)
        stage.put(tag, None)


# --- the same with a broken rule ------------------------------------------------------------------------------

FAULTS = (
    "diagonal",
    "skipped",
    "straight back",
    "two on one tile",
    "alone",
    "left behind",
    "second tile",
    "one forgotten",
    "wrong colour",
)


def spoilt(meeples: Sequence[str], sowing: Sowing, fault: str, dice: Random) -> Sowing | None:
    """A sowing with one fault, made from a legal one; None where this one does not lend itself to it.

    After the wrong step the rest goes on as it should, so that one rule is broken if that can be had.
    """
    drops, path = list(sowing.drops), sowing.path
    at = dice.randrange(1 if fault in ("straight back", "two on one tile") else 0, max(2, len(drops)))
    if fault in ("diagonal", "skipped", "straight back", "two on one tile"):
        if at >= len(drops):
            return None
        apart = {"diagonal": (1, 1), "skipped": (0, 2)}.get(fault)
        to = path[at - 1] if fault == "straight back" else path[at]
        wrong = dice.choice([t for t in TILES if _apart(path[at], t) == apart]) if apart else to
        return _go_on(meeples, sowing, at, wrong, dice)
    letter = drops[-1][1]
    onward = [t for t in NEIGHBOURS[path[-2]] if t not in path]
    alone = [t for t in onward if letter not in meeples[TILES.index(t)]]
    if fault == "alone" and alone:
        return Sowing(sowing.start, (*drops[:-1], (dice.choice(alone), letter)))
    if fault == "left behind" and len(drops) > 1:
        return Sowing(sowing.start, tuple(drops[:-1]))
    passed = [t for t in path[1:-1] if meeples[TILES.index(t)]]
    further = [t for t in NEIGHBOURS[path[-1]] if t not in path]
    if fault == "second tile" and passed and further:
        return Sowing(
            sowing.start, (*drops, (dice.choice(further), dice.choice(meeples[TILES.index(passed[0])])))
        )
    return sowing if fault in ("one forgotten", "wrong colour") else None


def _apart(one: str, other: str) -> tuple[int, int]:
    across, down = abs(ord(one[0]) - ord(other[0])), abs(ord(one[1]) - ord(other[1]))
    return min(across, down), max(across, down)


def _go_on(meeples: Sequence[str], sowing: Sowing, at: int, wrong: str, dice: Random) -> Sowing | None:
    """The sowing with drop `at` on a wrong tile; of several ways to go on, one that ends on its own colour."""
    letters = [letter for _, letter in sowing.drops]
    best = None
    for _ in range(40):
        path = [*sowing.path[: at + 1], wrong]
        while len(path) <= len(letters):
            path.append(dice.choice([t for t in NEIGHBOURS[path[-1]] if t != path[-2]]))
        best = Sowing(sowing.start, tuple(zip(path[1:], letters, strict=True)))
        end, last = best.drops[-1]
        if end != sowing.start and last in meeples[TILES.index(end)] and at < len(letters) - 1:
            return best
    return best


def sow_wrongly(stage: Stage, sowing: Sowing, fault: str, scoops: str = "at once") -> None:
    """Make a spoilt move. `sowing` is what `spoilt` gave; the scoop is made at its end."""
    dice = stage.dice
    hand = Counter(sowing.hand)
    if fault == "second tile":
        hand -= Counter(sowing.hand[-1])
    stage.wait(400, 1500)
    carried: list[str] = []
    for tag in stage.on(sowing.start):
        if hand[stage.tags[tag].which] > 0:
            hand[stage.tags[tag].which] -= 1
            carried.append(tag)
            stage.put(tag, None)
    drops = list(sowing.drops)
    extra = drops.pop() if fault == "second tile" else None
    pace = dice.choice(((300, 500), (450, 900), (700, 1500)))
    for tile, letter in drops:
        tag = next(t for t in carried if stage.tags[t].which == letter)
        carried.remove(tag)
        stage.wait(*pace)
        if tile == sowing.start:
            stage.wait(1500)  # away long enough that a reader can know it was away
        stage.put(tag, tile)
    if extra:
        tile, letter = extra
        second = next(t for t in sowing.path[1:-2] if stage.on(t, which=letter))
        tag = stage.on(second, which=letter)[0]
        stage.wait(*pace)
        stage.put(tag, None)
        stage.wait(*pace)
        stage.put(tag, tile)
    end, colour = sowing.drops[-1]
    stage.wait(700)  # every drop stands for two looks of its reader: what nobody saw, nobody can flag
    if fault == "wrong colour":
        other = next((c for c in "YWGBR" if c != colour and stage.on(end, which=c)), colour)
        scoop(stage, end, other)
    elif fault == "one forgotten":
        stage.wait(500, 1500)
        for tag in stage.on(end, which=colour)[:-1]:
            stage.put(tag, None)
    elif scoops != "not at all":
        scoop(stage, end, colour)
