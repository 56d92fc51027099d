from __future__ import annotations

import asyncio

from butler_kit.service.checks import in_turn, run_checks
from butler_kit.service.supervision import Supervised, Supervisor, restart_delay_s
from butler_kit.telemetry import Metrics
from butler_kit.time import SystemClock


def supervisor(metrics: Metrics | None = None) -> Supervisor:
    return Supervisor(metrics=metrics or Metrics([]), clock=SystemClock(), draw=lambda: 0.0)


def test_the_pause_before_a_restart_doubles_up_to_a_cap_and_is_spread() -> None:
    assert [restart_delay_s(crashes, 0.0) for crashes in (1, 2, 3)] == [0.25, 0.5, 1.0]
    assert restart_delay_s(10_000, 0.0) == 15
    assert restart_delay_s(10_000, 0.999) < 30
    assert restart_delay_s(1, 0.5) > restart_delay_s(1, 0.0)


async def test_a_crashed_task_is_started_again_and_counted() -> None:
    metrics, runs, recovered = Metrics([]), [], asyncio.Event()

    async def flaky(stopping: asyncio.Event) -> None:
        runs.append(1)
        if len(runs) == 1:
            raise RuntimeError("lost the connection")
        recovered.set()
        await stopping.wait()

    owner = supervisor(metrics)
    owner.start([Supervised("flaky", flaky)])
    async with asyncio.timeout(90):
        await recovered.wait()
    await owner.drain(5)
    assert metrics.value("butlers.service.task_restarts", task="flaky") == 1
    assert not owner.failed.is_set()


async def test_a_fatal_crash_is_told_and_not_retried() -> None:
    runs = []

    async def fatal(_: asyncio.Event) -> None:
        runs.append(1)
        raise RuntimeError("the schema is gone")

    owner = supervisor()
    owner.start([Supervised("fatal", fatal, on_crash="fatal")])
    async with asyncio.timeout(90):
        await owner.failed.wait()
    await owner.drain(5)
    assert runs == [1]


async def test_a_draining_task_finishes_while_the_others_are_cancelled() -> None:
    ended: list[str] = []
    begun = asyncio.Event()

    async def worker(stopping: asyncio.Event) -> None:
        await stopping.wait()
        await asyncio.sleep(0)
        ended.append("worker finished")

    async def loop(_: asyncio.Event) -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            ended.append("loop cancelled")

    owner = supervisor()
    owner.start([Supervised("worker", worker, drains=True), Supervised("loop", loop)])
    await begun.wait()
    await owner.drain(20)
    assert sorted(ended) == ["loop cancelled", "worker finished"]


async def test_a_task_that_will_not_drain_is_cancelled_at_the_deadline() -> None:
    cancelled = asyncio.Event()
    begun = asyncio.Event()

    async def stuck(_: asyncio.Event) -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    owner = supervisor()
    owner.start([Supervised("stuck", stuck, drains=True)])
    await begun.wait()
    await owner.drain(0.01)
    assert cancelled.is_set()


async def test_every_check_is_told_with_its_own_reason() -> None:
    async def good() -> str | None:
        return None

    async def bad() -> str | None:
        return "3 migrations are missing"

    async def broken() -> str | None:
        raise ConnectionError("postgres://butlers:hunter2@db/butlers refused")

    async def hung() -> str | None:
        await asyncio.Event().wait()
        return None

    result = await run_checks({"a": good, "b": bad, "c": broken, "d": hung}, timeout_s=0.05)
    assert not result.ready
    assert result.checks["a"] == "ok"
    assert result.checks["b"] == "3 migrations are missing"
    assert result.checks["c"].startswith("ConnectionError: ")
    assert "hunter2" not in result.checks["c"]
    assert result.checks["d"] == "no answer within 0.05 s"


async def test_checks_in_turn_never_run_together_and_each_tells_its_own_reason() -> None:
    running = 0

    async def asks_the_database() -> str | None:
        nonlocal running
        running += 1
        await asyncio.sleep(0)
        reason = "two at a time" if running > 1 else None
        running -= 1
        return reason

    async def hung() -> str | None:
        await asyncio.Event().wait()
        return None

    both = in_turn({"database": asks_the_database, "queue": asks_the_database})
    assert (await run_checks(both)).checks == {"database": "ok", "queue": "ok"}
    stuck = await run_checks(in_turn({"database": hung, "queue": asks_the_database}), timeout_s=0.05)
    assert stuck.checks["database"] == "no answer within 0.05 s"
    assert not stuck.ready


async def test_without_checks_a_process_is_ready() -> None:
    assert (await run_checks({})).ready
