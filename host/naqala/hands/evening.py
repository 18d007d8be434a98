"""Whole evenings: people play some turns of a game with their hands, and readers look on. A seed in, a transcript and the
truth about it out.

    >>> made = evening(1000, "moderate")
    >>> made.text                 # what `naqala watch` reads
    >>> made.turns[0].deeds       # what was truly done, with its moments
    >>> made.illegal              # which rules were broken, when, and when that was put right

Nobody looks at a screen here: people do not wait for a reading and do not follow a flag, so that one file measures any
referee. They leave as much time as somebody would who looks up before going on. What cannot be seen is tapped, as on a phone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from random import Random

from naqala.hands import deeds
from naqala.hands.noise import LEVELS, Disturbance
from naqala.hands.people import PACES, Person
from naqala.hands.readers import Line
from naqala.hands.recording import BEGINS_MS, recorded
from naqala.hands.repairs import REPAIRS, WrongMove
from naqala.hands.slips import SLIPS, Mark, Meant, Slip, Spoilt
from naqala.hands.styles import NEAT, SCOOPS, STYLES, sowing
from naqala.hands.table import Change, Motion, Scene, beside, home, laid_out
from naqala.hands.truth import Deed, Illegal, Turn
from naqala.robots import ROBOTS
from naqala.rules import events as e
from naqala.rules.actions import Action, End, Kill, Place, Sow
from naqala.rules.game import play
from naqala.rules.model import Game
from naqala.rules.notation import to_json as action_json
from naqala.rules.opening import dealt
from naqala.simulate import NAMES, any_switches
from naqala.transcript import Piece

SHARES = (0.25, 0.5, 0.25)  # of slow, brisk and quick people
LEGAL = 0.75  # of the moves
EARLIER = (0, 10, 40, 90, 140, 200)  # actions of the game before the evening begins
MOST_TRIES = 60
FLAG_MS = 5_000  # people who see that something is wrong, or are told so, do not act sooner
FORGOTTEN_MS = 10_000  # who forgot something hardly ever notices by himself


@dataclass(frozen=True, slots=True)
class Evening:
    """A transcript as text, and the truth."""

    seed: int
    level: str
    opening: Game
    turns: tuple[Turn, ...]
    pieces: Mapping[str, Piece]
    first: Mapping[str, Change]
    changes: tuple[Change, ...]
    troubles: tuple[Disturbance, ...]
    text: str

    @property
    def illegal(self) -> tuple[Illegal, ...]:
        return tuple(one for turn in self.turns for one in turn.illegal)


def evening(
    seed: int,
    level: str = "human",
    turns: int | None = None,
    *,
    pace: str | None = None,
    legal: float = LEGAL,
    looked: bool | None = None,
) -> Evening:
    """Some turns of a game. Without `turns` 6 to 15; without `looked` every second seed has it."""
    dice = Random(f"{level} {seed}")
    opening = _somewhere_in_a_game(dice)
    people = _People(opening, level, dice, pace, legal)
    first = people.scene.table.snapshot()
    wanted = turns if turns is not None else dice.randint(6, 15)
    while len(people.turns) < wanted and people.game.turn.phase != "over":
        people.act()
    says_looked = seed % 2 == 0 if looked is None else looked
    made = recorded(opening, people.scene, first, level, dice, taps=people.taps, looked=says_looked)
    pieces, changes = people.scene.table.tags(), tuple(people.scene.changes)
    return Evening(
        seed, level, opening, tuple(people.turns), pieces, first, changes, made.troubles, made.text
    )


def _somewhere_in_a_game(dice: Random) -> Game:
    """The beginning of a turn or of a round, early or late in a game."""
    players = dice.randint(2, 4)
    game = dealt(NAMES[:players], dice.randrange, switches=any_switches(dice))
    earlier, done = dice.choice(EARLIER), 0
    while done < earlier or game.turn.phase not in ("bid", "sow"):
        after, _ = play(game, ROBOTS["random"](game, dice))
        if after.turn.phase == "over" or after.ending:
            return game if game.turn.phase in ("bid", "sow") else _somewhere_in_a_game(dice)
        game, done = after, done + 1
    return game


@dataclass
class _People:
    """The people of one evening."""

    game: Game
    level: str
    dice: Random
    always: str | None
    legal: float
    turns: list[Turn] = field(default_factory=list)
    taps: list[Line] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.scene = Scene(laid_out(self.game, self.dice), BEGINS_MS)
        self._deeds: list[Deed] = []
        self._illegal: list[Illegal] = []
        self._moved = False  # since the last tap
        self._forgotten: list[e.Event] = []  # camels that nobody thought of
        self._begin_turn()

    def _begin_turn(self) -> None:
        self.pace = self.always or self.dice.choices(tuple(PACES), SHARES)[0]
        self._began = self.scene.now_ms

    def _person(self, name: str) -> Person:
        return Person(self.dice, PACES[self.pace], name)

    # --- one action -------------------------------------------------------------------------------------------

    def act(self) -> None:
        """One action of whoever is to act, with everything that follows on the board."""
        action = ROBOTS["random"](self.game, self.dice)
        player = getattr(action, "player", None) or self.game.players[0].name
        person = self._person(player)
        if isinstance(action, Sow):
            self._sow(action, person)
        elif isinstance(action, End):
            self._end(action)
        elif isinstance(action, Place | Kill) and deeds.is_seen(self.game, action):
            self._hands(action, person)
        else:
            self._told(action, person)

    def _tap(self, action: Action, person: Person) -> None:
        """Nobody taps before the screen has had time to show what the hands did."""
        if self._moved:
            self.scene.wait(person.between(person.pace.look_up))
            self._moved = False
        self.taps.append(Line(self.scene.now_ms, f"tap {json.dumps(action_json(action))}"))

    def _done(self, action: Action, began: int, seen: bool, how: str = "") -> tuple[e.Event, ...]:
        self._deeds.append(Deed(action, began, self.scene.now_ms, seen, how))
        self.game, happened = play(self.game, action)
        return happened

    def _told(self, action: Action, person: Person) -> None:
        """Tapped first, then done by the hands as far as anything is to be done."""
        self._tap(action, person)
        happened = self._done(action, self.scene.now_ms, seen=False)
        made = deeds.motions(self.scene.table, person, happened)
        self._moved = deeds.on_the_board(made, self.scene.table)
        self.scene.wait(person.between(person.pace.hesitate if self._moved else person.pace.grab))
        self.scene.make(made)

    def _hands(self, action: Place | Kill, person: Person) -> None:
        """A palm, a palace or victims: the table tells it."""
        self.scene.wait(person.between(person.pace.hesitate))
        began = self.scene.now_ms
        slip = self._perhaps_slip(action, person)
        at = began
        if slip == "placement_missing":
            self._tap(End(action.player), person)
            at = self.scene.now_ms
            self.scene.wait(self._reads(person, SLIPS[slip]))
        _, happened = play(self.game, action)
        made = deeds.motions(self.scene.table, person, [x for x in happened if not _is_camel(x)])
        self.scene.make(made)
        if slip == "placement_missing":
            rule = SLIPS[slip].rule
            self._illegal.append(Illegal(slip, rule, None, at, self.scene.now_ms, "put there"))
        self._done(action, began, seen=True)
        self._camels(happened, person)
        self._moved = True

    def _camels(self, happened: Iterable[e.Event], person: Person) -> None:
        """The camels that are due now."""
        for event in happened:
            if isinstance(event, e.Controlled):
                self.scene.wait(person.between(person.pace.drop))
                if self._perhaps_slip(Mark(event.player, event.tile), person) == "camel_missing":
                    self._forgotten.append(event)
                else:
                    self.scene.make(deeds.motions(self.scene.table, person, [event]))

    def _end(self, action: End) -> None:
        self._tap(action, self._person(action.player))
        self._done(action, self.scene.now_ms, seen=False)
        if self._forgotten:
            self._remember(self._person(action.player))
        self.scene.wait(self.dice.randint(600, 2_500))
        self.turns.append(
            Turn(
                action.player,
                self.pace,
                self._began,
                self.scene.now_ms,
                tuple(self._deeds),
                tuple(self._illegal),
                self.game,
            )
        )
        self._deeds, self._illegal = [], []
        self._begin_turn()

    def _remember(self, person: Person) -> None:
        """The turn was ended without the camel: a flag is due until it stands there."""
        at, slip = self.scene.now_ms, SLIPS["camel_missing"]
        self.scene.wait(self._reads(person, slip))
        self.scene.make(deeds.motions(self.scene.table, person, self._forgotten))
        self._forgotten = []
        self._illegal.append(Illegal(slip.name, slip.rule, None, at, self.scene.now_ms, "put there"))

    # --- sowing -----------------------------------------------------------------------------------------------

    def _sow(self, action: Sow, person: Person) -> None:
        self.scene.wait(person.between(person.pace.think))
        began = self.scene.now_ms
        slip = self._slip(action) if self.dice.random() >= self.legal else None
        if slip:
            how = self._sow_wrongly(action, person, *slip)
        else:
            neat = LEVELS[self.level].neat_hands
            how = self.dice.choice(NEAT if neat else tuple(STYLES))
            scooping = "at_once" if neat else self.dice.choice(SCOOPS)
            self.scene.make(sowing(self.scene.table, person, action.start, action.drops, how, scooping))
        happened = self._done(action, began, seen=True, how=how)
        self._camels(happened, person)
        self._moved = True

    def _slip(self, meant: Meant) -> tuple[Slip, Spoilt] | None:
        """Something that can go wrong with this."""
        kinds = [slip for slip in SLIPS.values() if isinstance(meant, slip.of)]
        for slip in self.dice.sample(kinds, len(kinds)):
            spoilt = slip.spoil(self.game, meant, self.dice)
            if spoilt is not None:
                return slip, spoilt
        return None

    def _sow_wrongly(self, action: Sow, person: Person, slip: Slip, spoilt: Spoilt) -> str:
        move = WrongMove(self.scene.table, person, action, spoilt)
        motions, wrong = move.go_wrong()
        at = self.scene.make(motions)[wrong]
        self.scene.wait(self._reads(person, slip))
        repair = self.dice.choice(REPAIRS)
        again, ended, rest = move.put_right(repair)
        repaired = self.scene.make(again)[ended]
        self.scene.make(rest)
        drop = spoilt.wrong_at + 1 if spoilt.wrong_at is not None else None
        self._illegal.append(Illegal(slip.name, slip.rule, drop, at, repaired, repair))
        return f"{slip.name}, {repair}"

    def _reads(self, person: Person, slip: Slip) -> int:
        """From a slip to the repair: until the flag is there, and then until it is read."""
        until_noticed = FORGOTTEN_MS if slip.forgotten else FLAG_MS
        return until_noticed + self.dice.randint(person.pace.read // 2, person.pace.read)

    # --- the rest of a turn -------------------------------------------------------------------------------------

    def _perhaps_slip(self, meant: Place | Kill | Mark, person: Person) -> str:
        """A piece goes wrong and is put right, or is forgotten; which slip it was."""
        slip = self._slip(meant) if self.dice.random() >= self.legal else None
        if not slip:
            return ""
        kind, spoilt = slip
        table, scene, grab = self.scene.table, self.scene, person.pace.grab
        if not spoilt.drops and not spoilt.scoop:  # it is simply not done
            return kind.name
        moved: list[tuple[str, str]] = []
        for tile, which in spoilt.drops:
            piece = Piece("camel", which) if isinstance(meant, Mark) else Piece(which)
            moved.append((beside(table, piece)[0], tile))
        struck = [(table.at(tile, "meeple", letter)[0], tile) for tile, letter in spoilt.scoop]
        away = [(tag, home(table.piece(tag))) for tag, _ in struck]
        there = [Motion(person.between(grab), (tag,), spot) for tag, spot in (*moved, *away)]
        at = scene.make(there)[-1]
        scene.wait(self._reads(person, kind))
        homes = [(tag, home(table.piece(tag))) for tag, _ in moved]
        repaired = scene.make(
            [Motion(person.between(grab), (tag,), spot) for tag, spot in (*homes, *struck)]
        )[-1]
        scene.wait(person.between(person.pace.hesitate))
        self._illegal.append(Illegal(kind.name, kind.rule, None, at, repaired, "put back"))
        return kind.name


def _is_camel(event: e.Event) -> bool:
    return isinstance(event, e.Controlled)
