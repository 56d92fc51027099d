"""Kills the operator after each write of a scenario in turn; the next process comes to the same end."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from bench.operator.household import NAMESPACE
from bench.torture.oracle import replaced
from bench.torture.scenarios import Scenario, secret_of
from bench.torture.world import World

__all__ = ["Trial", "kill_after_each_write"]

WRITES_MAX: Final = 30
HAPPENS_S: Final = 30.0


@dataclass(frozen=True)
class Trial:
    """One run of a scenario: the last write before the kill, and what was wrong at the end."""

    scenario: str
    killed_after: int
    write: str
    wrong: Sequence[str]
    back_s: float


async def kill_after_each_write(world: World, scenario: Scenario, *, first: int) -> list[Trial]:
    """Run trials with a kill after the first, second, … write, each on a new resource, until one ends without one."""
    trials: list[Trial] = []
    for count in range(1, WRITES_MAX + 1):
        letter = "b" if scenario.kind == "Butler" else "c"
        trial = await _trial(world, scenario, f"{letter}{first + count:03}", count)
        trials.append(trial)
        if trial.killed_after == 0:
            return trials
    raise RuntimeError(f"{scenario.name}: more than {WRITES_MAX} writes")


async def _trial(world: World, scenario: Scenario, name: str, count: int) -> Trial:
    since = datetime.now(UTC)
    await world.put(secret_of(name, NAMESPACE, "first"))
    if scenario.before is not None:
        await world.put(_body(scenario.kind, name, scenario.before(name)))
        wrong = await world.reached(scenario.kind, name)
        if wrong:
            return Trial(scenario.name, count, "before the change", wrong, 0.0)
    before = await world.uids(scenario.kind, name)
    world.proxy.kill_after(count, world.kill)
    await _change(world, scenario, name)
    wrong = await world.reached(scenario.kind, name, within_s=HAPPENS_S)
    last, killed, back_s = "", 0, 0.0
    if world.dead:
        last, killed = world.proxy.writes[-1], count
        began = time.monotonic()
        await world.start()
        wrong = await world.reached(scenario.kind, name)
        back_s = time.monotonic() - began
    world.proxy.kill_after(None)
    after = await world.uids(scenario.kind, name)
    needed = set(before) - set(after)
    wrong = [*wrong, *replaced(before, after), *world.deletions(since, needed)]
    return Trial(scenario.name, killed, last, wrong, back_s)


async def _change(world: World, scenario: Scenario, name: str) -> None:
    if scenario.secret:
        await world.put(secret_of(name, NAMESPACE, "second"))
    elif scenario.after is None:
        await world.delete(scenario.kind, name)
    else:
        await world.put(_body(scenario.kind, name, scenario.after(name)))


def _body(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": name, "namespace": NAMESPACE}
    return {"apiVersion": "butlers.dev/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec}
