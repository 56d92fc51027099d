"""Switchboard's ops API as the operator sees it: a registry in memory behind an `httpx` transport."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

import httpx

from butler_contracts.parse import parse
from butler_switchboard.operations.ops_models import EvidenceBody
from butler_switchboard.operations.routers.declaring import ConnectorBody, DeclareButlerBody


class RegistryDouble:
    """Answers as `butler_switchboard.operations.ops_api` does; bodies go through its own models."""

    def __init__(self) -> None:
        self.down = False
        self.hung: set[str] = set()
        """Namespaces whose Switchboard takes every request and never answers."""
        self.calls: list[tuple[str, str]] = []
        self.acted: list[tuple[str, str, dict[str, Any]]] = []
        self.requests: set[str] = set()
        self.declared: dict[str, dict[str, Any]] = {}
        self.bound: dict[tuple[str, str], dict[str, Any]] = {}
        self.evidence: dict[str, dict[str, Any]] = {}
        self.states: dict[str, dict[str, Any]] = {}
        self.held: set[tuple[str, str]] = set()
        """Endpoints that speak for another subject."""
        self.one_source_each = False
        """A subject that speaks for one source is refused another, as by the real registry."""
        self.lists_bindings = True
        """False answers as an older Switchboard."""
        self.connectors: dict[tuple[str, str], dict[str, Any]] = {}
        self.channels: list[dict[str, Any]] | None = None
        """What Messenger says of its channels, which answers here, too; None is one that knows no such question."""
        self.runtime: dict[str, Any] | None = None
        """What Switchboard says of its runtime; None is one that knows no such question."""
        self.lag_s: dict[str, float] | None = None
        """By job of statistics; None answers as a Switchboard that knows none."""
        self.backfills: dict[str, dict[str, Any]] = {}

    def client(self) -> httpx.AsyncClient:
        """A client whose every request ends here."""
        return httpx.AsyncClient(transport=httpx.MockTransport(self._reach))

    def calls_to(self, path: str) -> list[tuple[str, str]]:
        """Every call to `path`, whatever the method."""
        return [call for call in self.calls if call[1] == path]

    async def _reach(self, request: httpx.Request) -> httpx.Response:
        if request.url.host.split(".")[1] in self.hung:
            await asyncio.Event().wait()
        return self._answer(request)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        if self.down:
            raise httpx.ConnectError("refused", request=request)
        assert request.headers["Authorization"].startswith("Bearer ")
        path = unquote(request.url.raw_path.decode().split("?")[0]).removeprefix("/ops/v1")
        self.calls.append((request.method, path))
        body = json.loads(request.content) if request.content else {}
        parts = path.strip("/").split("/", 2)
        match request.method, parts:
            case "GET", ["butlers"]:
                return httpx.Response(200, json={"butlers": [self._shown(name) for name in self.declared]})
            case "GET", ["connectors"]:
                return httpx.Response(200, json={"connectors": list(self.connectors.values())})
            case "PUT", ["butlers", name]:
                self.declared[name] = parse(DeclareButlerBody, body).model_dump()
                return httpx.Response(200, json={})
            case "DELETE", ["butlers", name]:
                return _gone() if self.declared.pop(name, None) is None else httpx.Response(200, json={})
            case "PUT", ["connectors", kind, endpoint]:
                return self._bind((kind, endpoint), body)
            case "DELETE", ["connectors", kind, endpoint]:
                return (
                    _gone()
                    if self.bound.pop((kind, endpoint), None) is None
                    else httpx.Response(200, json={})
                )
            case "POST", ["butlers", name, "quarantine" | "release" as verb] if name in self.declared:
                self.acted.append((request.headers["Idempotency-Key"], path, body))
                state = "quarantined" if verb == "quarantine" else "active"
                return httpx.Response(200, json={"name": name, "eligibility_state": state, "audit_id": 7})
            case "POST", ["evidence"]:
                self.evidence[parse(EvidenceBody, body).butler] = body
                return httpx.Response(200, json={})
        return self._ordered(request, path, body, parts)

    def _ordered(
        self, request: httpx.Request, path: str, body: dict[str, Any], parts: list[str]
    ) -> httpx.Response:
        """An order about a request."""
        if parts[0] != "requests" or parts[1] not in self.requests:
            return self._listed(request.method, parts)
        self.acted.append((request.headers["Idempotency-Key"], path, body))
        stopped = [{"target": "finance", "was": "accepted"}]
        return httpx.Response(200, json={"state": "force_completed", "stopped": stopped, "audit_id": 7})

    def _listed(self, method: str, parts: list[str]) -> httpx.Response:
        match method, parts:
            case "GET", ["bindings"] if self.lists_bindings:
                return httpx.Response(200, json={"bindings": [_bound(*one) for one in self.bound.items()]})
            case "GET", ["channels"] if self.channels is not None:
                return httpx.Response(200, json={"channels": self.channels})
            case "GET", ["runtime"] if self.runtime is not None:
                return httpx.Response(200, json=self.runtime)
            case "GET", ["rollups"] if self.lag_s is not None:
                return httpx.Response(200, json={"engine": "spark", "jobs": _jobs(self.lag_s)})
            case "GET", ["backfills", job_id] if job_id in self.backfills:
                return httpx.Response(200, json=self.backfills[job_id])
        return _gone()

    def _bind(self, identity: tuple[str, str], body: dict[str, Any]) -> httpx.Response:
        taken = self.one_source_each and any(
            of["subject"] == body["subject"] and source != identity for source, of in self.bound.items()
        )
        if identity in self.held or taken:
            return _refused(409, "the subject belongs to another one")
        self.bound[identity] = parse(ConnectorBody, body).model_dump()
        return httpx.Response(200, json={})

    def _shown(self, name: str) -> Mapping[str, Any]:
        standing = {
            "eligibility_state": "active",
            "eligibility_reason": "alive",
            "eligibility_updated_at": "2026-01-01T00:00:00Z",
            "quarantine_origin": None,
            "quarantine_reason": None,
            "registered_at": "2026-01-01T00:00:00Z",
        }
        return {"name": name, **standing, **self.states.get(name, {})}


def _bound(source: tuple[str, str], body: Mapping[str, Any]) -> dict[str, Any]:
    return {"connector_type": source[0], "endpoint_identity": source[1], **body}


def _jobs(lag_s: Mapping[str, float]) -> list[dict[str, Any]]:
    return [
        {"job": job, "watermark": None, "lag_s": lag, "window_s": 3_600 if job == "hourly" else 86_400}
        for job, lag in lag_s.items()
    ]


def _gone() -> httpx.Response:
    return _refused(404, "not known")


def _refused(status: int, message: str) -> httpx.Response:
    error = {"class": "validation_error", "message": message, "retryable": False}
    return httpx.Response(status, json={"error": error})
