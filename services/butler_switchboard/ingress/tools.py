"""The connectors' tools `ingestion.ingest` and `ingestion.ingest_batch` (SWB-23, CNX-06.4)."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from butler_contracts.errors import ButlerError
from butler_kit.auth import Caller, Role
from butler_kit.mcp.server import ToolServer
from butler_switchboard.ingress.intake import Intake
from butler_switchboard.ingress.submitters import MESSENGER

__all__ = ["MAX_BATCH", "register_ingestion_tools"]

MAX_BATCH: Final = 200
BATCH_CONCURRENCY: Final = 32
"""How many of one batch wait for the lane at once, so that a batch leaves room for other callers."""

_CONNECTORS: Final = (Role.CONNECTOR,)
_SUBMITTERS: Final = (Role.CONNECTOR, Role.OPERATOR, Role.BUTLER)
_ENVELOPE: Final = {
    "type": "object",
    "properties": {"envelope": {"type": "object", "description": "one ingest.v1 document"}},
    "required": ["envelope"],
    "additionalProperties": False,
}
_ENVELOPES: Final = {
    "type": "object",
    "properties": {
        "envelopes": {"type": "array", "items": {"type": "object"}, "minItems": 1, "maxItems": MAX_BATCH},
    },
    "required": ["envelopes"],
    "additionalProperties": False,
}


def register_ingestion_tools(server: ToolServer, intake: Intake) -> None:
    """Offer both to connectors, each for its own source; single messages to operators (D88) and Messenger (D47)."""

    @server.tool("ingestion.ingest", _ENVELOPE, roles=_SUBMITTERS, butlers=(MESSENGER,))
    async def ingest(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Accept one event durably; a duplicate gets the first one's request_id."""
        accepted = await intake.ingest(caller, args["envelope"])
        return accepted.to_wire()

    @server.tool("ingestion.ingest_batch", _ENVELOPES, roles=_CONNECTORS)
    async def ingest_batch(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Accept up to 200 events, in order within a thread; each gets its own answer or error."""
        results = await _ingest_in_order(intake, caller, args["envelopes"])
        return {"results": results}


async def _ingest_in_order(
    intake: Intake, caller: Caller, envelopes: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Threads run side by side, one thread's events one after another (D11)."""
    results: list[dict[str, Any]] = [{} for _ in envelopes]
    threads: dict[str, list[int]] = {}
    for index, envelope in enumerate(envelopes):
        threads.setdefault(_thread_of(envelope, index), []).append(index)
    limit = asyncio.Semaphore(BATCH_CONCURRENCY)

    async def submit_thread(indices: list[int]) -> None:
        async with limit:
            for index in indices:
                results[index] = await _one(intake, caller, envelopes[index])

    async with asyncio.TaskGroup() as group:
        for indices in threads.values():
            group.create_task(submit_thread(indices))
    return results


def _thread_of(envelope: dict[str, Any], index: int) -> str:
    event = envelope.get("event")
    thread = event.get("external_thread_id") if isinstance(event, dict) else None
    return f"thread:{thread}" if isinstance(thread, str) else f"single:{index}"


async def _one(intake: Intake, caller: Caller, envelope: dict[str, Any]) -> dict[str, Any]:
    try:
        return (await intake.ingest(caller, envelope)).to_wire()
    except ButlerError as error:
        return error.to_wire()
