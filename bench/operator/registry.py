"""Stands in for the households' services: accepts every declaration, job and order, and reports everything as healthy.

One server answers for every household; the namespace is the first part of the path.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote

from aiohttp import web

from bench.operator.plane import free_ports

__all__ = ["Asked", "HouseholdAnswers", "RegistryAnswers"]

Body = dict[str, Any]
_PREFIX: Final = "/ops/v1/"
_MOVES: Final = {"pause": "paused", "resume": "pending", "cancel": "cancelled"}


@dataclass(frozen=True)
class Asked:
    """One request; `path` begins after `/ops/v1/`, `key` is its idempotency key."""

    method: str
    path: str
    body: Mapping[str, Any] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    key: str | None = None


@dataclass
class HouseholdAnswers:
    """One household's Switchboard and Messenger, in memory."""

    butlers: dict[str, Body] = field(default_factory=dict)
    connectors: dict[tuple[str, str], Body] = field(default_factory=dict)
    jobs: dict[str, Body] = field(default_factory=dict)
    """Rows of backfills, by id."""
    orders: Counter[str] = field(default_factory=Counter)
    """How often each idempotency key was asked for."""

    def answer(self, asked: Asked) -> Body | None:
        """Return the answer's document; None for something by that name that there is not."""
        if asked.key is not None:
            self.orders[asked.key] += 1
        match asked.method, asked.path.split("/", 2):
            case "GET", ["butlers"]:
                return {"butlers": list(self.butlers.values())}
            case "GET", ["connectors"]:
                return {"connectors": list(self.connectors.values())}
            case "PUT", ["butlers", name]:
                self.butlers[name] = _butler(name)
            case "PUT", ["connectors", type_, endpoint]:
                self.connectors[type_, endpoint] = _connector(type_, endpoint)
            case method, ["backfills", *rest]:
                return self._backfills(method, rest, asked)
        return {}

    def job_of(self, uid: str) -> Body | None:
        """Return the row of a BackfillJob."""
        return next((row for row in self.jobs.values() if row["external_id"] == uid), None)

    def _backfills(self, method: str, rest: list[str], asked: Asked) -> Body | None:
        match method, rest:
            case "GET", []:
                return {"jobs": [row for row in self.jobs.values() if _is_meant(row, asked.query)]}
            case "POST", []:
                return self._made(asked.body)
            case "GET", [job_id]:
                return self.jobs.get(job_id)
            case "POST", [job_id, verb] if job_id in self.jobs and verb in _MOVES:
                self.jobs[job_id]["status"] = _MOVES[verb]
                return self.jobs[job_id]
        return None

    def _made(self, body: Mapping[str, Any]) -> Body:
        """Return the row of a request: a new one, or with the limits that are asked for now."""
        limits = {name: body[name] for name in ("rate_limit_per_hour", "daily_cost_cap_cents")}
        row = self.job_of(str(body["external_id"]))
        if row is None:
            row = {
                "job_id": f"job-{len(self.jobs) + 1}",
                "external_id": body["external_id"],
                "owner": body["owner"],
                "connector_type": body["connector_type"],
                "connector_liveness": "online",
                "status": "paused" if body.get("suspended") else "pending",
            }
            self.jobs[row["job_id"]] = row
        row.update(limits)
        return row


@dataclass
class RegistryAnswers:
    """Every household's answers, served over HTTP."""

    households: defaultdict[str, HouseholdAnswers] = field(
        default_factory=lambda: defaultdict(HouseholdAnswers)
    )
    calls: int = 0

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        """Serve; yield the address for `BUTLERS_OPS_URL`, which has a place for the namespace."""
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(application, handle_signals=False, access_log=None)
        await runner.setup()
        [port] = free_ports(1)
        try:
            await web.TCPSite(runner, "127.0.0.1", port).start()
            yield f"http://127.0.0.1:{port}/{{namespace}}"
        finally:
            await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        self.calls += 1
        said = await request.read()
        namespace, _, path = unquote(request.rel_url.raw_path).lstrip("/").partition(_PREFIX)
        asked = Asked(
            method=request.method,
            path=path,
            body=json.loads(said) if said else {},
            query=dict(request.query),
            key=request.headers.get("Idempotency-Key"),
        )
        document = self.households[namespace].answer(asked)
        return _json({} if document is None else document, status=404 if document is None else 200)


def _is_meant(row: Mapping[str, Any], query: Mapping[str, str]) -> bool:
    return all(row[name] == query[name] for name in ("external_id", "status") if name in query)


def _butler(name: str) -> Body:
    then = "2026-01-01T00:00:00Z"
    standing = {"eligibility_state": "active", "eligibility_reason": "alive", "eligibility_updated_at": then}
    return {"name": name, **standing, "registered_at": then}


def _connector(type_: str, endpoint: str) -> Body:
    standing = {"liveness": "online", "eligibility_state": "active"}
    return {"connector_type": type_, "endpoint_identity": endpoint, **standing}


def _json(document: Body, *, status: int) -> web.Response:
    text = json.dumps(document).encode()
    return web.Response(body=text, status=status, content_type="application/json")
