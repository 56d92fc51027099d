"""A household as the command line sees it: a state directory and real servers behind `endpoints.json`.

Switchboard, Messenger and a specialist are doubles on loopback ports: the real tool server with the real token
check, and ops paths that give documents in the services' own models.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, request_response

from butler_cli.local.keys import ensure_keys
from butler_cli.local.state import StateDir, SupervisorLock, write_private
from butler_cli.local.status import write_status
from butler_contracts.errors import ButlerError, ValidationFailed
from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.parse import parse
from butler_kit.auth import Caller
from butler_kit.auth.signer import audience_of
from butler_kit.auth.verifier import TokenVerifier
from butler_kit.mcp.server import ToolServer
from butler_kit.time import SystemClock, new_uuid7

HOST = "127.0.0.1"
MANIFESTS = Path(__file__).parents[3] / "examples" / "demo"
ENVELOPE = {"type": "object"}
Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass
class Told:
    """What the doubles answer, and what they were asked."""

    requests: dict[str, dict[str, Any]] = field(default_factory=dict)
    deliveries: list[dict[str, Any]] = field(default_factory=list)
    connectors: list[dict[str, Any]] = field(default_factory=list)
    butlers: list[str] = field(default_factory=lambda: ["finance", "general"])
    on_ingest: Callable[[dict[str, Any], str], None] | None = None
    refusal: ButlerError | None = None
    garbage: bytes | None = None
    submitted: list[tuple[Caller, dict[str, Any]]] = field(default_factory=list)
    queries: list[dict[str, str]] = field(default_factory=list)
    holds: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    circuits: list[dict[str, Any]] = field(default_factory=list)
    levels: list[dict[str, Any]] = field(default_factory=list)
    own_levels: list[dict[str, Any]] = field(default_factory=list)
    """Those of Switchboard."""
    resets: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    approvals: list[dict[str, Any]] = field(default_factory=list)
    suppressions: list[dict[str, Any]] = field(default_factory=list)
    learned: list[dict[str, Any]] = field(default_factory=list)
    differences: list[dict[str, Any]] = field(default_factory=list)
    known: list[dict[str, Any]] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    verdicts: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    rules: list[dict[str, Any]] = field(default_factory=list)
    refused: list[dict[str, Any]] = field(default_factory=list)
    skills: list[dict[str, Any]] = field(default_factory=list)
    schedules: list[dict[str, Any]] = field(default_factory=list)
    own_schedules: list[dict[str, Any]] = field(default_factory=list)
    """Those of Switchboard."""
    quality: dict[str, Any] = field(default_factory=lambda: {"drifts": [], "slices": []})
    qualities: list[dict[str, str]] = field(default_factory=list)
    sessions: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """By the butler that ran them."""


@dataclass
class DoubleHousehold:
    """A running one; `state` is its directory."""

    state: StateDir
    told: Told
    servers: dict[str, uvicorn.Server]

    def stop(self, service: str) -> None:
        """Close the service's port, as if its process had died."""
        self.servers[service].should_exit = True


@contextmanager
def household(folder: Path, *, keys_of: StateDir | None = None) -> Iterator[DoubleHousehold]:
    """Both services up and ready; `keys_of` makes them believe another directory's tokens."""
    state = StateDir.at(folder / "state")
    state.create()
    ensure_keys(state)
    told = Told()
    lock = SupervisorLock(state)
    jwks = (keys_of or state).jwks_file
    try:
        with _serving(told, jwks) as (ports, servers):
            _say_where(state, ports)
            yield DoubleHousehold(state, told, servers)
    finally:
        lock.release()


def _say_where(state: StateDir, ports: dict[str, int]) -> None:
    services = {
        name: {path: f"http://{HOST}:{port}/{rest}" for path, rest in (("mcp", "mcp"), ("ops", "ops/v1"))}
        for name, port in ports.items()
    }
    write_private(state.endpoints_file, json.dumps({**services, "butlers": services}))
    now = SystemClock().now()
    write_status(state, phase="ready", manifests=str(MANIFESTS), processes=[], ports=ports, now=now)


