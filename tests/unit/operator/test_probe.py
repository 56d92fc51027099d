"""The operator's pages: liveness proves work, and no connection costs more than a question does."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Any

import httpx
import pytest

from butler_kit.time import ManualClock
from butler_operator.cluster.client import connect
from butler_operator.control.kinds import register_all
from butler_operator.control.runtime import Runtime
from butler_operator.control.tasks import ROUNDS_BEHIND, STUCK_S, Tasks
from butler_operator.control.watching import Watching
from butler_operator.reconcile.key import Key
from butler_operator.settings import OperatorSettings
from tests.support.loopback import free_port
from tests.unit.operator.test_conditions import NOW


async def made(clock: ManualClock, *, port: int = 0) -> tuple[Runtime, Any, Tasks]:
    settings = OperatorSettings(namespaces=("home",), health_port=port, metrics_port=0)
    cluster = await connect(host="http://127.0.0.1:9")
    runtime = Runtime(settings=settings, cluster=cluster, http=httpx.AsyncClient(), clock=clock)
    parts = register_all(runtime)
    return runtime, parts, Tasks(runtime, parts, Watching(runtime, lambda _: asyncio.sleep(3600)))


async def test_it_fails_while_keys_are_due_that_no_worker_ends_and_for_watches_gone_silent() -> None:
    clock = ManualClock(NOW)
    runtime, parts, tasks = await made(clock)
    assert tasks.problems() == []
    runtime.queue.add(Key("Butler", "home", "finance"))
    clock.advance(STUCK_S + 1)
    assert tasks.problems()[0] == "keys are due, and no worker has ended one for 301 s"
    runtime.served |= {"home", "cabin"}
    parts.resync.behind = {"home": 9, "cabin": ROUNDS_BEHIND - 1}
    assert len(tasks.problems()) == 1, (
        "one namespace's watches are begun anew, and the others need no restart"
    )
    parts.resync.behind = {"home": 9, "cabin": ROUNDS_BEHIND}
    assert len(tasks.problems()) == 2
    await runtime.close()


async def test_it_fails_when_a_task_has_ended() -> None:
    runtime, _, tasks = await made(ManualClock(NOW))
    tasks.start()
    assert tasks.problems() == []
    await tasks.stop()
    await asyncio.sleep(0)
    assert any("leadership has ended" in problem for problem in tasks.problems())
    await runtime.close()


async def test_the_pages_are_answered_while_others_hold_all_their_connections() -> None:
    port = free_port()
    runtime, _, tasks = await made(ManualClock(NOW), port=port)
    tasks.start()
    streams = []
    try:
        async with asyncio.timeout(60), httpx.AsyncClient(trust_env=False, timeout=20) as client:
            url = f"http://127.0.0.1:{port}"
            await listening(port)
            for _ in range(600):
                streams.append(await asyncio.open_connection("127.0.0.1", port))
                streams[-1][1].write(b"GET / HTTP/1.1\r\nHost: x\r\n")
            health = await client.get(f"{url}/healthz")
            assert (health.status_code, health.json()) == (200, {"ready": True, "problems": [], "queue": 0})
            assert "butlers_operator_queue_depth" in (await client.get(f"{url}/metrics")).text
            assert (await client.get(f"{url}/other")).status_code == 404
            assert (await client.post(f"{url}/healthz")).status_code == 405
            # The last ones have their places still, and leave them when their time is over.
            assert await streams[-1][0].read() == b""
    finally:
        for _, writer in streams:
            writer.close()
        await tasks.stop()
        await runtime.close()


async def test_an_endless_header_is_cut() -> None:
    port = free_port()
    runtime, _, tasks = await made(ManualClock(NOW), port=port)
    tasks.start()
    try:
        async with asyncio.timeout(60):
            await listening(port)
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /healthz HTTP/1.1\r\n")
            with pytest.raises(ConnectionError):
                for number in count():
                    writer.write(b"X-%d: %s\r\n" % (number, b"a" * 1000))
                    await writer.drain()
    finally:
        await tasks.stop()
        await runtime.close()


async def listening(port: int) -> None:
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            return writer.close()
        except OSError:
            await asyncio.sleep(0.02)
