"""Connectors make themselves known by their beats; no beat blocks, erases or turns anything back."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.errors import OverloadRejected, ValidationFailed
from butler_contracts.heartbeat import ConnectorHeartbeatV1
from butler_contracts.parse import parse
from butler_kit.auth import Forbidden
from butler_kit.db import Pool
from butler_kit.operations import Acting, Effect, Operations, Order
from butler_kit.telemetry import BUFFER, SWITCHBOARD, Metrics
from butler_kit.time import SystemClock
from butler_switchboard.operations.actions import OperatorAudit
from butler_switchboard.operations.audit import Audit
from butler_switchboard.registry import beats
from butler_switchboard.registry.beats import FEW_BEATS, ConnectorStore
from butler_switchboard.registry.connectors import CAPACITY, Connectors
from butler_switchboard.registry.liveness import BeatKind, LivenessPolicy
from butler_switchboard.telemetry import Gauges, SwitchboardMetrics
from tests.integration.switchboard.operations.requests import a_waiting_request
from tests.support.database import Database
from tests.support.switchboard import BOT, connector

FIRST = UUID("6f1c7c1e-5d4a-4f0e-9a3f-0d6b5d6c7a11")
SECOND = UUID("8b8c2d57-9b0e-4a1c-8e3c-5a1f6b7c8d22")
MINUTES = timedelta(minutes=1)


def beat(uptime_s: float = 10.0, *, instance: UUID = FIRST, **more: Any) -> dict[str, Any]:
    document = {
        "schema_version": "connector.heartbeat.v1",
        "connector": {
            "connector_type": "telegram_bot",
            "endpoint_identity": BOT,
            "instance_id": str(instance),
        },
        "status": {"state": "healthy", "uptime_s": uptime_s},
        "counters": {"messages_ingested": int(uptime_s)},
        "sent_at": datetime.now(UTC).isoformat(),
    }
    return {**document, **more}


def checkpoint(cursor: str, updated_at: str) -> dict[str, Any]:
    return {"cursor": cursor, "updated_at": updated_at}


class Listening:
    """One process that takes beats."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.metrics = Metrics((*SWITCHBOARD, *BUFFER))
        self.audit = Audit(pool, self.metrics)
        self.store = ConnectorStore(pool, LivenessPolicy())
        events = SwitchboardMetrics(self.metrics)
        self.connectors = Connectors(store=self.store, clock=SystemClock(), events=events, capacity=3)

    async def take(self, *beats: dict[str, Any]) -> None:
        for document in beats:
            self.connectors.heartbeat(connector(), document)
            assert await self.connectors.flush()

    async def set_hold(self, reason: str, *, hold: bool) -> None:
        verb = "quarantine" if hold else "release"
        order = Order(reason, f"connector.{verb}", f"connector/telegram_bot:{BOT}", reason, "ada")

        async def act(acting: Acting) -> Effect:
            state = await self.store.set_hold(acting, "telegram_bot", BOT, hold=hold)
            return Effect({}, summary=state)

        await Operations(self.pool, OperatorAudit(self.audit)).run(order, act)

    async def row(self) -> dict[str, Any]:
        (row,) = await self.store.all()
        return row

    async def uptimes(self) -> list[float]:
        rows = await self.pool.fetch("SELECT uptime_s FROM connector_heartbeat_log ORDER BY received_at")
        return [row["uptime_s"] for row in rows]

    async def log(self) -> list[tuple[str, ...]]:
        rows = await self.pool.fetch("SELECT * FROM eligibility_log ORDER BY entry_id")
        return [
            (row["subject"], row["previous_state"], row["new_state"], row["reason"], row["actor"])
            for row in rows
        ]


@pytest.fixture
def listening(pool: Pool) -> Listening:
    return Listening(pool)


@pytest.mark.spec("SWB-21.1", "SWB-21.2", "CNX-11.8")
async def test_the_first_beat_of_an_unknown_connector_registers_it(listening: Listening):
    before = await listening.pool.fetchval("SELECT clock_now()")
    await listening.take(
        beat(counters={"messages_ingested": 7}, checkpoint=checkpoint("42", "2026-03-01T09:00:00Z"))
    )
    row = await listening.row()
    assert (row["registered_via"], row["liveness"], row["eligibility_state"]) == ("self", "online", "active")
    assert before - timedelta(seconds=5) <= row["first_seen_at"] <= row["now"]
    assert (row["counters"]["messages_ingested"], row["checkpoint_cursor"]) == (7, "42")
    assert await listening.uptimes() == [10.0]


