"""Measure a referee on generated evenings whose truth is known, and print the figures by which it is judged.

    python -m tests.table.measure_referee --seeds 1000-1100              everything
    python -m tests.table.measure_referee --seeds 1000-1100 --only many  one level of evenings (or: single, quick)
    python -m tests.table.measure_referee --write 1042 many FILE         one evening as a transcript, with its truth
    python -m tests.table.measure_referee --files FILE...                transcripts with lines of truth (naqala.hands.truth)

The evenings come from `naqala.hands`, which knows nothing of the referee. `followed` is the one place that calls it. People
in an evening do not look at a screen, but for one thing: an action that the referee has not read is told before the next
tap of the turn, a little later than that tap. When a move that nobody made stands at the end of a turn, or a tap is refused, the
evening counts as lost from there on: what follows would only measure the same mistake again.
"""

from __future__ import annotations

import argparse
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from naqala import transcript
from naqala.hands import truth
from naqala.hands.evening import Evening, evening
from naqala.hands.truth import Deed, Illegal, Turn
from naqala.rules.actions import Action, End, Kill, Sow
from naqala.rules.notation import from_json, to_json
from naqala.table.playback import watched
from naqala.transcript import Moment, Tap, Transcript

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


# --- one evening --------------------------------------------------------------------------------------------


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
    answered: list[str] = field(default_factory=list)  # ... and that was asked for
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

    def run(self) -> Result:
        recorded = transcript.read(self.text)
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
                yield moment
            elif held or self._unread(moment.at_ms):
                held.append(moment)
            else:
                yield from self._tapped(moment, moment.at_ms)

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
            (self.result.answered if asks else self.result.unseen).append(what)
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


def _short(action: Action) -> str:
    if isinstance(action, Sow):
        return ">".join((action.start, *(tile + letter for tile, letter in action.drops)))
    return str(to_json(action))


# --- many evenings ------------------------------------------------------------------------------------------

# kind -> what `evening` is asked for
KINDS: dict[str, dict[str, Any]] = {
    "neat": {"level": "neat"},
    "human": {"level": "human"},
    "moderate": {"level": "moderate"},
    "many": {"level": "many"},
    "single": {"level": "human", "turns": 1, "legal": 0.6},
    "quick": {"level": "human", "turns": 1, "legal": 0.0, "pace": "quick"},
}


def made_for(kind: str, seed: int) -> Evening:
    return evening(seed, **KINDS[kind])


def measured(job: tuple[str, int]) -> Result:
    kind, seed = job
    made = made_for(kind, seed)
    return Follow(kind, seed, made.text, made.turns).run()


def measure(kinds: Iterable[str], seeds: Iterable[int], processes: int = 1) -> list[Result]:
    jobs = [(kind, seed) for kind in kinds for seed in seeds]
    if processes == 1:
        return [measured(job) for job in jobs]
    with ProcessPoolExecutor(processes) as pool:
        return list(pool.map(measured, jobs, chunksize=8))


def table(results: list[Result]) -> list[str]:
    """The figures, one line for each kind."""
    lines = [
        f"{'kind':9} evenings turns crash lost:false,refused unseen asked | wrong flags per 100 legal: >1.5s any | "
        "illegal caught named | delay median p95"
    ]
    for kind in (*KINDS, "file"):
        some = [result for result in results if result.kind == kind]
        if not some:
            continue
        legal = max(1, sum(result.legal_moves for result in some))
        lasting = sum(len(result.lasting_flags) for result in some)
        brief = sum(len(result.brief_flags) for result in some)
        illegal = sum(result.illegal for result in some)
        delays = sorted(delay for result in some for delay in result.delays)
        late = quantiles(delays, n=20)[-1] if len(delays) > 1 else 0
        lines.append(
            f"{kind:9} {len(some):8} {sum(r.turns for r in some):5} {sum(bool(r.crash) for r in some):5} "
            f"{sum(len(r.replaced) for r in some):10},{sum(len(r.refused) for r in some):7} "
            f"{sum(len(r.unseen) for r in some):6} {sum(r.asked for r in some):5} | "
            f"{100 * lasting / legal:27.2f} {100 * (lasting + brief) / legal:6.2f} | "
            f"{illegal:7} {_share(sum(r.caught for r in some), illegal)} {_share(sum(r.named for r in some), illegal)} | "
            f"{median(delays) if delays else 0:6.0f} {late:6.0f}"
        )
    for name in ("not_caught", "misnamed"):
        slips = Counter(line.split()[1] for result in results for line in getattr(result, name))
        lines.append(f"{name}: " + ", ".join(f"{slip} {count}" for slip, count in slips.most_common()))
    for limit, right, wrong in reliability(results):
        lines.append(f"sure from {limit}: {right} right, {wrong} wrong ({_share(right, right + wrong)})")
    return lines


