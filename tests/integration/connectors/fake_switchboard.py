"""A Switchboard for connectors: the kit's own tool server with real tokens, that answers as it is told.

Dedupes by the contract's key as the real one does. `script` holds what the next submissions meet, in order; `fails`
what submissions with a text meet every time; after that every submission is accepted.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self
from uuid import UUID, uuid4

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from butler_contracts.errors import InternalFailure, OverloadRejected, TargetUnavailable, ValidationFailed
from butler_contracts.heartbeat import ConnectorHeartbeatV1
from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.keys import dedupe_key
from butler_contracts.parse import parse
from butler_contracts.triage import TriageRule, rules_to_wire
from butler_kit.auth import Caller, Forbidden
from butler_kit.auth.jwks import ISSUER_LOCAL
from butler_kit.auth.keys import generate_key_pair, write_jwks
from butler_kit.auth.signer import TokenSigner, audience_of
from butler_kit.auth.verifier import TokenVerifier
from butler_kit.mcp.server import ToolServer
from butler_kit.time import SystemClock, new_uuid7
from butler_switchboard.backfill.models import ProgressArgs
from butler_switchboard.backfill.states import Job, Status, assign, expire, report
from tests.support.loopback import LoopbackServer

OBJECT = {"type": "object"}
_FAILURES: Mapping[str, Callable[[], Exception]] = {
    "overload": lambda: OverloadRejected("every queue is full", retry_after_s=0.2),
    "unavailable": lambda: TargetUnavailable("the database is away"),
    "internal": lambda: InternalFailure("it broke inside"),
    "refuse": lambda: ValidationFailed("payload.raw: is not what it should be"),
    "old": lambda: ValidationFailed("ingest.v1 | event.in_reply_to: is not a known field; expected none"),
    "forbidden": lambda: Forbidden("'telegram' is bound to another source"),
}


class FakeSwitchboard:
    """What connectors submitted, and what they get for it."""

    def __init__(self, folder: Path) -> None:
        self.script: deque[str | None] = deque()
        self.always: str | None = None
        self.rules: list[TriageRule] = []
        self.fails: dict[str, str] = {}
        self.heartbeat_fails = False
        self.submissions: list[IngestEnvelopeV1] = []
        self.accepted: dict[str, UUID] = {}
        self.envelopes: list[IngestEnvelopeV1] = []
        self.heartbeats: list[ConnectorHeartbeatV1] = []
        self.tools_called: list[str] = []
        self.job: Job | None = None
        self.params: dict[str, Any] = {}
        self.reports: list[dict[str, Any]] = []
        self.paths: set[str] = set()
        self.in_flight = 0
        self.most_in_flight = 0
        self.release = asyncio.Event()
        self.requests: dict[str, dict[str, Any]] = {}
        self._overlaps: dict[str | None, int] = {}
        self.overlapping_threads: set[str | None] = set()
        self._changed = asyncio.Event()
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        key = folder / "local.pem"
        write_jwks(folder / "jwks.json", [generate_key_pair(key, ISSUER_LOCAL)])
        self._signer = TokenSigner(key, ISSUER_LOCAL, SystemClock())
        self._port = 0
        self._running: asyncio.Task[None] | None = None
        self._leave = asyncio.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def sse_url(self) -> str:
        return f"{self.url}/sse"

    def token_file(self, kind: str, endpoint: str) -> Path:
        """A token bound to one source, in a file as the supervisor writes it."""
        claims = {
            "role": "connector",
            "connector": {"type": kind, "endpoint_identity": endpoint, "max_tier": "high_priority"},
        }
        path = self._folder / f"{kind}.jwt"
        path.write_text(self._signer.sign(audience_of("switchboard"), kind, 600, claims))
        return path

    async def start(self) -> None:
        """Listen, after a `stop` on the same port as before."""
        server = ToolServer(
            "switchboard",
            "1",
            verifier=TokenVerifier(self._folder / "jwks.json", audience_of("switchboard"), SystemClock()),
        )
        server.tool("ingestion.ingest", OBJECT, roles=("connector",))(self._ingest)
        server.tool("connector.heartbeat", OBJECT, roles=("connector",))(self._heartbeat)
        server.tool("backfill.poll", OBJECT, roles=("connector",))(self._poll)
        server.tool("backfill.progress", OBJECT, roles=("connector",))(self._progress)
        ops_app = Starlette(routes=[Route("/ops/v1/requests/{request_id}", self._request)])
        ops = Route("/ops/v1/requests/{request_id}", server.guard(ops_app))
        routes: list[BaseRoute] = [*server.routes(), ops]
        app = Starlette(routes=routes)

        async def recorded(scope: Scope, receive: Receive, send: Send) -> None:
            self.paths.add(scope["path"].rstrip("/"))
            await app(scope, receive, send)

        loopback = LoopbackServer(recorded, port=self._port)
        started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._leave = asyncio.Event()

        async def serve() -> None:
            async with server.lifespan(), loopback:
                self._port = loopback.port
                started.set_result(None)
                await self._leave.wait()
                await server.aclose()

        # One task, for the SDK's scopes must be left by the task that entered them.
        self._running = asyncio.create_task(serve())
        await asyncio.wait({self._running, started}, return_when=asyncio.FIRST_COMPLETED, timeout=90)
        if self._running.done():
            self._running.result()

    async def stop(self) -> None:
        """Go away; what was accepted stays accepted."""
        running, self._running = self._running, None
        self.release.set()
        self._leave.set()
        if running is not None:
            await asyncio.wait_for(running, 90)
        self.release = asyncio.Event()

    async def until(self, reached: Callable[[Self], bool], *, timeout_s: float = 90.0) -> None:
        """Wait until the condition holds."""
        async with asyncio.timeout(timeout_s):
            while not reached(self):
                changed = self._changed
                if not reached(self):
                    await changed.wait()

    @property
    def texts(self) -> list[str]:
        """What was accepted, in the order of acceptance, duplicates left out."""
        return [envelope.payload.normalized_text for envelope in self.envelopes]

    def _pulse(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _ingest(self, caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Accept, or do what the script says."""
        self.tools_called.append("ingestion.ingest")
        envelope = parse(IngestEnvelopeV1, args["envelope"])
        thread = envelope.event.external_thread_id
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        self._overlaps[thread] = self._overlaps.get(thread, 0) + 1
        if thread is not None and self._overlaps[thread] > 1:
            self.overlapping_threads.add(thread)
        try:
            return await self._answer(envelope)
        finally:
            self.in_flight -= 1
            self._overlaps[thread] -= 1
            self._pulse()

    async def _answer(self, envelope: IngestEnvelopeV1) -> dict[str, Any]:
        self.submissions.append(envelope)
        self._pulse()
        step = self.script.popleft() if self.script else self.always
        for text, failure in self.fails.items():
            step = failure if text in envelope.payload.normalized_text else step
        await asyncio.sleep(0)
        if step == "hang":
            await self.release.wait()
        elif step is not None and not step.startswith("accept-and-"):
            raise _FAILURES[step]()
        key = dedupe_key(envelope).key
        known = self.accepted.get(key)
        if known is None:
            self.accepted[key] = new_uuid7(datetime.now(UTC))
            self.envelopes.append(envelope)
        self._pulse()
        if step == "accept-and-hang":
            await self.release.wait()
        if step == "accept-and-break":
            raise InternalFailure("it broke after it had taken it")
        return {"request_id": str(self.accepted[key]), "status": "accepted", "duplicate": known is not None}

    async def _heartbeat(self, caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        self.tools_called.append("connector.heartbeat")
        self._pulse()
        if self.heartbeat_fails:
            raise TargetUnavailable("the registry is away")
        self.heartbeats.append(parse(ConnectorHeartbeatV1, args["heartbeat"]))
        self._pulse()
        told = rules_to_wire(self.rules)
        return {"status": "accepted", "server_time": datetime.now(UTC).isoformat(), "rules": told}

    def order(self, date_from: str, date_to: str, *, rate: int = 72_000, cents: float = 0.0) -> Job:
        """Let a backfill job wait for whoever polls."""
        self.params = {
            "date_from": date_from,
            "date_to": date_to,
            "rate_limit_per_hour": rate,
            "cents_per_message": cents,
        }
        self.job = Job(uuid4(), daily_cost_cap_cents=500)
        return self.job

    @property
    def state(self) -> str:
        """The state of the job."""
        return self.job.status.value if self.job is not None else "none"

    async def _poll(self, caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        self.tools_called.append("backfill.poll")
        self._pulse()
        now = datetime.now(UTC)
        if self.job is None or expire(self.job, now=now).status is not Status.PENDING:
            return {"job": None}
        self.job = job = assign(expire(self.job, now=now), lease_id=uuid4(), now=now)
        self._pulse()
        return {
            "job": {
                "job_id": str(job.job_id),
                "params": {"target_categories": [], "daily_cost_cap_cents": 500, **self.params},
                "cursor": job.cursor,
                "lease_id": str(job.lease_id),
                "lease_s": 60.0,
                "batch_seq": job.batch_seq,
            }
        }

    async def _progress(self, caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        self.tools_called.append("backfill.progress")
        assert self.job is not None
        applied = report(self.job, ProgressArgs(**args).to_progress(), now=datetime.now(UTC))
        self.job = applied.job
        self.reports.append(args)
        self._pulse()
        return {"status": self.state, "outcome": applied.outcome.value}

    async def _request(self, request: Request) -> Response:
        found = self.requests.get(request.path_params["request_id"])
        return (
            JSONResponse(found) if found is not None else JSONResponse({"error": "unknown"}, status_code=404)
        )


@asynccontextmanager
async def fake_switchboard(folder: Path) -> AsyncIterator[FakeSwitchboard]:
    """A running one; stopped at the end."""
    switchboard = FakeSwitchboard(folder)
    await switchboard.start()
    try:
        yield switchboard
    finally:
        await switchboard.stop()
