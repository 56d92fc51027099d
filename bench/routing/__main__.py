"""`make bench-routing`: how good the default router is on messages that its weights were not fitted on.

Cross-validated over the corpus and with each writer kept out; then the shipped weights on the golden sets, and the
latency of a whole decision with its explanation. Figures go to the screen and to build/bench/routing.json.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.measure.machine import machine_facts
from bench.measure.report import Goal, Report
from bench.measure.slices import percentile
from bench.routing.figures import calibration, confusion, exactness, share_exact, share_wrong
from bench.routing.held_out import REGISTRY, SPECIALISTS, Outcome, by_fold, by_writer
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.rules.router import DEFAULT_THRESHOLD, RulesRouter
from butler_switchboard.routing.verdict import verdict

GOLDEN = Path("tests/golden/routing")
METHOD = (
    "exact: the set of butlers is the expected one; wrong: a specialist no one expected",
    "cross-validation: a message with all its variants and parts is in one fold; text as written, whole router",
    "writers: every message decided by weights fitted without its writer (and without the others of its group)",
    "golden sets: none is held out: messages.jsonl and unseen.jsonl were known while the corpus grew",
    "seen.jsonl: by an independent writer; in no training, but the thresholds were chosen on it",
    "latency: one decision with explanation, one thread, wall clock and processor time",
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(prog="bench.routing", description=__doc__)
    parser.add_argument("--folds", type=int, default=4)
    parser.add_argument(
        "--groups", type=int, default=4, help="of writers, kept out together; 0: leave it out"
    )
    parser.add_argument("--workers", type=int, default=min(3, os.cpu_count() or 1))
    chosen = parser.parse_args(arguments)
    report = Report("routing", machine_facts(), METHOD)
    folded = by_fold(chosen.folds, workers=chosen.workers)
    _cross_validated(report, folded)
    if chosen.groups:
        apart = by_writer(chosen.groups, workers=chosen.workers)
        exactness(report, "writer kept out of training", apart, lambda item: item.writer)
        report.goals.append(Goal("writers kept out: exact", share_exact(apart), at_least=0.85))
        report.goals.append(Goal("writers kept out: wrong specialist", share_wrong(apart), at_most=0.03))
    _golden(report)
    report.show()
    print(f"kept in {report.write()}")


def _cross_validated(report: Report, outcomes: Sequence[Outcome]) -> None:
    single = [item for item in outcomes if len(item.expected) == 1]
    exactness(report, "by channel", outcomes, lambda item: item.channel)
    exactness(report, "by butler", single, lambda item: item.expected[0])
    exactness(report, "by number of subjects", outcomes, lambda item: str(len(item.expected)))
    exactness(report, "by length", outcomes, lambda item: _length(item.text))
    exactness(report, "by writer", outcomes, lambda item: item.writer)
    confusion(report, "confusion: expected and decided", single)
    error = calibration(report, "calibration: what confidence says and how often it is right", single)
    report.goals += [
        Goal("cross-validated: exact", share_exact(outcomes), at_least=0.85),
        Goal("cross-validated: wrong specialist", share_wrong(outcomes), at_most=0.03),
        Goal("expected calibration error", error, at_most=0.05),
    ]


def _length(text: str) -> str:
    words = len(text.split())
    return next(
        name
        for most, name in ((4, "1-4 words"), (12, "5-12"), (40, "13-40"), (10**9, "> 40"))
        if words <= most
    )


def _golden(report: Report) -> None:
    router = RulesRouter()
    wall: list[float] = []
    own: list[float] = []
    for file in ("messages.jsonl", "unseen.jsonl", "seen.jsonl"):
        rows = [json.loads(line) for line in (GOLDEN / file).read_text(encoding="utf-8").splitlines()]
        exact = wrong = 0
        for row in rows:
            message = RoutingMessage(
                row["text"], row["channel"], row.get("subject"), row.get("sender_class", "household")
            )
            started, busy = time.perf_counter(), time.thread_time()
            made = router.decide(message, REGISTRY)
            own.append((time.thread_time() - busy) * 1000)
            wall.append((time.perf_counter() - started) * 1000)
            judged = verdict(made.calls, REGISTRY, message, DEFAULT_THRESHOLD)
            got = sorted(target.butler for target in judged.targets)
            exact += got in _accepted(row)
            wrong += bool(set(got) & set(SPECIALISTS) - {name for names in _accepted(row) for name in names})
        report.row(
            "golden sets, shipped weights",
            group=file,
            n=len(rows),
            exact=exact / len(rows),
            wrong=wrong / len(rows),
        )
    report.row("latency", measure="wall clock, ms", p50=percentile(wall, 0.5), p95=percentile(wall, 0.95))
    report.row("latency", measure="processor, ms", p50=percentile(own, 0.5), p95=percentile(own, 0.95))
    report.goals += [
        Goal("decision p95, wall clock", percentile(wall, 0.95), at_most=20, unit="ms"),
        Goal("decision p95, processor", percentile(own, 0.95), at_most=20, unit="ms"),
    ]


def _accepted(row: dict[str, Any]) -> list[list[str]]:
    return [row["expect"], *row.get("or", [])]


if __name__ == "__main__":
    main()
