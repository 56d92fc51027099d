"""Keeps a fixed number of submissions in flight for a slice, and measures their latencies."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from bench.measure.cpu import CpuMeter
from bench.measure.slices import Slice

__all__ = ["in_flight"]


async def in_flight(
    submit: Callable[[], Awaitable[int]], *, callers: int, seconds: float, cpu: CpuMeter
) -> Slice:
    """Run `callers` loops over `submit`, which returns how many messages it had accepted."""
    latencies: list[float] = []
    count = 0
    clock = time.perf_counter

    async def caller(until: float) -> None:
        nonlocal count
        while (before := clock()) < until:
            accepted = await submit()
            count += accepted  # not in one step: the sum would be read before the wait
            latencies.append(clock() - before)

    cpu.start()
    started = clock()
    async with asyncio.TaskGroup() as group:
        for _ in range(callers):
            group.create_task(caller(started + seconds))
    took = clock() - started
    return Slice(count, took, latencies, cpu.stop())
