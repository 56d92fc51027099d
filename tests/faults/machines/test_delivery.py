"""Deliveries under crashing, stalling and stale workers: legal states, one visible send, threads in order (D41, MSG-7).

The workers and the store are Messenger's own on a real database; the provider is scripted and keeps the truth.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import timedelta
from itertools import product
from typing import Any, ClassVar
from uuid import UUID, uuid4

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from butler_kit.db import transaction
from butler_kit.queue import Defer, Lease, LeasedQueue, LeaseLost
from butler_kit.telemetry import MESSENGER, Metrics
from butler_messenger.admission.store import AdmissionStore, NewDelivery
from butler_messenger.delivery.breaker import CircuitPolicy
from butler_messenger.delivery.calls import ChannelRules
from butler_messenger.delivery.circuits import Circuits
from butler_messenger.delivery.decisions import RetryPolicy
from butler_messenger.delivery.metrics import DeliveryMetrics
from butler_messenger.delivery.states import Status
from butler_messenger.delivery.store import DeliveryStore
from butler_messenger.delivery.worker import DeliveryWorker
from tests.faults.machines.scripted_provider import (
    BEHAVIOURS,
    ENDS,
    GOES_ON,
    KILLED_IN_CALL,
    LATE_READINGS,
    LATE_WORDS,
    RESCUES,
    SENDS,
    Behaviour,
    Killed,
    Provider,
    ScriptedChannel,
)
from tests.faults.machines.stage import Effort, Stage, frozen_stage
from tests.integration.messenger.gated_channel import carries_nothing
from tests.integration.messenger.household import PLANS
from tests.support.database import Server

TABLES = (
    "delivery_requests", "delivery_attempts", "delivery_marker", "delivery_receipts", "delivery_dead_letter",
    "delivery_approval", "delivery_work", "provider_throttle", "provider_circuit", "recipient_throttle", "status_log",
    "suppression",
)  # fmt: skip
LEGAL = {
    ("pending", "in_progress"),
    ("pending", "failed"),
    ("pending", "dead_lettered"),
    ("in_progress", "pending"),
    ("in_progress", "sent"),
    ("in_progress", "failed"),
    ("in_progress", "uncertain"),
    ("in_progress", "dead_lettered"),
    ("uncertain", "sent"),
}
ROWS = """
SELECT d.delivery_id, d.status, EXISTS (SELECT FROM delivery_marker AS m WHERE m.delivery_id = d.delivery_id) AS marked,
    (SELECT count(*) FROM delivery_receipts AS r WHERE r.delivery_id = d.delivery_id) AS received
FROM delivery_requests AS d
"""
HELD = "SELECT lease_until > clock_now() AS lives FROM delivery_work WHERE item_id = $1 AND lease_id = $2"
RECORDED = """
SELECT concat(
    (SELECT d FROM delivery_requests AS d WHERE d.delivery_id = $1),
    (SELECT array_agg(m ORDER BY m.part) FROM delivery_marker AS m WHERE m.delivery_id = $1),
    (SELECT array_agg(a ORDER BY a.attempt) FROM delivery_attempts AS a WHERE a.delivery_id = $1),
    (SELECT w FROM delivery_work AS w WHERE w.item_id = $1)
)
"""
LATE_RECEIPT = ("pending", "sent")
"""A stalled call's own receipt, while whoever took over waits before the next try."""
LOG_STATES = """
CREATE TABLE status_log (entry bigserial, delivery_id uuid, before text, after text);
CREATE FUNCTION log_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF new.status <> old.status THEN
        INSERT INTO messenger.status_log (delivery_id, before, after)
        VALUES (new.delivery_id, old.status, new.status);
    END IF;
    RETURN new;
END $$;
CREATE TRIGGER log_status AFTER UPDATE ON delivery_requests FOR EACH ROW EXECUTE FUNCTION log_status();
"""


WAITS = st.sampled_from([0, 0, 3, 3, 31, 31, 31, 130, 130, 90_000])
PAST_A_LEASE = st.sampled_from([31, 130])
PERHAPS_A_RESCUE = st.sampled_from([None] * 4 + RESCUES)


@dataclass
class Stalled:
    """A process that stands still; `confirms`: it will say that people have it, which is always welcome."""

    lease: Lease
    task: asyncio.Task[None]
    go_on: asyncio.Event
    at: str
    confirms: bool


