"""`make bench-useful`: what the household's answers are worth to people, by theme and by language.

Says `examples/conversations/` to two households, one for each set, and judges each message by what was kept and what
was answered. Figures go to the screen, everything to build/bench/useful.json.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.measure.machine import machine_facts
from bench.measure.report import Goal, Report
from bench.useful.loading import EXAMPLES, Home, load_set
from bench.useful.playing import played_set
from bench.useful.results import (
    Result,
    as_documents,
    compared,
    read_results,
    shares,
    verbatim,
)
from bench.useful.sittings import WEEK, Sitting, load_week, sitting_home
from bench.useful.verdict import VERDICTS

HIDDEN: Final = frozenset({"unseen", "fresh"})
SETS: Final = ("seen", "practice", "strangers", "unseen", "fresh", WEEK.name)
DEADLINE_S: Final = 900.0
METHOD: Final = (
    "each conversation is said to a household that has forgotten the others, at the set's own day and hour",
    "judged by the rows that are new or changed and by the answer as the provider took it; see docs/benchmarks.md",
    "seen: messages of a review, practice: messages written beside the rules; strangers: messages of four people who"
    " knew no rule, read since; unseen, fresh: messages that nobody has read who wrote a rule",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Say everything, print, keep."""
    chosen = _arguments(arguments)
    homes = [load_set(EXAMPLES / name) for name in chosen.sets if name != WEEK.name]
    week = load_week() if WEEK.name in chosen.sets and not chosen.only else ()
    report = Report("useful", machine_facts(), METHOD)
    began = time.monotonic()
    results = asyncio.run(_played(homes, week, chosen.only))
    _tabled(report, results, seconds=time.monotonic() - began)
    report.headline["messages"] = as_documents(results)
    report.show()
    _show(results, chosen)
    if not chosen.only:
        print(f"kept in {report.write()}")
    return 0


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.useful", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--only", default="", metavar="TEXT", help="conversations whose theme/id contains it")
    parser.add_argument("--show", choices=("wrong", "all", *VERDICTS), help="these messages verbatim")
    parser.add_argument("--reveal", action="store_true", help="show those of the unseen sets too")
    parser.add_argument("--verbose", dest="show", action="store_const", const="wrong")
    parser.add_argument("--against", type=Path, metavar="FILE", help="an earlier useful.json to compare with")
    return parser.parse_args(arguments)


async def _played(homes: Sequence[Home], week: Sequence[Sitting], only: str) -> list[Result]:
    """Every set beside the others, each in a process with its own clock."""
    with tempfile.TemporaryDirectory(prefix="useful-") as place:
        async with asyncio.timeout(DEADLINE_S):
            parts = await asyncio.gather(
                *(played_set(home, Path(place) / home.name, only) for home in homes),
                _played_week(week, Path(place) / WEEK.name),
            )
    return [result for part in parts for result in part]


async def _played_week(week: Sequence[Sitting], root: Path) -> list[Result]:
    """One sitting after another, each in a process with its own clock, in the same household."""
    results = []
    for number, sitting in enumerate(week, 1):
        results += await played_set(sitting_home(sitting), root, str(number))
    return results


def _tabled(report: Report, results: Sequence[Result], *, seconds: float) -> None:
    for name in dict.fromkeys(result.home for result in results):
        own = [result for result in results if result.home == name]
        report.tables[f"{name}, by theme"] = shares(own, lambda result: result.theme)
        report.tables[f"{name}, by language"] = shares(own, lambda result: result.language)
        report.goals += _goals(name, own)
    report.goals.append(Goal("whole run", seconds, at_most=300, unit="s"))


def _goals(name: str, results: Sequence[Result]) -> list[Goal]:
    def share(*kinds: str) -> float:
        return sum(result.verdict in kinds for result in results) / len(results)

    return [
        Goal(f"{name}: useful", share("useful"), at_least=0.8 if name == "seen" else 0.7),
        Goal(f"{name}: useful or an honest refusal", share("useful", "honest"), at_least=1.0),
        Goal(f"{name}: wrong facts", share("wrong_fact"), at_most=0.0 if name == "seen" else 0.01),
        Goal(f"{name}: lost without a word", share("silent_loss"), at_most=0.0),
    ]


def _show(results: Sequence[Result], chosen: argparse.Namespace) -> None:
    wanted = {
        None: (),
        "all": VERDICTS,
        "wrong": tuple(kind for kind in VERDICTS if kind not in ("useful", "honest")),
    }.get(chosen.show, (chosen.show,))
    for result in results:
        # Whoever reads an unseen message may not judge the rules by it any more.
        if result.verdict in wanted and (result.home not in HIDDEN or chosen.reveal):
            print(verbatim(result))
    if chosen.against is not None:
        better, worse = compared(results, read_results(chosen.against))
        for title, lines in (("better", better), ("worse", worse)):
            print(f"{title}: {len(lines)}")
            print("".join(f"  {line}\n" for line in lines), end="")


if __name__ == "__main__":
    sys.exit(main())