@pytest.mark.spec("SWB-21.1")
async def test_a_later_beat_brings_the_latest_state_and_is_logged(listening: Listening):
    degraded = {"state": "degraded", "error_message": "slow provider", "uptime_s": 130.0}
    await listening.take(
        beat(10, checkpoint=checkpoint("1", "2026-03-01T09:00:00Z")),
        beat(
            status=degraded,
            counters={"messages_ingested": 12, "messages_failed": 1},
            checkpoint=checkpoint("2", "2026-03-01T09:02:00Z"),
            capabilities={"heartbeat_interval_s": 60},
        ),
    )
    row = await listening.row()
    assert (row["state"], row["error_message"], row["checkpoint_cursor"]) == (
        "degraded",
        "slow provider",
        "2",
    )
    assert row["counters"]["messages_failed"] == 1
    logged = await listening.pool.fetch("SELECT * FROM connector_heartbeat_log ORDER BY received_at")
    assert [(line["messages_ingested"], line["heartbeat_interval_s"]) for line in logged] == [
        (10, 120),
        (12, 60),
    ]


async def test_a_beat_without_or_with_an_older_checkpoint_erases_none(listening: Listening):
    await listening.take(
        beat(10, checkpoint=checkpoint("new", "2026-03-01T09:00:00Z")),
        beat(20),
        beat(30, checkpoint=checkpoint("old", "2026-03-01T08:00:00Z")),
    )
    assert (await listening.row())["checkpoint_cursor"] == "new"


async def test_a_connector_whose_clock_was_ahead_brings_its_next_checkpoints_all_the_same(
    listening: Listening,
):
    now: datetime = await listening.pool.fetchval("SELECT clock_now()")
    await listening.take(beat(10, checkpoint=checkpoint("ahead", (now + timedelta(days=365)).isoformat())))
    row = await listening.row()
    assert row["checkpoint_cursor"] == "ahead"
    assert row["checkpoint_updated_at"] <= row["now"]
    later = await listening.pool.fetchval("SELECT clock_now()")
    await listening.take(beat(20, checkpoint=checkpoint("corrected", later.isoformat())))
    assert (await listening.row())["checkpoint_cursor"] == "corrected"


async def test_a_checkpoint_of_a_moment_that_is_still_to_come_holds_up_no_other_and_is_not_erased(
    listening: Listening,
):
    """As a release before has stored it."""
    await listening.take(beat(10, checkpoint=checkpoint("ahead", "2026-03-01T09:00:00Z")))
    await listening.pool.execute(
        "UPDATE connector_registry SET checkpoint_updated_at = clock_now() + interval '1 year'"
    )
    await listening.take(beat(20))
    assert (await listening.row())["checkpoint_cursor"] == "ahead"
    await listening.take(beat(30, checkpoint=checkpoint("corrected", "2026-03-01T10:00:00Z")))
    row = await listening.row()
    assert row["checkpoint_cursor"] == "corrected"
    assert row["checkpoint_updated_at"] == datetime(2026, 3, 1, 10, tzinfo=UTC)


async def test_a_late_or_repeated_beat_changes_nothing(listening: Listening):
    await listening.take(beat(10), beat(130), beat(70), beat(130))
    assert (await listening.row())["counters"]["messages_ingested"] == 130
    assert await listening.uptimes() == [10.0, 130.0]
    assert (
        listening.metrics.value(
            "butlers.switchboard.connector_heartbeat", connector_type="telegram_bot", status="late"
        )
        == 2
    )


@pytest.mark.spec("CNX-11.9")
async def test_a_new_instance_is_a_restart_and_the_old_ones_last_beat_does_not_bring_it_back(
    listening: Listening,
):
    await listening.take(beat(600), beat(1, instance=SECOND), beat(601), beat(2, instance=SECOND))
    row = await listening.row()
    assert (row["instance_id"], row["restarts"], row["counters"]["messages_ingested"]) == (SECOND, 1, 2)
    assert sorted(await listening.uptimes()) == [1.0, 2.0, 600.0, 601.0], (
        "each instance keeps its own history"
    )


