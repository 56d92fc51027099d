"""`make bench-ingest`: how fast a message becomes durable, against what this PostgreSQL can do at the same moment."""

from __future__ import annotations

import argparse
import os
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final

import uvloop

from bench.ingest.doors import (
    BATCH,
    Submit,
    in_process,
    over_our_client,
    over_stock_client,
    served,
    to_intake,
    to_lane,
    to_specified_intake,
)
from bench.ingest.load import in_flight
from bench.ingest.messages import Numbers, Rows
from bench.ingest.pgbench import Pgbench
from bench.ingest.place import Place, open_place
from bench.ingest.promises import count_doubled, count_lost
from bench.ingest.specification import open_specification
from bench.measure.cpu import CpuMeter
from bench.measure.machine import machine_facts
from bench.measure.report import Goal, Report
from bench.measure.slices import Measured, Slice, Variant, interleave
from butler_kit.telemetry import configure_logging

IN_FLIGHT: Final = (1, 8, 32)
FULL_ROWS: Final = 100_000
ACCEPT_MS: Final = 50
"""How fast a message has to be accepted (CON-5, P1); for 99 of 100."""
METHOD: Final = (
    "embedded PostgreSQL 18 with the product's settings (fsync on), client, server and database on one machine",
    "a Telegram text of 0.4 kB; its ingest.v1 document is 2 kB, its inbox row 3.4 kB",
    "intake = decoded document in, durable answer out, log and metrics included; lane = the durable write alone",
    "pgbench = one INSERT of the same row into the same table a transaction, -M prepared, 2 threads",
    "specification = the intake with check, BEGIN, advisory lock, check, INSERT, COMMIT over a pool of ten",
    "slices in turn, medians over rounds; a ratio is the median of the ratios within each round",
)


@dataclass(frozen=True)
class Bench:
    """What every part of the run needs."""

    place: Place
    report: Report
    rounds: int
    slice_s: float

    @property
    def cpu(self) -> CpuMeter:
        return CpuMeter({"python": os.getpid(), "postgres": self.place.postgres.pid or 0})

    def variant(
        self, submit: Submit, callers: int, *, empty: str | None = None, cpu: CpuMeter | None = None
    ) -> Variant:
        """A slice of `submit`, on a database that is emptied before it if it is named."""

        async def run() -> Slice:
            if empty is not None:
                await self.place.empty(empty)
            return await in_flight(submit, callers=callers, seconds=self.slice_s, cpu=cpu or self.cpu)

        return run


async def admission(bench: Bench) -> None:
    """Against pgbench and against the specification's algorithm, at 1, 8 and 32 in flight."""
    place, numbers = bench.place, Numbers()
    for database in ("ours", "lane", "pgbench", "specification"):
        await place.make_database(database)
    pgbench = Pgbench(place, "pgbench")
    async with AsyncExitStack() as stack:
        ours = await stack.enter_async_context(in_process(place, "ours"))
        lane = await stack.enter_async_context(in_process(place, "lane"))
        for database in ("pgbench", "specification"):
            async with in_process(place, database):
                pass  # makes this month's partition
        specified = await stack.enter_async_context(open_specification(place, "specification"))
        rows, recorded = Rows(numbers), Rows(numbers, lifecycle_state="recorded")

        def one_by_one(clients: int) -> Variant:
            async def run() -> Slice:
                await place.empty("pgbench")
                return await pgbench.slice(clients=clients, cpu=bench.cpu)

            return run

        for callers in IN_FLIGHT:
            variants = {
                "intake": bench.variant(to_intake(ours, numbers), callers, empty="ours"),
                "lane": bench.variant(to_lane(lane.parts.admission, rows), callers, empty="lane"),
                "pgbench": one_by_one(callers),
                "specification's lane": bench.variant(
                    to_lane(specified, rows), callers, empty="specification"
                ),
                "specification": bench.variant(
                    to_specified_intake(ours, specified, numbers), callers, empty="specification"
                ),
            }
            if callers == IN_FLIGHT[-1]:
                variants["lane, not queued"] = bench.variant(
                    to_lane(lane.parts.admission, recorded), callers, empty="lane"
                )
            measured = await interleave(variants, rounds=bench.rounds)
            _tell_admission(bench.report, callers, measured)


