"""Measure a referee on generated evenings whose truth is known, and print the figures by which it is judged.

    python -m tests.table.measure_referee --seeds 1000-1100              everything
    python -m tests.table.measure_referee --seeds 1000-1100 --only many  one level of evenings (or: single, quick)
    python -m tests.table.measure_referee --write 1042 many FILE         one evening as a transcript, with its truth
    python -m tests.table.measure_referee --files FILE...                transcripts with lines of truth (naqala.hands.truth)

The evenings come from `naqala.hands`, which knows nothing of the referee; how one is judged is in `judge`.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from naqala.hands import truth
from naqala.hands.evening import Evening, evening

from tests.table.judge import SURE, Follow, Result

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
