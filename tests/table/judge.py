"""One evening before the referee, judged against the truth: what was read wrong, flagged wrong, caught, and how soon.

`followed` is the one place that calls the referee. People in an evening do not look at a screen, but for one thing: an action
that the referee has not read is told before the next tap of the turn, a little later than that tap. When a move that nobody
made stands at the end of a turn, or a tap is refused, the evening counts as lost from there on: what follows would only
measure the same mistake again.
"""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from naqala import transcript
from naqala.hands.truth import Deed, Illegal, Turn
from naqala.rules.actions import Action, End, Kill, Place, Sow
from naqala.rules.notation import from_json, to_json
from naqala.table.playback import watched
from naqala.transcript import Moment, Tap, Transcript
from naqala_protocol import Fault

LASTS_MS = 1_500  # a wrong flag that people notice
HEALS_MS = 4_500  # readers believe an absence slowly: so long a flag may stand after the repair
HOLDS_MS = 2_500  # how long people wait with a tap for the screen to show what they did
SURE = (0.5, 0.9, 0.99, 0.999, 1.0)

Reading = dict[str, Any]


def followed(recorded: Transcript) -> Iterator[tuple[int, Reading]]:
    """Every reading of a transcript as `naqala watch --json` prints it. The moments are taken one by one, each after the
    readings of the one before. Whoever changes the referee's entry changes it here."""
    for at, reading in watched(recorded):
        yield at, reading.to_json()


@dataclass
class Result:
    """What happened in one evening; `seed` and `kind` find it again."""

    kind: str
    seed: int
    turns: int = 0
    legal_moves: int = 0
    crash: str = ""
    replaced: list[str] = field(default_factory=list)  # a move that nobody made stands at the end of a turn
    unseen: list[str] = field(default_factory=list)  # an action that had to be told though nobody asked
    answered: list[str] = field(default_factory=list)  # ... and that was asked for, or lay on a dead reader
    refused: list[str] = field(default_factory=list)
    asked: int = 0
    brief_flags: list[str] = field(default_factory=list)
    lasting_flags: list[str] = field(default_factory=list)
    illegal: int = 0
    caught: int = 0
    named: int = 0
    not_caught: list[str] = field(default_factory=list)
    misnamed: list[str] = field(default_factory=list)
    delays: list[int] = field(default_factory=list)
    sure: Counter[tuple[float, bool]] = field(default_factory=Counter)


def same(one: Action, other: Action) -> bool:
    """Whether two actions are one: the meeples of a sowing may have been dropped in another order on the way, and victims have
    no order at all."""
    if isinstance(one, Sow) and isinstance(other, Sow):
        ends = one.start == other.start and one.drops[-1] == other.drops[-1]
        return ends and sorted(one.drops) == sorted(other.drops)
    if isinstance(one, Kill) and isinstance(other, Kill):
        return replace(one, victims=()) == replace(other, victims=()) and Counter(one.victims) == Counter(
            other.victims
        )
    return one == other


