"""The liveness probe proves work, and fails in the one way that the framework answers at once."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import httpx
import kopf
import pytest

from butler_kit.time import ManualClock
from butler_operator.cluster.client import connect
from butler_operator.control.kinds import register_all
from butler_operator.control.runtime import Runtime
from butler_operator.control.tasks import STUCK_S, Tasks
from butler_operator.handlers.probes import working
from butler_operator.reconcile.key import Key
from butler_operator.settings import OperatorSettings
from tests.unit.operator.test_conditions import NOW

probe: Any = working


async def made(clock: ManualClock) -> tuple[Runtime, Any, Tasks]:
    settings = OperatorSettings(namespaces=("home",), metrics_port=0)
    cluster = await connect(host="http://127.0.0.1:9")
    runtime = Runtime(settings=settings, cluster=cluster, http=httpx.AsyncClient(), clock=clock)
    parts = register_all(runtime)
    return runtime, parts, Tasks(runtime, parts)


async def test_it_fails_for_a_key_that_no_worker_takes_and_for_watches_gone_silent() -> None:
    clock = ManualClock(NOW)
    runtime, parts, tasks = await made(clock)
    memo = SimpleNamespace(runtime=runtime, tasks=tasks)
    assert await probe(memo=memo) == {"queue": 0}
    runtime.queue.add(Key("Butler", "home", "finance"))
    clock.advance(STUCK_S + 1)
    with pytest.raises(kopf.PermanentError, match="has waited"):
        await probe(memo=memo)
    parts.resync.rounds_behind = 2
    assert len(tasks.problems()) == 2
    await runtime.close()


async def test_it_fails_when_a_task_has_ended() -> None:
    runtime, _, tasks = await made(ManualClock(NOW))
    tasks.start()
    assert tasks.problems() == []
    await tasks.stop()
    await asyncio.sleep(0)
    assert any("queue has ended" in problem for problem in tasks.problems())
    await runtime.close()
