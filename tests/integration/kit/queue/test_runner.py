"""The runner: hot path, cold path, threads, lost leases, draining, two replicas at once."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter, defaultdict
from datetime import timedelta
from uuid import UUID

import asyncpg
import pytest

from butler_contracts.errors import TargetUnavailable, TimedOut
from butler_contracts.stored import Unreadable
from butler_kit.db import init_connection, transaction
from butler_kit.queue import Defer, Finish, Finished, LeasedQueue, QueueRunner, TierBuffer, Unblock
from tests.support.workqueue import fill, give_up, item, make_work_table

PATIENCE_S = 90


class Events:
    """Counts what the runner reports."""

    def __init__(self):
        self.counts: Counter[str] = Counter()

    def enqueued(self, path):
        self.counts[path] += 1

    def backpressure(self, lane):
        self.counts[f"full {lane}"] += 1

    def recovered(self, count):
        self.counts["recovered"] += count

    def taken(self, lane, *, starvation_override):
        self.counts[f"taken {lane}"] += 1
        self.counts["forced"] += starvation_override

    def waited_ms(self, milliseconds):
        assert milliseconds >= 0
        self.counts["waited"] += 1


@pytest.fixture
async def database(provisioned):
    return await provisioned("finance")


@pytest.fixture
async def pool(database):
    pool = await database.pool("finance", max_size=20)
    await make_work_table(pool)
    return pool


@pytest.fixture
async def queue(pool):
    return LeasedQueue(pool, "test_work", lease_s=30)


@pytest.fixture
async def running():
    """Starts runners and drains them at the end."""
    async with contextlib.AsyncExitStack() as stack:

        async def start(runner):
            task = asyncio.create_task(runner.run())

            async def end():
                runner.stop()
                await asyncio.wait_for(task, PATIENCE_S)

            stack.push_async_callback(end)
            return runner

        yield start


def runner_of(queue, handler, **options):
    capacity, buffer = options.pop("capacity", 100), options.pop("buffer", None)
    if buffer is None:  # an empty one is false
        buffer = TierBuffer(capacity=capacity)
    return QueueRunner(
        queue, buffer, handler, **{"on_exhausted": give_up, "scanner_grace_s": 0.0, "drain_s": 5.0, **options}
    )


class Recorder:
    """A handler that remembers what it saw and answers from a script."""

    def __init__(self, expected, *answers):
        self.expected = expected
        self.answers = list(answers)
        self.seen = []
        self.done = asyncio.Event()

    async def __call__(self, lease):
        self.seen.append(lease.item_id.int)
        if len(self.seen) >= self.expected:
            self.done.set()
        return self.answers.pop(0) if self.answers else Finish()

    async def wait(self):
        await asyncio.wait_for(self.done.wait(), PATIENCE_S)


async def emptied(queue):
    async with asyncio.timeout(PATIENCE_S):
        while await queue.depth():
            await asyncio.sleep(0.01)


@pytest.mark.spec("CON-4.1", "SWB-06.2")
async def test_an_offered_row_is_worked_on_without_the_scanner(queue, running):
    events, handler = Events(), Recorder(1)
    # The sweep at the start must not meet the row either: it is too young for it.
    quiet = runner_of(queue, handler, observer=events, scanner_interval_s=3600, scanner_grace_s=3600)
    runner = await running(quiet)
    await emptied(queue)
    await fill(queue, 1)
    assert runner.offer(item(1), "default", "api")
    await handler.wait()
    await emptied(queue)
    assert events.counts == {"hot": 1, "taken default": 1, "forced": 0, "waited": 1}


@pytest.mark.spec("CON-4.1", "SWB-06.3")
async def test_the_scanner_finds_what_an_earlier_process_left(queue, running):
    events, handler = Events(), Recorder(3)
    lanes = ("default", "interactive", "high_priority")
    for number, lane in enumerate(lanes, start=1):
        await fill(queue, number, lane=lane)
    await running(runner_of(queue, handler, observer=events))
    await handler.wait()
    assert sorted(handler.seen) == [1, 2, 3]
    taken = {lane: events.counts[f"taken {lane}"] for lane in lanes}
    assert taken == dict.fromkeys(lanes, 1)
    assert events.counts["recovered"] == events.counts["cold"] == 3


@pytest.mark.spec("CON-4.1", "SWB-06.4")
async def test_a_full_lane_leaves_the_row_to_the_scanner(queue, running):
    events, handler = Events(), Recorder(3)
    runner = runner_of(queue, handler, observer=events, capacity=1, workers=1, scanner_batch=10)
    await fill(queue, 1, 2, 3)
    accepted = [runner.offer(item(number), "default", "api") for number in (1, 2, 3)]
    assert accepted == [True, False, False]
    assert events.counts["full default"] == 2
    await running(runner)
    await handler.wait()
    assert sorted(handler.seen) == [1, 2, 3]


@pytest.mark.spec("SWB-07.2")
async def test_what_another_worker_took_is_no_part_of_a_worker_s_streak(queue, running):
    gates = {number: asyncio.Event() for number in (1, 2, 3, 4)}
    taken: asyncio.Queue[int] = asyncio.Queue()

    async def handler(lease):
        taken.put_nowait(lease.item_id.int)
        await gates[lease.item_id.int].wait()
        return Finish()

    buffer: TierBuffer[UUID] = TierBuffer(max_consecutive=2)
    runner = runner_of(
        queue, handler, buffer=buffer, workers=2, scanner_interval_s=3600, scanner_grace_s=3600
    )
    await fill(queue, 1, 2, 3, lane="high_priority")
    await fill(queue, 4)
    for number, lane in ((1, "high_priority"), (2, "high_priority"), (3, "high_priority"), (4, "default")):
        assert runner.offer(item(number), lane, "api")
    await running(runner)
    try:
        async with asyncio.timeout(PATIENCE_S):
            assert {await taken.get(), await taken.get()} == {1, 2}
            gates[1].set()
            assert await taken.get() == 3
    finally:
        for gate in gates.values():
            gate.set()
    await emptied(queue)


async def test_the_scanner_does_not_bring_what_waits_or_is_worked_on_here(queue, running):
    release = asyncio.Event()

    async def handler(lease):
        await release.wait()
        return Finish()

    runner = runner_of(queue, handler, workers=1, scanner_interval_s=3600)
    await fill(queue, 1, 2)
    await running(runner)
    async with asyncio.timeout(PATIENCE_S):
        while runner.in_hand == 0:
            await asyncio.sleep(0.01)
    assert await runner.scan() == 0
    release.set()
    await emptied(queue)


async def test_the_next_of_a_thread_follows_at_once_before_a_higher_lane(queue, running):
    handler = Recorder(4)
    runner = runner_of(queue, handler, workers=1, scanner_interval_s=3600)
    await fill(queue, 1, 2, 3, thread="t", lane="default")
    await fill(queue, 9, lane="high_priority")
    await running(runner)
    await handler.wait()
    assert handler.seen in ([9, 1, 2, 3], [1, 2, 3, 9])
    assert "".join(map(str, handler.seen)).replace("9", "") == "123"


async def test_a_deferred_row_comes_back_when_due_without_the_scanner(queue, running):
    handler = Recorder(3, Defer(0.0), Finish())
    runner = await running(runner_of(queue, handler, workers=2, scanner_interval_s=3600))
    await fill(queue, 1, 2, thread="t")
    runner.offer(item(1), "default", "api")
    await handler.wait()
    assert handler.seen == [1, 1, 2]


async def test_a_row_that_is_offered_before_its_moment_is_worked_on_at_it_without_the_scanner(queue, running):
    handler = Recorder(1)
    runner = await running(runner_of(queue, handler, scanner_interval_s=3600))
    await fill(queue, 1, delay_s=0.5)
    runner.offer(item(1), "default", "api")
    await handler.wait()
    assert handler.seen == [1]


async def test_a_row_that_is_locked_when_it_is_offered_is_looked_at_again(queue, pool, running):
    handler = Recorder(1)
    await fill(queue, 1)
    async with pool.acquire() as other, other.transaction():
        await other.execute("SELECT FROM test_work FOR UPDATE")
        runner = await running(runner_of(queue, handler, scanner_interval_s=3600))
        runner.offer(item(1), "default", "api")
        await asyncio.sleep(0.5)
        assert handler.seen == []
    await handler.wait()


async def test_a_row_with_a_moment_of_its_own_is_found_at_it_not_at_the_next_interval(queue, running):
    handler = Recorder(2)
    await fill(queue, 2, delay_s=1.0)
    await fill(queue, 1, delay_s=0.5)
    await running(runner_of(queue, handler, on_time=True, scanner_interval_s=3600))
    await handler.wait()
    assert handler.seen == [1, 2]


async def test_a_row_that_is_due_before_all_others_is_looked_for_when_it_is_told(queue, running):
    handler = Recorder(1)
    await fill(queue, 1, delay_s=3600)
    runner = await running(runner_of(queue, handler, on_time=True, scanner_interval_s=3600))
    await fill(queue, 2, delay_s=0.5)
    runner.look()
    await handler.wait()
    assert handler.seen == [2]


async def test_an_unblocked_row_lets_its_thread_go_on_and_is_looked_at_again(queue, running):
    handler = Recorder(3, Unblock(0.5))
    runner = await running(runner_of(queue, handler, workers=1, scanner_interval_s=3600))
    await fill(queue, 1, 2, thread="t")
    runner.offer(item(1), "default", "api")
    await handler.wait()
    assert handler.seen == [1, 2, 1]


async def test_a_handler_may_unblock_its_thread_and_go_on_itself(queue, running):
    second_ran = asyncio.Event()

    async def handler(lease):
        if lease.item_id == item(1):
            await runner.unblock(lease)
            await asyncio.wait_for(second_ran.wait(), PATIENCE_S)
        else:
            second_ran.set()
        return Finish()

    runner = runner_of(queue, handler, workers=2, scanner_interval_s=3600)
    await fill(queue, 1, 2, thread="t")
    await running(runner)
    await emptied(queue)


async def test_a_handler_may_finish_in_its_own_transaction(queue, pool, running):
    async def handler(lease):
        async with transaction(pool) as connection:
            await queue.finish(lease, connection)
        return Finished()

    await fill(queue, 1, 2, thread="t")
    await running(runner_of(queue, handler, scanner_interval_s=3600))
    await emptied(queue)


async def hurried(queue, pool, runner):
    """Until the queue is empty: no pause is waited for."""
    async with asyncio.timeout(PATIENCE_S):
        while await queue.depth():
            await pool.execute("UPDATE test_work SET available_at = clock_now() WHERE lease_id IS NULL")
            await runner.scan()
            await asyncio.sleep(0.01)


async def test_a_failing_handler_puts_its_row_off_and_others_go_on(queue, pool, running):
    attempts = []

    async def handler(lease):
        if lease.item_id == item(1):
            attempts.append((lease.attempt, lease.failures))
            if len(attempts) < 3:
                raise RuntimeError("broken")
        return Finish()

    await fill(queue, 1, 2, 3)
    await hurried(queue, pool, await running(runner_of(queue, handler)))
    assert attempts == [(1, 0), (2, 1), (3, 2)]


async def test_a_row_that_no_handler_can_work_on_ends_and_its_thread_goes_on(queue, pool, running):
    worked, ended = [], []

    async def handler(lease):
        worked.append(lease.item_id.int)
        if lease.item_id == item(1):
            raise KeyError("no_such_field")
        return Finish()

    async def end(lease, error):
        ended.append((lease.item_id.int, lease.failures, type(error)))
        return Finish()

    await fill(queue, 1, 2, 3, thread="t")
    await hurried(queue, pool, await running(runner_of(queue, handler, on_exhausted=end, max_attempts=3)))
    assert ended == [(1, 2, KeyError)]
    assert worked == [1, 1, 1, 2, 3]


@pytest.mark.parametrize("outage", [TargetUnavailable("away"), TimedOut("slow"), ConnectionResetError("cut")])
async def test_an_outage_uses_no_attempt_up(queue, pool, running, outage):
    failures = []

    async def handler(lease):
        failures.append(lease.failures)
        if len(failures) < 9:
            raise outage
        return Finish()

    async def end(lease, error):
        raise AssertionError("an outage ended a row")

    await fill(queue, 1)
    await hurried(queue, pool, await running(runner_of(queue, handler, on_exhausted=end, max_attempts=2)))
    assert failures == [0] * 9


async def test_a_row_that_cannot_be_read_lets_its_thread_go_on_at_once(queue, running):
    worked, last = [], asyncio.Event()

    async def handler(lease):
        worked.append(lease.item_id.int)
        if lease.item_id == item(1):
            raise Unreadable("written by the next version")
        if lease.item_id == item(3):
            last.set()
        return Finish()

    await fill(queue, 1, 2, 3, thread="t")
    await running(runner_of(queue, handler, scanner_interval_s=3600))
    await asyncio.wait_for(last.wait(), PATIENCE_S)
    assert worked == [1, 2, 3]


@pytest.mark.parametrize("problem", [RuntimeError("a defect"), TargetUnavailable("away")])
async def test_an_end_that_cannot_be_written_is_tried_again_while_the_thread_goes_on(
    queue, pool, running, problem
):
    worked, ends = [], []

    async def handler(lease):
        worked.append(lease.item_id.int)
        if lease.item_id == item(1):
            raise KeyError("no_such_field")
        return Finish()

    async def end(lease, error):
        ends.append(lease.item_id.int)
        if len(ends) < 3 or 2 not in worked:
            raise problem
        return Finish()

    await fill(queue, 1, 2, thread="t")
    await hurried(queue, pool, await running(runner_of(queue, handler, on_exhausted=end, max_attempts=1)))
    assert worked.count(2) == 1
    assert worked.index(2) < len(worked) - 1
    assert ends == [1, 1, 1]


async def test_a_handler_that_is_cancelled_from_within_is_a_failed_attempt_and_takes_no_worker_along(
    queue, pool, running
):
    """A library that lets a cancellation of its own escape."""
    failures = []

    async def handler(lease):
        failures.append(lease.failures)
        if len(failures) == 1:
            raise asyncio.CancelledError
        return Finish()

    await fill(queue, 1)
    await hurried(queue, pool, await running(runner_of(queue, handler, workers=1)))
    assert failures == [0, 1]


async def test_news_for_a_row_in_work_is_kept_for_later_though_another_worker_tried_to_take_it(
    queue, running
):
    """The row was taken over as its thread's head while it waited in memory; the second worker's claim fails."""
    begun, may_end = ({number: asyncio.Event() for number in (1, 2)} for _ in range(2))

    async def handler(lease):
        begun[lease.item_id.int].set()
        await may_end[lease.item_id.int].wait()
        return Finish()

    await fill(queue, 1, 2, thread="t")
    runner = await running(runner_of(queue, handler, scanner_interval_s=3600))
    assert runner.offer(item(1), "default", "api")
    await asyncio.wait_for(begun[1].wait(), PATIENCE_S)
    may_end[1].set()
    await asyncio.wait_for(begun[2].wait(), PATIENCE_S)
    assert await runner._claim(item(2)) is None
    assert runner.offer(item(2), "default", "api")
    assert item(2) not in runner.buffer
    may_end[2].set()
    await emptied(queue)


async def test_a_handler_whose_lease_was_taken_over_is_cancelled_and_changes_nothing(
    queue, database, running
):
    started, cancelled = asyncio.Event(), asyncio.Event()

    async def slow(lease):
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    await fill(queue, 1)
    runner = await running(runner_of(queue, slow, workers=1, scanner_interval_s=3600))
    await asyncio.wait_for(started.wait(), PATIENCE_S)
    await database.shift_clock(timedelta(seconds=31))
    thief = await queue.claim(item(1))
    await runner.renew()
    await asyncio.wait_for(cancelled.wait(), PATIENCE_S)
    await queue.finish(thief)


async def test_a_handler_is_cancelled_when_its_lease_may_have_run_out_during_an_outage(
    queue, running, monkeypatch
):
    started, cancelled, now = asyncio.Event(), asyncio.Event(), [0.0]

    async def slow(lease):
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    await fill(queue, 1)
    runner = await running(
        runner_of(queue, slow, workers=1, scanner_interval_s=3600, monotonic=lambda: now[0])
    )
    await asyncio.wait_for(started.wait(), PATIENCE_S)
    queue._pool.terminate()
    now[0] = 29.0
    await runner.renew()
    await asyncio.sleep(0)
    assert not cancelled.is_set()
    now[0] = 30.0
    await runner.renew()
    await asyncio.wait_for(cancelled.wait(), PATIENCE_S)


async def test_stopping_lets_a_handler_end_and_takes_nothing_more(queue):
    started, release = asyncio.Event(), asyncio.Event()

    async def handler(lease):
        started.set()
        await release.wait()
        return Finish()

    await fill(queue, 1, 2, thread="t")
    runner = runner_of(queue, handler)
    task = asyncio.create_task(runner.run())
    await asyncio.wait_for(started.wait(), PATIENCE_S)
    runner.stop()
    release.set()
    await asyncio.wait_for(task, PATIENCE_S)
    assert not runner.offer(item(2), "default", "api")
    assert await queue.depth() == {"default": 1}
    assert (await queue.claim(item(2))).attempt == 1


async def test_a_row_whose_handler_does_not_end_in_time_is_given_back_at_once(queue):
    started = asyncio.Event()

    async def handler(lease):
        started.set()
        await asyncio.Event().wait()

    await fill(queue, 1)
    runner = runner_of(queue, handler, drain_s=0.05)
    task = asyncio.create_task(runner.run())
    await asyncio.wait_for(started.wait(), PATIENCE_S)
    runner.stop()
    await asyncio.wait_for(task, PATIENCE_S)
    assert (await queue.claim(item(1))).attempt == 2


async def test_workers_survive_a_database_that_ends_every_connection(pool, database, running):
    handler = Recorder(20)
    queue = LeasedQueue(pool, "test_work", lease_s=2)  # a claim whose answer was cut off waits this long
    runner = await running(runner_of(queue, handler, scanner_interval_s=0.1, renew_interval_s=0.5))
    await fill(queue, *range(1, 11))
    await database.server.execute(
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database.name}'"
    )
    for _ in range(50):
        with contextlib.suppress(Exception):
            await fill(queue, *range(1, 21))
            break
    for number in range(1, 21):
        runner.offer(item(number), "default", "api")
    await handler.wait()
    await emptied(queue)


async def test_workers_renewers_and_scanners_survive_a_database_that_answers_nothing(pool, database, running):
    """A stalled disk or a cut line: only the client's own `command_timeout` ends a statement then."""
    impatient = await asyncpg.create_pool(
        database.dsn("finance"),
        min_size=1,
        max_size=10,
        init=init_connection,
        command_timeout=1,
        server_settings={"search_path": "finance"},
    )
    try:
        queue, begun, may_end = LeasedQueue(impatient, "test_work"), asyncio.Event(), asyncio.Event()

        async def handler(lease):
            if lease.item_id == item(1):
                begun.set()
                await may_end.wait()
            return Finish()

        runner = await running(runner_of(queue, handler, workers=2, scanner_interval_s=0.05))
        await fill(queue, 1)
        assert runner.offer(item(1), "default", "api")
        await asyncio.wait_for(begun.wait(), PATIENCE_S)
        async with transaction(pool) as connection:
            await connection.execute("LOCK TABLE test_work IN ACCESS EXCLUSIVE MODE")
            with pytest.raises(TimedOut):
                await queue.renew_many([])
            await runner.renew()
            assert runner.offer(item(2), "default", "api")
            with pytest.raises(TimedOut):
                await runner.scan()
        may_end.set()
        await fill(queue, 2, 3)
        await emptied(queue)
    finally:
        impatient.terminate()