def reliability(results: Iterable[Result]) -> Iterator[tuple[float, int, int]]:
    """For each limit of `sure`: how many of the readings that were at least so sure were right, and how many wrong."""
    sure: Counter[tuple[float, bool]] = sum((result.sure for result in results), Counter())
    for limit in SURE:
        right, wrong = (
            sum(n for (at, is_right), n in sure.items() if at >= limit and is_right is what)
            for what in (True, False)
        )
        if right + wrong:
            yield limit, right, wrong


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:5.1f}%" if whole else "    - "


def worst(results: list[Result], most: int) -> Iterator[str]:
    """The evenings to look at first."""
    for result in sorted(results, key=_badness, reverse=True)[:most]:
        if not _badness(result):
            return
        yield f"{result.kind} seed {result.seed}: {result.crash}".rstrip(": ")
        for name in (
            "replaced",
            "refused",
            "lasting_flags",
            "not_caught",
            "misnamed",
            "unseen",
            "brief_flags",
        ):
            yield from (f"    {name} {line}" for line in getattr(result, name)[:4])


def _badness(result: Result) -> float:
    flags = 3 * len(result.lasting_flags) + len(result.brief_flags)
    missed = 5 * len(result.not_caught) + 2 * len(result.misnamed)
    return 100 * bool(result.crash) + 20 * len(result.replaced) + 10 * len(result.refused) + flags + missed


def written(made: Evening) -> str:
    """An evening as a file: what went wrong with readers and wire for people, the truth for programs, the transcript."""
    lines = [*truth.write(made.turns)]
    for trouble in made.troubles:
        what = ", ".join(f"{tag} ({made.pieces[tag]})" for tag in trouble.tags)
        lines.append(
            f"# {trouble.kind} @{trouble.since_ms} to @{trouble.until_ms} {trouble.tile} {what}".rstrip()
        )
    return "\n".join([*lines, made.text])


def measure_files(paths: Iterable[str]) -> list[Result]:
    texts = [Path(path).read_text() for path in paths]
    return [Follow("file", number, text, truth.read(text)).run() for number, text in enumerate(texts)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", default="1000-1049", help="from-to, both included")
    parser.add_argument("--only", action="append", choices=KINDS, help="this kind, may be repeated")
    parser.add_argument("--processes", type=int, default=1, choices=(1, 2))
    parser.add_argument("--worst", type=int, default=10, help="so many evenings to look at")
    parser.add_argument("--write", nargs=3, metavar=("SEED", "KIND", "FILE"))
    parser.add_argument("--files", nargs="+", metavar="FILE")
    given = parser.parse_args()
    if given.write:
        seed, kind, file = given.write
        made = made_for(kind, int(seed))
        Path(file).write_text(written(made))
        return
    first, _, last = given.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    results = (
        measure_files(given.files) if given.files else measure(given.only or KINDS, seeds, given.processes)
    )
    print("\n".join([*table(results), *worst(results, given.worst)]))


if __name__ == "__main__":
    main()
