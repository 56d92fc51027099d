"""ButlerOperations are done once, whatever is lost on the way (D4)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from butler_operator.control import operations as operations_module

Start = Callable[..., Any]


def operation(name: str = "op", *, age_s: int = 0, **spec: Any) -> dict[str, Any]:
    born = (datetime.now(UTC) - timedelta(seconds=age_s)).strftime("%Y-%m-%dT%H:%M:%SZ")
    wish = {"action": "quarantine", "reason": "sums are wrong", "requestedBy": "ada", **spec}
    return {
        "apiVersion": "butlers.dev/v1alpha1",
        "kind": "ButlerOperation",
        "metadata": {"name": name, "namespace": "home", "creationTimestamp": born},
        "spec": {"target": {"kind": "Butler", "name": "finance"}, **wish},
    }


def phase(home: Any, name: str = "op") -> str | None:
    found = home.api.find("ButlerOperation", name)
    return None if found is None else (found.get("status") or {}).get("phase")


async def test_an_operation_is_asked_for_under_its_uid_and_for_its_user(start: Start) -> None:
    async with start() as home:
        home.registry.declared["finance"] = {}
        body = home.api.have(operation())
        await home.until(lambda: phase(home) == "Succeeded")
        [(key, path, asked)] = home.registry.acted
        assert (key, path) == (body["metadata"]["uid"], "/butlers/finance/quarantine")
        assert asked == {"reason": "sums are wrong", "requested_by": "ada"}
        status = home.api.find("ButlerOperation", "op")["status"]
        assert status["result"]["message"] == "finance is quarantined"
        assert status["auditId"] == "7"
        await home.settled()
        assert len(home.registry.acted) == 1


async def test_an_operation_waits_for_switchboard_and_is_done_when_it_is_back(
    start: Start, monkeypatch: Any
) -> None:
    monkeypatch.setattr(operations_module, "AGAIN_S", 0.1)
    async with start() as home:
        home.registry.declared["finance"] = {}
        home.registry.down = True
        home.api.have(operation())
        await home.until(
            lambda: (
                phase(home) == "Running"
                and "does not answer"
                in home.api.find("ButlerOperation", "op")["status"].get("result", {}).get("message", "")
            )
        )
        home.registry.down = False
        await home.until(lambda: phase(home) == "Succeeded")


async def test_an_old_operation_is_never_begun(start: Start) -> None:
    async with start() as home:
        home.registry.declared["finance"] = {}
        home.api.have(operation(age_s=700))
        await home.until(lambda: phase(home) == "Expired")
        assert home.registry.acted == []


async def test_a_refusal_is_told_and_not_tried_again(start: Start) -> None:
    async with start() as home:
        home.api.have(operation())
        await home.until(lambda: phase(home) == "Failed")
        assert "not known" in home.api.find("ButlerOperation", "op")["status"]["result"]["message"]
        await home.settled()
        assert len(home.registry.calls_to("/butlers/finance/quarantine")) == 1


def ended_at(*, days: int) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


async def test_an_ended_operation_that_nobody_can_read_any_more_keeps_its_outcome_and_goes_after_a_week(
    start: Start,
) -> None:
    async with start() as home:
        for name, days, ended in (("kept", 1, "Succeeded"), ("old", 8, "Failed")):
            status = {"phase": ended, "finishedAt": ended_at(days=days)}
            home.api.have({**operation(name, action="sing"), "status": status})
        home.api.have(operation("open", action="sing"))
        await home.until(lambda: phase(home, "open") == "Failed")
        await home.until(lambda: home.api.find("ButlerOperation", "old") is None)
        await home.settled()
        assert phase(home, "kept") == "Succeeded"


REQUEST = "019ca8d9-0b40-7000-8000-000000000001"


@pytest.mark.parametrize(
    ("action", "params", "told"),
    [
        ("cancel", {}, f"request {REQUEST} is force-completed; stopped finance"),
        ("complete", {}, f"request {REQUEST} is force-completed; stopped finance"),
        (
            "reroute",
            {"butler": "finance", "to": "health"},
            f"given to health; request {REQUEST} tells what becomes of it",
        ),
    ],
)
async def test_an_order_about_a_request_is_carried_out_once_and_told(
    start: Start, action: str, params: dict[str, str], told: str
) -> None:
    async with start() as home:
        home.registry.requests.add(REQUEST)
        target = {"kind": "Request", "id": REQUEST}
        body = home.api.have(operation(action=action, target=target, params=params))
        await home.until(lambda: phase(home) == "Succeeded")
        [(key, path, asked)] = home.registry.acted
        assert (key, path) == (body["metadata"]["uid"], f"/requests/{REQUEST}/{action}")
        assert asked == {"reason": "sums are wrong", "requested_by": "ada", **params}
        assert home.api.find("ButlerOperation", "op")["status"]["result"]["message"] == told
        await home.settled()
        assert len(home.registry.acted) == 1


@pytest.mark.parametrize("action", ["cancel", "complete", "reroute"])
async def test_an_order_about_a_request_nobody_knows_is_told_as_failed(start: Start, action: str) -> None:
    async with start() as home:
        params = {"butler": "finance", "to": "health"} if action == "reroute" else {}
        target = {"kind": "Request", "id": REQUEST}
        home.api.have(operation(action=action, target=target, params=params))
        await home.until(lambda: phase(home) == "Failed")
        assert home.registry.acted == []


async def test_a_restarted_operator_leaves_an_ended_operation_alone(start: Start) -> None:
    async with start() as home:
        home.registry.declared["finance"] = {}
        home.api.have(operation())
        await home.until(lambda: phase(home) == "Succeeded")
    written = len(home.api.writes)
    async with start() as again:
        await again.settled()
        assert len(again.api.writes) == written
        assert len(again.registry.acted) == 1