@pytest.mark.spec("CON-4.1", "SWB-39.1")
async def test_two_replicas_under_load_handle_each_row_once_and_every_thread_in_order(database, running):
    pools = [await database.pool("finance", max_size=10) for _ in range(2)]
    await make_work_table(pools[0])
    queues = [LeasedQueue(pool, "test_work", lease_s=30) for pool in pools]
    seen: Counter[UUID] = Counter()
    running_now: Counter[str | None] = Counter()
    in_thread = defaultdict(list)
    overlaps = []
    all_wait = asyncio.Event()

    async def handler(lease):
        running_now[lease.thread_key] += 1
        if lease.thread_key and running_now[lease.thread_key] > 1:
            overlaps.append(lease)
        await all_wait.wait()
        seen[lease.item_id] += 1
        in_thread[lease.thread_key].append(lease.item_id.int)
        running_now[lease.thread_key] -= 1
        return Finish()

    runners = [
        await running(runner_of(queue, handler, workers=4, capacity=20, scanner_interval_s=0.2))
        for queue in queues
    ]
    for number in range(1, 401):
        thread = f"t{number % 7}" if number % 8 else None
        lane = ("high_priority", "interactive", "default")[number % 3]
        await fill(queues[number % 2], number, thread=thread, lane=lane, source=f"s{number % 2}")
        runners[number % 2].offer(item(number), lane, f"s{number % 2}")
    all_wait.set()
    await emptied(queues[0])
    assert len(seen) == 400
    assert set(seen.values()) == {1}
    assert not overlaps
    for thread, numbers in in_thread.items():
        assert thread is None or numbers == sorted(numbers)


