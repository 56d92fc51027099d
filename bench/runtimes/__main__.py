"""`make bench-runtimes`: what a route costs by each runtime family, over what it costs by rules in the same run."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import dataclass
from statistics import median
from typing import Final

from bench.ingest.place import Place, open_place
from bench.measure.machine import machine_facts
from bench.measure.report import Goal, Report
from bench.measure.slices import percentile
from bench.runtimes.household import SESSIONS, WORKERS, Family, families, running
from bench.runtimes.runs import Run, a_run

SLOW_S: Final = 0.3
CPU_GOAL_MS: Final = 25.0
MEMORY_GOAL_MB: Final = 10.0
THROUGHPUT_GOAL: Final = 25.0
METHOD: Final = (
    f"a Switchboard process by its manifest ({SESSIONS} sessions, {WORKERS} workers), the embedded PostgreSQL (fsync "
    "on), butlers and a model in processes of their own; every message is of a chat of its own and routed by a session",
    "first question: from the session's start until the model's server has it; route: from the accepted message to "
    "its plan",
    "processor: of Switchboard and of the programs it started and waited for, a route; memory: proportional, of all of "
    f"them at the most, while the model takes {SLOW_S:g} s; a session more: ({SESSIONS} at once - one at a time) / "
    f"{SESSIONS - 1}",
    f"each family warmed up with {SESSIONS} at once; then one at a time, {SESSIONS} at once, and with the slow model "
    f"one at a time and {WORKERS} messages under way",
)


@dataclass(frozen=True)
class Measured:
    """The four runs of a family."""

    family: Family
    one: Run
    many: Run
    slow_one: Run
    slow_many: Run

    @property
    def session_mb(self) -> float:
        """Megabytes that one session more holds."""
        return (self.slow_many.most_mb - self.slow_one.most_mb) / (SESSIONS - 1)


async def measured(place: Place, family: Family, rounds: int) -> Measured:
    """A household of this family from its start to its end."""
    is_program = family.family not in ("rules", "api")
    one, many = (rounds, SESSIONS * 2) if is_program else (rounds * 10, SESSIONS * rounds * 5)
    async with running(place, family) as home:
        await a_run(home, SESSIONS * 2, at_once=SESSIONS)
        return Measured(
            family,
            one=await a_run(home, one),
            many=await a_run(home, many, at_once=SESSIONS),
            slow_one=await a_run(home, max(3, one // 5), pause_s=SLOW_S),
            slow_many=await a_run(home, many, at_once=WORKERS, pause_s=SLOW_S),
        )


async def measure(rounds: int, only: str | None) -> Report:
    """All families of this machine, `rules` first."""
    report = Report("runtimes", machine_facts(), METHOD)
    with open_place() as place:
        chosen = [one for one in families() if only is None or one.name.startswith(("rules", only))]
        results = [await measured(place, family, rounds) for family in chosen]
    rules = results[0]
    for result in results:
        _tell(report, result, rules)
        if result.family.family == "api":
            report.goals += _goals(result, rules)
    return report


def _tell(report: Report, result: Measured, rules: Measured) -> None:
    one, many = result.one, result.many
    report.row(
        "a route",
        **{
            "": result.family.name,
            "first question ms": 1000 * median(one.first_s) if one.first_s else "",
            "p50 ms": 1000 * median(one.whole_s),
            f"p50 ms, {SESSIONS} at once": 1000 * median(many.whole_s),
            f"p95 ms, {SESSIONS} at once": 1000 * percentile(many.whole_s, 0.95),
            "processor ms": one.cpu_ms,
            "over rules": one.cpu_ms - rules.one.cpu_ms,
            "ratio": one.cpu_ms / rules.one.cpu_ms,
            f"routes/s, {SESSIONS} at once": many.per_s,
        },
    )
    report.row(
        f"a model that takes {SLOW_S:g} s",
        **{
            "": result.family.name,
            "routes/s": result.slow_many.per_s,
            "p50 ms": 1000 * median(result.slow_many.whole_s),
            "MB, one at a time": result.slow_one.most_mb,
            f"MB, {SESSIONS} at once": result.slow_many.most_mb,
            "MB a session more": result.session_mb,
        },
    )


def _goals(result: Measured, rules: Measured) -> list[Goal]:
    name = result.family.name
    more_ms = result.one.cpu_ms - rules.one.cpu_ms
    return [
        Goal(f"{name}: processor a route over rules", more_ms, at_most=CPU_GOAL_MS, unit="ms"),
        Goal(f"{name}: memory a session more", result.session_mb, at_most=MEMORY_GOAL_MB, unit="MB"),
        Goal(
            f"{name}: routes a second, {SESSIONS} sessions, a model of {SLOW_S:g} s",
            result.slow_many.per_s,
            at_least=THROUGHPUT_GOAL,
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.runtimes", description=__doc__)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--only", help="a family beside rules: api, codex, claude-code, opencode")
    given = parser.parse_args()
    report = asyncio.run(measure(given.rounds, given.only))
    report.show()
    print(f"written to {report.write()}")


if __name__ == "__main__":
    main()