@dataclass
class World:
    stage: Stage
    queue: LeasedQueue
    store: AdmissionStore
    metrics: DeliveryMetrics

    def worker(self, provider: Provider) -> DeliveryWorker:
        policy = RetryPolicy(max_attempts=3, base_delay_s=2.0, timeout_s=600.0)
        store, metrics = DeliveryStore(self.stage.pool), self.metrics.metrics
        circuits = Circuits(self.stage.pool, CircuitPolicy(failures=1_000_000), metrics, draw=lambda: 0.5)
        return DeliveryWorker(
            store=store,
            channels={name: ScriptedChannel(name, provider) for name in ("telegram", "email")},
            rules={
                "telegram": ChannelRules(policy, frozenset({"reply"})),
                "email": ChannelRules(policy),
            },
            circuits=circuits,
            carrier=carries_nothing(self.stage.pool, store, circuits, self.stage),
            metrics=self.metrics,
            clock=self.stage,
            draw=lambda: 0.5,
            new_id=uuid4,
            on_terminal=lambda _: None,
        )


class Deliveries(RuleBasedStateMachine):
    """A reply over Telegram may be sent twice rather than never; everything else at most once."""

    world: ClassVar[World]

    def __init__(self) -> None:
        super().__init__()
        self.world.stage.empty(*TABLES)
        self.provider = Provider(self.world.stage)
        self.worker = self.world.worker(self.provider)
        self.wishes: dict[UUID, tuple[str, str, int]] = {}
        self.stalled: list[Stalled] = []

    def do(self, awaitable: Awaitable[Any]) -> Any:
        return self.world.stage.do(awaitable)

    @precondition(lambda self: len(self.wishes) < 6)
    @rule(
        channel=st.sampled_from(["telegram", "email"]),
        intent=st.sampled_from(["send", "send", "reply", "react"]),
        parts=st.sampled_from([1, 1, 2]),
    )
    def admit(self, channel: str, intent: str, parts: int) -> None:
        parts = parts if channel == "telegram" and intent != "react" else 1
        delivery_id = uuid4()
        self.wishes[delivery_id] = (channel, intent, parts)
        self.do(self.insert(delivery_id, channel, intent, parts))

    async def insert(self, delivery_id: UUID, channel: str, intent: str, parts: int) -> None:
        new = NewDelivery(
            delivery_id=delivery_id,
            idempotency_key=str(delivery_id),
            request_id=None,
            subrequest_id=None,
            origin_butler="finance",
            intent=intent,
            channel=channel,
            contact_id=None,
            target_identity="1001",
            thread_identity=f"{channel}:1001",
            reply_to=str(len(self.wishes)),
            notify_request={"delivery": {"message": " ".join(["word"] * parts)}},
            route_context=None,
            status=Status.PENDING,
            expires_after_s=86_400.0,
        )
        async with transaction(self.world.stage.pool) as connection:
            await self.world.store.insert(connection, new)

    @precondition(lambda self: self.wishes)
    @rule(wait=WAITS, data=st.data(), behaviour=st.sampled_from(BEHAVIOURS))
    def work(self, wait: int, data: st.DataObject, behaviour: Behaviour) -> None:
        self.world.stage.pass_time(timedelta(seconds=wait))
        due = self.do(self.world.queue.due(100))
        if due:
            one = data.draw(st.sampled_from(due))
            self.provider.next = behaviour
            self.do(self.begin(one.item_id))

    async def begin(self, item_id: UUID) -> None:
        lease = await self.world.queue.claim(item_id)
        assert lease is not None
        self.provider.stalled.clear()
        task = asyncio.ensure_future(self.hold(lease))
        stands = asyncio.ensure_future(self.provider.stalled.wait())
        await asyncio.wait({task, stands}, return_when=asyncio.FIRST_COMPLETED)
        stands.cancel()
        if task.done():
            task.result()
        else:
            provider = self.provider
            self.stalled.append(Stalled(lease, task, provider.go_on, provider.next.stalls, provider.confirms))

    async def hold(self, lease: Lease) -> None:
        """What a queue runner does with a lease; a killed one does nothing more."""
        try:
            decision = await self.worker.deliver(lease)
            if isinstance(decision, Defer):
                await self.world.queue.defer(lease, decision.delay_s)
            else:
                await self.world.queue.finish(lease)
        except (Killed, LeaseLost):
            return

    @precondition(lambda self: self.wishes)
    @rule(data=st.data(), word=st.sampled_from(LATE_WORDS), wait=PAST_A_LEASE, rescue=PERHAPS_A_RESCUE)
    def a_worker_comes_back_too_late(
        self, data: st.DataObject, word: Behaviour, wait: int, rescue: Behaviour | None
    ) -> None:
        due = self.do(self.world.queue.due(100))
        if due:
            self.overtake(data.draw(st.sampled_from(due)).item_id, word, wait, rescue)

    @rule(data=st.data(), word=st.sampled_from(LATE_READINGS), wait=PAST_A_LEASE, rescue=PERHAPS_A_RESCUE)
    def a_reader_of_records_comes_back_too_late(
        self, data: st.DataObject, word: Behaviour, wait: int, rescue: Behaviour | None
    ) -> None:
        due = self.do(self.world.queue.due(100))
        mails = [one.item_id for one in due if self.wishes[one.item_id][0] == "email"]
        if mails:
            item_id = data.draw(st.sampled_from(mails))
            self.meet(item_id, KILLED_IN_CALL)
            self.world.stage.pass_time(timedelta(seconds=130))
            self.overtake(item_id, word, wait, rescue)

    def overtake(self, item_id: UUID, word: Behaviour, wait: int, rescue: Behaviour | None) -> None:
        """One stands still past its lease, another may take over, and then the first one has its word."""
        before = len(self.stalled)
        self.meet(item_id, word)
        if len(self.stalled) > before:
            first = self.stalled.pop()
            self.world.stage.pass_time(timedelta(seconds=wait))
            if rescue is not None:
                self.meet(item_id, rescue)
            self.go_on(first)

    def meet(self, item_id: UUID, behaviour: Behaviour) -> None:
        """Work on an item, if that may be done now."""
        if item_id in {one.item_id for one in self.do(self.world.queue.due(100))}:
            self.provider.next = behaviour
            self.do(self.begin(item_id))

    @precondition(lambda self: self.stalled)
    @rule(data=st.data(), behaviour=st.sampled_from(GOES_ON))
    def a_stalled_process_goes_on(self, data: st.DataObject, behaviour: Behaviour) -> None:
        """`behaviour` is what its next part would meet."""
        stalled = self.stalled.pop(data.draw(st.integers(0, len(self.stalled) - 1)))
        self.provider.next = behaviour
        self.go_on(stalled)

    def go_on(self, stalled: Stalled) -> None:
        """Without its lease a process changes nothing; without a living one it sets no marker."""
        delivery_id = stalled.lease.item_id
        row = self.do(self.world.stage.pool.fetchrow(HELD, delivery_id, stalled.lease.lease_id))
        silenced = row is None or (stalled.at == "before mark" and not row["lives"])
        before = self.do(self.world.stage.pool.fetchval(RECORDED, delivery_id))
        stalled.go_on.set()
        self.do(stalled.task)
        if silenced and not stalled.confirms:
            assert before == self.do(self.world.stage.pool.fetchval(RECORDED, delivery_id)), (
                "a stale word counted"
            )

    @precondition(lambda self: self.stalled)
    @rule(wait=PAST_A_LEASE, data=st.data(), behaviour=st.sampled_from(RESCUES))
    def another_takes_over_from_a_stalled_one(
        self, wait: int, data: st.DataObject, behaviour: Behaviour
    ) -> None:
        self.world.stage.pass_time(timedelta(seconds=wait))
        self.meet(data.draw(st.sampled_from(self.stalled)).lease.item_id, behaviour)

    @invariant()
    def states_follow_each_other_as_they_may_and_end_once(self) -> None:
        rows = self.do(
            self.world.stage.pool.fetch("SELECT delivery_id, before, after FROM status_log ORDER BY entry")
        )
        ended: Counter[UUID] = Counter()
        for row in rows:
            assert (row["before"], row["after"]) in LEGAL | {LATE_RECEIPT}, dict(row)
            ended[row["delivery_id"]] += row["after"] in ENDS and row["before"] not in ENDS
        assert all(count <= 1 for count in ended.values())

    @invariant()
    def people_see_it_once_or_nobody_claims_to_know(self) -> None:
        seen = self.provider.seen
        for row in self.rows():
            channel, intent, parts = self.wishes[row["delivery_id"]]
            counts = [seen[row["delivery_id"], part] for part in range(parts)]
            if not (channel == "telegram" and intent == "reply"):
                assert max(counts) <= 1, f"{dict(row)} was seen {counts} times"
            if row["status"] == "sent":
                assert min(counts) >= 1, f"{dict(row)} was never seen"
            if row["status"] in ("failed", "dead_lettered") and intent == "send":
                assert min(counts) == 0, f"{dict(row)} was seen"

    @invariant()
    def nothing_is_sent_again_in_the_dark(self) -> None:
        assert not self.provider.repeated

    @invariant()
    def nobody_overtakes_in_a_thread(self) -> None:
        assert not self.provider.overtaken

    @invariant()
    def what_has_not_ended_is_queued_and_what_nobody_knows_is_kept(self) -> None:
        work = {
            r["item_id"] for r in self.do(self.world.stage.pool.fetch("SELECT item_id FROM delivery_work"))
        }
        dead = self.do(self.world.stage.pool.fetch("SELECT delivery_id FROM delivery_dead_letter"))
        rows = self.rows()
        assert {row["delivery_id"] for row in rows if row["status"] not in ENDS} <= work
        given_up = {
            row["delivery_id"]
            for row in rows
            if row["status"] == "dead_lettered"
            or (row["status"] == "failed" and self.wishes[row["delivery_id"]][1] != "react")
        }
        assert given_up == {row["delivery_id"] for row in dead}
        assert len(rows) == len(self.wishes)
        for row in rows:
            if row["status"] == "uncertain" and not row["marked"]:
                # The call's own late word settled its part; the others were never sent, as a replay finds.
                assert 0 < row["received"] < self.wishes[row["delivery_id"]][2]

    def rows(self) -> Any:
        return self.do(self.world.stage.pool.fetch(ROWS))

    def teardown(self) -> None:
        """Stalled processes go on too late; a healthy one takes over everything."""
        self.provider.next = SENDS
        self.world.stage.pass_time(timedelta(seconds=3_700))
        for stalled in self.stalled:
            self.go_on(stalled)
        for _ in range(200):
            due = self.do(self.world.queue.due(1))
            if not due:
                if not self.do(self.world.queue.depth()):
                    break
                self.world.stage.pass_time(timedelta(seconds=130))
            else:
                self.do(self.begin(due[0].item_id))
        assert not self.do(self.world.queue.depth())
        assert {row["status"] for row in self.rows()} <= ENDS
        self.people_see_it_once_or_nobody_claims_to_know()
        self.nobody_overtakes_in_a_thread()


