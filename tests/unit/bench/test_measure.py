"""Figures of the benches: medians, ratios within a round, goals, processor time of a process tree."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from bench.measure.cpu import CpuMeter
from bench.measure.report import Goal, Report
from bench.measure.slices import Measured, Slice, interleave, percentile


def test_a_percentile_is_a_value_that_was_measured() -> None:
    assert percentile([5, 1, 3, 2, 4], 0.5) == 3
    assert percentile([1.0] * 99 + [9.0], 0.99) == 9.0
    assert percentile([], 0.99) == 0


def test_a_ratio_is_taken_within_each_round() -> None:
    fast = [Slice(count, 1.0) for count in (200, 20, 2_000)]
    slow = [Slice(count, 1.0) for count in (100, 10, 500)]
    measured = Measured({"fast": fast, "slow": slow})
    assert measured.ratio("fast", "slow", lambda one: one.per_s) == 2
    assert measured.of("fast", lambda one: one.per_s) == 200


async def test_every_variant_begins_a_round_once() -> None:
    order: list[str] = []

    def variant(name: str):
        async def run() -> Slice:
            order.append(name)
            return Slice(1, 1.0)

        return run

    measured = await interleave({name: variant(name) for name in "abc"}, rounds=3)
    assert order == list("abcbcacab")
    assert [len(slices) for slices in measured.slices.values()] == [3, 3, 3]


@pytest.mark.parametrize(
    ("measured", "at_least", "at_most", "met"),
    [
        (1.3, 1.3, None, True),
        (1.29, 1.3, None, False),
        (0, None, 0, True),
        (1, None, 0, False),
        (7, None, None, True),
    ],
)
def test_a_goal_is_met_within_its_limits(
    measured: float, at_least: float | None, at_most: float | None, met: bool
) -> None:
    assert Goal("x", measured, at_least=at_least, at_most=at_most).met is met


def test_a_report_is_kept_with_its_machine_and_its_misses(tmp_path: Path) -> None:
    report = Report("x", {"cores": "2"}, ["in turn"])
    report.row("speed", variant="a", per_s=2.5)
    report.goals.append(Goal("fast", 1, at_least=2))
    kept = json.loads(report.write(tmp_path).read_text(encoding="utf-8"))
    assert kept["machine"] == {"cores": "2"}
    assert kept["tables"] == {"speed": [{"variant": "a", "per_s": 2.5}]}
    assert [goal["met"] for goal in kept["goals"]] == [False]


async def test_processor_time_is_that_of_the_process_and_its_children() -> None:
    meter = CpuMeter({"python": os.getpid()})
    meter.start()
    process = await asyncio.create_subprocess_exec(
        "/bin/sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"
    )
    await process.wait()
    used = meter.stop()
    assert used["python"] > 0
    assert used["others"] >= 0
