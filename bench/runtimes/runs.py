"""One run of routes: how long each took, and the processor time and peak memory of Switchboard's processes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from bench.delivery.processes import family_of
from bench.measure.cpu import tree_cpu_s
from bench.measure.memory import pss_mb
from bench.runtimes.household import Household

__all__ = ["Run", "a_run"]

_LOOK_S: Final = 0.05
_ROUTES: Final = """
SELECT
    extract(EPOCH FROM s.started_at)::double precision AS started,
    extract(EPOCH FROM p.committed_at - i.received_at)::double precision AS seconds,
    p.family AS family,
    p.reason AS reason
FROM message_inbox AS i
JOIN route_plan AS p USING (request_id)
JOIN sessions AS s USING (request_id)
WHERE i.request_id = any($1::uuid[])
"""


@dataclass(frozen=True)
class Run:
    """`count` routes in `seconds`: `whole_s` from the accepted message to the plan, `first_s` from the session's start
    to the model's first question (one at a time only), processor seconds with all programs, peak memory."""

    count: int
    seconds: float
    whole_s: list[float]
    first_s: list[float]
    cpu_s: float
    most_mb: float

    @property
    def per_s(self) -> float:
        return self.count / self.seconds

    @property
    def cpu_ms(self) -> float:
        """Processor milliseconds per route."""
        return 1000 * self.cpu_s / self.count


async def a_run(home: Household, count: int, *, at_once: int = 1, pause_s: float = 0.0) -> Run:
    """Route `count` messages, `at_once` in progress; the model answers after `pause_s`."""
    await home.pace(pause_s)
    requests, left = [], iter(range(count))

    async def one_after_the_other() -> None:
        for _ in left:
            requests.append(await home.route())

    async with _watched(home.pid) as most:
        cpu_s, begun = tree_cpu_s(home.pid), time.monotonic()
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(one_after_the_other())
        seconds, used = time.monotonic() - begun, tree_cpu_s(home.pid) - cpu_s
    rows = [dict(row) for row in await home.database.fetch(_ROUTES, requests)]
    _all_routed(home, rows, count)
    asked = await home.pace(0.0) if at_once == 1 else []
    return Run(count, seconds, [row["seconds"] for row in rows], _first(rows, asked), used, most.mb)


def _all_routed(home: Household, rows: Sequence[Mapping[str, Any]], count: int) -> None:
    """Fail unless every route was decided by the family itself, not by its fallback."""
    amiss = [
        f"{row['family']}: {row['reason']}"
        for row in rows
        if (row["family"], row["reason"]) != (home.family.family, "routed")
    ]
    if amiss or len(rows) != count:
        raise RuntimeError(f"{home.family.name}: {len(rows)} of {count} routes, amiss: {amiss[:3]}")


def _first(rows: Sequence[Mapping[str, Any]], asked: list[float]) -> list[float]:
    """Return, for each session, the seconds from its start to the first question."""
    after = ((row["started"], [at for at in asked if at >= row["started"] - 0.001]) for row in rows)
    return [max(0.0, min(times) - started) for started, times in after if times]


@dataclass
class _Most:
    mb: float = field(default=0.0)


@asynccontextmanager
async def _watched(pid: int) -> AsyncIterator[_Most]:
    """Track the peak memory of `pid` and everything below it until the end of the block."""
    most = _Most()

    async def look() -> None:
        while True:
            most.mb = max(most.mb, await asyncio.to_thread(_held_mb, pid))
            await asyncio.sleep(_LOOK_S)

    looking = asyncio.create_task(look())
    try:
        yield most
    finally:
        looking.cancel()
        await asyncio.wait({looking})


def _held_mb(pid: int) -> float:
    return sum(pss_mb(one) for one in family_of(pid))
