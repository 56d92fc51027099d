"""`make bench-holds`: a butler is held by `kubectl quarantine` and released, again and again, on the running cluster.

A finance message is sent by the webhook after each of the two. What is measured is the way until a butler has taken it;
what is held to is where it went, and that `kubectl butler trace` tells why.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Final

from bench.measure.machine import machine_facts
from bench.measure.report import Goal, Report
from bench.measure.slices import percentile
from tests.e2e.cluster import Cluster, eventually, our_cluster
from tests.e2e.household import Household
from tests.e2e.kubectl.plugin import kubectl
from tests.e2e.scenarios.callers import Service, service
from tests.e2e.scenarios.doors import doors_of

BILL: Final = "Paid 40.50 EUR for the electricity bill"
HELD, ELSEWHERE = "finance", {"general"}
REASON: Final = "test"
TRACED: Final = f"{HELD} (quarantined: {REASON}) may get nothing at the moment"
LIMIT_S: Final = 60.0
GOAL_S: Final = 5.0
METHOD: Final = (
    "the household of make up on the native cluster; the webhook by its node port, Switchboard by one port-forward",
    "held: from the answer of `kubectl quarantine` a finance message is posted, until another butler has taken it",
    "in all: the same from the start of the command `kubectl quarantine`, so with the plugin's Python and the operator",
    "released: from the answer of `kubectl butler release` likewise, until finance itself has taken the message",
)


@dataclass(frozen=True)
class Round:
    """Seconds of one round; `traced` is whether the trace told the reason."""

    command: float
    held: float
    release: float
    released: float
    traced: bool


@dataclass(frozen=True)
class Bench:
    """The household, from outside and from its operators' side."""

    cluster: Cluster
    household: Household
    switchboard: Service

    def one(self) -> Round:
        command, _ = timed(lambda: self._plugin("quarantine", HELD, "--reason", REASON))
        held, request_id = self._taken(ELSEWHERE)
        traced = TRACED in self._plugin("butler", "trace", request_id)
        release, _ = timed(lambda: self._plugin("butler", "release", HELD, "--reason", REASON))
        released, _ = self._taken({HELD})
        return Round(command, held, release, released, traced)

    def _taken(self, by: set[str]) -> tuple[float, str]:
        """Post a finance message; seconds until exactly `by` have taken it, and its id."""
        with self.switchboard.reader() as read:
            began = time.monotonic()
            request_id = self.household.submit(BILL)

            def taken() -> set[str]:
                parts = read(f"requests/{request_id}")["subroutes"]
                return {str(part["target"]) for part in parts if part["accepted_at"]}

            found = eventually(taken, timeout_s=LIMIT_S, pause_s=0.02, what=f"{request_id} is taken")
            spent = time.monotonic() - began
        if found != by:
            raise AssertionError(f"request {request_id} went to {sorted(found)}, not to {sorted(by)}")
        return spent, request_id

    def _plugin(self, plugin: str, *arguments: str) -> str:
        done = kubectl(self.cluster, plugin, *arguments)
        if done.returncode:
            raise AssertionError(f"kubectl {plugin} {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout


def timed(action: Callable[[], str]) -> tuple[float, str]:
    began = time.monotonic()
    said = action()
    return time.monotonic() - began, said


def measure(rounds: int) -> Report:
    """So many rounds, one after another; finance is free afterwards, whatever happened."""
    cluster = our_cluster(os.environ)
    cluster.ready("butler,connector")
    report = Report("holds", machine_facts(), METHOD)
    with doors_of(cluster) as household, service(cluster, "switchboard") as switchboard:
        bench = Bench(cluster, household, switchboard)
        try:
            found = [bench.one() for _ in range(rounds)]
        finally:
            kubectl(cluster, "butler", "release", HELD, "--reason", "the measurement is over")
    _tell(report, found)
    report.row("machine", **{"load at the end (1 min)": os.getloadavg()[0]})
    return report


def _tell(report: Report, found: list[Round]) -> None:
    columns = {
        "kubectl quarantine": [one.command for one in found],
        "held: taken by another": [one.held for one in found],
        "in all": [one.command + one.held for one in found],
        "kubectl butler release": [one.release for one in found],
        "released: taken by finance": [one.released for one in found],
    }
    for what, seconds in columns.items():
        p95 = percentile(seconds, 0.95)
        report.row("seconds", what=what, median=median(seconds), p95=p95, longest=max(seconds))
    p95 = percentile(columns["held: taken by another"], 0.95)
    traced = sum(one.traced for one in found)
    report.goals += [
        Goal(f"routed elsewhere, p95 of {len(found)}", p95, at_most=GOAL_S, unit="s"),
        Goal("traces that tell the reason", traced, at_least=len(found)),
    ]
    report.headline.update(held_p95_s=round(p95, 3), traced=traced)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.holds", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    chosen = parser.parse_args()
    # So that finance is released whatever ends this.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    report = measure(chosen.rounds)
    report.show()
    print(f"written: {report.write()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