async def test_a_connector_beats_for_itself_only(listening: Listening):
    with pytest.raises(Forbidden, match="is bound to imap"):
        listening.connectors.heartbeat(connector("imap", "imap:home@example.org"), beat())
    with pytest.raises(ValidationFailed, match="uptime_s"):
        listening.connectors.heartbeat(connector(), beat(status={"state": "healthy"}))
    assert await listening.store.all() == []


@pytest.mark.spec("SWB-21.4")
async def test_beats_are_taken_while_the_database_is_busy_and_written_when_it_is_back(listening: Listening):
    """The registry's table is locked: taking beats does not wait for it, and messages go on being admitted."""
    stopping = asyncio.Event()
    async with listening.pool.acquire() as other, other.transaction():
        await other.execute("LOCK TABLE connector_registry IN ACCESS EXCLUSIVE MODE")
        loop = asyncio.create_task(listening.connectors.run(stopping))
        listening.connectors.heartbeat(connector(), beat(10))
        await asyncio.sleep(0.05)
        listening.connectors.heartbeat(connector(), beat(20))
        assert await asyncio.wait_for(a_waiting_request(listening.pool), 90)
    async with asyncio.timeout(90):
        while not await listening.uptimes() or (await listening.row())["uptime_s"] < 20:
            await asyncio.sleep(0.02)
    stopping.set()
    await loop


@pytest.mark.spec("CON-5")
async def test_a_thousand_beats_wait_and_one_more_instance_is_refused_with_a_hint(listening: Listening):
    """The bound as it is shipped; nobody writes. A later beat of an instance that waits takes its place."""
    known = uuid4()
    events = SwitchboardMetrics(listening.metrics)
    connectors = Connectors(store=listening.store, clock=SystemClock(), events=events)
    for instance in (known, *(uuid4() for _ in range(CAPACITY - 1))):
        connectors.heartbeat(connector(), beat(instance=instance))
    connectors.heartbeat(connector(), beat(20, instance=known))
    with pytest.raises(OverloadRejected) as refused:
        connectors.heartbeat(connector(), beat(instance=uuid4()))
    assert refused.value.retry_after_s


async def test_more_connectors_than_fit_are_refused_until_there_is_room(listening: Listening):
    for _ in range(3):
        listening.connectors.heartbeat(connector(), beat(instance=uuid4()))
    with pytest.raises(OverloadRejected) as refused:
        listening.connectors.heartbeat(connector(), beat(instance=uuid4()))
    assert refused.value.retry_after_s
    await listening.connectors.flush()
    listening.connectors.heartbeat(connector(), beat(instance=uuid4()))


async def test_a_beat_that_the_database_refuses_holds_up_no_other(listening: Listening):
    await listening.pool.execute("ALTER TABLE connector_heartbeat_log ADD CHECK (messages_ingested <> 13)")
    listening.connectors.heartbeat(connector(), beat(13))
    listening.connectors.heartbeat(connector(), beat(14, instance=SECOND))
    assert await listening.connectors.flush()
    assert await listening.uptimes() == [14.0]


async def test_a_beat_whose_interval_is_null_counts_with_the_usual_one_and_holds_up_no_other(
    listening: Listening,
):
    listening.connectors.heartbeat(connector(), beat(10, capabilities={"heartbeat_interval_s": None}))
    listening.connectors.heartbeat(connector(), beat(20, instance=SECOND))
    assert await listening.connectors.flush()
    assert sorted(await listening.uptimes()) == [10.0, 20.0]
    intervals = await listening.pool.fetch("SELECT heartbeat_interval_s FROM connector_heartbeat_log")
    assert [row["heartbeat_interval_s"] for row in intervals] == [120, 120]


def of_many(count: int, uptime_s: float, **more: Any) -> list[tuple[ConnectorHeartbeatV1, float]]:
    """One beat of each of `count` connectors, the later ones first."""
    documents = []
    for number in reversed(range(count)):
        document = beat(uptime_s, instance=UUID(int=(4 << 76) | (8 << 60) | number), **more)
        document["connector"]["endpoint_identity"] = f"telegram:bot:{number:03}"
        documents.append((parse(ConnectorHeartbeatV1, document), 0.0))
    return documents