@contextmanager
def _serving(told: Told, jwks: Path) -> Iterator[tuple[dict[str, int], dict[str, uvicorn.Server]]]:
    servers = {
        name: uvicorn.Server(
            uvicorn.Config(
                app, host=HOST, port=0, log_level="error", lifespan="on", timeout_graceful_shutdown=1
            )
        )
        for name, app in (
            ("switchboard", _switchboard(told, jwks)),
            ("messenger", _messenger(told, jwks)),
            ("finance", _specialist(told, jwks)),
        )
    }
    ready = threading.Barrier(len(servers) + 1, timeout=90)
    threads = [threading.Thread(target=_run, args=(server, ready)) for server in servers.values()]
    for thread in threads:
        thread.start()
    try:
        ready.wait()
        yield {name: _port(server) for name, server in servers.items()}, servers
    finally:
        for server in servers.values():
            server.should_exit = True
        for thread in threads:
            thread.join(timeout=60)


def _port(server: uvicorn.Server) -> int:
    port: int = server.servers[0].sockets[0].getsockname()[1]
    return port


def _run(server: uvicorn.Server, ready: threading.Barrier) -> None:
    async def serve() -> None:
        async with AsyncExitStack() as stack:
            serving = asyncio.create_task(server.serve())
            stack.callback(serving.cancel)
            while not server.started:
                await asyncio.sleep(0.01)
            await asyncio.to_thread(ready.wait)
            await serving

    asyncio.run(serve())


