"""The operator is told late, never, or by an old list: no child is created, changed or deleted by stale facts.

Each change is made to a resource of its own, all changes in one hold; then everything is told again.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from bench.operator.household import NAMESPACE
from bench.torture.drawn import body_of
from bench.torture.scenarios import secret_of
from bench.torture.world import RESYNC_S, World

__all__ = ["CHANGES", "HOLDS", "Change", "Hold", "Late", "hold_back", "names_from", "spec_of"]

HELD: Final = ("butlers", "connectors", "deployments", "persistentvolumeclaims")
GONE_S: Final = 30
WHILE_S: Final = 1.3 * RESYNC_S
"""Longer than the longest pause between two resyncs, so that each hold has one."""
Body = dict[str, Any]
Make = Callable[[World, str], Awaitable[None]]


@dataclass(frozen=True)
class Hold:
    """What is kept from the operator: the watches of `HELD`, late or for good, and lists newer than the hold."""

    name: str
    watch: bool = True
    lost: bool = False
    old_lists: bool = False


@dataclass(frozen=True)
class Change:
    """What happens to a resource of `kind`; `before`: whether it is there already."""

    name: str
    kind: str
    make: Make
    before: bool = True


@dataclass(frozen=True)
class Late:
    """One change that the operator is not told about, and what it did wrong."""

    change: str
    hold: str
    wrong: Sequence[str]


HOLDS: Final = (
    Hold("watch late"),
    Hold("watch lost", lost=True),
    Hold("old list", watch=False, old_lists=True),
    Hold("old list, watch lost", lost=True, old_lists=True),
)


def spec_of(kind: str, name: str, **more: Any) -> Body:
    """Return the spec of a resource before its change; a connector has a volume."""
    if kind == "Butler":
        return {"role": "specialist", "profile": "general", "replicas": 0, **more}
    reference = {"name": f"{name}-source", "key": "value"}
    imap = {"host": "mail.example.org", "username": name, "passwordSecretRef": reference}
    source = {"type": "imap", "endpointIdentity": f"imap:{name}", "imap": imap}
    return {**source, "suspend": True, **more}


def _other(kind: str) -> Body:
    return {"profile": "travel"} if kind == "Butler" else {"maxInflight": 3}


def _deleted(kind: str) -> Make:
    async def make(world: World, name: str) -> None:
        await world.delete(kind, name)
        await _without_children(world, kind, name)

    return make


def _made_anew(kind: str) -> Make:
    async def make(world: World, name: str) -> None:
        await world.delete(kind, name)
        await world.put(body_of(kind, name, spec_of(kind, name, **_other(kind))))
        await _without_children(world, kind, name)

    return make


def _made(kind: str) -> Make:
    async def make(world: World, name: str) -> None:
        await world.put(body_of(kind, name, spec_of(kind, name)))

    return make


def _changed(kind: str, child: str) -> Make:
    """Change the manifest, and delete a child by hand: it must not come back as it was."""

    async def make(world: World, name: str) -> None:
        await world.put(body_of(kind, name, spec_of(kind, name, **_other(kind))))
        await world.delete(child, f"{kind.lower()}-{name}")

    return make


def _without(kind: str, child: str) -> Make:
    async def make(world: World, name: str) -> None:
        await world.delete(child, f"{kind.lower()}-{name}")

    return make


CHANGES: Final = (
    Change("butler deleted", "Butler", _deleted("Butler")),
    Change("butler deleted and made anew", "Butler", _made_anew("Butler")),
    Change("butler changed, and a child deleted", "Butler", _changed("Butler", "Service")),
    Change("butler made", "Butler", _made("Butler"), before=False),
    Change("connector deleted", "Connector", _deleted("Connector")),
    Change("connector deleted and made anew", "Connector", _made_anew("Connector")),
    Change("connector changed, and a child deleted", "Connector", _changed("Connector", "NetworkPolicy")),
    Change("connector made", "Connector", _made("Connector"), before=False),
    Change("deployment deleted", "Butler", _without("Butler", "Deployment")),
    Change("volume deleted", "Connector", _without("Connector", "PersistentVolumeClaim")),
)


async def hold_back(world: World) -> list[Late]:
    """Try every change with every hold."""
    done: list[Late] = []
    for number, hold in enumerate(HOLDS):
        done += await _one(world, hold, names_from(800 + 20 * number))
    return done


def names_from(first: int) -> dict[str, Change]:
    """Return the changes by the name of the resource that each is made to."""
    return {f"{change.kind[0].lower()}{number}": change for number, change in enumerate(CHANGES, first)}


async def _one(world: World, hold: Hold, changes: dict[str, Change]) -> list[Late]:
    wrong = {name: await _prepared(world, name, change) for name, change in changes.items()}
    async with _hold(world, hold):
        since = datetime.now(UTC)
        await asyncio.gather(*(change.make(world, name) for name, change in changes.items()))
        await asyncio.sleep(WHILE_S)
        for name, change in changes.items():
            wrong[name] += await _by_stale_facts(world, change.kind, name, since, told=not hold.watch)
    for name, change in changes.items():
        wrong[name] += await world.reached(change.kind, name)
    return [Late(change.name, hold.name, wrong[name]) for name, change in changes.items()]


@asynccontextmanager
async def _hold(world: World, hold: Hold) -> AsyncIterator[None]:
    given = world.proxy.old_lists_given
    watched, listed = (HELD if held else () for held in (hold.watch, hold.old_lists))
    async with world.proxy.old_lists(*listed), world.proxy.late(*watched, lost=hold.lost):
        yield
    if hold.old_lists and world.proxy.old_lists_given == given:
        raise RuntimeError(f"{hold.name}: no list was asked for")


async def _prepared(world: World, name: str, change: Change) -> list[str]:
    await world.put(secret_of(name, NAMESPACE, "value"))
    if not change.before:
        return []
    await world.put(body_of(change.kind, name, spec_of(change.kind, name)))
    return await world.reached(change.kind, name)


async def _by_stale_facts(world: World, kind: str, name: str, since: datetime, *, told: bool) -> list[str]:
    """Return writes of children from stale facts.

    After a resync each may be written once, if it is then correct. Who is `told` by the watches may write more, but has
    no cause to delete.
    """
    child = f" {kind.lower()}-{name}"
    if told:
        return [one for one in world.deletions(since, set()) if f"{child} " in one]
    calls = Counter(call for call in world.written(since) if call.endswith(child))
    there = await world.resource(kind, name) is not None
    if there and not await world.wrong(kind, name) and max(calls.values(), default=0) <= 1:
        return []
    return [f"by stale facts, {times} times: {call}" for call, times in calls.items()]


async def _without_children(world: World, kind: str, name: str) -> None:
    """Wait until the garbage collector has left no child; give up in the end, as one may have been recreated."""
    for _ in range(GONE_S):
        if not await world.children(kind, name):
            return
        await asyncio.sleep(1.0)
