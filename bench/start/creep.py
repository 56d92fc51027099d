"""Memory of a forked household after its first messages, and after ten times as many."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.delivery.household import Bench, running_bench
from bench.delivery.whole_way import saturated
from bench.measure.memory import pss_mb_by_name

__all__ = ["Creep", "memory_under_load"]

IN_FLIGHT: Final = 16
CHATS: Final = 64
SETTLED_S: Final = 20.0
"""Time for pools to close what the load opened."""
PART: Final = 500


@dataclass(frozen=True)
class Creep:
    """Proportional memory in MB by process, after the first tenth of the messages and after all."""

    messages: int
    first: dict[str, float]
    all: dict[str, float]

    @property
    def ratio(self) -> float:
        """Memory of the whole household, after over before."""
        return sum(self.all.values()) / sum(self.first.values())


def memory_under_load(root: Path, messages: int) -> Creep:
    """Send `messages` through a household without connectors, from admission to the provider's receipt."""
    return asyncio.run(_measured(root, messages))


async def _measured(root: Path, messages: int) -> Creep:
    async with running_bench(root) as bench:
        await _send(bench, 0, messages // 10)
        first = await _held(bench)
        await _send(bench, messages // 10, messages)
        return Creep(messages, first, await _held(bench))


async def _send(bench: Bench, since: int, until: int) -> None:
    for number in range(since, until, PART):
        part = min(PART, until - number)
        await saturated(bench, first=1 + number, messages=part, in_flight=IN_FLIGHT, chats=CHATS)
        bench.receipts.clear()


async def _held(bench: Bench) -> dict[str, float]:
    await asyncio.sleep(SETTLED_S)
    return pss_mb_by_name(bench.household.pid)
