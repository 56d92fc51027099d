"""A butler is held by a ButlerOperation: its messages go elsewhere at once, with the reason, until it is released."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import Household
from tests.e2e.scenarios.callers import service

ME = "kubernetes-admin"
REASON = "its figures are looked through"


@pytest.fixture
def released(cluster: Cluster) -> Iterator[None]:
    yield
    if told(cluster, "butlers/finance")["eligibility_state"] == "quarantined":
        asked(cluster, "release")


def told(cluster: Cluster, path: str) -> dict[str, Any]:
    """What Switchboard says, whichever pod of it there is: a butler that was deleted before rolls it."""

    def read() -> dict[str, Any] | None:
        with service(cluster, "switchboard") as switchboard:
            try:
                return switchboard.read(path)
            except httpx.TransportError:
                return None

    said = eventually(read, what=f"Switchboard answers {path}")
    assert said is not None
    return said


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


def routed(home: Household, cluster: Cluster) -> dict[str, Any]:
    """A finance message: Switchboard's view of it once a butler has taken it."""
    request_id = home.submit("Paid 40.50 EUR for the electricity bill")

    def accepted() -> dict[str, Any] | None:
        view = told(cluster, f"requests/{request_id}")
        return view if any(part["accepted_at"] for part in view["subroutes"]) else None

    view = eventually(accepted, what="a butler has taken it")
    assert view is not None
    return view


def targets(view: dict[str, Any]) -> set[str]:
    return {part["target"] for part in view["subroutes"]}


def test_a_held_butler_s_messages_go_elsewhere_with_the_reason_until_it_is_released(
    cluster: Cluster, home: Household, released: None
) -> None:
    assert targets(routed(home, cluster)) == {"finance"}

    asked(cluster, "quarantine")
    held = [routed(home, cluster) for _ in range(2)]
    assert [targets(view) for view in held] == [{"general"}] * 2
    assert {view["plan"]["reason"] for view in held} == {f"ineligible_target:finance (quarantined: {REASON})"}
    kept = told(cluster, "butlers/finance")
    assert (kept["eligibility_state"], kept["quarantine_reason"]) == ("quarantined", REASON)

    def shown(state: str) -> bool:
        found = cluster.get("butler", "finance")
        assert found is not None
        return bool(found["status"]["eligibility"]["state"] == state)

    eventually(lambda: shown("quarantined"), what="the status says so")
    asked(cluster, "release")
    eventually(lambda: shown("active"), what="the status says so again")
    assert targets(routed(home, cluster)) == {"finance"}
