"""The stand-in for the households' services: what the operator told it is what it answers."""

from __future__ import annotations

from typing import Any

import pytest

from bench.operator.registry import Asked, HouseholdAnswers
from butler_operator.backfill.row import row_of
from butler_operator.reconcile.registry import view_of

JOB = {
    "external_id": "uid-1",
    "owner": "BackfillJob household/j900",
    "connector_type": "imap",
    "endpoint_identity": "imap:c890",
    "rate_limit_per_hour": 100,
    "daily_cost_cap_cents": 500,
    "suspended": False,
}


@pytest.fixture
def answers() -> HouseholdAnswers:
    return HouseholdAnswers()


def post(answers: HouseholdAnswers, path: str, **more: Any) -> Any:
    return answers.answer(Asked("POST", path, **more))


def test_whoever_is_declared_is_well(answers: HouseholdAnswers) -> None:
    answers.answer(Asked("PUT", "butlers/finance"))
    answers.answer(Asked("PUT", "connectors/webhook/webhook:a/b"))
    butlers, connectors = (answers.answer(Asked("GET", what)) for what in ("butlers", "connectors"))
    assert butlers is not None
    assert connectors is not None
    view = view_of(butlers["butlers"], connectors["connectors"])
    assert set(view.butlers) == {"finance"}
    assert set(view.connectors) == {("webhook", "webhook:a/b")}


def test_a_job_is_one_row_by_its_uid_that_pauses_resumes_and_takes_new_limits(
    answers: HouseholdAnswers,
) -> None:
    row = row_of(post(answers, "backfills", body=JOB))
    assert (row.state, row.rate_limit_per_hour, row.connector_online) == ("pending", 100, True)
    assert post(answers, f"backfills/{row.job_id}/pause")["status"] == "paused"
    again = row_of(post(answers, "backfills", body=JOB | {"rate_limit_per_hour": 7}))
    assert (again.job_id, again.state, again.rate_limit_per_hour) == (row.job_id, "paused", 7)
    assert post(answers, f"backfills/{row.job_id}/resume")["status"] == "pending"
    assert answers.job_of("uid-1") is not None
    assert answers.job_of("uid-2") is None


def test_jobs_are_found_by_uid_and_by_state_and_an_unknown_one_is_not(answers: HouseholdAnswers) -> None:
    post(answers, "backfills", body=JOB)
    post(answers, "backfills", body=JOB | {"external_id": "uid-2", "suspended": True})

    def found(**query: str) -> list[str]:
        answer = answers.answer(Asked("GET", "backfills", query=query))
        assert answer is not None
        return [job["external_id"] for job in answer["jobs"]]

    assert found(external_id="uid-2") == ["uid-2"]
    assert found(status="pending", limit="500") == ["uid-1"]
    assert answers.answer(Asked("GET", "backfills/job-9")) is None


def test_an_order_is_counted_by_its_key(answers: HouseholdAnswers) -> None:
    for key in ("uid-1", "uid-2", "uid-1"):
        assert post(answers, "requests/r1/cancel", key=key) == {}
    assert answers.orders == {"uid-1": 2, "uid-2": 1}
