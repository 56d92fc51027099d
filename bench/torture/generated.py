"""Generated changes on the control plane, in batches: after each, everything is as the last manifest says.

A change that the API server rejects is counted. One that the operator rejects must show in a condition, and the
children stay as before. Everything else is compared with the pure builders, or with Switchboard's row. At the end, a
fresh process of the operator finds nothing to write.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from bench.operator.household import NAMESPACE
from bench.torture.answered import wrong_job
from bench.torture.drawn import HISTORY, body_of, drawn, first_spec, is_valid, name_of
from bench.torture.scenarios import secret_of
from bench.torture.schema import Change, changed
from bench.torture.world import World

__all__ = ["Told", "Verdict", "change_all", "fresh", "settled", "verdict"]

Body = dict[str, Any]
Verdict = tuple[list[str], str]
"""What is wrong, and the condition that explains why a resource is not as its manifest says."""
RESOURCES: Final = 10
BATCH: Final = 50
SETTLE_S: Final = 120.0
QUIET_S: Final = 5.0
DRAWS: Final = 40
"""Changes that may be drawn for each that is taken; a kind that needs more is a fault of the drawing."""
REFUSED_EVERY: Final = 20
"""Of the changes that the models refuse, how many are drawn for one that is offered."""
_HELD: Final = ("Accepted", "ResolvedRefs", "Deployed")


@dataclass
class Told:
    """Results of the changes of one kind; `wrong` names seed, batch and the changes of the resource."""

    kind: str
    seed: int
    drawn: int = 0
    taken: int = 0
    refused: int = 0
    invalid: int = 0
    """Changes that the models refuse."""
    compared: int = 0
    held: Counter[str] = field(default_factory=Counter)
    """Resources after a batch, by the condition that explains why their children are unchanged."""
    wrong: list[str] = field(default_factory=list)


async def change_all(world: World, kind: str, *, seed: int, count: int) -> Told:
    """Change ten resources of a kind until `count` changes were taken, then restart the operator."""
    told, specs = Told(kind, seed), await _made(world, kind)
    source, batch = drawn(kind, specs, number=seed), 0
    while told.taken < count and told.drawn < DRAWS * count:
        batch += 1
        some = itertools.islice(source, DRAWS * count - told.drawn)
        last = await _offer_some(world, told, specs, some, until=min(count, told.taken + BATCH))
        for name in specs:
            wrong, held = await settled(partial(_judged, world, kind, name))
            told.held.update([held] if held else [])
            told.compared += not held
            told.wrong += [f"seed {seed}, batch {batch}, {name} {last.get(name)}: {one}" for one in wrong]
    told.wrong += await fresh(world)
    return told


async def _made(world: World, kind: str) -> dict[str, Body]:
    """Create the resources, and what they refer to; return their specs by name."""
    if kind == "BackfillJob":
        await world.put(secret_of(HISTORY, NAMESPACE, "value"))
        await world.put(body_of("Connector", HISTORY, first_spec("Connector", HISTORY, 1)))
    specs = {}
    for number in range(RESOURCES):
        name = name_of(kind, number)
        specs[name] = first_spec(kind, name, number)
        await world.put(secret_of(name, NAMESPACE, "value"))
        await world.put(body_of(kind, name, specs[name]))
    return specs


async def _offer_some(
    world: World, told: Told, specs: dict[str, Body], source: Iterable[tuple[str, Change]], *, until: int
) -> dict[str, list[Change]]:
    """Offer drawn changes until so many were taken; return those by resource."""
    last: dict[str, list[Change]] = {}
    for name, change in source:
        told.drawn += 1
        spec = changed(specs[name], change)
        if spec == specs[name] or not _is_offered(told, name, spec):
            continue
        if await world.offer(body_of(told.kind, name, spec)):
            told.refused += 1
            continue
        told.taken += 1
        specs[name] = spec
        last.setdefault(name, []).append(change)
        if told.taken >= until:
            break
    return last


def _is_offered(told: Told, name: str, spec: Body) -> bool:
    if is_valid(told.kind, name, spec):
        return True
    told.invalid += 1
    return told.invalid % REFUSED_EVERY == 0


async def settled(judge: Callable[[], Awaitable[Verdict]]) -> Verdict:
    """Wait for a resource; return what is wrong at the end, and the condition that holds it up."""
    until = time.monotonic() + SETTLE_S
    while True:
        wrong, held = await judge()
        if not wrong or time.monotonic() > until:
            return wrong, held
        await asyncio.sleep(1.0)


async def _judged(world: World, kind: str, name: str) -> Verdict:
    if kind != "BackfillJob":
        return await verdict(world, kind, name)
    body = await world.resource(kind, name) or {}
    return wrong_job(body, world.answers.job_of(body["metadata"]["uid"])), ""


async def verdict(world: World, kind: str, name: str) -> Verdict:
    """Return what is wrong with a resource now, and the condition that explains children other than its manifest's."""
    body = await world.resource(kind, name) or {}
    status = body.get("status") or {}
    if status.get("observedGeneration") != body["metadata"]["generation"]:
        return ["the status is of an earlier generation"], ""
    said = {one["type"]: one for one in status.get("conditions") or ()}
    for type_ in _HELD:
        if type_ not in said or said[type_]["status"] != "True":
            return [], f"{type_}: {said.get(type_, {}).get('reason', 'not said')}"
    return await world.wrong(kind, name), ""


async def fresh(world: World) -> list[str]:
    """Return what a fresh process writes, once the old one has nothing left to do; and whether that never came."""
    restless = ["the operator does not stop writing"]
    for _ in range(int(SETTLE_S)):
        if time.monotonic() - world.proxy.last_write > QUIET_S:
            restless = []
            break
        await asyncio.sleep(1.0)
    world.stop()
    since = datetime.now(UTC)
    await world.start()
    await asyncio.sleep(4 * QUIET_S)
    return [*restless, *(f"a fresh operator wrote: {call}" for call in world.written(since))]