def _tell_admission(report: Report, callers: int, measured: Measured) -> None:
    for name in measured.slices:
        report.row(
            "durable messages, empty inbox",
            **{
                "in flight": f"{callers:>2} {name}",
                **_figures(measured, name),
                "CPU µs python": measured.of(name, lambda one: one.cpu_us("python")),
                "CPU µs postgres": measured.of(name, lambda one: one.cpu_us("postgres")),
                "÷ pgbench": measured.ratio(name, "pgbench", lambda one: one.per_s),
                "p99 ÷": measured.ratio(name, "pgbench", lambda one: one.p99_ms),
                "others' cores": measured.of(name, lambda one: one.cpu_s["others"] / one.seconds),
            },
        )
    if callers != IN_FLIGHT[-1]:
        return
    accept = measured.of("intake", lambda one: one.p99_ms)
    report.goals.append(_promised("intake at 32 in flight", accept))
    for name in ("intake", "lane"):
        against = measured.ratio(name, "pgbench", lambda one: one.per_s)
        algorithm = "specification" if name == "intake" else "specification's lane"
        specified = measured.ratio(name, algorithm, lambda one: one.per_s)
        tail = measured.ratio(name, "pgbench", lambda one: one.p99_ms)
        cpu = measured.of(name, lambda one: one.cpu_us("python", "postgres"))
        report.goals += [
            Goal(f"{name}: accepted/s ÷ pgbench at 32 in flight", against, at_least=1.3),
            Goal(f"{name}: accepted/s ÷ specification's algorithm at 32", specified, at_least=6),
            Goal(f"{name}: p99 ÷ pgbench's at 32", tail, at_most=0.5),
            Goal(f"{name}: CPU a message at 32", cpu, at_most=45, unit="µs"),
        ]
    queue = measured.of("lane", _all_cpu) - measured.of("lane, not queued", _all_cpu)
    report.goals.append(Goal("of which the row in inbox_work", queue, unit="µs"))


async def inbox_size(bench: Bench) -> None:
    """The same with an empty inbox and with 100,000 rows in it, at 32 in flight."""
    place, numbers = bench.place, Numbers()
    await place.make_database("filled")
    async with in_process(place, "ours") as empty, in_process(place, "filled") as full:
        await place.fill("filled", FULL_ROWS)
        variants = {
            "0 rows": bench.variant(to_intake(empty, numbers), 32, empty="ours"),
            "100,000 rows": bench.variant(to_intake(full, numbers), 32),
        }
        measured = await interleave(variants, rounds=bench.rounds)
    for name in variants:
        cpu = measured.of(name, _all_cpu)
        bench.report.row("growth", **{"inbox": name, **_figures(measured, name), "CPU µs": cpu})
    ratio = measured.ratio("100,000 rows", "0 rows", lambda one: one.per_s)
    cost = measured.ratio("100,000 rows", "0 rows", _all_cpu)
    bench.report.goals += [
        Goal("accepted/s with 100,000 rows ÷ with none", ratio, at_least=0.85, at_most=1.15),
        Goal("CPU a message with 100,000 rows ÷ with none", cost, at_least=0.85, at_most=1.15),
    ]


