"""The queue: each key once at a time, failures wait longer, nothing turns in a circle."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from butler_kit.time import ManualClock, SystemClock
from butler_operator.cluster.errors import ClusterUnavailable
from butler_operator.control import queue as queue_module
from butler_operator.control.queue import WorkQueue
from butler_operator.metrics import OperatorMetrics
from butler_operator.reconcile.key import Key
from butler_operator.reconcile.outcome import Outcome, done, requeue
from tests.unit.operator.test_conditions import NOW

A, B = Key("Butler", "home", "a"), Key("Butler", "home", "b")


async def work(
    reconcile: Callable[[Key], Awaitable[Outcome]], *keys: Key, until: Callable[[], bool], workers: int = 4
) -> OperatorMetrics:
    metrics = OperatorMetrics()
    queue = WorkQueue(reconcile, clock=SystemClock(), metrics=metrics, workers=workers)
    for key in keys:
        queue.add(key)
    task = asyncio.create_task(queue.run())
    async with asyncio.timeout(90):
        while not until():
            await asyncio.sleep(0.005)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    return metrics


async def test_a_key_never_runs_twice_at_once_and_runs_again_for_what_came_meanwhile() -> None:
    running, most, runs = 0, 0, 0
    queue: WorkQueue

    async def reconcile(key: Key) -> Outcome:
        nonlocal running, most, runs
        running, runs = running + 1, runs + 1
        most = max(most, running)
        if runs < 5:
            queue.add(key)
            queue.add(key)
        await asyncio.sleep(0.01)
        running -= 1
        return done()

    queue = WorkQueue(reconcile, clock=SystemClock(), metrics=OperatorMetrics(), workers=4)
    queue.add(A)
    task = asyncio.create_task(queue.run())
    async with asyncio.timeout(90):
        while runs < 5 or not queue.idle():
            await asyncio.sleep(0.005)
    task.cancel()
    assert (most, runs) == (1, 5)


async def test_keys_run_beside_each_other() -> None:
    met = asyncio.Barrier(2)
    ended: list[Key] = []

    async def reconcile(key: Key) -> Outcome:
        await met.wait()
        ended.append(key)
        return done()

    await work(reconcile, A, B, until=lambda: len(ended) == 2)


async def test_keys_of_one_namespace_that_all_hang_leave_a_worker_for_the_others() -> None:
    hung = [Key("ButlerOperation", "home", f"o{number}") for number in range(30)]
    cabin = [Key("Butler", "cabin", f"b{number}") for number in range(5)]
    ended: list[Key] = []

    async def reconcile(key: Key) -> Outcome:
        if key.namespace == "home":
            await asyncio.Event().wait()
        ended.append(key)
        return done()

    await work(reconcile, *hung, *cabin, until=lambda: ended == cabin, workers=10)


async def test_many_slow_keys_are_no_standstill_and_a_run_that_never_ends_is() -> None:
    keys = [Key("ButlerOperation", "home", f"o{number}") for number in range(4)]
    may_end, begun = asyncio.Semaphore(0), 0
    clock = ManualClock(NOW)

    async def reconcile(key: Key) -> Outcome:
        nonlocal begun
        begun += 1
        await may_end.acquire()
        return done()

    queue = WorkQueue(reconcile, clock=clock, metrics=OperatorMetrics(), workers=1)
    assert queue.stands_still_s() == 0
    for key in keys:
        queue.add(key)
    task = asyncio.create_task(queue.run())
    async with asyncio.timeout(90):
        for number in range(1, 4):
            while begun < number:
                await asyncio.sleep(0)
            assert queue.stands_still_s() == 0, "the one before has just ended"
            clock.advance(100)
            assert queue.stands_still_s() == 100
            may_end.release()
        may_end.release()
        while not queue.idle():
            await asyncio.sleep(0)
    clock.advance(1_000)
    assert queue.stands_still_s() == 0, "nothing is due"
    task.cancel()


async def test_what_became_due_before_the_workers_began_is_no_standstill() -> None:
    clock = ManualClock(NOW)

    async def reconcile(key: Key) -> Outcome:
        await asyncio.Event().wait()
        return done()

    queue = WorkQueue(reconcile, clock=clock, metrics=OperatorMetrics(), workers=1)
    queue.add(A)
    queue.add(B)
    clock.advance(1_000)
    task = asyncio.create_task(queue.run())
    await asyncio.sleep(0)
    assert queue.stands_still_s() == 0, "a standby takes over"
    task.cancel()


async def test_a_failing_key_waits_and_holds_up_no_other(monkeypatch) -> None:
    monkeypatch.setattr(queue_module, "BACKOFF_FIRST_S", 0.01)
    runs: list[Key] = []

    async def reconcile(key: Key) -> Outcome:
        runs.append(key)
        if key == A and runs.count(A) < 4:
            raise ClusterUnavailable("no answer")
        return done()

    metrics = await work(reconcile, A, B, until=lambda: runs.count(A) == 4 and B in runs, workers=1)
    assert metrics.value("butlers.operator.errors", kind="Butler", error="ClusterUnavailable") == 3
    assert runs.index(B) == 1


async def test_a_change_does_not_shorten_the_wait_of_a_key_that_failed_meanwhile(monkeypatch) -> None:
    monkeypatch.setattr(queue_module, "BACKOFF_FIRST_S", 60.0)
    runs = 0
    queue: WorkQueue

    async def reconcile(key: Key) -> Outcome:
        nonlocal runs
        runs += 1
        queue.add(key)
        raise ClusterUnavailable("no answer")

    queue = WorkQueue(reconcile, clock=SystemClock(), metrics=OperatorMetrics(), workers=1)
    queue.add(A)
    task = asyncio.create_task(queue.run())
    async with asyncio.timeout(90):
        while runs == 0 or not queue.idle():
            await asyncio.sleep(0.005)
    for _ in range(5):
        await asyncio.sleep(0)
    task.cancel()
    assert runs == 1


async def test_a_key_comes_back_when_it_asked_to(monkeypatch) -> None:
    monkeypatch.setattr(queue_module, "BACKOFF_FIRST_S", 0.01)
    runs = 0

    async def reconcile(key: Key) -> Outcome:
        nonlocal runs
        runs += 1
        return requeue(0.01, "waiting for a Secret") if runs < 3 else done()

    await work(reconcile, A, until=lambda: runs == 3)


async def test_a_reconcile_that_hangs_is_ended(monkeypatch) -> None:
    runs = 0

    async def reconcile(key: Key) -> Outcome:
        nonlocal runs
        runs += 1
        await asyncio.Event().wait()
        return done()

    metrics = OperatorMetrics()
    queue = WorkQueue(reconcile, clock=SystemClock(), metrics=metrics, workers=1, deadline_s=0.02)
    queue.add(A)
    task = asyncio.create_task(queue.run())
    async with asyncio.timeout(90):
        while metrics.value("butlers.operator.errors", kind="Butler", error="TimeoutError") == 0:
            await asyncio.sleep(0.005)
    task.cancel()
