"""The whole path of a message, from admission to the provider's receipt, through real processes.

Saturated: `in_flight` messages are in progress at any time; the rate is what is completed per second. Steady: messages
arrive at a fixed rate well below that; the services' own histograms measure how long they wait in the queues.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bench.delivery.household import Bench
from bench.delivery.processes import Reading

__all__ = ["Run", "saturated", "steady"]

_POLL_S = 0.05
_LOOKS = 20
_DEADLINE_S = 120.0
_TOOL = re.compile(r'mcp_tool_calls_total\{.*tool="([^"]+)"')
_BOUND = re.compile(r'le="([^"]+)"')


@dataclass(frozen=True)
class Run:
    """Result of one run of the whole path; CPU in milliseconds per message, by process."""

    messages: int
    seconds: float
    latencies_ms: tuple[float, ...]
    cpu_ms: dict[str, float]
    calls: dict[str, float]
    queue_waits: dict[str, dict[float, float]]
    watched: dict[str, list[int]]

    @property
    def per_second(self) -> float:
        return self.messages / self.seconds


class _Way:
    """One run: numbers its messages, records when each was submitted and when its answer came out."""

    def __init__(self, bench: Bench, *, first: int, chats: int) -> None:
        self._bench = bench
        self._next = first
        self._chats = chats
        self._waiting: dict[int, deque[float]] = {}
        self._sending: set[asyncio.Task[None]] = set()
        self.went_in: list[float] = []
        self.came_out: list[float] = []
        self.latencies: list[float] = []

    @property
    def under_way(self) -> int:
        return len(self.went_in) - len(self.came_out)

    def send(self) -> None:
        """Submit the next message in the background."""
        number, self._next = self._next, self._next + 1
        began = time.monotonic()
        self.went_in.append(began)
        self._waiting.setdefault(-(1000 + number % self._chats), deque()).append(began)
        task = asyncio.create_task(self._submit(number))
        self._sending.add(task)
        task.add_done_callback(self._submitted)

    async def look(self) -> None:
        """Match the provider's calls with the submitted messages: the answers of a chat come in order."""
        for receipt in await self._bench.taken():
            if receipt.method == "sendMessage":
                self.latencies.append((receipt.at - self._waiting[receipt.chat].popleft()) * 1000)
                self.came_out.append(receipt.at)

    async def _submit(self, number: int) -> None:
        await self._bench.submit(number, self._chats)

    def _submitted(self, task: asyncio.Task[None]) -> None:
        self._sending.discard(task)
        task.result()


async def saturated(bench: Bench, *, first: int, messages: int, in_flight: int, chats: int) -> Run:
    """Keep `in_flight` messages in progress until `messages` were submitted, then wait for the rest."""
    way = _Way(bench, first=first, chats=chats)
    before = await _snapshot(bench)
    async with asyncio.timeout(_DEADLINE_S + messages):
        while len(way.came_out) < messages:
            while way.under_way < in_flight and len(way.went_in) < messages:
                way.send()
            await asyncio.sleep(_POLL_S)
            await way.look()
    return await _run(bench, way, before, {})


async def steady(
    bench: Bench,
    *,
    first: int,
    messages: int,
    per_second: float,
    chats: int,
    watch: Callable[[], Awaitable[dict[str, int]]],
) -> Run:
    """Send at a fixed rate; `watch` is called twenty times over the run."""
    way = _Way(bench, first=first, chats=chats)
    before = await _snapshot(bench)
    watched: dict[str, list[int]] = {}
    begin = time.monotonic()
    looks = 0
    async with asyncio.timeout(_DEADLINE_S + messages / per_second):
        while len(way.came_out) < messages:
            due = min(messages, int((time.monotonic() - begin) * per_second) + 1)
            while len(way.went_in) < due:
                way.send()
            if len(way.went_in) * _LOOKS >= looks * messages:
                looks += 1
                for name, count in (await watch()).items():
                    watched.setdefault(name, []).append(count)
            await asyncio.sleep(1 / per_second / 2)
            await way.look()
    return await _run(bench, way, before, watched)


@dataclass(frozen=True)
class _Snapshot:
    processes: dict[str, Reading]
    metrics: dict[str, dict[str, float]]


SERVICES = ("switchboard", "messenger", "finance", "health", "travel", "relationship", "general")


async def _snapshot(bench: Bench) -> _Snapshot:
    return _Snapshot(bench.processes(), {name: await bench.metrics(name) for name in SERVICES})


async def _run(bench: Bench, way: _Way, before: _Snapshot, watched: dict[str, list[int]]) -> Run:
    after = await _snapshot(bench)
    count = len(way.came_out)
    cpu = {
        name: (reading.cpu_s - before.processes.get(name, Reading(0.0, 0)).cpu_s) * 1000 / count
        for name, reading in after.processes.items()
    }
    return Run(
        messages=count,
        seconds=max(way.came_out) - min(way.went_in),
        latencies_ms=tuple(sorted(way.latencies)),
        cpu_ms=cpu,
        calls=_calls(before, after, count),
        queue_waits={
            "switchboard": _waits(before, after, "switchboard", "butlers_buffer_process_latency_ms"),
            "finance": _waits(before, after, "finance", "butlers_route_process_latency_ms"),
            "messenger": _waits(before, after, "messenger", "butlers_messenger_queue_wait_ms"),
        },
        watched=watched,
    )


def _calls(before: _Snapshot, after: _Snapshot, count: int) -> dict[str, float]:
    """Return the tool calls served per message, by service and tool."""
    calls: dict[str, float] = {}
    for service, samples in after.metrics.items():
        for name, value in samples.items():
            found = _TOOL.search(name)
            if found is not None:
                served = value - before.metrics[service].get(name, 0.0)
                where = service if service in ("switchboard", "messenger") else "specialists"
                key = f"{where} {found[1]}"
                calls[key] = calls.get(key, 0.0) + served / count
    return {name: value for name, value in calls.items() if value > 0.001}


def _waits(before: _Snapshot, after: _Snapshot, service: str, metric: str) -> dict[float, float]:
    """Return the share of waits up to each bound of the histogram, in milliseconds."""
    bounds: dict[float, float] = {}
    for name, value in after.metrics[service].items():
        found = _BOUND.search(name) if name.startswith(f"{metric}_bucket") else None
        if found is not None:
            bound = float(found[1])
            bounds[bound] = bounds.get(bound, 0.0) + value - before.metrics[service].get(name, 0.0)
    total = bounds.get(float("inf"), 0.0)
    return {bound: value / total for bound, value in sorted(bounds.items())} if total else {}
