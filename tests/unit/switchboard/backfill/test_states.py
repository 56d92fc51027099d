"""What may happen to a backfill job, event by event."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest

from butler_switchboard.backfill.states import (
    LEASE,
    Job,
    Outcome,
    Progress,
    Status,
    WrongState,
    assign,
    cancel,
    expire,
    pause,
    report,
    resume,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MINE, THEIRS = UUID(int=1), UUID(int=2)
NEW = Job(job_id=UUID(int=7), daily_cost_cap_cents=100)


def active(**changes: object) -> Job:
    return replace(assign(NEW, lease_id=MINE, now=NOON), **changes)  # type: ignore[arg-type]


def batch(number: int = 1, **more: object) -> Progress:
    return Progress(**{"batch_seq": number, "lease_id": MINE, "rows_processed": 10, "cursor": "c", **more})  # type: ignore[arg-type]


def test_a_silent_connector_loses_the_job_but_not_its_place():
    job = active(cursor="100", batch_seq=4)
    assert expire(job, now=NOON + LEASE - timedelta(seconds=1)) is job
    freed = expire(job, now=NOON + LEASE)
    assert (freed.status, freed.cursor, freed.batch_seq) == (Status.PENDING, "100", 4)


def test_a_connector_that_comes_back_before_another_took_the_job_goes_on():
    freed = expire(active(), now=NOON + LEASE)
    applied = report(freed, batch(), now=NOON + 2 * LEASE)
    assert (applied.outcome, applied.job.status) == (Outcome.APPLIED, Status.ACTIVE)


def test_a_connector_that_comes_back_after_another_took_the_job_changes_nothing():
    taken = assign(expire(active(), now=NOON + LEASE), lease_id=THEIRS, now=NOON + LEASE)
    applied = report(taken, batch(), now=NOON + 2 * LEASE)
    assert applied.outcome is Outcome.LEASE_LOST
    assert applied.job is taken


def test_while_the_service_level_is_missed_a_batch_counts_and_the_job_waits_in_its_place():
    applied = report(active(), batch(), now=NOON, tight=True)
    waiting = applied.job
    assert (applied.outcome, waiting.status, waiting.lease_until) == (Outcome.APPLIED, Status.PENDING, None)
    assert (waiting.rows_processed, waiting.cursor, waiting.batch_seq) == (10, "c", 1)
    assert assign(waiting, lease_id=THEIRS, now=NOON).cursor == "c"
    over = report(active(), batch(ended=Status.COMPLETED), now=NOON, tight=True).job
    assert over.status is Status.COMPLETED, "what is at its end does not wait"
    held = report(pause(active()), batch(), now=NOON, tight=True).job
    assert held.status is Status.PAUSED, "what a person set stays"


def test_a_batch_reported_twice_counts_once():
    first = report(active(), batch(), now=NOON).job
    again = report(first, batch(), now=NOON)
    assert (again.outcome, again.job.rows_processed) == (Outcome.REPEATED, 10)


def test_a_batch_that_skips_one_is_refused():
    with pytest.raises(WrongState, match="expected 1"):
        report(active(), batch(2), now=NOON)


def test_a_pause_survives_the_report_of_the_batch_that_was_under_way():
    applied = report(pause(active()), batch(), now=NOON)
    assert (applied.job.status, applied.job.rows_processed, applied.job.cursor) == (Status.PAUSED, 10, "c")


def test_a_cancellation_survives_even_the_word_that_all_is_done():
    applied = report(cancel(active(), now=NOON), batch(ended=Status.COMPLETED), now=NOON)
    assert applied.job.status is Status.CANCELLED


def test_after_a_resume_the_former_holder_has_to_poll_again():
    resumed = resume(pause(active()), now=NOON)
    assert report(resumed, batch(), now=NOON).outcome is Outcome.LEASE_LOST


def test_the_cap_is_that_of_a_utc_day():
    late = datetime(2026, 3, 1, 23, 59, tzinfo=UTC)
    job = report(active(), batch(1, cost_spent_cents=Decimal("99.5")), now=late).job
    assert job.status is Status.ACTIVE
    next_day = report(job, batch(2, cost_spent_cents=Decimal(99)), now=late + timedelta(minutes=2)).job
    assert (next_day.status, next_day.spend_day_cents) == (Status.ACTIVE, Decimal(99))
    same_day = report(next_day, batch(3, cost_spent_cents=Decimal(1)), now=late + timedelta(minutes=3)).job
    assert (same_day.status, same_day.cost_spent_cents) == (Status.COST_CAPPED, Decimal("199.5"))


def test_a_capped_job_waits_for_a_person_even_on_the_next_day():
    capped = report(active(), batch(cost_spent_cents=Decimal(100)), now=NOON).job
    tomorrow = NOON + timedelta(days=1)
    assert expire(capped, now=tomorrow).status is Status.COST_CAPPED
    assert report(capped, batch(2), now=tomorrow).job.status is Status.COST_CAPPED


def test_a_resume_on_the_same_day_grants_the_cap_once_more():
    capped = report(active(), batch(cost_spent_cents=Decimal(120)), now=NOON).job
    again = assign(resume(pause(capped), now=NOON), lease_id=MINE, now=NOON)
    job = report(again, batch(2, cost_spent_cents=Decimal(99)), now=NOON).job
    assert job.status is Status.ACTIVE
    assert report(job, batch(3, cost_spent_cents=Decimal(1)), now=NOON).job.status is Status.COST_CAPPED


def test_what_is_done_is_complete_though_the_cap_was_reached():
    done = report(active(), batch(ended=Status.COMPLETED, cost_spent_cents=Decimal(100)), now=NOON).job
    assert (done.status, done.finished_at) == (Status.COMPLETED, NOON)


@pytest.mark.parametrize("state", [s for s in Status if s not in (Status.PAUSED, Status.COST_CAPPED)])
def test_only_paused_and_capped_jobs_are_resumed(state: Status):
    with pytest.raises(WrongState, match=f"is {state}"):
        resume(active(status=state), now=NOON)


@pytest.mark.parametrize("state", [Status.COMPLETED, Status.ERROR])
def test_what_has_ended_is_neither_paused_nor_cancelled(state: Status):
    for act in (pause, lambda job: cancel(job, now=NOON)):
        with pytest.raises(WrongState):
            act(active(status=state))
