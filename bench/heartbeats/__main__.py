"""`make bench-heartbeats`: what the beats of a large fleet cost, over what the MCP SDK alone costs at the same rate."""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from contextlib import AsyncExitStack
from typing import Final

import uvloop

from bench.heartbeats.fleet import Fleet, over_our_client, over_stock_client, rest
from bench.ingest.doors import served
from bench.ingest.place import Place, open_place
from bench.measure.cpu import CpuMeter
from bench.measure.machine import machine_facts
from bench.measure.report import Goal, Report
from bench.measure.slices import Measured, Slice, interleave

DATABASE: Final = "beats"
INTERVAL_S: Final = 120.0
GOAL_OF_A_CORE: Final = 0.08
WRITTEN_LOOKS: Final = 150
MODULE: Final = "bench.heartbeats.served"
METHOD: Final = (
    "a whole Switchboard process and the embedded PostgreSQL (fsync on); every connector has its own token",
    "ours: the connectors' client over /mcp; SDK alone: its own server and client over /sse, a tool that does nothing",
    "beats evenly spaced, all connectors in turn, slices of ours, SDK alone and rest in turn; medians over rounds",
    "cost: processor seconds a second of the server (and PostgreSQL); the callers' own are not in it",
)


async def measure(connectors: int, sessions: int, rounds: int, slice_s: float) -> Report:
    """All of it on one server."""
    report = Report("heartbeats", machine_facts(), METHOD)
    with open_place() as place:
        await place.make_database(DATABASE)
        async with AsyncExitStack() as stack:
            enter = stack.enter_async_context
            ours_pid, ours_port = await enter(served(place, "ours", DATABASE, MODULE))
            stock_pid, stock_port = await enter(served(place, "stock", DATABASE, MODULE))
            ours = await enter(over_our_client(f"http://127.0.0.1:{ours_port}/mcp", sessions, place.token()))
            stock = await enter(over_stock_client(f"http://127.0.0.1:{stock_port}/sse", sessions))
            fleet, forgotten = Fleet.of(place, connectors), Fleet.of(place, connectors)
            begun = time.monotonic()
            await fleet.register(ours, sessions)
            registered = connectors / (time.monotonic() - begun)
            mine = CpuMeter({"server": ours_pid, "postgres": place.postgres.pid or 0})
            theirs = CpuMeter({"server": stock_pid})
            per_s = connectors / INTERVAL_S
            measured = await interleave(
                {
                    "ours": lambda: fleet.pulse(ours, per_s=per_s, seconds=slice_s, cpu=mine),
                    "SDK alone": lambda: forgotten.pulse(stock, per_s=per_s, seconds=slice_s, cpu=theirs),
                    "ours at rest": lambda: rest(slice_s, mine),
                },
                rounds=rounds,
            )
            await _written(place, fleet.beats)
            lost = fleet.beats - await _rows(place)
    _tell(report, measured, lost)
    report.headline = {"registered_per_s": registered, "beats": fleet.beats}
    return report


async def _written(place: Place, beats: int) -> None:
    """Wait for the last batch."""
    for _ in range(WRITTEN_LOOKS):
        if await _rows(place) >= beats:
            return
        await asyncio.sleep(0.2)


async def _rows(place: Place) -> int:
    async with place.admin(DATABASE) as connection:
        rows: int = await connection.fetchval("SELECT count(*) FROM switchboard.connector_heartbeat_log")
        return rows


def _tell(report: Report, measured: Measured, lost: int) -> None:
    for name in measured.slices:
        report.row(
            "share of a core",
            **{
                "": name,
                "beats/s": measured.of(name, lambda one: one.per_s),
                "p50 ms": measured.of(name, lambda one: one.p50_ms),
                "p99 ms": measured.of(name, lambda one: one.p99_ms),
                "server %": 100 * measured.of(name, lambda one: _share(one, "server")),
                "PostgreSQL %": 100 * measured.of(name, lambda one: _share(one, "postgres")),
                "others' cores": measured.of(name, lambda one: _share(one, "others")),
            },
        )
    ours, sdk = (
        measured.of(name, lambda one: _share(one, "server", "postgres")) for name in ("ours", "SDK alone")
    )
    report.goals += [
        Goal("a core's share over what the SDK alone costs", ours - sdk, at_most=GOAL_OF_A_CORE),
        Goal("accepted beats that are not in the log", lost, at_most=0),
    ]


def _share(one: Slice, *names: str) -> float:
    return sum(one.cpu_s.get(name, 0.0) for name in names) / one.seconds


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.heartbeats", description=__doc__)
    parser.add_argument("--connectors", type=int, default=4_000)
    parser.add_argument("--sessions", type=int, default=50)
    slow = bool(os.environ.get("SLOW"))
    parser.add_argument("--rounds", type=int, default=25 if slow else 5)
    parser.add_argument("--slice", type=float, default=24.0, help="seconds")
    given = parser.parse_args()
    report = uvloop.run(measure(given.connectors, given.sessions, given.rounds, given.slice))
    report.show()
    print(f"written to {report.write()}")


if __name__ == "__main__":
    main()
