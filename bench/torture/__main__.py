"""`make operator-torture`: drawn changes, then a kill after each write of the operator; the audit log judges."""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import time
from pathlib import Path
from typing import Final

from bench.measure.machine import machine_facts
from bench.measure.report import RESULTS, Goal, Report
from bench.torture.drawn import KINDS
from bench.torture.generated import Told, change_all
from bench.torture.kills import Trial, kill_after_each_write
from bench.torture.ordered import order_all
from bench.torture.scenarios import SCENARIOS
from bench.torture.stale import Late, hold_back
from bench.torture.world import running_world

GENERATED: Final = "generated"
LATE: Final = "late watch"
METHOD: Final = (
    "etcd, kube-apiserver, kube-controller-manager of its own, no node; the operator's real process behind a proxy",
    "changes drawn from the CRDs' schemas by a seed, 50 at a time on ten resources of a kind; then a fresh operator",
    "counted are those that the API server took; of what the models refuse, one of twenty is offered all the same",
    "SIGKILL once the API server took the n-th write, which is never answered; n = 1, 2, … until none is left",
    "right: children as the pure builders say of the last manifest, by hash; same uids; nothing deleted in vain",
)


async def torture(chosen: argparse.Namespace) -> Report:
    """Every chosen scenario on one control plane."""
    report, began = Report("operator-torture", machine_facts(), METHOD), time.monotonic()
    trials: list[Trial] = []
    told: list[Told] = []
    late: list[Late] = []
    async with running_world() as world:
        try:
            if not chosen.only or GENERATED in chosen.only:
                for kind in KINDS:
                    told.append(await change_all(world, kind, seed=chosen.seed, count=chosen.count))
                    _tell_changes(report, told[-1])
                told.append(await order_all(world, seed=chosen.seed, count=chosen.count))
                _tell_changes(report, told[-1])
            if not chosen.only or LATE in chosen.only:
                late += await hold_back(world)
                _tell_late(report, late)
            for number, scenario in enumerate(SCENARIOS):
                if not chosen.only or scenario.name in chosen.only:
                    trials += await kill_after_each_write(world, scenario, first=number * 40)
                    _tell(report, [trial for trial in trials if trial.scenario == scenario.name])
        finally:
            RESULTS.mkdir(parents=True, exist_ok=True)
            shutil.copy(world.plane.folder / "operator.log", RESULTS / "operator-torture.log")
    kills = sum(trial.killed_after > 0 for trial in trials)
    report.row("all", kills=kills, starts=world.starts, minutes=(time.monotonic() - began) / 60)
    if told:
        report.goals += _changes_judged(told, wanted=chosen.count)
    if late:
        wrong = sum(bool(one.wrong) for one in late)
        report.goals.append(Goal("changes told late that ended wrong", wrong, at_most=0))
    if trials:
        wrong = sum(bool(trial.wrong) for trial in trials)
        report.goals += [Goal("trials that ended wrong", wrong, at_most=0), Goal("kills", kills, at_least=1)]
    report.headline.update({goal.name: goal.measured for goal in report.goals})
    return report


def _changes_judged(told: list[Told], *, wanted: int) -> list[Goal]:
    differences, compared = sum(len(one.wrong) for one in told), sum(one.compared for one in told)
    fewest = min(one.taken for one in told)
    return [
        Goal("changes taken, of the kind with the fewest", fewest, at_least=wanted),
        Goal("differences after drawn changes", differences, at_most=0),
        Goal("resources compared after drawn changes", compared, at_least=1),
    ]


def _tell_changes(report: Report, told: Told) -> None:
    report.row(
        "drawn changes",
        kind=told.kind,
        seed=told.seed,
        drawn=told.drawn,
        taken=told.taken,
        refused=told.refused,
        compared=told.compared,
        held=sum(told.held.values()),
        wrong=len(told.wrong),
    )
    for why, count in told.held.most_common():
        report.row("held by a condition", kind=told.kind, condition=why, resources=count)
    for one in told.wrong[:50]:
        report.row("another than drawn", kind=told.kind, what=one[:600])
    print(f"{told.kind}: {told.taken} changes taken, {len(told.wrong)} wrong", flush=True)


def _tell_late(report: Report, late: list[Late]) -> None:
    for one in late:
        report.row("told too late", change=one.change, hold=one.hold, wrong="; ".join(one.wrong))


def _tell(report: Report, trials: list[Trial]) -> None:
    kills = [trial for trial in trials if trial.killed_after]
    report.row(
        "killed after each write",
        scenario=trials[0].scenario,
        kills=len(kills),
        wrong=sum(bool(trial.wrong) for trial in trials),
        **{"right again s, most": max((trial.back_s for trial in kills), default=0.0)},
    )
    for trial in trials:
        if trial.wrong:
            what = "; ".join(trial.wrong)
            after, write = trial.killed_after, trial.write
            report.row("wrong", scenario=trial.scenario, after=after, write=write, what=what)
    print(f"{trials[0].scenario}: {len(kills)} kills", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.torture", description=(__doc__ or "").strip())
    names = [GENERATED, LATE, *(scenario.name for scenario in SCENARIOS)]
    parser.add_argument(
        "--only", action="append", choices=names, help="this scenario; may be given several times"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the drawn changes")
    parser.add_argument(
        "--count", type=int, default=2000, help="changes of each kind that the API server takes"
    )
    chosen = parser.parse_args()
    os.umask(0o077)
    report = asyncio.run(torture(chosen))
    report.show()
    print(f"written: {report.write(Path(RESULTS))}")
    return 0 if all(goal.met for goal in report.goals) else 1


if __name__ == "__main__":
    raise SystemExit(main())
