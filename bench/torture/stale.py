"""A watch of the resources is late or lost: no child is created, changed or deleted meanwhile."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from bench.operator.household import NAMESPACE
from bench.torture.world import World

__all__ = ["STALE", "Late", "hold_back"]

LATE_S: Final = 15.0
GONE_S: Final = 30
Change = Callable[[World, str], Awaitable[None]]


@dataclass(frozen=True)
class Late:
    """One change that the operator is not told about, and what it did wrong."""

    change: str
    lost: bool
    wrong: list[str]


async def _deleted(world: World, name: str) -> None:
    await world.delete("Butler", name)
    await _without_children(world, name)


async def _made_anew(world: World, name: str) -> None:
    await world.delete("Butler", name)
    await world.put(butler(name, profile="travel"))
    await _without_children(world, name)


async def _changed(world: World, name: str) -> None:
    await world.put(butler(name, profile="travel"))
    service = f"/api/v1/namespaces/{NAMESPACE}/services/butler-{name}"
    (await world.http.delete(service)).raise_for_status()


STALE: Final[dict[str, Change]] = {
    "deleted": _deleted,
    "deleted and made anew": _made_anew,
    "changed, and a child deleted by hand": _changed,
}


async def hold_back(world: World) -> list[Late]:
    """Try every change with a late and with a lost watch, each on its own butler."""
    done = []
    for number, (change, make) in enumerate(STALE.items()):
        for lost in (False, True):
            done.append(await _one(world, f"b{800 + 2 * number + lost}", change, make, lost=lost))
    return done


async def _one(world: World, name: str, change: str, make: Change, *, lost: bool) -> Late:
    await world.put(butler(name))
    wrong = await world.reached("Butler", name)
    async with world.proxy.late("butlers", lost=lost):
        since = datetime.now(UTC)
        await make(world, name)
        await asyncio.sleep(LATE_S)
        wrong += await _by_stale_facts(world, name, since)
    wrong += await world.reached("Butler", name)
    return Late(change, lost, wrong)


async def _by_stale_facts(world: World, name: str, since: datetime) -> list[str]:
    """Return writes of children from stale facts; after a resync each may be written once, if it is then correct."""
    calls = Counter(call for call in world.written(since) if call.endswith(f" butler-{name}"))
    there = await world.resource("Butler", name) is not None
    if there and not await world.wrong("Butler", name) and max(calls.values(), default=0) <= 1:
        return []
    return [f"by stale facts, {times} times: {call}" for call, times in calls.items()]


async def _without_children(world: World, name: str) -> None:
    """Wait until the garbage collector has left no child; give up in the end, as one may have been recreated."""
    for _ in range(GONE_S):
        if not await world.children("Butler", name):
            return
        await asyncio.sleep(1.0)


def butler(name: str, **more: Any) -> dict[str, Any]:
    spec = {"role": "specialist", "profile": "general", "replicas": 0, **more}
    metadata = {"name": name, "namespace": NAMESPACE}
    return {"apiVersion": "butlers.dev/v1alpha1", "kind": "Butler", "metadata": metadata, "spec": spec}
