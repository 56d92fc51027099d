"""A butler is held by a ButlerOperation: its messages go elsewhere at once, with the reason, until it is released."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import Household, bearer
from tests.e2e.scenarios.callers import Service, service

ME = "kubernetes-admin"
ELSEWHERE_S = 5.0
REASON = "its figures are looked through"


@pytest.fixture
def switchboard(cluster: Cluster, home: Household) -> Iterator[Service]:
    with service(cluster, "switchboard") as found:
        yield found
    found_state = (cluster.get("butler", "finance") or {})["status"]["eligibility"]["state"]
    if found_state == "quarantined":
        asked(cluster, "release")


def asked(cluster: Cluster, action: str) -> dict[str, Any]:
    """A ButlerOperation on finance, once it has ended."""
    name = f"{action}-{secrets.token_hex(3)}"
    target = {"kind": "Butler", "name": "finance"}
    spec = {"action": action, "target": target, "reason": REASON, "requestedBy": ME}
    cluster.apply(
        {"apiVersion": "butlers.dev/v1alpha1", "kind": "ButlerOperation", "metadata": {"name": name},
         "spec": spec}
    )  # fmt: skip

    def ended() -> dict[str, Any] | None:
        status: dict[str, Any] = (cluster.get("butleroperation", name) or {}).get("status") or {}
        return status if status.get("finishedAt") else None

    status = eventually(ended, what=f"{name} has ended")
    assert status is not None
    assert status["phase"] == "Succeeded", status
    assert status["auditId"]
    return status


def routed(home: Household, switchboard: Service) -> tuple[float, dict[str, Any]]:
    """A finance message: seconds until it was taken by a butler, and Switchboard's view of it."""
    body = {"text": "Paid 40.50 EUR for the electricity bill", "sender": "ada"}
    headers = bearer() | {"Idempotency-Key": secrets.token_hex(8)}
    began = time.monotonic()
    answer = httpx.post(
        f"{home.webhook}/v1/messages", json=body, headers=headers, timeout=20, trust_env=False
    )
    request_id = answer.raise_for_status().json()["request_id"]

    def accepted() -> dict[str, Any] | None:
        view = switchboard.read(f"requests/{request_id}")
        return view if any(part["accepted_at"] for part in view["subroutes"]) else None

    view = eventually(accepted, what="a butler has taken it")
    assert view is not None
    return time.monotonic() - began, view


def targets(view: dict[str, Any]) -> set[str]:
    return {part["target"] for part in view["subroutes"]}


def test_a_held_butler_s_messages_go_elsewhere_within_five_seconds_until_it_is_released(
    cluster: Cluster, home: Household, switchboard: Service
) -> None:
    _, before = routed(home, switchboard)
    assert targets(before) == {"finance"}

    asked(cluster, "quarantine")
    held = [routed(home, switchboard) for _ in range(5)]
    assert {name for _, view in held for name in targets(view)} == {"general"}
    assert {view["plan"]["reason"] for _, view in held} == {
        f"ineligible_target:finance (quarantined: {REASON})"
    }
    assert sorted(took for took, _ in held)[-2] < ELSEWHERE_S, held
    kept = switchboard.read("butlers/finance")
    assert (kept["eligibility_state"], kept["quarantine_reason"]) == ("quarantined", REASON)

    def told(state: str) -> bool:
        found = cluster.get("butler", "finance")
        assert found is not None
        return bool(found["status"]["eligibility"]["state"] == state)

    eventually(lambda: told("quarantined"), what="the status says so")
    asked(cluster, "release")
    eventually(lambda: told("active"), what="the status says so again")
    assert targets(routed(home, switchboard)[1]) == {"finance"}