class Follow:
    """One evening before the referee."""

    def __init__(self, kind: str, seed: int, text: str, turns: tuple[Turn, ...]) -> None:
        self.text, self.turns = text, turns
        self.result = Result(kind, seed)
        self.readings: list[tuple[int, Reading]] = []
        self.record: list[Action] = []  # what the referee read and still stands in this turn
        self.turn = 0
        self.lost_at: int | None = None
        self.telling: Action | None = None
        self.lawful = True  # the last tap was truly allowed
        self.blind: dict[str, list[int]] = {}  # tile -> moments at which its reader died and worked again

    def run(self) -> Result:
        recorded = transcript.read(self.text)
        self.readers = recorded.readers
        try:
            for at, reading in followed(replace(recorded, moments=self._moments(recorded.moments))):
                self._hear(at, reading)
        except Exception:
            self.result.crash = traceback.format_exc().strip().splitlines()[-1]
        self._judge()
        return self.result

    def _hear(self, at: int, reading: Reading) -> None:
        self.readings.append((at, reading))
        if (reading.get("withdraws") or reading.get("replaces")) and self.record:
            self.record.pop()
        if reading["reading"] == "did":
            action = from_json(reading["action"])
            self._note_sure(at, reading, any(same(action, deed.action) for deed in self._deeds()))
            self.record.append(action)
        elif reading["reading"] == "unclear":
            self.result.asked += 1
        told_twice = self.telling and any(same(self.telling, action) for action in self.record)
        if _refusal(reading) and self.lawful and not told_twice:
            self._lose(at, self.result.refused, f"@{at} {reading['remedy']}")

    def _deeds(self) -> Iterable[Deed]:
        return self.turns[self.turn].deeds if self.turn < len(self.turns) else ()

    def _lose(self, at: int, what: list[str], why: str) -> None:
        if self.lost_at is None:
            what.append(why)
            self.lost_at = at

    def _moments(self, moments: Iterable[Moment]) -> Iterator[Moment]:
        """The moments of the file. A tap waits a little while the companion has not read what was done before it, as people
        do who look at the screen; then they tell it, and tap."""
        held: list[Moment] = []
        for moment in moments:
            if self.lost_at is not None:
                return
            if held and (not self._unread(held[0].at_ms) or moment.at_ms >= held[0].at_ms + HOLDS_MS):
                for tap in held:
                    yield from self._tapped(tap, moment.at_ms)
                held = []
            if not isinstance(moment.what, Tap):
                self._note_blind(moment)
                yield moment
            elif held or self._unread(moment.at_ms):
                held.append(moment)
            else:
                yield from self._tapped(moment, moment.at_ms)

    def _note_blind(self, moment: Moment) -> None:
        if isinstance(moment.what, Fault):
            self.blind.setdefault(self.readers[moment.what.reader], []).append(moment.at_ms)

    def _nobody_could_see(self, since: int, until: int, tiles: Iterable[str]) -> bool:
        """Whether the reader of one of these tiles was dead at some time between."""
        for tile in tiles:
            moments = [*self.blind.get(tile, []), 1 << 40]
            if any(
                died <= until and since <= back
                for died, back in zip(moments[::2], moments[1::2], strict=False)
            ):
                return True
        return False

    def _tapped(self, tap: Moment, at: int) -> Iterator[Moment]:
        yield from self._told_first(tap.at_ms, at)
        self.lawful = tap.what.action["do"] != "end" or self._ends(tap.at_ms)
        if tap.what.action["do"] == "end" and self.lawful:
            self._end_of_turn(at)
        yield Moment(at, tap.what)

    def _unread(self, before: int) -> list[Deed]:
        """What hands did until then and the referee's record does not have."""
        done = [deed for deed in self._deeds() if deed.seen and deed.ended_ms <= before]
        return [deed for deed in done if not any(same(deed.action, action) for action in self.record)]

    def _ends(self, at: int) -> bool:
        """Whether the turn truly ends: not when something is still owed that only then is thought of."""
        return any(isinstance(deed.action, End) and deed.began_ms == at for deed in self._deeds())

    def _told_first(self, before: int, at: int) -> Iterator[Moment]:
        for deed in self._unread(before):
            others = [action for action in self.record if type(action) is type(deed.action)]
            what = f"@{at} {_short(deed.action)} ({deed.how})"
            if others:  # something else stands in its place
                self._lose(at, self.result.replaced, f"{what}: {_short(others[-1])} stands")
                return
            asks = bool(self.readings) and self.readings[-1][1]["reading"] == "unclear"
            blind = self._nobody_could_see(deed.began_ms, at, _tiles(deed.action))
            (self.result.answered if asks or blind else self.result.unseen).append(what)
            self.telling = deed.action
            yield Moment(at, Tap(to_json(deed.action)))
            self.telling = None
            if not any(same(deed.action, action) for action in self.record):
                self.record.append(deed.action)

    def _end_of_turn(self, at: int) -> None:
        turn: Turn = self.turns[self.turn]
        seen = [deed.action for deed in turn.deeds if deed.seen]
        extra = [action for action in self.record if not any(same(action, true) for true in seen)]
        extra = [action for action in extra if not any(same(action, deed.action) for deed in turn.deeds)]
        if extra:
            self._lose(at, self.result.replaced, f"@{at} {_short(extra[0])}, which nobody did")
        self.record = []
        self.turn += 1

    # --- judging ----------------------------------------------------------------------------------------------

    def _judge(self) -> None:
        """Flags against the truth, as far as the evening went."""
        result, end = self.result, self.lost_at
        if end is None:
            end = self.readings[-1][0] if result.crash and self.readings else 1 << 40
        turns = [turn for turn in self.turns if turn.ended_ms <= end]
        result.turns = len(turns)
        last = turns[-1].ended_ms if turns else 0
        result.legal_moves = sum(1 for turn in turns for deed in turn.deeds if isinstance(deed.action, Sow))
        result.legal_moves -= sum(1 for turn in turns if _spoils_the_sowing(turn))
        illegal = [one for turn in turns for one in turn.illegal]
        flags = [flag for flag in self._flags(end) if flag[0] <= last]
        for since, until, reading in _joined(flags):
            outside = _outside(since, until, illegal)
            if outside <= 0:
                continue
            line = f"@{since} {outside} ms: {_rules(reading)} {reading['remedy'][:60]}"
            (result.lasting_flags if outside > LASTS_MS else result.brief_flags).append(line)
        for one in illegal:
            self._judge_illegal(one, flags)

    def _flags(self, end: int) -> list[tuple[int, int, Reading]]:
        """(since, until, reading) of every flag that stood; one that changes its words while it stands is several."""
        found = []
        for number, (at, reading) in enumerate(self.readings):
            if reading["reading"] == "wrong" and at <= end and not _says_nothing(reading):
                later = [when for when, one in self.readings[number + 1 :] if not _says_nothing(one)]
                until = next(
                    (when for when in later if when > at), max(at, min(end, self.turns[-1].ended_ms))
                )
                if until > at:
                    found.append((at, until, reading))
        return found

    def _judge_illegal(self, one: Illegal, flags: list[tuple[int, int, Reading]]) -> None:
        result = self.result
        during = [flag for flag in flags if one.at_ms <= flag[0] <= one.repaired_ms]
        right = [flag for flag in during if _rules(flag[2])[:1] == [one.rule]]
        if not right and self._nobody_could_see(one.at_ms, one.repaired_ms, self.blind):
            return
        result.illegal += 1
        result.caught += bool(during)
        if not during:
            result.not_caught.append(f"@{one.at_ms} {one.slip} until @{one.repaired_ms}")
            return
        if one.drop is not None:
            result.delays.append(during[0][0] - one.at_ms)
        first_right = bool(right) and right[0] is during[0]
        result.named += first_right
        if not first_right:
            result.misnamed.append(f"@{during[0][0]} {one.slip} ({one.rule}): {_rules(during[0][2])}")
        for at, _, reading in during:
            self._note_sure(at, reading, _rules(reading)[:1] == [one.rule])

    def _note_sure(self, at: int, reading: Reading, right: bool) -> None:
        if "sure" in reading:
            self.result.sure[max(limit for limit in (0.0, *SURE) if reading["sure"] >= limit), right] += 1