async def test_a_lease_must_be_renewed_before_it_runs_out(queue):
    with pytest.raises(ValueError, match="renewed"):
        QueueRunner(queue, TierBuffer(), Recorder(1), on_exhausted=give_up, renew_interval_s=30)


async def test_a_defect_in_the_queue_ends_the_runner_loudly(queue, pool):
    runner = runner_of(queue, Recorder(1))
    async with transaction(pool) as connection:
        await connection.execute("DROP TABLE test_work")
    with pytest.raises(ExceptionGroup) as caught:
        await asyncio.wait_for(runner.run(), PATIENCE_S)
    assert caught.group_contains(asyncpg.UndefinedTableError)


async def test_a_wake_between_the_release_of_a_row_and_the_end_of_its_turn_is_not_lost(pool, running):
    seen: list[int] = []
    twice = asyncio.Event()

    class Woken(LeasedQueue):
        """Its row is woken the moment after it was released, while the runner still counts it as in hand."""

        async def unblock(self, lease, *, delay_s=None, connection=None):
            released = await super().unblock(lease, delay_s=delay_s, connection=connection)
            if len(seen) == 1:
                due = await self.wake(lease.item_id)
                assert due is not None
                assert runner.offer(due.item_id, due.lane, due.source)
            return released

    async def handler(lease):
        seen.append(lease.attempt)
        if len(seen) == 1:
            return Unblock(600)
        twice.set()
        return Finish()

    queue = Woken(pool, "test_work", lease_s=30)
    runner = runner_of(queue, handler, workers=1, scanner_interval_s=600)
    await fill(queue, 1)
    await running(runner)
    runner.offer(item(1), "default", "api")

    async with asyncio.timeout(PATIENCE_S):
        await twice.wait()
    assert seen == [1, 2]
