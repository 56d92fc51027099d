"""The leased queue against a plain model: replicas that crash and start again, wakes, and a clock that jumps (D11)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from itertools import product
from typing import Any, ClassVar
from uuid import UUID

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from butler_kit.queue import Lease, LeasedQueue, LeaseLost
from tests.faults.machines.stage import Effort, Stage, frozen_stage
from tests.support.database import Server, plan_for
from tests.support.workqueue import fill, item, make_work_table

LEASE_S = 30
THREADS = st.sampled_from([None, "a", "b"])
REPLICAS = ("finance-0", "finance-1", None)
"""The last one has no name: nobody can know what its former lives held."""
WHICH = st.integers(0, len(REPLICAS) - 1)
WORDS = ("finish", "defer", "unblock", "release", "renew")
ACTIONS = st.sampled_from(WORDS)
NAMED = st.integers(0, len(REPLICAS) - 2)


@dataclass
class Row:
    """What the model knows of a row; times are seconds since the start."""

    number: int
    thread: str | None
    available_at: int
    blocking: bool = True
    lease: Lease | None = None
    holder: LeasedQueue | None = None
    lease_until: int = 0
    attempt: int = 0
    wakes: int = 0


@dataclass
class World:
    stage: Stage

    def process(self, which: int) -> LeasedQueue:
        """A new life of a replica."""
        return LeasedQueue(self.stage.pool, "test_work", lease_s=LEASE_S, replica=REPLICAS[which])


class Leases(RuleBasedStateMachine):
    """Workers keep every lease they ever got, so that stale ones are tried too."""

    world: ClassVar[World]

    def __init__(self) -> None:
        super().__init__()
        self.world.stage.empty("test_work")
        self.rows: dict[int, Row] = {}
        self.leases: list[Lease] = []
        self.lives = [[self.world.process(which)] for which in range(len(REPLICAS))]
        self.seconds = 0
        self.number = 0
        self.ended = 0

    def do(self, awaitable: Any) -> Any:
        return self.world.stage.do(awaitable)

    def any_queue(self, data: st.DataObject) -> LeasedQueue:
        return self.lives[data.draw(WHICH)][-1]

    def free(self, row: Row) -> bool:
        return row.available_at <= self.seconds and (row.lease is None or row.lease_until <= self.seconds)

    def claimable(self, row: Row) -> bool:
        if not self.free(row):
            return False
        if row.thread is None or not row.blocking:
            return True
        mates = [r for r in self.rows.values() if r.thread == row.thread and r.blocking and r is not row]
        return not any(r.number < row.number or r.lease_until > self.seconds for r in mates)

    def head_of(self, thread: str | None) -> UUID | None:
        waiting = [r.number for r in self.rows.values() if r.thread == thread and r.blocking and thread]
        return item(min(waiting)) if waiting else None

    def note(self, lease: Lease, holder: LeasedQueue) -> None:
        row = self.rows[lease.item_id.int]
        row.holder = holder
        row.lease, row.lease_until = lease, self.seconds + LEASE_S
        row.attempt += 1
        assert (lease.attempt, lease.wakes) == (row.attempt, row.wakes)
        self.leases.append(lease)

    def holder(self, lease: Lease) -> Row | None:
        row = self.rows.get(lease.item_id.int)
        return row if row is not None and row.lease == lease else None

    @rule(thread=THREADS, delay=st.sampled_from([0, 0, 20]), data=st.data())
    def enqueue(self, thread: str | None, delay: int, data: st.DataObject) -> None:
        self.put(thread, delay, self.any_queue(data))

    def put(self, thread: str | None, delay: int, queue: LeasedQueue) -> None:
        self.number += 1
        self.rows[self.number] = Row(self.number, thread, self.seconds + delay)
        self.do(fill(queue, self.number, thread=thread, delay_s=float(delay)))

    @precondition(lambda self: self.rows)
    @rule(data=st.data())
    def enqueue_again(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.rows)))
        self.do(fill(self.any_queue(data), number, thread="b", lane="interactive"))

    @rule(seconds=st.sampled_from([1, 15, 30, 61]))
    def time_passes(self, seconds: int) -> None:
        self.seconds += seconds
        self.world.stage.pass_time(timedelta(seconds=seconds))

    @precondition(lambda self: self.rows)
    @rule(data=st.data())
    def claim(self, data: st.DataObject) -> None:
        self.take(data.draw(st.sampled_from(sorted(self.rows))), self.any_queue(data))

    def take(self, number: int, queue: LeasedQueue) -> None:
        row = self.rows[number]
        expected = self.claimable(row)
        lease = self.do(queue.claim(item(row.number)))
        assert (lease is not None) == expected
        if lease is not None:
            self.note(lease, queue)

    @rule(thread=st.sampled_from(["a", "b"]), data=st.data())
    def claim_head(self, thread: str, data: st.DataObject) -> None:
        head = self.head_of(thread)
        expected = head is not None and self.free(self.rows[head.int])
        queue = self.any_queue(data)
        lease = self.do(queue.claim_head(thread))
        assert (lease is not None) == expected
        if lease is not None:
            assert lease.item_id == head
            self.note(lease, queue)

    @rule(which=WHICH)
    def a_process_starts_again(self, which: int) -> None:
        """What its former life held stays held until it says so, or the leases run out."""
        self.lives[which].append(self.world.process(which))

    @rule(which=NAMED, crashed=st.booleans())
    def release_former(self, which: int, crashed: bool) -> None:
        """A life gives back at once what earlier ones held; never its own, nor another replica's."""
        if crashed:
            self.a_process_starts_again(which)
        *former, now = self.lives[which]
        freed = [row for row in self.rows.values() if row.lease is not None and row.holder in former]
        assert self.do(now.release_former()) == len(freed)
        for row in freed:
            row.lease, row.lease_until = None, 0

    @rule()
    def a_nameless_process_releases_nothing(self) -> None:
        nameless = self.lives[-1][-1]
        assert self.do(nameless.release_former()) == 0

    @precondition(lambda self: self.rows)
    @rule(data=st.data())
    def wake(self, data: st.DataObject) -> None:
        self.rouse(data.draw(st.sampled_from(sorted(self.rows))), self.any_queue(data))

    def rouse(self, number: int, queue: LeasedQueue) -> None:
        row = self.rows[number]
        woken = self.do(queue.wake(item(number)))
        assert woken.item_id == item(row.number)
        row.wakes += 1
        if row.lease is None:
            row.available_at = min(row.available_at, self.seconds)

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), newest=st.booleans(), action=ACTIONS)
    def a_worker_has_its_word(self, data: st.DataObject, newest: bool, action: str) -> None:
        lease = self.leases[-1] if newest else data.draw(st.sampled_from(self.leases))
        self.act(self.any_queue(data), lease, action)

    @precondition(lambda self: self.stale())
    @rule(data=st.data(), action=ACTIONS)
    def a_stale_worker_has_its_word(self, data: st.DataObject, action: str) -> None:
        self.act(self.any_queue(data), data.draw(st.sampled_from(self.stale())), action)

    def stale(self) -> list[Lease]:
        """Lost leases on rows that are still there."""
        return [one for one in self.leases if one.item_id.int in self.rows and self.holder(one) is None]

    def act(self, queue: LeasedQueue, lease: Lease, action: str) -> None:
        row = self.holder(lease)
        calls: dict[str, Callable[[], Any]] = {
            "finish": lambda: queue.finish(lease),
            "defer": lambda: queue.defer(lease, 10),
            "unblock": lambda: queue.unblock(lease),
            "release": lambda: queue.unblock(lease, delay_s=10),
            "renew": lambda: queue.renew(lease),
        }
        try:
            answer = self.do(calls[action]())
        except LeaseLost:
            assert row is None, f"a holder's {action} was refused"
            return
        assert row is not None, f"a stale {action} went through"
        woken = row.wakes != lease.wakes
        self.apply(action, row, woken=woken)
        if action == "defer":
            assert answer == woken
        elif action == "finish":
            assert answer == self.head_of(row.thread)
        elif action in ("unblock", "release"):
            assert answer.next_id == self.head_of(row.thread)

    def apply(self, action: str, row: Row, *, woken: bool) -> None:
        if action == "finish":
            del self.rows[row.number]
            self.ended += 1
        elif action == "renew":
            row.lease_until = self.seconds + LEASE_S
        else:
            row.blocking = row.blocking and action == "defer"
            if action != "unblock":
                row.available_at = self.seconds + (0 if woken else 10)
                row.lease, row.lease_until = None, 0

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def renew_all(self, data: st.DataObject) -> None:
        lost = set(self.do(self.any_queue(data).renew_many(self.leases)))
        for lease in self.leases:
            row = self.holder(lease)
            assert (row is None) == (lease in lost)
            if row is not None:
                row.lease_until = self.seconds + LEASE_S

    @precondition(lambda self: self.rows)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.rows)))
        row = self.rows.pop(number)
        self.ended += 1
        assert self.do(self.any_queue(data).remove(item(number))) == self.head_of(row.thread)

    @invariant()
    def the_scanner_sees_what_may_be_claimed(self) -> None:
        due = {one.item_id.int for one in self.do(self.lives[0][-1].due(100))}
        assert due == {number for number, row in self.rows.items() if self.claimable(row)}

    @invariant()
    def no_thread_has_two_rows_in_work(self) -> None:
        held = [
            r.thread for r in self.rows.values() if r.thread and r.blocking and r.lease_until > self.seconds
        ]
        assert len(held) == len(set(held))

    @invariant()
    def nothing_is_lost(self) -> None:
        assert sum(self.do(self.lives[0][-1].depth()).values()) == len(self.rows) == self.number - self.ended

    def teardown(self) -> None:
        """Crashed workers' leases run out; then everything can be worked off, threads in their order."""
        done: list[int] = []
        self.world.stage.pass_time(timedelta(seconds=LEASE_S + 20))
        while due := self.do(self.lives[0][-1].due(100)):
            for one in due:
                with suppress(LeaseLost):
                    lease = self.do(self.lives[1][-1].claim(one.item_id))
                    if lease is not None:
                        self.do(self.lives[1][-1].finish(lease))
                        done.append(lease.item_id.int)
        assert sorted(done) == sorted(self.rows)
        for thread in ("a", "b"):
            in_thread = [n for n in done if self.rows[n].thread == thread and self.rows[n].blocking]
            assert in_thread == sorted(in_thread)