def run_of_deliveries(stage: Stage) -> type[Deliveries]:
    stage.run(LOG_STATES)
    queue = LeasedQueue(stage.pool, "messenger.delivery_work")
    Deliveries.world = World(stage, queue, AdmissionStore(stage.pool), DeliveryMetrics(Metrics(MESSENGER)))
    return Deliveries


def test_deliveries_end_once_in_order_and_are_seen_once(postgres_server: Server, effort: Effort) -> None:
    with frozen_stage(postgres_server, PLANS, "messenger") as stage:
        effort.check(run_of_deliveries(stage), examples=25, steps=20)


def test_whatever_a_worker_says_too_late_counts_for_nothing_but_a_receipt(postgres_server: Server) -> None:
    """Every word once, on each channel, with and without a rescuer: nothing of it is left to chance."""
    with frozen_stage(postgres_server, PLANS, "messenger") as stage:
        deliveries = run_of_deliveries(stage)
        for channel, word, rescue in product(
            ("telegram", "email"), [*LATE_WORDS, *LATE_READINGS], (None, SENDS, KILLED_IN_CALL)
        ):
            run = deliveries()
            run.admit(channel, "send", 1)
            [item_id] = run.wishes
            if word.stalls == "in records":
                run.meet(item_id, KILLED_IN_CALL)
                stage.pass_time(timedelta(seconds=130))
            run.overtake(item_id, word, 130, rescue)
            run.people_see_it_once_or_nobody_claims_to_know()
            run.nothing_is_sent_again_in_the_dark()
            run.what_has_not_ended_is_queued_and_what_nobody_knows_is_kept()
            run.teardown()
