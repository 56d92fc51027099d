"""`kubectl butler cancel|complete|reroute|correct` on a real Switchboard: each act is done once, and audited (D70)."""

from __future__ import annotations

from typing import Any

from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import Household
from tests.e2e.kubectl.test_plugin import said
from tests.e2e.scenarios.records import rows
from tests.e2e.scenarios.test_absence import gone

WHY = ("--reason", "decided by hand")


def waiting(cluster: Cluster, household: Household, amount: str) -> str:
    """A message for finance that has a plan and no end: its id."""
    request_id = household.submit(f"Paid {amount} EUR for the electricity bill")

    def planned() -> bool:
        return [part["target"] for part in parts(cluster, request_id)] == ["finance"]

    eventually(planned, what=f"request {request_id} is on its way to finance")
    return request_id


def parts(cluster: Cluster, request_id: str) -> list[dict[str, Any]]:
    return rows(
        cluster,
        "SELECT segment_id, target, state FROM switchboard.subroute"
        f" WHERE request_id = '{request_id}' ORDER BY position, attempt",
    )


def state_of(cluster: Cluster, request_id: str) -> str:
    query = f"SELECT lifecycle_state FROM switchboard.message_inbox WHERE request_id = '{request_id}'"
    (found,) = rows(cluster, query)
    return str(found["lifecycle_state"])


def kept(cluster: Cluster, butler: str, request_id: str) -> list[bool]:
    """Of each record that the butler made of it, whether it stands."""
    query = f"SELECT withdrawn_at IS NULL AS stands FROM {butler}.records WHERE request_id = '{request_id}'"
    return [row["stands"] for row in rows(cluster, query)]


def test_requests_that_move_are_cancelled_completed_and_given_to_another_and_a_done_one_is_corrected(
    cluster: Cluster, household: Household
) -> None:
    done = household.submit("Paid 40.50 EUR for the electricity bill")
    assert household.answer_to(done)["reply"]
    with gone(cluster, "finance"):
        cancelled, completed, moved = (
            waiting(cluster, household, one) for one in ("41.50", "42.50", "43.50")
        )
        assert said(cluster, "butler", "cancel", cancelled, *WHY, "-y")
        assert said(cluster, "butler", "complete", completed, *WHY, "-y")
        assert said(cluster, "butler", "reroute", moved, "--to", "general", *WHY)
        assert household.answer_to(moved)["reply"]
        assert [state_of(cluster, one) for one in (cancelled, completed)] == ["cancelled", "force_completed"]
        eventually(lambda: state_of(cluster, moved) == "parsed", what="the rerouted request has ended")
    assert [(one["target"], one["state"]) for one in parts(cluster, moved)] == [
        ("finance", "skipped"),
        ("general", "ok"),
    ]
    assert said(cluster, "butler", "correct", done, "--to", "general", *WHY)
    eventually(lambda: kept(cluster, "finance", done) == [False], what="finance has taken back what it noted")
    assert sum(one["target"] == "general" for one in parts(cluster, done)) == 1
    for request_id in (cancelled, completed, moved):
        assert kept(cluster, "finance", request_id) == [], "finance is back, and has none of it"

    of_all = "', '".join((cancelled, completed, moved, done))
    audited = rows(
        cluster,
        "SELECT request_id, operation, reason FROM switchboard.dashboard_audit_log"
        f" WHERE request_id IN ('{of_all}') AND operation LIKE 'request.%' AND result = 'ok'",
    )
    assert sorted((one["request_id"], one["operation"], one["reason"]) for one in audited) == sorted(
        (request_id, f"request.{act}", WHY[1])
        for request_id, act in (
            (cancelled, "cancel"), (completed, "complete"), (moved, "reroute"), (done, "correct"),
        )
    )  # fmt: skip
