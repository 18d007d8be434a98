"""Robots at the virtual table: they decide from the snapshot, tap on their phones and move pieces with human gestures.

`Robots.play` sits down at some or all seats and stays until the game is over or the table is closed; people play the
others. On request a robot makes an illegal move now and then, waits for the flag and follows its steps. With a link whose
pace is `fast` the robots are also the clock: the table's time passes only while they wait.

What a robot did, as it meant it, is kept in `done`: a record of the session must say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from naqala.robots import ROBOTS
from naqala.rules import notation
from naqala.rules.actions import Action, Kill, Place, Power, Sow
from naqala.rules.board import NEIGHBOURS, TILES
from naqala.rules.model import Game
from naqala.rules.paths import open_drops
from naqala.session import commands as c
from naqala.session.session import Session
from naqala.session.snapshot import OVER, PLAY, Snapshot
from naqala.table.readings import Did, Doing, Unclear, Wrong
from naqala.virtual.evening import PATIENCE_S
from naqala.virtual.faults import Storm
from naqala.virtual.hands import MANNERS, PACES, Drop, Gesture, Person, scoop, sowing
from naqala.virtual.link import VirtualLink
from naqala.virtual.standing import put_right, unlike
from naqala.virtual.table import BAG, HAND, SUPPLY

LOOK_MS = 60  # between two looks at the phone
SEEN_WITHIN_MS = 30_000  # after that a robot taps what it did, as people would
SETTLED_WITHIN_MS = 6_000
FLAG_WITHIN_MS = 8_000
MISTAKE_AT_LEAST = 3  # drops of a move that a robot spoils


@dataclass(frozen=True, slots=True)
class Character:
    """How robots play: the seats with the robot of each, quickness, manners, mistakes."""

    seats: Mapping[str, str]
    pace: str = "human"
    manners: tuple[str, ...] = tuple(MANNERS)
    mistakes_per_minute: float = 0.0


@dataclass(slots=True)
class Tally:
    """What happened besides the game."""

    mistakes: int = 0  # illegal moves made on purpose
    flags: list[str] = field(default_factory=list)  # the rule that was named for each
    questions: int = 0
    tapped_moves: int = 0  # moves the table did not show, told by a tap


class Robots:
    """The robots of one table."""

    def __init__(
        self,
        link: VirtualLink,
        session: Session,
        character: Character,
        seed: int = 1,
        storms: Sequence[Storm] = (),
    ) -> None:
        self.link, self.table, self.session = link, link.table, session
        self.character, self.storms = character, tuple(storms)
        self.dice = Random(seed)
        self.done: list[Action] = []
        self.tally = Tally()
        self.watch: Callable[[Snapshot], object] = bool  # hears of every look before an action
        self._mistake_due = self._next_mistake()

    def take_on(self, character: Character) -> None:
        """Play like this from the next action on."""
        self.character = character
        self._mistake_due = self._next_mistake()

    def play(self) -> bool:
        """Play until the game is over; True when it is, False when the table was closed before."""
        while (shown := self._look()).stage != OVER:
            if not self._turn(shown):
                return False
        return True

    def stay(self) -> None:
        """Play game after game, until the table is closed."""
        while self._turn(self._look()):
            pass

    def _turn(self, shown: Snapshot) -> bool:
        """Act if a robot is to act and the board is as the game has it, else wait a moment. False: the table was closed."""
        if shown.stage == PLAY:
            self.watch(shown)
            if self._acting(shown) in self.character.seats and not self._disturbed(shown):
                self._act(shown)
                return True
        return self._rest(LOOK_MS)

    def _disturbed(self, shown: Snapshot) -> bool:
        """Whether people have something to put right first."""
        return bool(unlike(shown.game, self.table, _colours(shown)))

    # --- one action -------------------------------------------------------------------------------------------

    def _acting(self, shown: Snapshot) -> str | None:
        """Who acts; cards are turned up by whoever sits first."""
        if shown.game.turn.phase == "reveal":
            return next(iter(self.character.seats), None) if shown.cards == "physical" else None
        player: str | None = shown.game.turn.player
        return player

    def _act(self, shown: Snapshot) -> None:
        name = str(self._acting(shown))
        self._rest(self._person(shown, name).between(PACES[self.character.pace].think))
        if shown.drawn is not None:
            keep = self.dice.choice(shown.drawn.drawn)
            self._tap(shown, name, replace(shown.drawn.power, drawn=shown.drawn.drawn, keep=keep))
            return
        action = ROBOTS[self.character.seats[name]](shown.game, self.dice)
        if isinstance(action, Sow):
            self._sow(shown, name, action)
        elif isinstance(action, Place) or (isinstance(action, Kill) and _can_be_seen(action)):
            self._move_and_wait(shown, name, action)
        else:
            self._tap(shown, name, action)
        self._put_right(name)

    def _tap(self, shown: Snapshot, name: str, action: Action) -> None:
        answer = self._tell(c.Tap(name, shown.step, notation.to_json(action)))
        if answer.why == "stale":
            return  # somebody was quicker: look again
        if not answer.accepted:
            raise RuntimeError(f"{notation.to_text(action)!r} was refused: {answer.why} {answer.facts}")
        if self._look().drawn is None:
            self.done.append(self._recorded() if isinstance(action, Power) else action)

    def _recorded(self) -> Action:
        """The last action of the log: the companion may have drawn a card for it."""
        action: Action = next(line.action for line in reversed(self.session.snapshot.log) if line.action)
        return action

    def _put_right(self, name: str) -> None:
        """What follows from the action on the board: a camel, a palm, a victim, three meeples from the bag."""
        shown = self._look()
        if shown.stage not in (PLAY, OVER):
            return
        person, colours = self._person(shown, name), _colours(shown)
        tiles = unlike(shown.game, self.table, colours)
        self._make(put_right(shown.game, self.table, colours, person, tiles))

    # --- with hands -------------------------------------------------------------------------------------------

    def _sow(self, shown: Snapshot, name: str, sow: Sow) -> None:
        person = self._person(shown, name)
        if self.link.clock() >= self._mistake_due and len(sow.drops) >= MISTAKE_AT_LEAST:
            sow = self._sow_wrongly(shown, person, sow)
            self._mistake_due = self._next_mistake()
        else:
            manner = self.dice.choice(self.character.manners)
            self._make(sowing(self.table, person, sow.start, sow.drops, manner))
        self._wait_for(shown, name, sow)

    def _move_and_wait(self, shown: Snapshot, name: str, action: Place | Kill) -> None:
        if isinstance(action, Place):
            gesture = Gesture(0, (self.table.at(SUPPLY, action.what)[0],), action.tile)
        else:
            tags: list[str] = []
            for victim in action.victims:
                at = self.table.at(str(victim.tile), "meeple", victim.meeple)
                tags.append(next(tag for tag in at if tag not in tags))
            gesture = Gesture(0, tuple(tags), BAG)
        self._make([gesture])
        self._wait_for(shown, name, action)

    def _wait_for(self, shown: Snapshot, name: str, action: Action) -> None:
        """Until the companion has seen it; a question is answered, a move it cannot see is told."""
        self.done.append(action)
        end = self.link.clock() + SEEN_WITHIN_MS
        while self.link.clock() < end:
            now = self._look()
            if now.step != shown.step and _stands(now, shown, action):
                # The scoop shows a second later than it was made; a person looks up before going on.
                self._until(lambda now: not isinstance(now.reading, Did | Doing), SETTLED_WITHIN_MS)
                if _stands(
                    self._look(), shown, action
                ):  # and is not withdrawn because a reader failed meanwhile
                    return
            if isinstance(now.reading, Unclear):
                self._answer(now, name, action)
            if not self._rest(LOOK_MS):
                return
        self.tally.tapped_moves += 1
        self._correct(shown, name, action)

    def _correct(self, shown: Snapshot, name: str, action: Action) -> None:
        """Take back what the companion made of it, if it did, and tell what was done."""
        stood = len([line for line in shown.log if line.kind == "action" and not line.undone])
        now = self._look()
        if len([line for line in now.log if line.kind == "action" and not line.undone]) > stood:
            self._tell(c.UndoTo(name, now.step, stood))
        self._tell(c.Tap(name, self._look().step, notation.to_json(action)))

    def _answer(self, now: Snapshot, name: str, action: Action) -> None:
        reading = now.reading
        sows = [Sow(name, option.sowing.start, option.sowing.drops) for option in reading.options]
        options: list[Action] = [*sows, *reading.actions]
        for number, option in enumerate(options):
            if same(option, action):
                self.tally.questions += 1
                self._tell(c.Choose(name, now.step, number))
                return

    # --- mistakes ---------------------------------------------------------------------------------------------

    def _sow_wrongly(self, shown: Snapshot, person: Person, sow: Sow) -> Sow:
        """Drop one meeple where it may not go, wait for the flag, follow it, and finish the move. What was sown."""
        at = self.dice.randrange(1, len(sow.drops) - 1)
        here = sow.drops[at - 1][0]
        out_of_reach = [tile for tile in TILES if tile not in (*NEIGHBOURS[here], here)]
        wrong = min(out_of_reach, key=lambda tile: (_steps(here, tile), self.dice.random()))
        hand = self.table.at(sow.start, "meeple")
        self._make([Gesture(person.between(person.pace.grab), tuple(hand), HAND)])
        for tile, letter in (*sow.drops[:at], (wrong, sow.drops[at][1])):
            self._drop(person, hand, tile, letter)
        self.tally.mistakes += 1
        self._until(lambda now: isinstance(now.reading, Wrong), FLAG_WITHIN_MS)
        flag = self.session.snapshot.reading
        if isinstance(flag, Wrong) and flag.breaches:
            self.tally.flags.append(flag.breaches[0].rule)
            self._follow(person, flag, hand, sow.drops[at][0])
        else:
            self._make(
                [
                    Gesture(
                        person.between(person.pace.grab), self._dropped(wrong, sow.drops[at][1], hand), HAND
                    )
                ]
            )
        self._until(lambda now: not isinstance(now.reading, Wrong), FLAG_WITHIN_MS)
        drops = self._finished(shown.game, person, sow, hand)
        last = drops[-1]
        self._make(scoop(self.table, person, last, ()))
        return replace(sow, drops=drops)

    def _follow(self, person: Person, flag: Wrong, hand: list[str], meant: str) -> None:
        """The flag's own steps; where it offers several tiles, the one that was meant all along."""
        for step in flag.remedy.steps:
            letter = step.piece.rpartition(" ")[2]
            tags = self._dropped(str(step.take_from), letter, hand)
            to = HAND if not step.onto else meant if meant in step.onto else step.onto[0]
            self._make([Gesture(person.between(person.pace.drop), tags, to)])

    def _dropped(self, tile: str, letter: str, hand: list[str]) -> tuple[str, ...]:
        """A meeple of this move that stands there."""
        there = self.table.at(tile, "meeple", letter)
        return tuple(sorted(there, key=lambda tag: tag not in hand)[:1])

    def _finished(self, game: Game, person: Person, sow: Sow, hand: list[str]) -> tuple[Drop, ...]:
        """Go on from where the move is now, as it was meant as long as that stays legal."""
        drops: list[Drop] = []
        dropped = [tag for tag in hand if self.table.where(tag) != HAND]
        for tile, letter in sow.drops[: len(dropped)]:
            tag = next(
                (t for t in dropped if self.table.piece(t).which == letter and self.table.where(t) == tile),
                None,
            )
            tag = tag or next(t for t in dropped if self.table.piece(t).which == letter)
            dropped.remove(tag)
            drops.append((self.table.where(tag), letter))
        while len(drops) < len(sow.drops):
            legal = sorted(open_drops(game.meeples, sow.start, tuple(drops)))
            meant = sow.drops[len(drops)]
            drop = meant if meant in legal else legal[0]
            self._drop(person, hand, *drop)
            drops.append(drop)
        return tuple(drops)

    def _drop(self, person: Person, hand: list[str], tile: str, letter: str) -> None:
        tag = next(
            tag for tag in hand if self.table.where(tag) == HAND and self.table.piece(tag).which == letter
        )
        self._make([Gesture(person.between(person.pace.drop), (tag,), tile)])

    def _next_mistake(self) -> int:
        often = self.character.mistakes_per_minute
        return self.link.clock() + round(60_000 / often) if often else 1 << 60

    # --- time -------------------------------------------------------------------------------------------------

    def _person(self, shown: Snapshot, name: str) -> Person:
        return Person(self.dice, PACES[self.character.pace], _colours(shown)[name])

    def _make(self, gestures: Iterable[Gesture]) -> None:
        for gesture in gestures:
            self._rest(gesture.wait_ms)
            self.table.move(gesture.tags, gesture.spot, gesture.lying)

    def _rest(self, ms: int) -> bool:
        for storm in self.storms:
            storm.blow()
        return self.link.rest(ms)

    def _until(self, wanted: Callable[[Snapshot], bool], ms: int) -> bool:
        end = self.link.clock() + ms
        while not wanted(self._look()):
            if self.link.clock() >= end or not self._rest(LOOK_MS):
                return False
        return True

    def _tell(self, command: c.Command) -> c.Answer:
        return self.session.tell(command, PATIENCE_S)

    def _look(self) -> Snapshot:
        """The newest snapshot; when the robots are the clock, with everything taken in."""
        if self.link.pace is None:
            self._tell(c.Look(c.OWNER))
        shown = self.session.snapshot
        if shown.stopped:
            raise RuntimeError(f"the companion stopped following: {shown.stopped}")
        return shown


def same(one: Action | None, other: Action | None) -> bool:
    """Whether two actions are one: meeples of a sowing may have been dropped in another order on the way."""
    if isinstance(one, Sow) and isinstance(other, Sow):
        ends = one.drops[-1:] == other.drops[-1:] and one.start == other.start
        return ends and sorted(one.drops) == sorted(other.drops)
    return one == other


def _stands(now: Snapshot, before: Snapshot, action: Action) -> bool:
    """Whether the log says that the action was done since."""
    return any(
        line.number >= before.step and not line.undone and same(line.action, action) for line in now.log
    )


def _can_be_seen(kill: Kill) -> bool:
    return bool(kill.victims) and not kill.fakirs and not kill.card and all(v.tile for v in kill.victims)


def _colours(shown: Snapshot) -> dict[str, str]:
    return {seat.name: seat.colour for seat in shown.seats}


def _steps(one: str, other: str) -> int:
    return abs(ord(one[0]) - ord(other[0])) + abs(ord(one[1]) - ord(other[1]))
