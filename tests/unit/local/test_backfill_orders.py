"""BackfillJob manifests of a household on one machine: ordered once, waited for, and never its end."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from butler_cli.local import backfills
from butler_cli.local.backfills import BackfillOrders, order_of, verb_of
from butler_cli.local.plan import running
from butler_resources.kinds import ManifestError, Manifests, parse_manifests
from butler_resources.render.checks import household_problems

MAIL = """
apiVersion: butlers.dev/v1alpha1
kind: Connector
metadata: {name: mail}
spec:
  type: imap
  endpointIdentity: imap:home
  imap: {host: mail, username: home, passwordSecretRef: {name: mail, key: password}}
"""
JOB = """
apiVersion: butlers.dev/v1alpha1
kind: BackfillJob
metadata: {name: history}
spec: {connectorRef: mail, dateFrom: 2026-01-01, dateTo: 2026-01-31, SUSPEND}
"""


def manifests(job: str = "suspend: false", connector: str = MAIL) -> Manifests:
    return parse_manifests({"a.yaml": connector, "b.yaml": JOB.replace("SUSPEND", job)})


def order(found: Manifests) -> dict[str, Any]:
    return order_of(found.backfills[0], found.connectors[0])


def test_the_same_days_are_the_same_job_whatever_its_pace() -> None:
    first = order(manifests())
    assert (first["endpoint_identity"], first["date_to"], first["suspended"]) == (
        "imap:home",
        "2026-01-31",
        False,
    )
    assert order(manifests("rateLimitPerHour: 7"))["external_id"] == first["external_id"]
    assert order(manifests("targetCategories: [finance]"))["external_id"] != first["external_id"]


@pytest.mark.parametrize(
    ("suspend", "state", "verb"),
    [
        ("true", "active", "pause"),
        ("true", "cost_capped", "pause"),
        ("true", "paused", None),
        ("false", "paused", "resume"),
        ("false", "cost_capped", None),
        ("false", "completed", None),
        ("true", "completed", None),
    ],
)
def test_the_manifests_word_on_suspension_counts_at_each_start(
    suspend: str, state: str, verb: str | None
) -> None:
    (job,) = manifests(f"suspend: {suspend}").backfills
    assert verb_of(job, {"status": state}) == verb


def test_a_job_for_a_connector_that_is_not_there_is_a_problem_of_the_household() -> None:
    found = manifests(connector=MAIL.replace("name: mail}\nspec", "name: post}\nspec"))
    texts = [str(problem) for problem in household_problems(found)]
    assert any("no Connector mail" in text for text in texts)
    with pytest.raises(ManifestError, match="dateTo"):
        parse_manifests(
            {"b.yaml": JOB.replace("2026-01-31", "2025-01-31").replace("SUSPEND", "suspend: true")}
        )


def test_the_backfill_of_a_suspended_connector_waits_with_it() -> None:
    stopped = running(manifests(connector=MAIL + "  suspend: true\n"))
    assert (stopped.connectors, stopped.backfills) == ((), ())
    assert len(running(manifests()).backfills) == 1


async def test_a_connector_that_is_not_online_yet_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backfills, "RETRY_S", 0.01)
    answers = [503, 409, 200, 200]
    asked: list[tuple[str, dict[str, Any]]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append((request.url.path, json.loads(request.content)))
        state = "paused" if request.url.path.endswith("/pause") else "pending"
        return httpx.Response(answers[len(asked) - 1], json={"job_id": "j1", "status": state})

    lines: list[str] = []
    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
        orders = BackfillOrders(client, ops_url="http://s/ops/v1", token=lambda: "t", report=lines.append)
        await orders.run(manifests("suspend: true"))
    assert [path for path, _ in asked] == ["/ops/v1/backfills"] * 3 + ["/ops/v1/backfills/j1/pause"]
    assert lines == ["backfill history is paused; see `butlers backfills`"]


async def test_a_refusal_is_said_and_ends_nothing() -> None:
    lines: list[str] = []
    transport = httpx.MockTransport(lambda _: httpx.Response(400, text="another range"))
    async with httpx.AsyncClient(transport=transport) as client:
        orders = BackfillOrders(client, ops_url="http://s/ops/v1", token=lambda: "t", report=lines.append)
        await orders.run(manifests())
    assert lines == ["Switchboard refused backfill history: 400 another range"]