async def test_beats_of_many_connectors_are_recorded_together_as_each_would_be_alone(listening: Listening):
    one_by_one = [await listening.store.take(one, age_s=age_s) for one, age_s in of_many(6, 10)]
    assert one_by_one == [BeatKind.FIRST] * 6
    assert await listening.store.take_batch(of_many(9, 20)) == [BeatKind.FIRST] * 3 + [BeatKind.NEXT] * 6
    assert await listening.store.take_batch(of_many(9, 20)) == [BeatKind.LATE] * 9
    rows = await listening.store.all()
    assert [(row["uptime_s"], row["counters"]["messages_ingested"]) for row in rows] == [(20.0, 20)] * 9
    assert sorted(await listening.uptimes()) == [10.0] * 6 + [20.0] * 9
    written = "SELECT count(DISTINCT xmin::text) FROM connector_heartbeat_log WHERE uptime_s = 20"
    assert await listening.pool.fetchval(written) == 1
    assert len(await listening.log()) == 9


async def test_a_few_beats_are_planned_for_their_own_day_and_many_for_any(pool: Pool, database: Database):
    plans = (
        "SELECT coalesce(sum(generic_plans), 0), coalesce(sum(custom_plans), 0) FROM pg_prepared_statements"
        " WHERE statement LIKE '%INSERT INTO connector_heartbeat_log%' AND statement NOT LIKE '%pg_prepared%'"
    )
    one = await database.pool("switchboard", max_size=1)
    store, many = ConnectorStore(one, LivenessPolicy()), FEW_BEATS + 1
    await store.take_batch(of_many(many, 10))
    await store.take_batch(of_many(FEW_BEATS, 20))
    assert [tuple(row) for row in await one.fetch(plans)] == [(0, many + FEW_BEATS)]
    await store.take_batch(of_many(many, 30))
    assert [tuple(row) for row in await one.fetch(plans)] == [(many, many + FEW_BEATS)]


async def test_beats_that_come_together_are_written_together_and_a_refused_one_alone_is_dropped(
    listening: Listening,
):
    await listening.store.take_batch(of_many(3, 1))
    await listening.pool.execute(
        "ALTER TABLE connector_heartbeat_log ADD CHECK (endpoint_identity <> 'telegram:bot:001' OR uptime_s < 5)"
    )
    for one, _ in of_many(3, 10):
        caller = connector(endpoint=one.connector.endpoint_identity)
        listening.connectors.heartbeat(caller, one.to_wire())
    assert await listening.connectors.flush()
    rows = await listening.store.all()
    assert [row["uptime_s"] for row in rows] == [10.0, 1.0, 10.0]
    beats = "butlers.switchboard.connector_heartbeat"
    assert listening.metrics.value(beats, connector_type="telegram_bot", status="dropped") == 1


async def test_a_beat_that_a_defect_keeps_from_being_written_holds_up_no_other(
    listening: Listening, monkeypatch: pytest.MonkeyPatch
):
    logged = beats._logged

    def broken_for_one(one: ConnectorHeartbeatV1, received_at: datetime) -> tuple[Any, ...]:
        if one.connector.endpoint_identity == "telegram:bot:001":
            raise TypeError("a defect")
        return logged(one, received_at)

    await listening.store.take_batch(of_many(3, 1))
    monkeypatch.setattr(beats, "_logged", broken_for_one)
    for one, _ in of_many(3, 10):
        caller = connector(endpoint=one.connector.endpoint_identity)
        listening.connectors.heartbeat(caller, one.to_wire())
    assert await listening.connectors.flush()
    assert [row["uptime_s"] for row in await listening.store.all()] == [10.0, 1.0, 10.0]


async def test_replicas_that_record_the_same_connectors_at_once_do_not_wait_in_a_circle(listening: Listening):
    await listening.store.take_batch(of_many(30, 1))
    there, back = of_many(30, 10), of_many(30, 11)[::-1]
    async with asyncio.timeout(90):
        await asyncio.gather(listening.store.take_batch(there), listening.store.take_batch(back))
    assert {row["uptime_s"] for row in await listening.store.all()} == {11.0}


