"""The leased queue against a plain model: several workers, crashes, and a clock that jumps."""

from __future__ import annotations

import asyncio

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from butler_kit.db import acquire, open_pool
from butler_kit.queue import LeasedQueue, LeaseLost
from tests.support.database import plan_for
from tests.support.workqueue import fill, item, make_work_table

LEASE_S = 30
THREADS = st.sampled_from([None, "a", "b"])


class Row:
    """What the model knows of a row."""

    def __init__(self, number, thread):
        self.number, self.thread = number, thread
        self.blocking = True
        self.available_at = 0
        self.lease = None
        self.lease_until = 0
        self.attempt = 0


class Leases(RuleBasedStateMachine):
    """Workers keep every lease they ever got, so that stale ones are tried too."""

    dsn = ""
    loop: asyncio.AbstractEventLoop

    def __init__(self):
        super().__init__()
        self.rows = {}
        self.leases = []
        self.now = 0
        self.number = 0
        self.pool = self.do(open_pool(self.dsn, "finance", name="machine", min_size=1, max_size=1))
        self.queue = LeasedQueue(self.pool, "test_work", lease_s=LEASE_S)
        self.do(self.prepare())

    def do(self, awaitable):
        return self.loop.run_until_complete(awaitable)

    async def prepare(self):
        async with acquire(self.pool) as connection:
            await connection.execute("DROP TABLE IF EXISTS test_work")
        await make_work_table(self.pool)
        await self.freeze()

    async def freeze(self):
        """The machine's clock: whole seconds, moved by rules only."""
        async with acquire(self.pool) as connection:
            await connection.execute(
                "CREATE OR REPLACE FUNCTION clock_now() RETURNS timestamptz LANGUAGE sql STABLE "
                f"AS $$ SELECT timestamptz '2026-01-01 00:00Z' + interval '{self.now} s' $$"
            )
            await connection.reload_schema_state()

    def free(self, row):
        return row.available_at <= self.now and (row.lease is None or row.lease_until <= self.now)

    def claimable(self, row):
        if not self.free(row):
            return False
        if row.thread is None or not row.blocking:
            return True
        mates = [r for r in self.rows.values() if r.thread == row.thread and r.blocking and r is not row]
        return not any(r.number < row.number or r.lease_until > self.now for r in mates)

    def head_of(self, thread):
        waiting = [r.number for r in self.rows.values() if r.thread == thread and r.blocking and thread]
        return item(min(waiting)) if waiting else None

    def note(self, lease):
        row = self.rows[lease.item_id.int]
        row.lease, row.lease_until = lease, self.now + LEASE_S
        row.attempt += 1
        assert lease.attempt == row.attempt
        self.leases.append(lease)

    def holder(self, lease):
        row = self.rows.get(lease.item_id.int)
        return row if row is not None and row.lease == lease else None

    @rule(thread=THREADS, delay=st.sampled_from([0, 0, 20]))
    def enqueue(self, thread, delay):
        self.number += 1
        row = self.rows[self.number] = Row(self.number, thread)
        row.available_at = self.now + delay
        self.do(fill(self.queue, self.number, thread=thread, delay_s=float(delay)))

    @rule(seconds=st.sampled_from([1, 15, 30, 61]))
    def time_passes(self, seconds):
        self.now += seconds
        self.do(self.freeze())

    @precondition(lambda self: self.rows)
    @rule(data=st.data())
    def claim(self, data):
        row = self.rows[data.draw(st.sampled_from(sorted(self.rows)))]
        expected = self.claimable(row)
        lease = self.do(self.queue.claim(item(row.number)))
        assert (lease is not None) == expected
        if lease is not None:
            self.note(lease)

    @rule(thread=st.sampled_from(["a", "b"]))
    def claim_head(self, thread):
        head = self.head_of(thread)
        expected = head is not None and self.free(self.rows[head.int])
        lease = self.do(self.queue.claim_head(thread))
        assert (lease is not None) == expected
        if lease is not None:
            assert lease.item_id == head
            self.note(lease)

    @rule(limit=st.integers(1, 4))
    def claim_batch(self, limit):
        claimable = {number for number, row in self.rows.items() if self.claimable(row)}
        leases = self.do(self.queue.claim_batch(limit))
        assert {lease.item_id.int for lease in leases} <= claimable
        assert len(leases) == min(limit, len(claimable))
        for lease in leases:
            self.note(lease)

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), action=st.sampled_from(["finish", "defer", "unblock", "release", "renew"]))
    def act(self, data, action):
        lease = data.draw(st.sampled_from(self.leases))
        row = self.holder(lease)
        calls = {
            "finish": lambda: self.queue.finish(lease),
            "defer": lambda: self.queue.defer(lease, 10),
            "unblock": lambda: self.queue.unblock(lease),
            "release": lambda: self.queue.unblock(lease, delay_s=10),
            "renew": lambda: self.queue.renew(lease),
        }
        try:
            answer = self.do(calls[action]())
        except LeaseLost:
            assert row is None
            return
        assert row is not None
        self.apply(action, row)
        if action == "finish":
            assert answer == self.head_of(row.thread)
        elif action in ("unblock", "release"):
            assert answer.next_id == self.head_of(row.thread)

    def apply(self, action, row):
        if action == "finish":
            del self.rows[row.number]
        elif action == "renew":
            row.lease_until = self.now + LEASE_S
        else:
            row.blocking = row.blocking and action == "defer"
            if action != "unblock":
                row.available_at, row.lease, row.lease_until = self.now + 10, None, 0

    @precondition(lambda self: self.rows)
    @rule(data=st.data())
    def remove(self, data):
        number = data.draw(st.sampled_from(sorted(self.rows)))
        row = self.rows.pop(number)
        assert self.do(self.queue.remove(item(number))) == self.head_of(row.thread)

    @invariant()
    def the_scanner_sees_what_may_be_claimed(self):
        due = {one.item_id.int for one in self.do(self.queue.due(100))}
        assert due == {number for number, row in self.rows.items() if self.claimable(row)}

    @invariant()
    def no_thread_has_two_rows_in_work(self):
        held = [r.thread for r in self.rows.values() if r.thread and r.blocking and r.lease_until > self.now]
        assert len(held) == len(set(held))

    def teardown(self):
        self.pool.terminate()


def test_claims_follow_the_model(postgres_server):
    loop = asyncio.new_event_loop()

    database = loop.run_until_complete(postgres_server.copy((plan_for("finance"),)))
    Leases.dsn, Leases.loop = database.dsn("finance"), loop
    try:
        run_state_machine_as_test(
            Leases,
            settings=settings(
                max_examples=25,
                stateful_step_count=25,
                deadline=None,
                suppress_health_check=[HealthCheck.too_slow],
            ),
        )
    finally:
        loop.run_until_complete(database.close())
        loop.close()
