"""`make operator-torture`: the operator is killed after each of its writes; the API server's audit log judges."""

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
from bench.torture.kills import Trial, kill_after_each_write
from bench.torture.scenarios import SCENARIOS
from bench.torture.world import running_world

METHOD: Final = (
    "etcd, kube-apiserver, kube-controller-manager of its own, no node; the operator's real process behind a proxy",
    "SIGKILL once the API server took the n-th write, which is never answered; n = 1, 2, … until none is left",
    "right: children as the pure builders say of the last manifest, by hash; same uids; nothing deleted in vain",
)


async def torture(chosen: argparse.Namespace) -> Report:
    """Every chosen scenario on one control plane."""
    report, began = Report("operator-torture", machine_facts(), METHOD), time.monotonic()
    trials: list[Trial] = []
    async with running_world() as world:
        try:
            for number, scenario in enumerate(SCENARIOS):
                if not chosen.only or scenario.name in chosen.only:
                    trials += await kill_after_each_write(world, scenario, first=number * 40)
                    _tell(report, [trial for trial in trials if trial.scenario == scenario.name])
        finally:
            RESULTS.mkdir(parents=True, exist_ok=True)
            shutil.copy(world.plane.folder / "operator.log", RESULTS / "operator-torture.log")
    wrong = [trial for trial in trials if trial.wrong]
    for trial in wrong:
        report.row(
            "wrong",
            scenario=trial.scenario,
            after=trial.killed_after,
            write=trial.write,
            what="; ".join(trial.wrong),
        )
    kills = [trial for trial in trials if trial.killed_after]
    report.row("all", kills=len(kills), starts=world.starts, minutes=(time.monotonic() - began) / 60)
    report.goals.append(Goal("trials that ended wrong", len(wrong), at_most=0))
    report.goals.append(Goal("kills", len(kills), at_least=1))
    report.headline.update(kills=len(kills), wrong=len(wrong))
    return report


def _tell(report: Report, trials: list[Trial]) -> None:
    kills = [trial for trial in trials if trial.killed_after]
    report.row(
        "killed after each write",
        scenario=trials[0].scenario,
        kills=len(kills),
        wrong=sum(bool(trial.wrong) for trial in trials),
        **{"right again s, most": max((trial.back_s for trial in kills), default=0.0)},
    )
    print(f"{trials[0].scenario}: {len(kills)} kills", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.torture", description=(__doc__ or "").strip())
    names = [scenario.name for scenario in SCENARIOS]
    parser.add_argument(
        "--only", action="append", choices=names, help="this scenario; may be given several times"
    )
    chosen = parser.parse_args()
    os.umask(0o077)
    report = asyncio.run(torture(chosen))
    report.show()
    print(f"written: {report.write(Path(RESULTS))}")
    return 0 if all(goal.met for goal in report.goals) else 1


if __name__ == "__main__":
    raise SystemExit(main())