@pytest.mark.spec("SWB-21.3", "CNX-12.1", "CNX-12.4")
async def test_a_silent_connector_becomes_stale_and_offline_and_stays_registered(
    listening: Listening, database: Database
):
    await listening.take(beat())
    seen = {}
    for minutes in (4.9, 5.1, 14.9, 15.1, 60 * 24 * 400):
        await database.shift_clock(minutes * MINUTES)
        await listening.store.sweep()
        row = await listening.row()
        seen[minutes] = (row["liveness"], row["eligibility_state"])
    assert seen == {
        4.9: ("online", "active"),
        5.1: ("stale", "stale"),
        14.9: ("stale", "stale"),
        15.1: ("offline", "stale"),
        60 * 24 * 400: ("offline", "stale"),
    }


@pytest.mark.spec("CNX-12.2", "CNX-12.3")
async def test_every_change_of_a_connectors_eligibility_is_on_record(
    listening: Listening, database: Database
):
    before = await listening.pool.fetchval("SELECT clock_now()")
    await listening.take(beat(10))
    await database.shift_clock(6 * MINUTES)
    await listening.store.sweep()
    await listening.take(beat(400))
    await listening.set_hold("spams", hold=True)
    await listening.take(beat(410))
    assert (await listening.row())["eligibility_state"] == "quarantined", (
        "a beat does not outrank a quarantine"
    )
    await listening.store.sweep()
    await listening.set_hold("fixed", hold=False)
    who = f"telegram_bot:{BOT}"
    assert await listening.log() == [
        (who, "unknown", "active", "self_registered", str(FIRST)),
        (who, "active", "stale", "heartbeat_missed", "eligibility-sweep"),
        (who, "stale", "active", "heartbeat", str(FIRST)),
        (who, "active", "quarantined", "operator_quarantine", "ada"),
        (who, "quarantined", "active", "operator_release", "ada"),
    ]
    times = await listening.pool.fetch(
        "SELECT observed_at, previous_seen_at FROM eligibility_log ORDER BY entry_id"
    )
    moments = [row["observed_at"] for row in times]
    after = await listening.pool.fetchval("SELECT clock_now()")
    assert [before - MINUTES, *moments, after] == sorted([before - MINUTES, *moments, after])
    assert moments[1] - moments[0] >= 5 * MINUTES
    assert [row["previous_seen_at"] for row in times[:3]] == [None, moments[0], moments[0]]
    assert all(row["previous_seen_at"] is not None for row in times[3:])
    audited = await listening.pool.fetch(
        "SELECT operation, actor, reason FROM dashboard_audit_log ORDER BY audit_id"
    )
    assert [tuple(row) for row in audited] == [
        ("connector.quarantine", "ada", "spams"),
        ("connector.release", "ada", "fixed"),
    ]


async def test_two_replicas_that_hear_a_new_connector_at_once_make_one_record(
    listening: Listening, pool: Pool
):
    other = Listening(pool)
    document = [parse(ConnectorHeartbeatV1, beat(uptime)) for uptime in (10.0, 11.0)]
    await asyncio.gather(
        *(one.store.take(item, age_s=0.0) for one, item in zip((listening, other), document, strict=True))
    )
    assert (await listening.row())["uptime_s"] == 11.0
    assert [line[3] for line in await listening.log()] == ["self_registered"]


async def test_connectors_are_counted_by_liveness(listening: Listening):
    await listening.take(beat())

    async def waiting() -> dict[str, int]:
        return {"interactive": 2, "default": 1}

    gauges = Gauges(
        listening.metrics,
        waiting=waiting,
        buffered=lambda lane: 5 if lane == "default" else 0,
        connectors=listening.store.all,
    )
    await gauges.sample()
    value = listening.metrics.value
    assert value("butlers.switchboard.connectors", liveness="online") == 1
    assert value("butlers.switchboard.connectors", liveness="offline") == 0
    assert value("butlers.switchboard.queue_depth", policy_tier="interactive") == 2
    assert value("butlers.buffer.queue_depth", lane="default") == 5
    assert value("butlers.switchboard.inflight_requests") == 3
    await listening.pool.execute("UPDATE connector_registry SET undeclared_at = clock_now()")
    await gauges.sample()
    assert value("butlers.switchboard.connectors", liveness="online") == 0
