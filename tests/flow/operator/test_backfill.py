"""A BackfillJob from its manifest to its end, with Switchboard's own rules behind the ops API (SWB-18, D34)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from butler_contracts.parse import parse
from butler_operator.backfill import decide
from butler_operator.control import resync
from butler_operator.reconcile.key import Key
from butler_switchboard.backfill.models import BackfillAct, CreateBody
from butler_switchboard.backfill.states import (
    Job,
    Progress,
    Status,
    WrongState,
    assign,
    cancel,
    pause,
    report,
    resume,
)
from tests.support.cluster_resources import API, switchboard
from tests.support.registry_double import RegistryDouble

Start = Callable[..., Any]
MOVES: dict[str, Callable[[Job], Job]] = {
    "pause": pause,
    "resume": lambda job: resume(job, now=datetime.now(UTC)),
    "cancel": lambda job: cancel(job, now=datetime.now(UTC)),
}


class Jobs(RegistryDouble):
    """The registry, and one backfill job under Switchboard's own state machine."""

    def __init__(self) -> None:
        super().__init__()
        self.job: Job | None = None
        self.asked: CreateBody | None = None
        self.online = True
        self.acts: list[tuple[str, str | None]] = []

    def _answer(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix("/ops/v1")
        if not path.startswith("/backfills") or self.down:
            return super()._answer(request)
        self.calls.append((request.method, path))
        body = json.loads(request.content) if request.content else {}
        if (request.method, path) == ("POST", "/backfills"):
            return self._create(body)
        if (request.method, path) == ("GET", "/backfills"):
            mine = self.asked is not None and all(
                self._view()[name] == value for name, value in request.url.params.items() if name != "limit"
            )
            return httpx.Response(200, json={"jobs": [self._view()] if mine else []})
        if request.method == "POST":
            return self._act(path.rpartition("/")[2], body)
        return httpx.Response(200, json=self._view())

    def _create(self, body: dict[str, Any]) -> httpx.Response:
        asked = parse(CreateBody, body)
        if self.job is None:
            if not self.online:
                return _refusal(409, "connector imap 'imap:home' is offline; start it, then ask again")
            state = Status.PAUSED if asked.suspended else Status.PENDING
            self.job = Job(uuid4(), asked.daily_cost_cap_cents, status=state)
        self.asked = asked
        self.job = replace(self.job, daily_cost_cap_cents=asked.daily_cost_cap_cents)
        return httpx.Response(200, json=self._view())

    def _act(self, verb: str, body: dict[str, Any]) -> httpx.Response:
        assert self.job is not None
        self.acts.append((verb, parse(BackfillAct, body).owner))
        try:
            self.job = MOVES[verb](self.job)
        except WrongState as error:
            return _refusal(409, error.message)
        return httpx.Response(200, json=self._view())

    def _view(self) -> dict[str, Any]:
        assert self.job is not None
        assert self.asked is not None
        job = self.job
        return {
            "job_id": str(job.job_id),
            "external_id": self.asked.external_id,
            "owner": self.asked.owner,
            "status": job.status.value,
            "connector_type": self.asked.connector_type,
            "rate_limit_per_hour": self.asked.rate_limit_per_hour,
            "daily_cost_cap_cents": job.daily_cost_cap_cents,
            "connector_liveness": "online" if self.online else "offline",
            "rows_processed": job.rows_processed,
            "rows_skipped": job.rows_skipped,
            "cost_spent_cents": float(job.cost_spent_cents),
            "cost_spent_today_cents": float(job.spend_day_cents),
            "started_at": job.started_at.isoformat() if job.started_at else None,
            "finished_at": job.finished_at.isoformat() if job.finished_at else None,
            "error": job.error,
        }

    def taken(self) -> None:
        assert self.job is not None
        self.job = assign(self.job, lease_id=UUID(int=1), now=datetime.now(UTC))

    def reports(
        self, rows: int, *, cents: int = 0, ended: Status | None = None, error: str | None = None
    ) -> None:
        assert self.job is not None
        progress = Progress(
            self.job.batch_seq + 1, UUID(int=1), rows, 0, Decimal(cents), ended=ended, error=error
        )
        self.job = report(self.job, progress, now=datetime.now(UTC)).job


def _refusal(status: int, message: str) -> httpx.Response:
    return httpx.Response(status, json={"error": {"class": "validation_error", "message": message}})


@pytest.fixture
def registry() -> Jobs:
    return Jobs()


def mail_connector() -> dict[str, Any]:
    imap = {"host": "mail", "username": "home", "passwordSecretRef": {"name": "mail", "key": "password"}}
    spec = {"type": "imap", "endpointIdentity": "imap:home", "imap": imap}
    return {"apiVersion": API, "kind": "Connector", "metadata": {"name": "mail"}, "spec": spec}


def history(**spec: Any) -> dict[str, Any]:
    days = {"connectorRef": "mail", "dateFrom": "2026-01-01", "dateTo": "2026-01-31"}
    return {"apiVersion": API, "kind": "BackfillJob", "metadata": {"name": "history"}, "spec": days | spec}


def status(home: Any) -> dict[str, Any]:
    found: dict[str, Any] = home.api.find("BackfillJob", "history").get("status") or {}
    return found


def suspend(home: Any, value: bool) -> None:
    home.api.edit("BackfillJob", "history", lambda body: body["spec"].update(suspend=value))


async def given(home: Any, **spec: Any) -> None:
    home.api.have(switchboard())
    home.api.have(mail_connector())
    home.api.have(history(**spec))


async def test_a_job_is_made_runs_and_is_complete(start: Start, registry: Jobs) -> None:
    async with start() as home:
        await given(home, rateLimitPerHour=7, targetCategories=["finance"])
        await home.until(home.has("BackfillJob", "history", "Progressing", "False", "WaitingForConnector"))
        assert registry.asked is not None
        assert registry.asked.external_id == home.api.find("BackfillJob", "history")["metadata"]["uid"]
        assert (registry.asked.rate_limit_per_hour, registry.asked.target_categories) == (7, ("finance",))
        assert registry.asked.owner == "BackfillJob home/history"
        registry.taken()
        await home.until(home.has("BackfillJob", "history", "Progressing", "True", "Running"))
        registry.reports(41, cents=3, ended=Status.COMPLETED)
        await home.until(home.has("BackfillJob", "history", "Complete", "True", "Completed"))
        told = status(home)
        assert (told["state"], told["rowsProcessed"], told["costSpentCents"]) == ("completed", 41, 3)
        assert told["startedAt"]
        assert told["finishedAt"]
        await home.until(lambda: any(event["reason"] == "Completed" for event in home.api.events()))
        await home.settled()
        asked = len(registry.calls)
        writes = len(home.api.writes)
        await home.until(lambda: len([c for c in registry.calls if c[1] == "/connectors"]) > 3)
        assert [call for call in registry.calls[asked:] if call[1].startswith("/backfills")] == []
        assert len(home.api.writes) == writes


async def test_suspend_pauses_and_lets_go_on_also_at_the_cap(start: Start, registry: Jobs) -> None:
    async with start() as home:
        await given(home, dailyCostCapCents=10)
        await home.until(lambda: registry.job is not None)
        registry.taken()
        suspend(home, True)
        await home.until(home.has("BackfillJob", "history", "Progressing", "False", "Suspended"))
        suspend(home, False)
        await home.until(lambda: status(home).get("state") == "pending")
        registry.taken()
        registry.reports(1, cents=10)
        await home.until(home.has("BackfillJob", "history", "CostCapped", "True", "CostCapReached"))
        suspend(home, True)
        await home.until(home.has("BackfillJob", "history", "CostCapped", "False", "WithinCostCap"))
        suspend(home, False)
        await home.until(lambda: status(home).get("state") == "pending")
        owner = "BackfillJob home/history"
        assert registry.acts == [("pause", owner), ("resume", owner), ("pause", owner), ("resume", owner)]


async def test_a_job_that_begins_suspended_is_never_taken(start: Start, registry: Jobs) -> None:
    async with start() as home:
        await given(home, suspend=True)
        await home.until(home.has("BackfillJob", "history", "Progressing", "False", "Suspended"))
        assert registry.acts == []


async def test_progress_is_written_at_most_once_a_minute(
    start: Start, registry: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with start() as home:
        await given(home)
        await home.until(lambda: registry.job is not None)
        registry.taken()
        await home.until(home.has("BackfillJob", "history", "Progressing", "True"))
        writes = len(home.api.writes)
        seen = len(registry.calls)
        registry.reports(5)
        await home.until(lambda: len([c for c in registry.calls[seen:] if "/backfills/" in c[1]]) > 2)
        assert len([w for w in home.api.writes[writes:] if "BackfillJob" in w[1]]) == 0
        monkeypatch.setattr(decide, "PROGRESS_EVERY", decide.PROGRESS_EVERY * 0)
        await home.until(lambda: status(home).get("rowsProcessed") == 5)


async def test_an_offline_connector_is_a_condition_that_heals(start: Start, registry: Jobs) -> None:
    registry.online = False
    async with start() as home:
        await given(home)
        await home.until(home.has("BackfillJob", "history", "ConnectorOffline", "True", "ConnectorIsOffline"))
        registry.online = True
        await home.until(home.has("BackfillJob", "history", "ConnectorOffline", "False", "ConnectorIsOnline"))
        registry.online = False
        await home.until(home.has("BackfillJob", "history", "ConnectorOffline", "True", "ConnectorIsOffline"))


async def test_what_is_missing_is_named_and_looked_for_again(start: Start, registry: Jobs) -> None:
    async with start() as home:
        home.api.have(history())
        await home.until(home.has("BackfillJob", "history", "ResolvedRefs", "False", "ConnectorNotFound"))
        home.api.have(mail_connector())
        await home.until(home.has("BackfillJob", "history", "ResolvedRefs", "False", "SwitchboardNotFound"))
        registry.down = True
        home.api.have(switchboard())
        await home.until(
            home.has("BackfillJob", "history", "Progressing", "Unknown", "SwitchboardUnreachable")
        )
        registry.down = False
        await home.until(home.has("BackfillJob", "history", "Progressing", "False", "WaitingForConnector"))


async def test_a_connectors_refusal_is_a_failure_with_its_words(start: Start, registry: Jobs) -> None:
    async with start() as home:
        await given(home)
        await home.until(lambda: registry.job is not None)
        registry.taken()
        registry.reports(0, ended=Status.ERROR, error="the mailbox is gone")
        await home.until(home.has("BackfillJob", "history", "Failed", "True", "ConnectorError"))
        condition = home.api.condition("BackfillJob", "history", "Failed")
        assert condition["message"] == "the mailbox is gone"


async def test_deleting_the_resource_cancels_the_job(start: Start, registry: Jobs) -> None:
    async with start() as home:
        await given(home)
        await home.until(lambda: status(home).get("jobId") is not None)
        home.api.remove("BackfillJob", "history")
        await home.until(lambda: registry.job is not None and registry.job.status is Status.CANCELLED)
        assert registry.acts == [("cancel", "BackfillJob home/history")]


async def test_a_job_is_cancelled_once_switchboard_is_back(start: Start, registry: Jobs) -> None:
    async with start() as home:
        await given(home)
        await home.until(lambda: status(home).get("jobId") is not None)
        registry.down = True
        home.api.remove("BackfillJob", "history")
        assert home.api.find("BackfillJob", "history") is None
        await home.settled()
        assert not registry.acts
        registry.down = False
        await home.until(lambda: registry.job is not None and registry.job.status is Status.CANCELLED)


@pytest.mark.parametrize("made_anew", [False, True])
async def test_a_job_whose_resource_went_while_the_operator_was_away_is_cancelled(
    start: Start, api: Any, registry: Jobs, made_anew: bool
) -> None:
    cluster, _ = api
    async with start() as home:
        await given(home)
        await home.until(lambda: status(home).get("jobId") is not None)
    cluster.remove("BackfillJob", "history")
    if made_anew:
        later = {"name": "history", "annotations": {"butlers.dev/paused": "true"}}
        cluster.have({**history(), "metadata": later})
    async with start() as home:
        await home.until(lambda: registry.job is not None and registry.job.status is Status.CANCELLED)
        assert registry.acts == [("cancel", "BackfillJob home/history")]


async def test_a_job_whose_resource_is_there_or_of_elsewhere_is_never_cancelled(
    start: Start, registry: Jobs
) -> None:
    async with start(resync_s=1) as home:
        await given(home)
        await home.until(lambda: status(home).get("jobId") is not None)
        asked = len(registry.calls_to("/backfills"))
        await home.until(lambda: len(registry.calls_to("/backfills")) > asked + 8)
        assert not registry.acts
        assert registry.asked is not None
        registry.asked = registry.asked.model_copy(update={"owner": "BackfillJob elsewhere/history"})
        asked = len(registry.calls_to("/backfills"))
        await home.until(lambda: len(registry.calls_to("/backfills")) > asked + 8)
        home.api.remove("BackfillJob", "history")
        asked = len(registry.calls_to("/backfills"))
        await home.until(lambda: len(registry.calls_to("/backfills")) > asked + 8)
        assert not registry.acts


async def test_a_job_whose_making_or_end_no_watch_told_of_is_found_by_the_resync(
    start: Start, registry: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resync, "SETTLE_S", 0.05)
    async with start(resync_s=1) as home:
        home.api.have(switchboard())
        home.api.have(mail_connector())
        await home.until(lambda: home.runtime.observed.get("Connector", "home", "mail"))
        with home.api.unwatched():
            home.api.have(history())
        await home.until(lambda: status(home).get("jobId") is not None)
        with home.api.unwatched():
            home.api.store.pop(("BackfillJob", "home", "history"))
        await home.until(lambda: home.runtime.observed.get("BackfillJob", "home", "history") is None)


async def test_a_job_that_went_unseen_is_no_failure(start: Start, registry: Jobs) -> None:
    async with start() as home:
        await given(home)
        await home.until(lambda: status(home).get("jobId") is not None)
        await home.settled()
        with home.api.unwatched():
            home.api.store.pop(("BackfillJob", "home", "history"))
        done = home.runtime.metrics.value("butlers.operator.reconcile", kind="BackfillJob", outcome="ok")
        registry.taken()
        home.runtime.queue.add(Key("BackfillJob", "home", "history"))
        await home.until(
            lambda: (
                home.runtime.metrics.value("butlers.operator.reconcile", kind="BackfillJob", outcome="ok")
                > done
            )
        )
        assert (
            home.runtime.metrics.value("butlers.operator.reconcile", kind="BackfillJob", outcome="error") == 0
        )


async def test_an_operator_that_restarts_finds_its_job_again(start: Start, registry: Jobs) -> None:
    async with start() as home:
        await given(home)
        await home.until(lambda: registry.job is not None)
    made = registry.job
    async with start() as home:
        home.api.edit("BackfillJob", "history", lambda body: body.pop("status", None))
        await home.until(lambda: status(home).get("jobId") is not None)
    assert made is not None
    assert status(home)["jobId"] == str(made.job_id)