def _spoils_the_sowing(turn: Turn) -> bool:
    return any(", " in deed.how for deed in turn.deeds if isinstance(deed.action, Sow))


def _joined(flags: Iterable[tuple[int, int, Reading]]) -> list[tuple[int, int, Reading]]:
    """Flags that follow one another without a pause are one to people, with the words of the first."""
    found: list[tuple[int, int, Reading]] = []
    for since, until, reading in flags:
        if found and found[-1][1] == since:
            found[-1] = (found[-1][0], until, found[-1][2])
        else:
            found.append((since, until, reading))
    return found


def _outside(since: int, until: int, illegal: Iterable[Illegal]) -> int:
    """How long a flag stood while nothing was wrong, and nothing had just been put right."""
    outside = until - since
    for one in illegal:
        outside -= max(0, min(until, one.repaired_ms + HEALS_MS) - max(since, one.at_ms))
    return outside


def _refusal(reading: Reading) -> bool:
    """A tap that has no place in the record."""
    return (
        reading["reading"] == "wrong"
        and not reading["breaches"]
        and "Nothing was changed" in reading["remedy"]
    )


def _says_nothing(reading: Reading) -> bool:
    """A refusal that names no rule is an answer on a phone, not a flag."""
    return _refusal(reading) and not reading["breaches"]


def _rules(reading: Reading) -> list[str]:
    return [breach["rule"] for breach in reading["breaches"]]


def _tiles(action: Action) -> Iterable[str]:
    """The tiles that an action of hands touches."""
    if isinstance(action, Sow):
        return (action.start, *(tile for tile, _ in action.drops))
    if isinstance(action, Kill):
        return tuple(victim.tile for victim in action.victims if victim.tile)
    return (action.tile,) if isinstance(action, Place) else ()


def _short(action: Action) -> str:
    if isinstance(action, Sow):
        return ">".join((action.start, *(tile + letter for tile, letter in action.drops)))
    return str(to_json(action))
