"""What people may ask of a session, as frozen values. Each enters the one inbox and gets one `Answer`.

A tap carries the `step` of the snapshot it was made on, so that a stale or double tap is refused. Who asks is `by`:
a player's name, or OWNER for the host's own machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from naqala.session.phone_commands import BackToReaders, GoOnWithPhones, Stroke, TakeBack
from naqala.session.robot_plan import Plan
from naqala.transcript import Piece

OWNER = "owner"


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a command. `why` is a sentence's key with its facts, for the person who asked."""

    accepted: bool
    why: str = ""
    facts: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Tap:
    """An action of the rules, as the phone posts it: its JSON (`rules/README.md`)."""

    by: str
    step: int
    action: dict[str, Any]


@dataclass(frozen=True, slots=True)
class NewGame:
    """A game from the wizard. `cards` is `dealt` (the companion shuffles and draws) or `physical` (people tell).

    `tiles` is the layout where it is told ({"A1": {"type": "village", "points": 5}}); any other tile says by its own tag what
    it is.
    """

    by: str
    players: tuple[str, ...]
    colours: tuple[str, ...]
    edition: str = "fakir"
    switches: tuple[tuple[str, str], ...] = ()
    cards: str = "dealt"
    help: bool = False
    language: str = "en"
    demo: bool = False  # robots play for show: no game of people, so it is not in the history
    tiles: dict[str, dict[str, Any]] | None = field(default=None, hash=False)
    coach: str = ""  # the level of the coach; empty: none
    hints: int = 1  # of the coach, for each turn


@dataclass(frozen=True, slots=True)
class Begin:
    """The set-up is accepted: from here on the hands are followed. `ready`: whoever asks has seen a check without a problem,
    and does not mean to begin with one that has come up since."""

    by: str
    step: int
    ready: bool = False


@dataclass(frozen=True, slots=True)
class Resume:
    """Go on with the unfinished game that the journal holds."""

    by: str


@dataclass(frozen=True, slots=True)
class Abort:
    """Give up the game; its record stays in the journal."""

    by: str
    step: int


@dataclass(frozen=True, slots=True)
class UndoTo:
    """Let `to` actions stand. Free within one's own turn; otherwise the others are asked for consent."""

    by: str
    step: int
    to: int


@dataclass(frozen=True, slots=True)
class Consent:
    """A player's answer to an undo that reaches into another's turn: to the one that would let `to` actions stand, as another
    may have been asked for meanwhile."""

    by: str
    step: int
    to: int
    agreed: bool


@dataclass(frozen=True, slots=True)
class Choose:
    """Which of the options of an `unclear` reading was the move."""

    by: str
    step: int
    option: int


@dataclass(frozen=True, slots=True)
class TableIsRight:
    """The game takes over what lies there, as a recorded correction; `tile` limits it to one tile."""

    by: str
    step: int
    tile: str | None = None


@dataclass(frozen=True, slots=True)
class PlayOn:
    """Play on as it lies: the breach is recorded, the difference stands, the game goes on."""

    by: str
    step: int


@dataclass(frozen=True, slots=True)
class EnterTile:
    """Which meeples stand on a tile whose reader is dead, told by taps. What else stands there is in the record: a palm or
    palace is told as the action it is, a camel follows by itself."""

    by: str
    step: int
    tile: str
    meeples: str


@dataclass(frozen=True, slots=True)
class SetHelp:
    """Help on or off, the same for all players."""

    by: str
    on: bool


@dataclass(frozen=True, slots=True)
class Enrol:
    """Register what lies on one reader as pieces of one kind; `kind` as in a transcript: `meeple Y`, `camel Ann`."""

    by: str
    reader: int
    kind: str


@dataclass(frozen=True, slots=True)
class ShowPlan:
    """A robot says what people shall move for it; None: nothing any more, a person plays on."""

    by: str
    step: int
    plan: Plan | None


@dataclass(frozen=True, slots=True)
class DoneAsTold:
    """The pieces were moved as the robot's plan says: its action goes to the record. Anybody at the table may say so."""

    by: str
    step: int


@dataclass(frozen=True, slots=True)
class Strayed:
    """The hands made another move for the robot than the one it told: it stands, or it is taken back."""

    by: str
    step: int
    stands: bool


@dataclass(frozen=True, slots=True)
class AskCoach:
    """A hint, or the rest of the last one."""

    by: str
    step: int


@dataclass(frozen=True, slots=True)
class TuneCoil:
    """Measure the gain of this reader's coil until told otherwise; None: stop measuring."""

    by: str
    reader: int | None


@dataclass(frozen=True, slots=True)
class Look:
    """Look at the table now: with the answer, all that arrived before has been taken in. For a clock that is not ours."""

    by: str


Command = (
    Tap
    | NewGame
    | Begin
    | Resume
    | Abort
    | UndoTo
    | Consent
    | Choose
    | TableIsRight
    | PlayOn
    | EnterTile
    | SetHelp
    | Enrol
    | ShowPlan
    | DoneAsTold
    | Strayed
    | AskCoach
    | TuneCoil
    | Look
    | Stroke
    | TakeBack
    | GoOnWithPhones
    | BackToReaders
)


# --- in the inbox, beside the link's events -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Asked:
    """A command in the inbox, and where its answer goes."""

    command: Command
    answer: Future[Answer]


@dataclass(frozen=True, slots=True)
class Learned:
    """Another table with pieces of the same box has enrolled some."""

    tags: Mapping[str, Piece]


@dataclass(frozen=True, slots=True)
class Stop:
    """The last thing in the inbox."""