def _switchboard(told: Told, jwks: Path) -> Starlette:
    server = _tool_server("switchboard", jwks)

    @server.tool("ingestion.ingest", ENVELOPE, roles=("connector", "operator"))
    async def ingest(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        if told.refusal is not None:
            raise told.refusal
        envelope = parse(IngestEnvelopeV1, args["envelope"]).to_wire()
        told.submitted.append((caller, envelope))
        request_id = str(new_uuid7(SystemClock().now()))
        if told.on_ingest is not None:
            told.on_ingest(envelope, request_id)
        return {"request_id": request_id, "status": "accepted", "duplicate": False}

    async def requests(request: Request) -> Response:
        told.queries.append(dict(request.query_params))
        return JSONResponse({"requests": list(told.requests.values()), "next": None})

    async def one(request: Request) -> Response:
        wanted = request.path_params["request_id"]
        if wanted not in told.requests:
            return _error(ValidationFailed(f"request {wanted} is not known"), 404)
        return JSONResponse(told.requests[wanted])

    paths = {
        "/ops/v1/requests": requests,
        "/ops/v1/requests/{request_id}": one,
        "/ops/v1/requests/{request_id}/sessions": _sessions(told, "switchboard"),
        **_registry(told),
        **_learned(told),
        **_own_levels(told),
        **_memory(told),
    }
    return _app(server, paths, told)


def _own_levels(told: Told) -> dict[str, Endpoint]:
    async def slo(_: Request) -> Response:
        return JSONResponse(
            {"slo": told.own_levels, "policy": {"fast": {"long_s": 3600.0}, "period_days": 30}}
        )

    async def let_go(request: Request) -> Response:
        told.resets.append(("switchboard", await request.json()))
        return JSONResponse({"name": "switchboard", "state": "kept", "was": "tight"})

    return {"/ops/v1/slo": slo, "/ops/v1/slo/switchboard/reset": let_go}


def _registry(told: Told) -> dict[str, Endpoint]:
    async def connectors(_: Request) -> Response:
        return JSONResponse({"connectors": told.connectors})

    async def butlers(_: Request) -> Response:
        return JSONResponse({"butlers": [{"name": name} for name in told.butlers]})

    async def quality(request: Request) -> Response:
        told.qualities.append(dict(request.query_params))
        return JSONResponse(told.quality)

    async def usage(_: Request) -> Response:
        return JSONResponse({"usage": [], "refused": told.refused})

    async def skills(_: Request) -> Response:
        return JSONResponse({"skills": told.skills})

    async def schedules(_: Request) -> Response:
        return JSONResponse({"schedules": told.own_schedules})

    async def hold(request: Request) -> Response:
        name, action = request.path_params["name"], request.path_params["action"]
        if name not in told.butlers:
            return _error(ValidationFailed(f"butler '{name}' is not declared"), 404)
        if told.refusal is not None:
            return _error(told.refusal, 400)
        told.holds.append((name, action, await request.json()))
        held = action == "quarantine"
        state, reason = ("quarantined", "operator_hold") if held else ("stale", "heartbeat_missed")
        return JSONResponse({"name": name, "eligibility_state": state, "reason": reason})

    return {
        "/ops/v1/connectors": connectors,
        "/ops/v1/quality": quality,
        "/ops/v1/skills": skills,
        "/ops/v1/schedules": schedules,
        "/ops/v1/usage": usage,
        "/ops/v1/butlers": butlers,
        "/ops/v1/butlers/{name}/{action}": hold,
    }


def _messenger(told: Told, jwks: Path) -> Starlette:
    async def search(request: Request) -> Response:
        told.queries.append(dict(request.query_params))
        wanted = request.query_params.get("request_id")
        found = [item for item in told.deliveries if wanted in (None, item["request_id"])]
        return JSONResponse({"deliveries": found[::-1], "next_cursor": None})

    async def one(request: Request) -> Response:
        wanted = request.path_params["delivery_id"]
        return JSONResponse(next(item for item in told.deliveries if item["delivery_id"] == wanted))

    async def circuits(_: Request) -> Response:
        return JSONResponse({"circuits": told.circuits})

    async def slo(_: Request) -> Response:
        return JSONResponse({"slo": told.levels})

    async def let_go(request: Request) -> Response:
        told.resets.append((request.path_params["channel"], await request.json()))
        return JSONResponse({"channel": request.path_params["channel"], "state": "kept", "was": "tight"})

    async def reset(request: Request) -> Response:
        told.resets.append((request.path_params["channel"], await request.json()))
        return JSONResponse({"channel": request.path_params["channel"], "state": "closed", "was": "open"})

    paths: dict[str, Endpoint] = {
        "/ops/v1/deliveries": search,
        "/ops/v1/deliveries/{delivery_id}": one,
        "/ops/v1/circuits": circuits,
        "/ops/v1/circuits/{channel}/reset": reset,
        "/ops/v1/slo": slo,
        "/ops/v1/slo/{channel}/reset": let_go,
        **_approvals(told),
        **_suppressions(told),
    }
    return _app(_tool_server("messenger", jwks), paths, told)


def _specialist(told: Told, jwks: Path) -> Starlette:
    async def schedules(request: Request) -> Response:
        told.queries.append(dict(request.query_params))
        return JSONResponse({"schedules": told.schedules})

    paths: dict[str, Endpoint] = {
        "/ops/v1/schedules": schedules,
        "/ops/v1/requests/{request_id}/sessions": _sessions(told, "finance"),
    }
    return _app(_tool_server("finance", jwks), paths, told)


def _sessions(told: Told, butler: str) -> Endpoint:
    async def sessions(request: Request) -> Response:
        found = told.sessions.get(butler, [])
        return JSONResponse({"request_id": request.path_params["request_id"], "sessions": found})

    return sessions


def _tool_server(name: str, jwks: Path) -> ToolServer:
    return ToolServer(name, "1", verifier=TokenVerifier(jwks, audience_of(name), SystemClock()))


def _app(server: ToolServer, paths: dict[str, Endpoint], told: Told) -> Starlette:
    def garbled(
        endpoint: Endpoint,
    ) -> Endpoint:
        async def answer(request: Request) -> Response:
            return Response(told.garbage) if told.garbage is not None else await endpoint(request)

        return answer

    routes = [
        Route(path, endpoint=server.guard(request_response(garbled(endpoint))))
        for path, endpoint in paths.items()
    ]
    return Starlette(routes=[*routes, *server.routes()], lifespan=lambda _: server.lifespan())


def _error(error: ButlerError, status: int) -> Response:
    return JSONResponse(error.to_wire(), status_code=status)


def _approvals(told: Told) -> dict[str, Endpoint]:
    async def approvals(_: Request) -> Response:
        return JSONResponse({"approvals": told.approvals, "next_cursor": None})

    async def decide(request: Request) -> Response:
        approval_id, choice = request.path_params["approval_id"], request.path_params["choice"]
        body = await request.json()
        told.verdicts.append((approval_id, choice, body))
        rule = {"rule": told.rules[0]} if "always_for_s" in body else {}
        return JSONResponse({"approval_id": approval_id, "state": "approved", **rule})

    async def rules(_: Request) -> Response:
        return JSONResponse({"rules": told.rules, "next_cursor": None})

    async def end_rule(request: Request) -> Response:
        rule_id = request.path_params["rule_id"]
        told.verdicts.append((rule_id, "end", await request.json()))
        return JSONResponse({"rule_id": rule_id, "state": "ended"})

    return {
        "/ops/v1/approvals": approvals,
        "/ops/v1/approvals/{approval_id}/{choice}": decide,
        "/ops/v1/approval-rules": rules,
        "/ops/v1/approval-rules/{rule_id}/end": end_rule,
    }


def _learned(told: Told) -> dict[str, Endpoint]:
    stands = {"learns": False, "examples": 3, "version": "0123456789ab"}

    async def page(_: Request) -> Response:
        return JSONResponse({**stands, "rules": told.learned})

    async def tried(request: Request) -> Response:
        told.queries.append(dict(request.query_params))
        return JSONResponse({**stands, "read": 40, "differences": told.differences})

    async def end(request: Request) -> Response:
        own_id = request.path_params["rule_id"]
        told.verdicts.append((own_id, "end", await request.json()))
        return JSONResponse({"rule_id": own_id, "butler": "finance", "state": "ended"})

    return {
        "/ops/v1/learned": page,
        "/ops/v1/learned/{rule_id}/end": end,
        "/ops/v1/routing/learned": tried,
    }


def _memory(told: Told) -> dict[str, Endpoint]:
    async def page(request: Request) -> Response:
        person = request.query_params.get("person")
        known = [one for one in told.known if person in (None, one["person"])]
        return JSONResponse({"known": known, "silent": told.silent})

    async def forget(request: Request) -> Response:
        person = request.path_params["person"]
        told.verdicts.append((person, "forget", await request.json()))
        names = [one["name"] for one in told.known if one["person"] == person]
        by = [{"butler": "general", "things": 7}, {"butler": "health", "things": 0}]
        return JSONResponse({"person": person, "name": next(iter(names), None), "forgotten": by})

    return {"/ops/v1/memory": page, "/ops/v1/memory/{person}/forget": forget}


def _suppressions(told: Told) -> dict[str, Endpoint]:
    async def page(_: Request) -> Response:
        return JSONResponse({"suppressions": told.suppressions, "next_cursor": None})

    async def suppress(request: Request) -> Response:
        channel, body = request.path_params["channel"], await request.json()
        told.verdicts.append((channel, "suppress", body))
        place = {"channel": channel, "target_identity": body["recipient"]}
        return JSONResponse({**told.suppressions[0], **place})

    async def end(request: Request) -> Response:
        own_id = request.path_params["suppression_id"]
        told.verdicts.append((own_id, "end", await request.json()))
        return JSONResponse({**told.suppressions[0], "suppression_id": own_id, "state": "ended"})

    return {
        "/ops/v1/suppressions": page,
        "/ops/v1/channels/{channel}/suppress": suppress,
        "/ops/v1/suppressions/{suppression_id}/end": end,
    }