async def over_mcp(bench: Bench) -> None:
    """Through a socket: our client and server, and the MCP SDK at both ends."""
    place, numbers = bench.place, Numbers()
    async with AsyncExitStack() as stack:
        pid, port = await stack.enter_async_context(served(place, "ours", "ours"))
        stock_pid, stock_port = await stack.enter_async_context(served(place, "stock", "ours"))
        mine = CpuMeter({"client": os.getpid(), "server": pid, "postgres": place.postgres.pid or 0})
        theirs = CpuMeter({"client": os.getpid(), "server": stock_pid, "postgres": place.postgres.pid or 0})
        base, stock = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{stock_port}/sse"
        enter = stack.enter_async_context
        sse = await enter(over_our_client(place, f"{base}/sse", numbers))
        http = await enter(over_our_client(place, f"{base}/mcp", numbers))
        sdk = await enter(over_stock_client(stock, numbers))
        many = await enter(over_our_client(place, f"{base}/mcp", numbers, batch=BATCH))
        sdk_many = await enter(over_stock_client(stock, numbers, batch=BATCH))
        variants: dict[str, Variant] = {}
        for callers in IN_FLIGHT:
            variants[f"{callers:>2} ours, /sse"] = bench.variant(sse, callers, empty="ours", cpu=mine)
            variants[f"{callers:>2} ours, /mcp"] = bench.variant(http, callers, empty="ours", cpu=mine)
            variants[f"{callers:>2} SDK at both ends, /sse"] = bench.variant(
                sdk, callers, empty="ours", cpu=theirs
            )
        variants[f"ours, /mcp, batches of {BATCH}"] = bench.variant(many, 1, empty="ours", cpu=mine)
        variants[f"SDK at both ends, batches of {BATCH}"] = bench.variant(
            sdk_many, 1, empty="ours", cpu=theirs
        )
        measured = await interleave(variants, rounds=bench.rounds)
    for name in variants:
        bench.report.row(
            "through MCP",
            **{
                "in flight": name,
                **_figures(measured, name),
                "CPU µs client": measured.of(name, lambda one: one.cpu_us("client")),
                "CPU µs server": measured.of(name, lambda one: one.cpu_us("server")),
                "CPU µs postgres": measured.of(name, lambda one: one.cpu_us("postgres")),
            },
        )
    for callers in IN_FLIGHT:
        accept = measured.of(f"{callers:>2} ours, /mcp", lambda one: one.p99_ms)
        bench.report.goals.append(_promised(f"through /mcp, {callers} in flight", accept))


def _promised(what: str, p99_ms: float) -> Goal:
    """Whether a message is accepted as fast as CON-5 (P1) promises."""
    return Goal(f"{what}: p99", p99_ms, at_most=ACCEPT_MS, unit="ms")


async def promises(bench: Bench) -> None:
    """Zero doubled, zero answered but lost."""
    for database in ("doubled", "lost"):
        await bench.place.make_database(database)
    doubled = await count_doubled(bench.place, "doubled", seconds=4)
    lost = await count_lost(bench.place, "lost", kills=3)
    title = f"doubled ({doubled.calls:,} calls of 4 processes on {doubled.messages:,} messages)"
    bench.report.goals += [
        Goal(title, doubled.doubled, at_most=0),
        Goal(
            f"answered but lost ({lost.answered:,} answers, {lost.kills} immediate stops)",
            lost.lost,
            at_most=0,
        ),
    ]


def _figures(measured: Measured, name: str) -> dict[str, float]:
    return {
        "per second": measured.of(name, lambda one: one.per_s),
        "p50 ms": measured.of(name, lambda one: one.p50_ms),
        "p99 ms": measured.of(name, lambda one: one.p99_ms),
    }


def _all_cpu(one: Slice) -> float:
    return one.cpu_us("python", "postgres")


PARTS: Final = {"admission": admission, "size": inbox_size, "mcp": over_mcp, "promises": promises}


async def run(parts: list[str], rounds: int, slice_s: float) -> None:
    """Measure the parts and tell."""
    machine = machine_facts()
    with open_place() as place, (place.folder / "bench.log").open("w", encoding="utf-8") as log:
        configure_logging("switchboard", "info", "json", log)
        bench = Bench(place, Report("ingest", machine, METHOD), rounds, slice_s)
        if "admission" not in parts:
            await place.make_database("ours")
        for part in parts:
            await PARTS[part](bench)
    bench.report.show()
    print(f"written to {bench.report.write()}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.ingest", description=__doc__)
    parser.add_argument("parts", nargs="*", default=list(PARTS), metavar=f"{{{','.join(PARTS)}}}")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slice", type=float, default=0.6, help="seconds")
    given = parser.parse_args()
    uvloop.run(run([part for part in PARTS if part in given.parts], given.rounds, given.slice))


if __name__ == "__main__":
    main()