def test_claims_follow_the_model(postgres_server: Server, effort: Effort) -> None:
    with frozen_stage(postgres_server, (plan_for("finance"),), "finance") as stage:
        stage.do(make_work_table(stage.pool))
        Leases.world = World(stage)
        effort.check(Leases, examples=25, steps=24)


@pytest.mark.parametrize("loses", ["by time", "by release"])
def test_every_word_meets_a_held_and_a_lost_lease_and_a_wake(postgres_server: Server, loses: str) -> None:
    """Every word once, against the model: nothing of it is left to chance."""
    with frozen_stage(postgres_server, (plan_for("finance"),), "finance") as stage:
        stage.do(make_work_table(stage.pool))
        Leases.world = World(stage)
        for word, lost, woken in product(WORDS, (False, True), (False, True)):
            run = Leases()
            run.put("a", 0, run.lives[0][-1])
            run.put("a", 0, run.lives[0][-1])
            run.take(1, run.lives[0][-1])
            [lease] = run.leases
            if woken:
                run.rouse(1, run.lives[1][-1])
            if lost and loses == "by release":
                run.release_former(0, True)
                run.take(1, run.lives[1][-1])
                for which in (0, 1):
                    run.release_former(which, False)
            elif lost:
                run.time_passes(61)
                run.take(1, run.lives[1][-1])
            run.act(run.lives[0][-1], lease, word)
            run.the_scanner_sees_what_may_be_claimed()
            run.no_thread_has_two_rows_in_work()
            run.nothing_is_lost()
            run.teardown()
