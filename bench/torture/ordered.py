"""Drawn ButlerOperations: each comes to an end and is asked for at most once; then a fresh operator writes nothing.

Their spec never changes, so every change is a new operation. A judged batch is deleted, all but the last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

from bench.torture.answered import wrong_operation
from bench.torture.drawn import body_of
from bench.torture.generated import Told, Verdict, fresh, settled
from bench.torture.orders import operations
from bench.torture.world import World

__all__ = ["OPERATION", "order_all"]

Body = dict[str, Any]
OPERATION: Final = "ButlerOperation"
BATCH: Final = 50
DRAWS: Final = 2
"""Operations that may be drawn for each that is taken: nearly all are valid."""


async def order_all(world: World, *, seed: int, count: int) -> Told:
    """Create operations until the API server has taken `count`, judge each, then restart the operator."""
    told, former = Told(OPERATION, seed), list[str]()
    for batch, specs in enumerate(_batches(operations(number=seed, count=DRAWS * count)), 1):
        if told.taken >= count:
            break
        for name in former:
            await world.delete(OPERATION, name)
        made = await _create(world, told, specs[: count - told.taken], batch)
        for name, spec in made.items():
            wrong, _ = await settled(partial(_judged, world, name))
            told.compared += 1
            told.wrong += [f"seed {seed}, batch {batch}, {name} {spec}: {one}" for one in wrong]
        former = list(made)
    told.wrong += await fresh(world)
    return told


async def _create(world: World, told: Told, specs: Sequence[Body], batch: int) -> dict[str, Body]:
    """Create operations, all before the first is judged; return the specs of those that were taken, by name."""
    made = {}
    for number, spec in enumerate(specs):
        name = f"o{batch:03}{number:02}"
        told.drawn += 1
        if await world.offer(body_of(OPERATION, name, spec)):
            told.refused += 1
        else:
            told.taken += 1
            made[name] = spec
    return made


async def _judged(world: World, name: str) -> Verdict:
    body = await world.resource(OPERATION, name) or {"metadata": {}}
    return wrong_operation(body, world.answers.orders[body["metadata"].get("uid", "")]), ""


def _batches(specs: Sequence[Body]) -> Iterator[Sequence[Body]]:
    for begin in range(0, len(specs), BATCH):
        yield specs[begin : begin + BATCH]
