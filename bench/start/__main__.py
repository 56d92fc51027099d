"""`make bench-start`: how soon a household is up, what it costs to start and to keep, how soon a killed one is back."""

from __future__ import annotations

import argparse
import hashlib
import shutil
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Final

from bench.measure.cpu import tree_cpu_s
from bench.measure.machine import machine_facts
from bench.measure.memory import pss_mb_by_name
from bench.measure.report import Goal, Report
from bench.start.cache import forget_programs
from bench.start.creep import Creep, memory_under_load
from bench.start.household import FORKED, REFERENCE, Running, running

KILLED: Final = ("switchboard", "messenger", "finance", "telegram", "dashboard")
SETTLED_S: Final = 10.0
METHOD: Final = (
    "`make run`: the demo household with its providers; ready when every process is, seconds since the command",
    "first: empty state directory (initdb, migrations); again: the same one once more; cold: again, files forgotten",
    "executed: first, every process executed and importing for itself, in turn with the others: the reference",
    "CPU: of the whole tree until ready; PSS and idle CPU: `butlers up` and all below it, without the providers",
    "replaced: SIGKILL until the supervisor shows another process, and until that one is ready",
)
Starts = dict[str, list[tuple[float, float]]]
"""Seconds until ready and processor seconds, by kind of start."""


def measure(rounds: int, idle_s: float, messages: int) -> Report:
    """All of it, below one temporary directory."""
    report = Report("start", machine_facts() | {"yardstick": f"{_yardstick_s():.2f} s"}, METHOD)
    report.headline["yardstick_s"] = _yardstick_s()
    folder = Path(tempfile.mkdtemp(prefix="butlers-bench-start-"))
    try:
        starts: Starts = {kind: [] for kind in ("first", "again", "cold", "executed")}
        for number in range(rounds):
            _one_round(folder / str(number), starts)
        _tell_starts(report, starts)
        with running(FORKED, folder / "0") as household:
            time.sleep(SETTLED_S)
            started = pss_mb_by_name(household.supervisor)
            _tell_idle(report, household, idle_s)
            _tell_memory(report, started, pss_mb_by_name(household.supervisor))
            _tell_replaced(report, household, rounds)
        if messages:
            _tell_creep(report, memory_under_load(folder / "load", messages))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return report


def _one_round(place: Path, starts: Starts) -> None:
    def start(kind: str, program: tuple[str, ...], state: Path) -> None:
        with running(program, state) as household:
            starts[kind].append((household.ready_s, household.cpu_s))

    start("first", FORKED, place)
    start("executed", REFERENCE, place.with_name(f"{place.name}-executed"))
    start("again", FORKED, place)
    forget_programs(place)
    start("cold", FORKED, place)


def _tell_starts(report: Report, starts: Starts) -> None:
    for kind, found in starts.items():
        ready, cpu = ([one[index] for one in found] for index in (0, 1))
        report.row(
            "start",
            **{
                "": kind,
                "ready s": median(ready),
                "least": min(ready),
                "most": max(ready),
                "CPU s": median(cpu),
            },
        )
    first, executed = starts["first"], starts["executed"]
    report.headline["ratios"] = {
        "ready, executed over forked": median(b[0] / a[0] for a, b in zip(first, executed, strict=True)),
        "CPU, executed over forked": median(b[1] / a[1] for a, b in zip(first, executed, strict=True)),
    }
    report.goals += [
        Goal("ready, first start", median(one[0] for one in first), at_most=4.0, unit="s"),
        Goal("ready, cold cache", median(one[0] for one in starts["cold"]), unit="s"),
        Goal("CPU until ready, first start", median(one[1] for one in first), at_most=4.0, unit="CPU-s"),
    ]


def _tell_memory(report: Report, started: dict[str, float], at_rest: dict[str, float]) -> None:
    for name, megabytes in sorted(at_rest.items(), key=lambda one: -one[1]):
        report.row(
            "memory",
            **{"": name, "PSS MB at rest": megabytes, "10 s after the start": started.get(name, 0.0)},
        )
    for when, held in (("10 s after the start", started), ("at rest", at_rest)):
        report.goals.append(
            Goal(f"memory of the household, {when}", sum(held.values()), at_most=450, unit="MB PSS")
        )


def _tell_idle(report: Report, household: Running, idle_s: float) -> None:
    supervisor, before, begun = household.supervisor, tree_cpu_s(household.supervisor), time.monotonic()
    time.sleep(idle_s)
    used = (tree_cpu_s(supervisor) - before) / (time.monotonic() - begun)
    report.goals.append(Goal("a core's share when nobody writes", 100 * used, at_most=2.0, unit="%"))


def _tell_replaced(report: Report, household: Running, rounds: int) -> None:
    forked: list[float] = []
    for name in KILLED:
        times = [household.replace(name) for _ in range(min(rounds, 2))]
        forked += [one[0] for one in times]
        report.row(
            "replaced",
            **{
                "": name,
                "forked again s": median(one[0] for one in times),
                "ready s": median(one[1] for one in times),
            },
        )
    report.goals.append(Goal("a killed process is forked again", max(forked), at_most=0.3, unit="s"))


def _tell_creep(report: Report, creep: Creep) -> None:
    for name, megabytes in sorted(creep.all.items(), key=lambda one: -one[1]):
        report.row(
            f"memory after {creep.messages:,} messages",
            **{"": name, "PSS MB": megabytes, "after the first tenth": creep.first.get(name, 0.0)},
        )
    report.goals.append(
        Goal("memory after all messages over after the first tenth", creep.ratio, at_most=1.15)
    )


def _yardstick_s() -> float:
    """Seconds for a fixed piece of work on one core, so that figures of two machines can be compared."""
    begun, digest = time.process_time(), b""
    for number in range(200_000):
        digest = hashlib.sha256(digest + number.to_bytes(8, "big")).digest()
    return time.process_time() - begun


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.start", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--idle", type=float, default=120.0, help="seconds")
    parser.add_argument("--messages", type=int, default=0, help="also: memory under so many messages")
    given = parser.parse_args()
    report = measure(given.rounds, given.idle, given.messages)
    report.show()
    print(f"written to {report.write()}")


if __name__ == "__main__":
    main()
