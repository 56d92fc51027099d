"""`make bench-delivery`: deliveries a second, and the whole way of a message from admission to the receipt."""

from __future__ import annotations

import argparse
import asyncio
import os
from pathlib import Path
from typing import Any, Final

from bench.delivery.drain import FULL_ROWS, Deliveries, drained, through
from bench.delivery.household import Bench, running_bench
from bench.delivery.limiter import limiter
from bench.delivery.vacuum import dead_tuples
from bench.delivery.whole_way import Run, saturated, steady
from bench.measure.machine import machine_facts
from bench.measure.report import Goal, Report
from bench.measure.slices import percentile

STATE: Final = Path(".butlers/bench-delivery")
CHATS: Final = 40
METHOD: Final = (
    "real processes: Switchboard, Messenger, five specialists (rules), PostgreSQL 18 (fsync on), supervisor",
    "the provider is a process that answers sendMessage and setMessageReaction at once",
    "messages are submitted by ingestion.ingest over MCP with a Telegram connector's token, in 40 chats",
    "the way ends with the provider's receipt of the answer; each message also gets two reactions",
    "saturated: 48 messages under way; steady: a third of the saturated rate, evenly spaced",
    "CPU of each process from /proc, in ms a message; calls from the services' own counters",
    "limiter: four processes admit at one moment, eight wishes each at once; ratios are of one run",
    "drained: admitted over MCP while the provider answers late; from its release to the last receipt of those left",
)
WAITED_MS: Final = 5.0


async def measure(minutes: float, messages: int) -> Report:
    """Run every part on one household, one after another."""
    report = Report("delivery", machine_facts(), METHOD)
    await limiter(report, count=messages)
    async with running_bench(STATE) as bench:
        await saturated(bench, first=1, messages=60, in_flight=8, chats=CHATS)
        await deliveries(bench, report, count=messages)
        full = await saturated(bench, first=10_000, messages=messages, in_flight=48, chats=CHATS)
        whole_way(report, "saturated", full)
        pace = max(2.0, full.per_second / 3)
        calm = await steady(
            bench,
            first=100_000,
            messages=int(pace * minutes * 60),
            per_second=pace,
            chats=CHATS,
            watch=lambda: dead_tuples(bench),
        )
        whole_way(report, "steady", calm)
    goals(report, full, calm)
    return report


async def deliveries(bench: Bench, report: Report, *, count: int) -> None:
    """Part (a)."""
    [before] = await bench.rows(FULL_ROWS)
    one = await drained(bench, first=1, count=count)
    other = await through(bench, first=1_000_000, count=count)
    [after] = await bench.rows(FULL_ROWS)
    written = {name: after[name] - before[name] for name in ("sent", "attempts", "receipts")}
    if set(written.values()) != {2 * count} or after["markers"]:
        raise AssertionError(f"{2 * count} deliveries left {written} and {after['markers']} markers")
    for name, found in (("drained", one), ("through", other)):
        report.row("deliveries", run=name, **_figures(found))
    report.goals.append(Goal("deliveries drained, full rows", one.per_second, at_least=160, unit="/s"))


def _figures(found: Deliveries) -> dict[str, Any]:
    spent = {f"{name} ms": value for name, value in found.cpu_ms.items() if value >= 0.05}
    return {
        "deliveries": found.count,
        "per s": found.per_second,
        "CPU ms": sum(found.cpu_ms.values()),
        **spent,
    }


def whole_way(report: Report, name: str, run: Run) -> None:
    """Part (b): one line a run, CPU by process, calls by tool."""
    report.row(
        "the whole way",
        run=name,
        messages=run.messages,
        **{
            "per s": run.per_second,
            "p50 ms": percentile(run.latencies_ms, 0.5),
            "p99 ms": percentile(run.latencies_ms, 0.99),
            "CPU ms a message": sum(run.cpu_ms.values()),
            "tool calls": sum(run.calls.values()),
        },
    )
    for process, spent in sorted(run.cpu_ms.items(), key=lambda item: -item[1]):
        if spent >= 0.01:
            report.row(f"CPU a message, {name}", process=process, ms=spent)
    if name == "saturated":
        for tool, calls in sorted(run.calls.items(), key=lambda item: -item[1]):
            report.row("tool calls a message", tool=tool, calls=calls)
    for queue, shares in run.queue_waits.items():
        within = {f"≤ {bound:g} ms": share for bound, share in shares.items() if bound <= 100}
        report.row(f"share of queue waits, {name}", queue=queue, **within)
    for table, counts in run.watched.items():
        report.row("dead tuples over time", of=table, **{f"{at}": n for at, n in enumerate(counts)})


def goals(report: Report, full: Run, calm: Run) -> None:
    """What issue and architecture want of the whole way."""
    report.goals.append(Goal("whole way", full.per_second, at_least=40, unit="messages/s"))
    for queue, shares in calm.queue_waits.items():
        share = shares.get(WAITED_MS, 0.0)
        report.goals.append(Goal(f"share of {queue}'s queue waits ≤ 5 ms, steady", share, at_least=0.99))
    for table, counts in calm.watched.items():
        half = len(counts) // 2
        early, late = max(counts[:half] or [0]), max(counts[half:] or [0])
        # Flat: the second half's highest count is not above the first's by more than a vacuum leaves anyway.
        report.goals.append(Goal(f"dead tuples of {table}, late − early", late - early, at_most=1000))


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.delivery", description=(__doc__ or "").strip())
    slow = os.environ.get("SLOW") == "1"
    parser.add_argument(
        "--minutes", type=float, default=10.0 if slow else 1.0, help="length of the steady part"
    )
    parser.add_argument("--messages", type=int, default=1000 if slow else 300, help="of each saturated part")
    chosen = parser.parse_args()
    os.umask(0o077)
    report = asyncio.run(measure(chosen.minutes, chosen.messages))
    report.show()
    print(f"written: {report.write()}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
