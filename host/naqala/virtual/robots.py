"""Robots at the virtual table: they decide from the snapshot, tap on their phones and move pieces as people do.

`Robots.play` sits down at some or all seats and stays until the game is over or the table is closed; people play the
others. On request a robot slips now and then in one of the ways of `hands.slips`, waits for the flag and follows its steps.

What a robot did, as it meant it, is kept in `done`: a record of the session must say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from naqala.hands.people import Person
from naqala.hands.slips import Mark, Slip, Spoilt
from naqala.hands.styles import STYLES, sowing
from naqala.hands.table import BAG, SUPPLY, Motion, beside
from naqala.robots import ROBOTS
from naqala.rules import notation
from naqala.rules.actions import Action, Kill, Place, Power, Sow
from naqala.session import commands as c
from naqala.session.chronicle import HANDS
from naqala.session.session import Session
from naqala.session.snapshot import OVER, PLAY, Snapshot, UndoAsked
from naqala.table.readings import Did, Doing, Step, Unclear, Wrong
from naqala.transcript import Piece
from naqala.virtual.body import LOOK_MS, Body
from naqala.virtual.carried import Carried, followed
from naqala.virtual.faults import Storm
from naqala.virtual.link import VirtualLink
from naqala.virtual.paces import PACES
from naqala.virtual.slip_timer import ROBOT_SLIPS, SlipTimer
from naqala.virtual.standing import camel_due, put_right, unlike

SEEN_WITHIN_MS = 30_000  # after that a robot taps what it did, as people would
SETTLED_WITHIN_MS = 6_000
FLAG_WITHIN_MS = 20_000  # a camel that is owed is given ten seconds
HEALS_WITHIN_MS = 8_000
MOST_FLAGS = 4  # flags that may follow from one mistake


@dataclass(frozen=True, slots=True)
class Character:
    """How robots play: the seats with the robot of each, quickness, styles of hands, mistakes."""

    seats: Mapping[str, str]
    pace: str = "human"
    styles: tuple[str, ...] = tuple(STYLES)
    mistakes_per_minute: float = 0.0
    mistakes: tuple[str, ...] = ROBOT_SLIPS


@dataclass(slots=True)
class Tally:
    """What happened besides the game."""

    mistakes: int = 0  # illegal moves made on purpose
    kinds: list[str] = field(default_factory=list)  # which of SLIPS each was
    flags: list[str] = field(default_factory=list)  # the rule that was named for each; empty: none was
    tapped_moves: int = 0  # moves the table did not show, told by a tap


class Robots(Body):
    """The robots of one table."""

    def __init__(
        self,
        link: VirtualLink,
        session: Session,
        character: Character,
        seed: int = 1,
        storms: Sequence[Storm] = (),
    ) -> None:
        super().__init__(link, session, storms)
        self.dice = Random(seed)
        self._seed = seed
        self.done: list[Action] = []
        self.tally = Tally()
        self.watch: Callable[[Snapshot], object] = bool  # hears of every look before an action
        self.take_on(character)

    def take_on(self, character: Character) -> None:
        """Play like this from the next action on."""
        self.character = character
        often = character.mistakes_per_minute
        self._slips = SlipTimer(character.mistakes, often, self._seed, self.link.clock())

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
        if shown.undo_asked is not None:
            self._agree(shown.undo_asked)
        if shown.stage == PLAY:
            self.watch(shown)
            if self._acting(shown) in self.character.seats and not self._disturbed(shown):
                self._act(shown)
                return self.link.rest(0)  # an act at a table that was closed does nothing, and takes no time
        return self._rest(LOOK_MS)

    def _agree(self, asked: UndoAsked) -> None:
        """A robot minds nothing that people want to take back."""
        for name in asked.waiting_for:
            if name in self.character.seats:
                self._tell(c.Consent(name, self._look().step, asked.to, True))

    def _disturbed(self, shown: Snapshot) -> bool:
        """Whether people have something to put right first."""
        return bool(unlike(shown.playing, self.table, _colours(shown)))

    # --- one action -------------------------------------------------------------------------------------------

    def _acting(self, shown: Snapshot) -> str | None:
        """Who acts; physical cards are turned up by whoever of the robots sits first."""
        if shown.playing.turn.phase == "reveal":
            robots = [seat.name for seat in shown.seats if seat.name in self.character.seats]
            return robots[0] if robots and shown.cards == "physical" else None
        player: str | None = shown.playing.turn.player
        return player

    def _act(self, shown: Snapshot) -> None:
        name = str(self._acting(shown))
        self._rest(self._person(shown, name).between(PACES[self.character.pace].think))
        if self._look().undo_asked is not None:
            return
        if shown.drawn is not None:
            keep = self.dice.choice(shown.drawn.drawn)
            self._tap(shown, name, replace(shown.drawn.power, drawn=shown.drawn.drawn, keep=keep))
            return
        action = ROBOTS[self.character.seats[name]](shown.playing, self.dice)
        if isinstance(action, Sow):
            self._sow(shown, name, action)
        elif isinstance(action, Place) or (isinstance(action, Kill) and _can_be_seen(action)):
            self._move_and_wait(shown, name, action)
        else:
            self._tap(shown, name, action)
        self._put_right(name)

    def _tap(self, shown: Snapshot, name: str, action: Action) -> None:
        answer = self._tell(c.Tap(name, shown.step, notation.to_json(action)))
        if answer.why == "stopped":
            return  # the next look says why, or the next rest that the table was closed
        if answer.why == "stale":
            self._take_back_what_nobody_did(name, _standing(shown))
            return  # somebody was quicker, or a reader: look again
        if not answer.accepted:
            raise RuntimeError(f"{notation.to_text(action)!r} was refused: {answer.why} {answer.facts}")
        if self._look().drawn is None:
            self.done.append(self._recorded() if isinstance(action, Power) else action)

    def _take_back_what_nobody_did(self, name: str, count: int) -> None:
        """A meeple that a reader misses can pass for a victim. Whose turn it is knows better, and takes back what was seen
        beyond the first `count` actions."""
        now = self._look()
        beyond = [line for line in now.log if line.kind == "action" and not line.undone][count:]
        if beyond and all(line.by == HANDS for line in beyond):
            self._tell(c.UndoTo(name, now.step, count))

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
        due = camel_due(shown.playing, self.table, colours, name) if shown.stage == PLAY else None
        slip = self._slips.next(shown.playing, Mark(name, due), self.link.clock()) if due else None
        if due and slip:
            self._place_wrongly(shown, person, Mark(name, due), *slip)
        tiles = unlike(shown.playing, self.table, colours)
        self._make(put_right(shown.playing, self.table, colours, person, tiles))

    # --- with hands -------------------------------------------------------------------------------------------

    def _sow(self, shown: Snapshot, name: str, sow: Sow) -> None:
        person = self._person(shown, name)
        slip = self._slips.next(shown.playing, sow, self.link.clock())
        if slip:
            sow = self._sow_wrongly(shown, person, sow, *slip)
        else:
            style = self.dice.choice(self.character.styles)
            self._make(sowing(self.table, person, sow.start, sow.drops, style))
        self._wait_for(shown, name, sow)

    def _move_and_wait(self, shown: Snapshot, name: str, action: Place | Kill) -> None:
        slip = (
            self._slips.next(shown.playing, action, self.link.clock()) if isinstance(action, Place) else None
        )
        if isinstance(action, Place) and slip:
            self._place_wrongly(shown, self._person(shown, name), action, *slip)
        elif isinstance(action, Place):
            self._make([Motion(0, (self.table.at(SUPPLY, action.what)[0],), action.tile)])
        else:
            tags: list[str] = []
            for victim in action.victims:
                at = self.table.at(str(victim.tile), "meeple", victim.meeple)
                tags.append(next(tag for tag in at if tag not in tags))
            self._make([Motion(0, tuple(tags), BAG)])
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
                if _stands(self._look(), shown, action):  # and is not withdrawn as a reader failed meanwhile
                    self._take_back_what_nobody_did(name, _standing(shown) + 1)
                    return
            if isinstance(now.reading, Unclear):
                self._answer(now, name, action)
            if not self._rest(LOOK_MS):
                return
        self.tally.tapped_moves += 1
        self._correct(shown, name, action)

    def _correct(self, shown: Snapshot, name: str, action: Action) -> None:
        """Take back what the companion made of it, if it did, and tell what was done."""
        now = self._look()
        if _standing(now) > _standing(shown):
            self._tell(c.UndoTo(name, now.step, _standing(shown)))
        self._tell(c.Tap(name, self._look().step, notation.to_json(action)))

    def _answer(self, now: Snapshot, name: str, action: Action) -> None:
        reading = now.reading
        assert isinstance(reading, Unclear)
        sows = [Sow(name, option.sowing.start, option.sowing.drops) for option in reading.options]
        options: list[Action] = [*sows, *reading.actions]
        for number, option in enumerate(options):
            if same(option, action):
                self._tell(c.Choose(name, now.step, number))
                return

    def _person(self, shown: Snapshot, name: str) -> Person:
        return Person(self.dice, PACES[self.character.pace], _colours(shown)[name])

    # --- mistakes ---------------------------------------------------------------------------------------------

    def _sow_wrongly(self, shown: Snapshot, person: Person, sow: Sow, slip: Slip, spoilt: Spoilt) -> Sow:
        """Spoil a sowing, wait for the flag, follow it, and finish the move. What was sown in the end; what was meant when the
        table was closed meanwhile."""
        hand = Carried(self.table, person, sow, spoilt)
        self._make(hand.spoil())
        self._follow_flags(slip, lambda step: hand.follow(step, _colours(shown)))
        if spoilt.drops != sow.drops:
            goes_on = self._make(hand.put_back())
            while goes_on and not hand.empty:
                goes_on = self._make([hand.next(shown.playing.meeples)])
            if not goes_on:
                return sow
            sow = replace(sow, drops=hand.path)
        self._make(hand.scoop(sow.drops[-1]))
        return sow

    def _place_wrongly(
        self, shown: Snapshot, person: Person, meant: Place | Mark, slip: Slip, spoilt: Spoilt
    ) -> None:
        """Put a camel, a palm or a palace where it does not belong (or nowhere), and follow the flag."""
        colours = _colours(shown)
        for tile, which in spoilt.drops:
            piece = Piece(which) if isinstance(meant, Place) else Piece("camel", colours[which])
            tag = beside(self.table, piece)[0]
            self._make([Motion(person.between(person.pace.grab), (tag,), tile)])
        self._follow_flags(slip, lambda step: followed(self.table, person, step, colours, [meant.tile]))

    def _follow_flags(self, slip: Slip, follow: Callable[[Step], list[Motion]]) -> None:
        """Wait for the flag and do what it says, step by step, until it is gone."""
        self.tally.mistakes += 1
        if self._until(lambda now: isinstance(now.reading, Wrong), FLAG_WITHIN_MS):
            self._rest(PACES[self.character.pace].read)
        named = ""
        for _ in range(MOST_FLAGS):
            flag = self._look().reading
            if not isinstance(flag, Wrong):
                break
            named = named or (flag.breaches[0].rule if flag.breaches else "")
            for step in flag.remedy.steps:
                self._make(follow(step))
            self._until(lambda now, flag=flag: now.reading != flag, HEALS_WITHIN_MS)  # type: ignore[misc]
        self.tally.flags.append(named)
        self.tally.kinds.append(slip.name)


def same(one: Action | None, other: Action | None) -> bool:
    """Whether two actions are one: meeples of a sowing may have been dropped in another order on the way."""
    if isinstance(one, Sow) and isinstance(other, Sow):
        ends = one.drops[-1:] == other.drops[-1:] and one.start == other.start
        return ends and sorted(one.drops) == sorted(other.drops)
    return one == other


def _standing(shown: Snapshot) -> int:
    return len([line for line in shown.log if line.kind == "action" and not line.undone])


def _stands(now: Snapshot, before: Snapshot, action: Action) -> bool:
    """Whether the log says that the action was done since."""
    return any(
        line.number >= before.step and not line.undone and same(line.action, action) for line in now.log
    )


def _can_be_seen(kill: Kill) -> bool:
    return bool(kill.victims) and not kill.fakirs and not kill.card and all(v.tile for v in kill.victims)


def _colours(shown: Snapshot) -> dict[str, str]:
    return {seat.name: seat.colour for seat in shown.seats}
