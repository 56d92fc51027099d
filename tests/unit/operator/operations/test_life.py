"""An operation's life by its age and its status (D4)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from butler_operator.operations.life import KEPT, Ended, Step, ended, next_step, running, settled, waiting
from butler_operator.reconcile.conditions import stamp
from butler_resources.kinds.conditions import Reason
from butler_resources.kinds.statuses import OperationPhase
from tests.unit.operator.operations.test_orders import BUTLER, operation

BORN = datetime(2026, 1, 1, tzinfo=UTC)
QUARANTINE = operation("quarantine", BUTLER)


def body(**status: Any) -> dict[str, Any]:
    return {"metadata": {"creationTimestamp": stamp(BORN)}, "status": status}


@pytest.mark.parametrize(
    ("status", "age", "step"),
    [
        ({}, timedelta(seconds=0), Step.ASK),
        ({}, timedelta(seconds=599), Step.ASK),
        ({}, timedelta(seconds=600), Step.EXPIRE),
        ({"phase": "Pending"}, timedelta(seconds=600), Step.EXPIRE),
        ({"phase": "Running"}, timedelta(seconds=600), Step.ASK),
        ({"phase": "Running"}, timedelta(seconds=600 + 3600), Step.GIVE_UP),
        ({"phase": "Succeeded", "finishedAt": stamp(BORN)}, timedelta(days=6), Step.KEEP),
        ({"phase": "Failed", "finishedAt": stamp(BORN)}, KEPT, Step.DELETE),
        ({"phase": "Expired"}, timedelta(days=90), Step.KEEP),
    ],
)
def test_age_and_phase_decide_what_is_done(status: dict[str, str], age: timedelta, step: Step) -> None:
    assert next_step(QUARANTINE, body(**status), BORN + age) is step


def test_what_ended_goes_in_its_time_though_nobody_can_read_its_spec() -> None:
    over = body(phase="Succeeded", finishedAt=stamp(BORN))
    assert [settled(over, BORN + age) for age in (timedelta(days=6), KEPT)] == [Step.KEEP, Step.DELETE]
    assert settled(body(phase="Running"), BORN + KEPT) is None


def test_a_second_try_keeps_the_moment_of_the_first() -> None:
    fields, _ = running(body(startedAt=stamp(BORN)), BORN + timedelta(minutes=5))
    assert fields == {"phase": "Running", "startedAt": stamp(BORN)}


def test_waiting_says_why_and_leaves_the_phase() -> None:
    fields, conditions = waiting("switchboard does not answer")
    assert fields == {"result": {"message": "switchboard does not answer"}}
    assert {condition.type: condition.status for condition in conditions} == {
        "Complete": "False",
        "Failed": "False",
    }


def test_an_end_has_its_audit_entry_and_details_for_scripts() -> None:
    answer = {"audit_id": 17, "eligibility_state": "quarantined", "repeated": False, "parts": []}
    outcome = Ended(OperationPhase.SUCCEEDED, Reason.COMPLETED, "finance is quarantined", answer)
    fields, conditions = ended(outcome, BORN)
    assert fields["auditId"] == "17"
    assert fields["result"]["details"] == {"eligibility_state": "quarantined", "repeated": "False"}
    assert {condition.type: condition.status for condition in conditions} == {
        "Complete": "True",
        "Failed": "False",
    }


def test_a_refusal_is_a_failure_with_its_words() -> None:
    fields, conditions = ended(Ended(OperationPhase.FAILED, Reason.REFUSED, "it was discarded", {}), BORN)
    assert fields["phase"] == "Failed"
    assert {c.type: (c.status, c.message) for c in conditions}["Failed"] == ("True", "it was discarded")
