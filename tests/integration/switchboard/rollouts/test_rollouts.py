"""A candidate is begun once and given up once, whatever the replicas do, and stays given up (SWB-36.1, ADR 0095)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.context import RequestContext
from butler_kit.db import Pool
from butler_kit.telemetry import SWITCHBOARD, Metrics
from butler_switchboard.operations.audit import Audit
from butler_switchboard.rollouts.judging import Signal, State, judged
from butler_switchboard.rollouts.rollouts import Rollouts
from butler_switchboard.rollouts.store import RolloutStore
from butler_switchboard.rollouts.trial import Arm, Rollout, Version
from butler_switchboard.rollouts.ways import Way, Ways
from tests.support.database import Provision
from tests.support.switchboard import new_switchboard_database

ROLLOUT = Rollout(Version("stub", "p-1"), Version("next", "p-2"), "other words", 50, 30, 0.001)


class Seen:
    """What the metrics were told."""

    def __init__(self) -> None:
        self.states: list[State] = []

    def rollout(self, state: State, decisions: Mapping[Arm, int]) -> None:
        self.states.append(state)


@pytest.fixture
async def pool(provisioned: Provision) -> Pool:
    return await (await new_switchboard_database(provisioned)).pool("switchboard")


def replica(pool: Pool, rollout: Rollout = ROLLOUT) -> Rollouts:
    return Rollouts(rollout, store_of(pool), Seen())


def store_of(pool: Pool) -> RolloutStore:
    return RolloutStore(pool, Audit(pool, Metrics(SWITCHBOARD)))


async def decided(
    pool: Pool, arm: Arm, count: int, *, rollout: Rollout = ROLLOUT, thread: str = "", **flags: bool
) -> list[UUID]:
    ids = [uuid4() for _ in range(count)]
    said = {"fell_back": False, "invalid": False, "unanswered": False, **flags}
    await pool.executemany(
        "INSERT INTO routing_rollout_decision VALUES ($1, $2, $3, $4, $5, $6, $7, clock_now())",
        [
            (
                one,
                rollout.key,
                arm.value,
                thread or str(one),
                said["fell_back"],
                said["invalid"],
                said["unanswered"],
            )
            for one in ids
        ],
    )
    return ids


async def corrected(pool: Pool, request: UUID, *, days: int = 0, part: str = "s1") -> None:
    await pool.execute(
        "INSERT INTO correction VALUES ($1, $2, $3, clock_now() + $4 * interval '1 day', 'ada', 'member',"
        " 'household', 'text', 'general', 'finance')",
        f"order:{request}:{part}", request, part, days,
    )  # fmt: skip


async def audited(pool: Pool) -> list[str]:
    rows = await pool.fetch("SELECT operation FROM dashboard_audit_log ORDER BY audit_id")
    return [row["operation"] for row in rows]


def context(thread: str | None, request: UUID) -> RequestContext:
    said: dict[str, Any] = {
        "request_id": str(request), "received_at": "2026-03-01T09:30:00Z", "source_channel": "telegram",
        "source_endpoint_identity": "bot", "source_sender_identity": "1001", "source_thread_identity": thread,
    }  # fmt: skip
    return RequestContext.model_validate(said)


async def way(pool: Pool, thread: str | None, rollout: Rollout = ROLLOUT, **more: Any) -> Way:
    ways = Ways("usual words", rollout, store_of(pool))
    asked = {"model": "stub", "from_past": False, **more}
    request = UUID(int=0x0197F000_0000_7000_8000_000000000000 + int(uuid4()) % 2**40)
    return await ways.of(context(thread, request), asked["model"], from_past=asked["from_past"])


@pytest.mark.spec("SWB-36.1")
async def test_replicas_that_look_at_once_roll_back_once_and_audit_it_once(pool: Pool) -> None:
    await asyncio.gather(*(replica(pool).look() for _ in range(6)))
    await decided(pool, Arm.USUAL, 40)
    await decided(pool, Arm.CANDIDATE, 30, unanswered=True)
    reports = await asyncio.gather(*(replica(pool).look() for _ in range(6)))
    assert [report.state for report in reports if report is not None] == [State.ROLLED_BACK] * 6
    assert await audited(pool) == ["rollout.begin", "rollout.roll_back"]
    [row] = await pool.fetch("SELECT * FROM routing_rollout")
    assert row["evidence"]["signal"] == "errors"
    assert row["evidence"]["candidate"] == {"count": 30, "of": 30}
    assert row["rolled_back_at"] >= row["begun_at"]


async def test_nothing_is_tried_before_it_has_begun_nor_in_a_tier_of_its_own_nor_of_the_past(
    pool: Pool,
) -> None:
    assert {(await way(pool, str(number))).trial for number in range(20)} == {None}
    await replica(pool).look()
    for more in ({"model": "quick"}, {"from_past": True}):
        found = {(await way(pool, str(number), **more)).trial for number in range(20)}
        assert found == {None}


async def test_messages_without_a_thread_are_threads_of_their_own(pool: Pool) -> None:
    await replica(pool).look()
    models = [(await way(pool, None)).model for _ in range(60)]
    assert {"stub", "next"} == set(models)


@pytest.mark.spec("SWB-36.1")
async def test_a_correction_counts_whenever_it_is_said_and_once_a_message(pool: Pool) -> None:
    rollouts = replica(pool)
    await rollouts.look()
    await decided(pool, Arm.USUAL, 90)
    tried = await decided(pool, Arm.CANDIDATE, 30)
    report = await rollouts.look()
    assert report is not None
    assert report.state is State.NO_WORSE
    for request in tried[:12]:
        # Also where the clock was set back since.
        await corrected(pool, request, days=-3)
        await corrected(pool, request, days=9, part="s2")
    await corrected(pool, uuid4())
    report = await rollouts.look()
    assert report is not None
    assert report.state is State.ROLLED_BACK
    assert report.worse is not None
    assert (report.worse.signal, report.worse.candidate.count) == (Signal.CORRECTED, 12)


@pytest.mark.spec("SWB-36.1")
async def test_what_one_odd_thread_does_is_no_ground_and_what_all_threads_do_is(pool: Pool) -> None:
    rollouts = replica(pool)
    await rollouts.look()
    for number in range(9):
        await decided(pool, Arm.USUAL, 10, thread=f"usual-{number}")
        await decided(pool, Arm.CANDIDATE, 10, thread=f"tried-{number}")
    # All of one chat, where the model is unsure; by decisions alone it were certain.
    await decided(pool, Arm.CANDIDATE, 30, thread="odd", fell_back=True)
    report = await rollouts.look()
    assert report is not None
    assert (report.state, report.candidate.signals[Signal.FALLBACKS]) == (State.NO_WORSE, 30)
    alone = judged(
        replace(report.usual, effects={}), replace(report.candidate, effects={}),
        minimum=30, significance=0.001,
    )  # fmt: skip
    assert alone.state is State.WORSE
    for number in range(9):
        await decided(pool, Arm.CANDIDATE, 10, thread=f"tried-{number}", invalid=True)
        await decided(pool, Arm.USUAL, 10, thread=f"usual-{number}")
    report = await rollouts.look()
    assert report is not None
    assert report.worse is not None
    assert (report.state, report.worse.signal) == (State.ROLLED_BACK, Signal.INVALID)


@pytest.mark.spec("SWB-36.1")
async def test_a_candidate_that_was_given_up_stays_so_until_it_is_another_one(pool: Pool) -> None:
    rollouts = replica(pool)
    await rollouts.look()
    await decided(pool, Arm.USUAL, 40)
    await decided(pool, Arm.CANDIDATE, 30, unanswered=True)
    await rollouts.look()
    # Whatever comes later: the manifest without it, with it again, better decisions.
    assert await Rollouts(None, store_of(pool), Seen()).look() is None
    await decided(pool, Arm.CANDIDATE, 3_000)
    [report] = [await replica(pool, replace(ROLLOUT, percent=90)).look()]
    assert report is not None
    assert report.state is State.ROLLED_BACK
    assert report.worse is not None
    assert report.worse.candidate.of == 30
    once_more = replace(ROLLOUT, attempt=2)
    report = await replica(pool, once_more).look()
    assert report is not None
    assert (report.state, report.candidate.decisions) == (State.COLLECTING, 0)
    assert "next" in {(await way(pool, str(number), once_more)).model for number in range(20)}


async def test_evidence_of_a_newer_version_keeps_no_message_from_its_way(pool: Pool) -> None:
    await replica(pool).look()
    await pool.execute(
        "UPDATE routing_rollout SET rolled_back_at = clock_now(), evidence = $1", {"signal": "of tomorrow"}
    )
    assert {(await way(pool, str(number))).model for number in range(20)} == {"stub"}


async def test_old_decisions_go_and_the_row_of_the_rollout_stays(pool: Pool) -> None:
    from butler_switchboard.operations.retention import Retention, RetentionPolicy

    await replica(pool).look()
    await decided(pool, Arm.USUAL, 3)
    await pool.execute("UPDATE routing_rollout_decision SET decided_at = clock_now() - interval '366 days'")
    await decided(pool, Arm.USUAL, 2)
    swept = await Retention(pool, RetentionPolicy()).sweep()
    assert swept.deleted["rollout_decisions"] == 3
    assert await pool.fetchval("SELECT count(*) FROM routing_rollout") == 1
