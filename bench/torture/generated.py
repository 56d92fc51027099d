"""Generated changes on the control plane, in batches: after each, the children are as the last manifest says.

A change that the API server rejects is counted. One that the operator rejects must show in a condition, and the
children stay as before. Everything else is compared by hash with the pure builders. At the end, a fresh process of the
operator finds nothing to write.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from bench.operator.household import NAMESPACE
from bench.torture.scenarios import SCENARIOS, secret_of
from bench.torture.schema import Change, changes
from bench.torture.world import World

__all__ = ["KINDS", "Told", "change_all", "verdict"]

Body = dict[str, Any]
KINDS: Final = ("Butler", "Connector")
RESOURCES: Final = 10
BATCH: Final = 50
SETTLE_S: Final = 120.0
QUIET_S: Final = 5.0
_HELD: Final = ("Accepted", "ResolvedRefs", "Deployed")
_FIRST: Final = {scenario.kind: scenario.after for scenario in SCENARIOS if scenario.before is None}


@dataclass
class Told:
    """Results of the changes of one kind; `wrong` names seed, batch and the changes of the resource."""

    kind: str
    seed: int
    taken: int = 0
    refused: int = 0
    compared: int = 0
    held: Counter[str] = field(default_factory=Counter)
    """Resources after a batch, by the condition that explains why their children are unchanged."""
    wrong: list[str] = field(default_factory=list)


async def change_all(world: World, kind: str, *, seed: int, count: int) -> Told:
    """Change ten resources of a kind `count` times, then restart the operator."""
    told, specs = Told(kind, seed), {}
    for number in range(RESOURCES):
        name = f"{kind[0].lower()}{900 + number}"
        specs[name] = _first(kind, name)
        await world.put(secret_of(name, NAMESPACE, "value"))
        await world.put(_body(kind, name, specs[name]))
    for number, batch in enumerate(_batches(changes(f"{kind.lower()}s", number=seed, count=count)), 1):
        last = await _offer_all(world, told, specs, batch)
        for name in specs:
            wrong, held = await _settled(world, kind, name)
            told.held.update([held] if held else [])
            told.compared += not held
            told.wrong += [f"seed {seed}, batch {number}, {name} {last.get(name)}: {one}" for one in wrong]
    told.wrong += await _fresh(world)
    return told


async def _offer_all(
    world: World, told: Told, specs: dict[str, Body], batch: Sequence[Change]
) -> dict[str, list[Change]]:
    """Change the resources in turn; return the accepted changes by resource."""
    names, last = sorted(specs), dict[str, list[Change]]()
    for number, (name_of, value) in enumerate(batch):
        name = names[number % len(names)]
        spec = {key: kept for key, kept in specs[name].items() if key != name_of}
        spec |= {} if value is None else {name_of: value}
        if await world.offer(_body(told.kind, name, spec)):
            told.refused += 1
        else:
            told.taken += 1
            specs[name] = spec
            last.setdefault(name, []).append((name_of, value))
    return last


async def _settled(world: World, kind: str, name: str) -> tuple[list[str], str]:
    """Wait for a resource; return what is wrong at the end, and the condition that holds it up."""
    until = time.monotonic() + SETTLE_S
    while True:
        wrong, held = await verdict(world, kind, name)
        if not wrong or time.monotonic() > until:
            return wrong, held
        await asyncio.sleep(1.0)


async def verdict(world: World, kind: str, name: str) -> tuple[list[str], str]:
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


async def _fresh(world: World) -> list[str]:
    """Return what a fresh process writes, once the old one has nothing left to do."""
    for _ in range(int(SETTLE_S)):
        if time.monotonic() - world.proxy.last_write > QUIET_S:
            break
        await asyncio.sleep(1.0)
    world.stop()
    since = datetime.now(UTC)
    await world.start()
    await asyncio.sleep(4 * QUIET_S)
    return [f"a fresh operator wrote: {call}" for call in world.written(since)]


def _first(kind: str, name: str) -> Body:
    spec = _FIRST[kind]
    assert spec is not None
    return spec(name)


def _body(kind: str, name: str, spec: Body) -> Body:
    metadata = {"name": name, "namespace": NAMESPACE}
    return {"apiVersion": "butlers.dev/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec}


def _batches(drawn: Sequence[Change]) -> Iterator[Sequence[Change]]:
    for begin in range(0, len(drawn), BATCH):
        yield drawn[begin : begin + BATCH]
