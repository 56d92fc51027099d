"""The entry points that are measured: each provides a `submit` for one message or one batch."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Protocol, cast

from mcp import Client
from mcp.client.sse import sse_client

from bench.ingest.messages import CONNECTOR, Numbers, Rows, an_envelope
from bench.ingest.place import Place
from bench.ingest.served import AdmissionOnly, admitting
from butler_contracts.errors import OverloadRejected
from butler_kit.mcp import CachedMCPClient
from butler_kit.time import new_uuid7
from butler_switchboard.app import tool_server
from butler_switchboard.backfill.scope import BackfillScope
from butler_switchboard.ingress.admission import Admission
from butler_switchboard.ingress.intake import Intake, IntakePolicy
from butler_switchboard.ingress.rows import AdmissionRow, Admitted
from butler_switchboard.telemetry import SwitchboardMetrics

__all__ = [
    "BATCH",
    "Submit",
    "in_process",
    "over_our_client",
    "over_stock_client",
    "served",
    "to_intake",
    "to_lane",
    "to_specified_intake",
]

Submit = Callable[[], Awaitable[int]]
"""Submits messages and returns how many were accepted."""

BATCH: Final = 50
_ROOT: Final = Path(__file__).parents[2]


@asynccontextmanager
async def in_process(place: Place, database: str) -> AsyncIterator[AdmissionOnly]:
    """Run Switchboard's parts on a database, with the admission lane and nothing else."""
    switchboard = admitting(place.environment(database))
    async with switchboard.running(tool_server(switchboard)):
        lane = asyncio.create_task(switchboard.admit(asyncio.Event()))
        try:
            yield switchboard
        finally:
            lane.cancel()
            await asyncio.wait({lane})


def to_intake(switchboard: AdmissionOnly, numbers: Numbers) -> Submit:
    """The whole path of a submission once its JSON is decoded: checks, decisions, durable write, log, metrics."""
    return _to(switchboard.parts.intake, numbers)


def _to(intake: Intake, numbers: Numbers) -> Submit:
    async def submit() -> int:
        await intake.ingest(CONNECTOR, an_envelope(numbers()))
        return 1

    return submit


def to_specified_intake(switchboard: AdmissionOnly, writer: Writer, numbers: Numbers) -> Submit:
    """The whole path too, with another algorithm in place of the lane."""
    parts = switchboard.parts
    intake = Intake(
        pool=parts.pool,
        admission=cast(Admission, writer),
        contacts=parts.contacts,
        queue=parts.queue,
        backlog=parts.backlog,
        reactions=parts.reactions,
        policy=IntakePolicy(),
        events=SwitchboardMetrics(switchboard.metrics),
        clock=switchboard.clock,
        new_id=lambda: new_uuid7(switchboard.clock.now()),
        backfills=BackfillScope(parts.pool),
        audit=parts.audit,
    )
    return _to(intake, numbers)


class Writer(Protocol):
    """Accepts a row and returns once it is durable."""

    async def submit(self, row: AdmissionRow) -> Admitted: ...


def to_lane(admission: Writer, rows: Rows) -> Submit:
    """The durable write alone: prepared rows go through the lane."""

    async def submit() -> int:
        await admission.submit(rows())
        return 1

    return submit


@asynccontextmanager
async def served(
    place: Place,
    kind: str,
    database: str,
    module: str = "bench.ingest.served",
    more: Mapping[str, str] = MappingProxyType({}),
) -> AsyncIterator[tuple[int, int]]:
    """Run a server process of this kind, with `more` in its environment; yield its process id and port."""
    log = (place.folder / f"{kind}.log").open("wb")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, kind, cwd=_ROOT,
        stdout=asyncio.subprocess.PIPE, stderr=log, env={**os.environ, **place.environment(database), **more},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        async with asyncio.timeout(60):
            port = int(await process.stdout.readline())
        yield process.pid, port
    finally:
        process.terminate()
        await process.wait()
        log.close()


@asynccontextmanager
async def over_our_client(
    place: Place, url: str, numbers: Numbers, *, batch: int = 1
) -> AsyncIterator[Submit]:
    """The connectors' and services' client."""
    token = place.token()
    client = CachedMCPClient.for_url(url, lambda: token, timeout_s=30)
    try:
        yield _over(client.call, numbers, batch)
    finally:
        await client.aclose()


@asynccontextmanager
async def over_stock_client(url: str, numbers: Numbers, *, batch: int = 1) -> AsyncIterator[Submit]:
    """The MCP SDK's own client over SSE."""
    async with Client(sse_client(url), mode="legacy", cache=None) as client:

        async def call(tool: str, args: dict[str, Any]) -> dict[str, Any]:
            answer = await client.call_tool(tool, args)
            if answer.is_error:
                raise OverloadRejected(f"{tool}: {answer.content}")
            return dict(answer.structured_content or {})

        yield _over(call, numbers, batch)


def _over(
    call: Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]], numbers: Numbers, batch: int
) -> Submit:
    async def one() -> int:
        await call("ingestion.ingest", {"envelope": an_envelope(numbers())})
        return 1

    async def many() -> int:
        answer = await call(
            "ingestion.ingest_batch", {"envelopes": [an_envelope(numbers()) for _ in range(batch)]}
        )
        results = answer["results"]
        if any("error" in result for result in results):
            raise OverloadRejected(f"a batch was refused in part: {results}")
        return len(results)

    return many if batch > 1 else one
