"""The leased queue on a real database: one live lease per row, threads in order, stale workers refused."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from butler_kit.db import transaction
from butler_kit.queue import LeasedQueue, LeaseLost
from tests.support.workqueue import fill, item, make_work_table


@pytest.fixture
async def database(provisioned):
    return await provisioned("finance")


@pytest.fixture
async def pool(database):
    pool = await database.pool("finance")
    await make_work_table(pool)
    return pool


@pytest.fixture
async def queue(pool):
    return LeasedQueue(pool, "test_work", lease_s=30)


async def test_only_one_of_many_claims_gets_the_row(queue):
    await fill(queue, 1)
    leases = await asyncio.gather(*(queue.claim(item(1)) for _ in range(20)))
    assert len([lease for lease in leases if lease]) == 1


async def test_a_finished_row_is_gone(queue):
    await fill(queue, 1)
    lease = await queue.claim(item(1))
    assert await queue.finish(lease) is None
    assert await queue.claim(item(1)) is None
    assert await queue.depth() == {}


async def test_queueing_an_item_twice_changes_nothing(queue):
    await fill(queue, 1)
    lease = await queue.claim(item(1))
    await fill(queue, 1)
    assert await queue.claim(item(1)) is None
    await queue.renew(lease)


async def test_an_expired_lease_is_due_for_every_replica_and_its_old_holder_is_refused(queue, database):
    await fill(queue, 1)
    stale = await queue.claim(item(1))
    assert await queue.due(10) == ()
    await database.shift_clock(timedelta(seconds=31))
    assert [due.item_id for due in await queue.due(10)] == [item(1)]
    fresh = await queue.claim(item(1))
    assert (stale.attempt, fresh.attempt) == (1, 2)
    for action in (queue.renew(stale), queue.finish(stale), queue.defer(stale, 1), queue.unblock(stale)):
        with pytest.raises(LeaseLost):
            await action
    await queue.finish(fresh)


async def test_a_renewed_lease_outlives_its_first_term(queue, database):
    await fill(queue, 1)
    lease = await queue.claim(item(1))
    await database.shift_clock(timedelta(seconds=25))
    await queue.renew(lease)
    await database.shift_clock(timedelta(seconds=50))
    assert await queue.claim(item(1)) is None
    await database.shift_clock(timedelta(seconds=56))
    assert await queue.claim(item(1)) is not None


async def test_renewing_many_names_only_the_lost_ones(queue):
    await fill(queue, 1, 2, 3)
    leases = [await queue.claim(item(number)) for number in (1, 2, 3)]
    await queue.remove(item(2))
    assert await queue.renew_many(leases) == (leases[1],)


async def test_a_stale_lease_is_named_lost_though_its_row_is_renewed_under_a_newer_one(queue, database):
    await fill(queue, 1)
    stale = await queue.claim(item(1))
    await database.shift_clock(timedelta(seconds=31))
    fresh = await queue.claim(item(1))
    assert await queue.renew_many([stale, fresh]) == (stale,)
    assert await queue.renew_many([fresh, stale]) == (stale,)
    await queue.finish(fresh)


async def test_renewing_does_not_wait_for_a_row_that_is_being_finished(queue, pool):
    await fill(queue, 1, 2)
    leases = [await queue.claim(item(number)) for number in (1, 2)]
    async with transaction(pool) as connection:
        await queue.finish(leases[0], connection)
        async with asyncio.timeout(90):
            assert await queue.renew_many(leases) == ()
    assert await queue.renew_many(leases) == (leases[0],)


@pytest.mark.spec("SWB-39.1")
async def test_a_thread_is_worked_on_in_the_order_of_admission(queue):
    await fill(queue, 3, 1, 2, thread="t")
    assert await queue.claim(item(1)) is None
    first = await queue.claim(item(3))
    assert await queue.claim_head("t") is None
    assert await queue.finish(first) == item(1)
    assert await queue.claim(item(2)) is None
    second = await queue.claim_head("t")
    assert second.item_id == item(1)
    assert await queue.finish(second) == item(2)


async def test_a_deferred_head_keeps_its_thread_waiting(queue, database):
    await fill(queue, 1, 2, thread="t")
    await queue.defer(await queue.claim(item(1)), 60)
    assert await queue.claim(item(2)) is None
    assert await queue.due(10) == ()
    await database.shift_clock(timedelta(seconds=61))
    assert [due.item_id for due in await queue.due(10)] == [item(1)]
    assert (await queue.claim(item(1))).attempt == 2


async def test_an_unblocked_row_stays_held_while_its_thread_goes_on(queue):
    await fill(queue, 1, 2, thread="t")
    first = await queue.claim(item(1))
    assert (await queue.unblock(first)).next_id == item(2)
    assert await queue.claim(item(1)) is None
    second = await queue.claim(item(2))
    await queue.finish(second)
    await queue.finish(first)
    assert await queue.depth() == {}


async def test_unblocking_with_a_delay_gives_the_row_back(queue, database):
    await fill(queue, 1, 2, thread="t")
    first = await queue.claim(item(1))
    assert (await queue.unblock(first, delay_s=10)).next_id == item(2)
    held = await queue.claim(item(2))
    await database.shift_clock(timedelta(seconds=11))
    again = await queue.claim(item(1))
    assert again.attempt == 2
    await queue.finish(again)
    await queue.finish(held)


async def test_rows_without_a_thread_do_not_wait_for_each_other(queue):
    await fill(queue, 1, 2)
    assert await queue.claim(item(2)) is not None
    assert await queue.claim(item(1)) is not None


@pytest.mark.spec("SWB-39.1")
async def test_a_later_message_of_another_thread_may_go_first(queue):
    await fill(queue, 1, 2, thread="t")
    await fill(queue, 3, thread="u")
    assert await queue.claim(item(1)) is not None
    later = await queue.claim(item(3))
    assert later is not None
    assert await queue.finish(later) is None
    assert await queue.claim(item(2)) is None


async def test_a_late_committed_earlier_row_does_not_run_beside_a_later_one(queue, pool):
    async with transaction(pool) as connection:
        await queue.enqueue(connection, item_id=item(1), lane="default", source="api", thread_key="t")
        await fill(queue, 2, thread="t")
        second = await queue.claim(item(2))
        assert second is not None
    assert await queue.claim(item(1)) is None
    assert await queue.finish(second) == item(1)
    assert await queue.claim(item(1)) is not None


async def test_finishing_belongs_to_the_caller_s_transaction(queue, pool):
    await fill(queue, 1)
    lease = await queue.claim(item(1))
    with pytest.raises(ZeroDivisionError):
        async with transaction(pool) as connection:
            await queue.finish(lease, connection)
            raise ZeroDivisionError
    await queue.renew(lease)
    async with transaction(pool) as connection:
        await queue.finish(lease, connection)
    assert await queue.depth() == {}


@pytest.mark.spec("SWB-17.3")
async def test_fresh_rows_are_left_to_the_hot_path_for_the_grace(queue, database):
    await fill(queue, 1)
    assert await queue.due(10, grace_s=10) == ()
    await database.shift_clock(timedelta(seconds=11))
    assert len(await queue.due(10, grace_s=10)) == 1


async def test_a_large_backlog_of_one_source_does_not_hide_the_others(queue):
    await fill(queue, *range(1, 101), source="telegram")
    await fill(queue, 200, 201, source="email")
    await fill(queue, 300, lane="high_priority", source="email")
    due = [row.item_id for row in await queue.due(6)]
    assert {item(200), item(201), item(300)} <= set(due)
    assert len(due) == 6


async def test_excluded_items_and_lanes_are_not_due(queue):
    await fill(queue, 1, 2)
    await fill(queue, 3, lane="interactive")
    due = await queue.due(10, exclude=[item(1)], without_lanes=["interactive"])
    assert [row.item_id for row in due] == [item(2)]


async def test_workers_that_race_get_the_heads_only_and_no_row_twice(queue):
    await fill(queue, 1, 2, thread="a")
    await fill(queue, 3, 4, thread="b")
    await fill(queue, 5)
    claims = await asyncio.gather(*(queue.claim(item(number)) for number in (1, 2, 3, 4, 5) * 4))
    taken = [lease.item_id for lease in claims if lease is not None]
    assert sorted(taken) == [item(1), item(3), item(5)]


async def test_a_woken_row_is_due_at_once(queue):
    await fill(queue, 1, delay_s=600)
    assert await queue.claim(item(1)) is None
    assert (await queue.wake(item(1))).item_id == item(1)
    assert await queue.claim(item(1)) is not None
    assert await queue.wake(item(2)) is None


@pytest.mark.parametrize("put_off", ["defer", "unblock"])
async def test_a_wake_while_a_row_is_in_work_makes_it_due_as_soon_as_it_is_put_off(queue, put_off):
    await fill(queue, 1)
    lease = await queue.claim(item(1))
    await queue.wake(item(1))
    if put_off == "defer":
        assert await queue.defer(lease, 600)
    else:
        assert (await queue.unblock(lease, delay_s=600)).woken
    again = await queue.claim(item(1))
    assert not await queue.defer(again, 600)
    assert await queue.claim(item(1)) is None


async def test_removing_a_held_row_releases_its_thread_and_refuses_its_holder(queue):
    await fill(queue, 1, 2, thread="t")
    lease = await queue.claim(item(1))
    assert await queue.remove(item(1)) == item(2)
    with pytest.raises(LeaseLost):
        await queue.finish(lease)
    assert (await queue.head("t")).item_id == item(2)


async def test_depth_counts_by_lane(queue):
    await fill(queue, 1, 2, lane="interactive")
    await fill(queue, 3)
    assert await queue.depth() == {"interactive": 2, "default": 1}


async def test_a_claim_does_not_wait_for_another_replica_s_open_claim(queue, pool):
    await fill(queue, 1)
    async with transaction(pool) as connection:
        await connection.fetch("SELECT * FROM test_work FOR UPDATE")
        async with asyncio.timeout(90):
            assert await queue.claim(item(1)) is None
