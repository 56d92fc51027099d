"""A specialist with everything around it that is real: database, tokens, MCP, and a Switchboard that keeps count.

The Switchboard here behaves as the real one does towards a butler; Messenger's part of `notify` is told by the test.
"""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx

from butler_contracts.base import ContractModel
from butler_contracts.calendar import (
    CREATE_TOOL,
    DELETE_TOOL,
    FREEBUSY_TOOL,
    LIST_TOOL,
    MOVE_TOOL,
    CalendarCreate,
    CalendarDelete,
    CalendarMove,
    CalendarPeriod,
)
from butler_contracts.call_approvals import ASK_TOOL, CallAsked, digest_of
from butler_contracts.errors import ButlerError
from butler_contracts.memory import SHARED_TOOL
from butler_contracts.notify import NotifyRequestV1
from butler_contracts.parse import parse
from butler_contracts.route import RouteResponseV1
from butler_contracts.route_answer import parse_route_response
from butler_kit.auth import Caller
from butler_kit.auth.signer import audience_of
from butler_kit.auth.verifier import TokenVerifier
from butler_kit.calendar.conflicts import DayHours
from butler_kit.config import CalendarConfig, parse_config
from butler_kit.db import Pool, SchemaPlan
from butler_kit.mcp import CachedMCPClient
from butler_kit.mcp.server import ToolServer
from butler_kit.service import ServiceApp
from butler_kit.time import SystemClock, new_uuid7
from butler_messenger.calendar.desk import CalendarDesk
from butler_specialist.app import build_service
from butler_specialist.settings import SpecialistConfig
from butler_specialist.sql import MIGRATIONS
from tests.support.database import Database, Provision
from tests.support.keys import HouseholdKeys
from tests.support.manifests import merged, toml_of
from tests.support.nursery import Child, fork
from tests.support.running import running_service, serving_tools

DEADLINE_S = 90.0
MOMENT = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
"""When the household's messages came, unless a test says otherwise."""


def plan_for(name: str) -> SchemaPlan:
    return SchemaPlan(name, f"butler_{name}", f"password-of-{name}", MIGRATIONS)


Gate = Callable[[str, Mapping[str, Any]], Awaitable[None]]


