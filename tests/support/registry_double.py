"""Switchboard's ops API as the operator sees it: a registry in memory behind an `httpx` transport."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

import httpx

from butler_contracts.parse import parse
from butler_switchboard.operations.ops_models import DeclareBody, EvidenceBody


class RegistryDouble:
    """Answers as `butler_switchboard.operations.ops_api` does; bodies go through its own models."""

    def __init__(self) -> None:
        self.down = False
        self.calls: list[tuple[str, str]] = []
        self.acted: list[tuple[str, str, dict[str, Any]]] = []
        self.declared: dict[str, dict[str, Any]] = {}
        self.bound: dict[tuple[str, str], dict[str, Any]] = {}
        self.evidence: dict[str, dict[str, Any]] = {}
        self.states: dict[str, dict[str, Any]] = {}
        self.connectors: dict[tuple[str, str], dict[str, Any]] = {}

    def client(self) -> httpx.AsyncClient:
        """A client whose every request ends here."""
        return httpx.AsyncClient(transport=httpx.MockTransport(self._answer))

    def calls_to(self, path: str) -> list[tuple[str, str]]:
        """Every call to `path`, whatever the method."""
        return [call for call in self.calls if call[1] == path]

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
                subject = body.pop("subject")
                self.declared[name] = {**parse(DeclareBody, body).model_dump(), "subject": subject}
                return httpx.Response(200, json={})
            case "DELETE", ["butlers", name]:
                return _gone() if self.declared.pop(name, None) is None else httpx.Response(200, json={})
            case "PUT", ["connectors", kind, endpoint]:
                self.bound[kind, endpoint] = body
                return httpx.Response(200, json={})
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
        return _gone()

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


def _gone() -> httpx.Response:
    error = {"class": "validation_error", "message": "not known", "retryable": False}
    return httpx.Response(404, json={"error": error})