@dataclass
class CountingSwitchboard:
    """Keeps every call it gets, in order; `gate` may hold, refuse or lose a call before it is answered."""

    notifies: list[NotifyRequestV1] = field(default_factory=list)
    completions: list[RouteResponseV1] = field(default_factory=list)
    started: list[UUID] = field(default_factory=list)
    registrations: list[dict[str, Any]] = field(default_factory=list)
    beats: list[dict[str, Any]] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    told: asyncio.Event = field(default_factory=asyncio.Event)
    gate: Gate | None = None
    _closed: asyncio.Event = field(default_factory=asyncio.Event)
    notify_answer: Callable[[NotifyRequestV1], dict[str, Any]] | None = None
    url: str = ""
    start_answer: str = "recorded"
    spending: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    used_up: str | None = None
    """The bound for which no session may begin."""
    asked_calls: list[CallAsked] = field(default_factory=list)
    verdict: Callable[[CallAsked], dict[str, Any]] | None = None
    """What is decided of a call that a butler asks about; without it each waits."""
    people: dict[str, Any] | None = None
    """What heartbeats are told of who has settings of their own, by contact."""
    members: list[dict[str, Any]] = field(default_factory=list)
    """Whom the household has, its owner first."""
    shared: dict[str, Any] = field(default_factory=dict)
    """What other butlers share of whoever writes."""
    asked_shared: list[dict[str, Any]] = field(default_factory=list)
    calendar: CalendarDesk | None = None
    """The household's, as Messenger has it; without one it is off."""

    async def completed(self, subrequest_id: UUID) -> RouteResponseV1:
        found: RouteResponseV1 = await self.until(
            lambda: next((item for item in self.completions if item.subrequest_id == subrequest_id), None)
        )
        return found

    async def until(self, found: Callable[[], Any]) -> Any:
        async with asyncio.timeout(DEADLINE_S):
            while True:
                value = found()
                if value is not None and value is not False:
                    return value
                self.told.clear()
                await self.told.wait()

    async def _seen(self, tool: str, args: Mapping[str, Any]) -> None:
        self.order.append(tool)
        self.told.set()
        if self.gate is not None:
            await self._pass(self.gate(tool, args))

    async def _pass(self, gate: Awaitable[None]) -> None:
        """Wait at the gate, but not beyond the end of this Switchboard."""
        waits = asyncio.ensure_future(gate), asyncio.create_task(self._closed.wait())
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            if waits[0].done():
                waits[0].result()
        finally:
            for wait in waits:
                wait.cancel()

    def tools(self, jwks: Path) -> ToolServer:
        verifier = TokenVerifier(jwks, audience_of("switchboard"), SystemClock())
        server = ToolServer("switchboard", "1.0", verifier=verifier)
        anything = {"type": "object"}

        @server.tool("register_butler", anything, roles=("butler",))
        async def register(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
            await self._seen("register_butler", args)
            self.registrations.append(args)
            self.told.set()
            return {"eligibility_state": "active"}

        @server.tool("butler.heartbeat", anything, roles=("butler",))
        async def heartbeat(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
            self.beats.append(args)
            self.told.set()
            told = {"people": self.people} if self.people is not None else {}
            return {"eligibility_state": "active", **told}

        @server.tool("route.started", anything, roles=("butler",))
        async def started(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
            await self._seen("route.started", args)
            self.started.append(UUID(args["subrequest_id"]))
            return {"status": self.start_answer}

        @server.tool("notify", anything, roles=("butler",))
        async def notify(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
            request = parse(NotifyRequestV1, args["notify_request"])
            assert request.origin_butler == caller.name
            await self._seen("notify", args)
            self.notifies.append(request)
            self.told.set()
            return self.notify_answer(request) if self.notify_answer is not None else delivered(request)

        @server.tool(ASK_TOOL, anything, roles=("butler",))
        async def ask(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
            call = parse(CallAsked, args["call"])
            await self._seen(ASK_TOOL, args)
            self.asked_calls.append(call)
            self.told.set()
            decided = self.verdict(call) if self.verdict is not None else {"state": "waiting"}
            return {
                "call_id": str(call.call_id),
                "arguments_digest": digest_of(call.arguments),
                "expires_at": "2030-01-01T00:00:00Z",
                **decided,
            }

        @server.tool("route.complete", anything, roles=("butler",))
        async def complete(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
            await self._seen("route.complete", args)
            response = parse_route_response(args["route_response"])
            known = any(item.subrequest_id == response.subrequest_id for item in self.completions)
            self.completions.append(response)
            self.told.set()
            return {"status": "late" if known else "recorded"}

        server.tool(SHARED_TOOL, anything, roles=("butler",))(self._shares)

        @server.tool("people.whom", anything, roles=("butler",))
        async def whom(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
            await self._seen("people.whom", args)
            name = args.get("name")
            meant = [one for one in self.members if name is None or one["name"] == name][:1]
            people = {"sender": meant[0]["contact_id"], "members": self.members} if meant else None
            return {"people": people}

        asked: tuple[tuple[str, type[ContractModel], str], ...] = (
            (LIST_TOOL, CalendarPeriod, "list"),
            (FREEBUSY_TOOL, CalendarPeriod, "freebusy"),
            (CREATE_TOOL, CalendarCreate, "create"),
            (MOVE_TOOL, CalendarMove, "move"),
            (DELETE_TOOL, CalendarDelete, "delete"),
        )
        for name, wish, method in asked:
            server.tool(name, anything, roles=("butler",))(partial(self._books, name, wish, method))
        for act in ("reserve", "asking", "settle"):
            server.tool(f"spending.{act}", anything, roles=("butler",))(partial(self._spends, act))
        return server

    async def _shares(self, _: Caller, args: dict[str, Any]) -> dict[str, Any]:
        self.asked_shared.append(args)
        return self.shared

    async def _books(
        self, name: str, wish: type[ContractModel], method: str, _: Caller, args: dict[str, Any]
    ) -> dict[str, Any]:
        await self._seen(name, args)
        desk = self.calendar or CalendarDesk(None, CalendarConfig(), DayHours(), SystemClock())
        answer: ContractModel = await getattr(desk, method)(parse(wish, args))
        return answer.to_wire()

    async def _spends(self, act: str, _: Caller, args: dict[str, Any]) -> dict[str, Any]:
        await self._seen(f"spending.{act}", args)
        self.spending.append((act, args))
        if act == "reserve" and self.used_up is not None:
            return {"status": "refused", "bound": self.used_up}
        return {"status": {"reserve": "reserved", "asking": "noted"}.get(act, "settled")}

    @asynccontextmanager
    async def serving(self, jwks: Path, port: int = 0) -> AsyncIterator[None]:
        async with serving_tools(self.tools(jwks), port=port) as url:
            self.url = f"{url}/mcp"
            self._closed.clear()
            try:
                yield
            finally:
                self._closed.set()


def delivered(request: NotifyRequestV1, state: str = "queued") -> dict[str, Any]:
    """What Messenger says of a delivery that it has admitted."""
    context = request.request_context
    return {
        "schema_version": "notify_response.v1",
        "request_context": {"request_id": str(context.request_id)} if context else None,
        "status": "ok",
        "delivery": {"channel": request.delivery.channel, "delivery_id": str(uuid4()), "state": state},
    }


def refused(error: ButlerError) -> dict[str, Any]:
    """What `notify` answers when Messenger refuses or is away."""
    detail = error.to_detail().model_dump(mode="json", by_alias=True)
    return {"schema_version": "notify_response.v1", "status": "error", "error": detail}


def request_context(channel: str = "telegram", **changes: Any) -> dict[str, Any]:
    """The root context of a message from Ada."""
    senders = {"telegram": "1001", "email": "ada@example.org", "api": "ada"}
    threads = {"telegram": "1001", "email": "<root@example.org>", "api": None}
    return {
        "request_id": str(new_uuid7(datetime.now(UTC))),
        "received_at": MOMENT.isoformat().replace("+00:00", "Z"),
        "source_channel": channel,
        "source_endpoint_identity": f"{channel}:household",
        "source_sender_identity": senders[channel],
        "source_thread_identity": threads[channel],
        **changes,
    }


def stranger_context(channel: str = "email", **changes: Any) -> dict[str, Any]:
    """The root context of a message from somebody who is in no contact list."""
    return request_context(
        channel,
        **{
            "source_sender_identity": "billing@northwind.example",
            "reply_policy": "owner",
            "sender_class": "other",
            **changes,
        },
    )


def envelope(
    prompt: str,
    *,
    butler: str = "finance",
    context: Mapping[str, Any] | None = None,
    subrequest_id: UUID | None = None,
    segment_id: str = "s1",
    attempt: int = 1,
    **changes: Any,
) -> dict[str, Any]:
    """The `route.v1` in which Switchboard sends a part of a message."""
    return {
        "schema_version": "route.v1",
        "request_context": dict(context or request_context()),
        "subrequest": {
            "subrequest_id": str(subrequest_id or uuid4()),
            "segment_id": segment_id,
            "attempt": attempt,
        },
        "target": {"butler": butler, "tool": "route.execute"},
        "input": {"prompt": prompt},
        **changes,
    }


def id_of(data: Mapping[str, Any]) -> UUID:
    return UUID(data["subrequest"]["subrequest_id"])


@dataclass
class Place:
    """One household: what surrounds the specialist, and the specialist once started."""

    folder: Path
    name: str
    database: Database
    pool: Pool
    keys: HouseholdKeys
    switchboard: CountingSwitchboard
    more_environment: dict[str, str] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        token_file = self.folder / f"{self.name}.jwt"
        token_file.write_text(self.keys.butler(self.name))
        return {
            "BUTLERS_DATABASE_URL": self.database.dsn(self.name),
            "BUTLERS_JWKS_FILE": str(self.keys.jwks),
            "BUTLERS_TOKEN_FILE": str(token_file),
            "SWITCHBOARD_MCP_URL": self.switchboard.url,
            **self.more_environment,
        }

    def config_text(self, *, port: int = 0, extra: str = "", runtime: str = "") -> str:
        return f"""
[butler]
name = "{self.name}"
role = "specialist"
profile = "{self.name}"
port = {port}
timezone = "Europe/Berlin"
{extra}

[buffer]
scanner_interval_s = 0.5
scanner_grace_s = 0.2

[runtime]
{runtime}
"""

    def rendered(self, spec: Mapping[str, Any], *, port: int = 0) -> str:
        """The `butler.toml` of a manifest that says what `config_text` says, and `spec`."""
        buffer = {"scannerIntervalSeconds": 0.5, "scannerGraceSeconds": 0.2}
        base = {"role": "specialist", "profile": self.name, "timezone": "Europe/Berlin", "buffer": buffer}
        whole = {key: value for key, value in merged(base, spec).items() if value is not None}
        return toml_of(whole, name=self.name, port=port)

    @asynccontextmanager
    async def specialist(
        self, *, extra: str = "", runtime: str = "", spec: Mapping[str, Any] | None = None
    ) -> AsyncIterator[Client]:
        """Run one specialist in this loop, by text or by the `spec` of its manifest; several are replicas."""
        text = self.config_text(extra=extra, runtime=runtime) if spec is None else self.rendered(spec)
        config = parse_config(text, "butler.toml", SpecialistConfig, self.env)
        app = build_service(config, self.env)
        async with running_service(app) as url:
            client = Client(self, url, app)
            try:
                yield client
            finally:
                await client.aclose()

    @asynccontextmanager
    async def process(
        self, port: int, *, program: Sequence[str] | None = None, spec: Mapping[str, Any] | None = None
    ) -> AsyncIterator[tuple[Process | Child, Client]]:
        """Run one specialist as its own process, as `butlers up` does; it is killed at the end.

        Started by `program` it has nothing in memory but what it imported itself; without one it is forked.
        """
        path = self.folder / "butler.toml"
        text = self.config_text(port=port) if spec is None else self.rendered(spec, port=port)
        path.write_text(text, encoding="utf-8")
        given, env = ("--config", str(path)), {**os.environ, **self.env}
        log = (self.folder / "specialist.log").open("ab")
        child: Process | Child
        if program is not None:
            child = await asyncio.create_subprocess_exec(*program, *given, env=env, stderr=log)
        else:
            child = await fork("butler_specialist", *given, env=env, log=log)
        client = Client(self, f"http://127.0.0.1:{port}", None)
        try:
            await client.ready(child)
            yield child, client
        finally:
            await client.aclose()
            if child.returncode is None:
                child.kill()
            await asyncio.wait_for(child.wait(), DEADLINE_S)
            log.close()

    async def route(self, subrequest_id: UUID) -> dict[str, Any]:
        row = await self.pool.fetchrow("SELECT * FROM route_inbox WHERE subrequest_id = $1", subrequest_id)
        assert row is not None
        return dict(row)

    async def records(self) -> list[dict[str, Any]]:
        return [dict(row) for row in await self.pool.fetch("SELECT * FROM records ORDER BY seq")]

    async def until_state(self, subrequest_id: UUID, *states: str) -> dict[str, Any]:
        """Wait until a subrequest has one of the states."""
        row: dict[str, Any] = {}
        async with asyncio.timeout(DEADLINE_S):
            while row.get("lifecycle_state") not in states:
                row = await self.route(subrequest_id)
                await asyncio.sleep(0.02)
        return row


class Client:
    """Calls one specialist as Switchboard does, or as anybody else."""

    def __init__(self, place: Place, base: str, app: ServiceApp | None) -> None:
        self.place = place
        self.base = base
        self.app = app
        self._client = CachedMCPClient(
            f"{base}/mcp", lambda: place.keys.as_switchboard(place.name), timeout_s=20.0
        )

    async def execute(self, data: Mapping[str, Any], *, token: str | None = None) -> RouteResponseV1:
        return parse_route_response(
            await self._client.call("route.execute", {"envelope": dict(data)}, token=token)
        )

    async def done(self, data: Mapping[str, Any]) -> RouteResponseV1:
        """Send work and wait for its completion at Switchboard and its end here."""
        await self.execute(data)
        response = await self.place.switchboard.completed(id_of(data))
        await self.place.until_state(id_of(data), "processed", "errored")
        return response

    async def get(self, path: str, *, token: str | None = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with httpx.AsyncClient(timeout=60) as http:
            return await http.get(f"{self.base}{path}", headers=headers)

    async def ready(self, child: Process | Child) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while True:
                try:
                    if (await self.get("/readyz")).status_code == 200:
                        return
                except httpx.TransportError:
                    assert child.returncode is None, "the specialist ended while it started"
                await asyncio.sleep(0.05)

    async def aclose(self) -> None:
        await self._client.aclose()


@asynccontextmanager
async def household(provisioned: Provision, folder: Path, name: str = "finance") -> AsyncIterator[Place]:
    """Everything but the specialist."""
    database = await provisioned(plan_for(name))
    keys, switchboard = HouseholdKeys(folder), CountingSwitchboard()
    async with switchboard.serving(keys.jwks):
        pool = await database.pool(name)
        yield Place(folder, name, database, pool, keys, switchboard)
