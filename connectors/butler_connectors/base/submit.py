"""Submits envelopes and heartbeats to Switchboard, over MCP only (CNX-01.2, CNX-06.4), and reads its answer.

Invariant: every answer and every failure is one of three outcomes: accepted, refused for good, or to be retried.
Nothing is dropped here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from butler_connectors.base.metrics import ConnectorMetrics
from butler_connectors.base.orders import Answer, Figures, Order, order_in
from butler_connectors.base.rules import SkipRules
from butler_contracts.errors import ErrorClass
from butler_contracts.heartbeat import ConnectorHeartbeatV1
from butler_contracts.ingest import IngestAcceptedResponse, IngestEnvelopeV1
from butler_contracts.parse import ContractViolation, parse
from butler_contracts.sources import (
    CHECKPOINT_TOOL,
    LEASE_TOOL,
    DocumentAsked,
    DocumentGiven,
    LeaseAsked,
    LeaseGiven,
)
from butler_kit.auth import KeyFileError
from butler_kit.faults import points, reached_async
from butler_kit.mcp import AuthenticationRefused, CachedMCPClient, ToolError
from butler_kit.telemetry import get_logger

__all__ = ["FAILURES", "Accepted", "Outcome", "Refused", "Switchboard", "TryLater"]

CALL_TIMEOUT_S: Final = 10.0
_REPLY_UNKNOWN: Final = "event.in_reply_to: is not a known field"
FAILURES: Final = (ToolError, ConnectionError, KeyFileError, ContractViolation)
_log = get_logger(__name__)


@dataclass(frozen=True)
class Accepted:
    """Switchboard has it durably."""

    request_id: UUID
    duplicate: bool


@dataclass(frozen=True)
class Refused:
    """Switchboard will never take it."""

    reason: str
    message: str


@dataclass(frozen=True)
class TryLater:
    """Not taken now; `blocked` if a person has to fix it, `suspect` if the message may be the cause."""

    reason: str
    message: str
    retry_after_s: float | None = None
    blocked: bool = False
    suspect: bool = False


Outcome = Accepted | Refused | TryLater


class Switchboard:
    """The only peer of a connector."""

    def __init__(
        self,
        url: str,
        token: Callable[[], str],
        metrics: ConnectorMetrics,
        *,
        timeout_s: float = CALL_TIMEOUT_S,
    ) -> None:
        # Every tool used here is idempotent by key, so the client may repeat a call whose answer was lost.
        self._client = CachedMCPClient.for_url(url, token, timeout_s=timeout_s)
        self._metrics = metrics
        self.rules = SkipRules()
        """The rules for what is not submitted."""

    async def submit(self, envelope: IngestEnvelopeV1) -> Outcome:
        """Submit one envelope once; never raises for anything Switchboard or the network does.

        A Switchboard of the release before, which does not know `in_reply_to`, gets the envelope without it.
        """
        outcome = await self._submit(envelope)
        if isinstance(outcome, Refused) and _REPLY_UNKNOWN in outcome.message:
            event = envelope.event.model_copy(update={"in_reply_to": None})
            return await self._submit(envelope.model_copy(update={"event": event}))
        return outcome

    async def _submit(self, envelope: IngestEnvelopeV1) -> Outcome:
        try:
            with self._metrics.track_ingest_submission() as submission:
                answer = await self._client.call("ingestion.ingest", {"envelope": envelope.to_wire()})
                accepted = parse(IngestAcceptedResponse, answer)
                submission.status = "duplicate" if accepted.duplicate else "success"
        except FAILURES as error:
            return outcome_of(error)
        await reached_async(points.CONNECTOR_ACCEPTED, envelope.source.channel.value)
        return Accepted(accepted.request_id, accepted.duplicate)

    async def heartbeat(self, beat: ConnectorHeartbeatV1) -> None:
        """Send one heartbeat and learn the rules from its answer; raises what went wrong."""
        self.rules.learn(await self._client.call("connector.heartbeat", {"heartbeat": beat.to_wire()}))

    async def poll_backfill(self, connector_type: str, endpoint_identity: str) -> Order | None:
        """Claim the next backfill job of our source; None also if Switchboard cannot be asked."""
        source = {"connector_type": connector_type, "endpoint_identity": endpoint_identity}
        try:
            return order_in(await self._client.call("backfill.poll", source))
        except FAILURES as error:
            self._metrics.error(error, "backfill_poll")
            _log.debug("no backfill job could be asked for", detail=str(error))
            return None

    async def report_backfill(
        self, order: Order, batch_seq: int, figures: Figures
    ) -> Answer | Refused | TryLater:
        """Report one batch once; never raises for anything Switchboard or the network does."""
        said = {key: value for key, value in figures.to_wire().items() if value is not None}
        named = {"job_id": str(order.job_id), "lease_id": str(order.lease_id), "batch_seq": batch_seq}
        try:
            return parse(Answer, await self._client.call("backfill.progress", {**named, **said}))
        except FAILURES as error:
            self._metrics.error(error, "backfill_progress")
            return outcome_of(error)

    async def lease(self, asked: LeaseAsked) -> LeaseGiven:
        """Ask for the lease to read the source, or give it back; raises one of `FAILURES`."""
        return parse(LeaseGiven, await self._client.call(LEASE_TOOL, asked.to_wire()))

    async def document(self, asked: DocumentAsked) -> DocumentGiven:
        """Read or change a document of the source; raises one of `FAILURES`."""
        return parse(DocumentGiven, await self._client.call(CHECKPOINT_TOOL, asked.to_wire()))

    async def __aenter__(self) -> Switchboard:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()


def outcome_of(error: Exception) -> Refused | TryLater:
    """Return what a failed submission means for its message."""
    if isinstance(error, KeyFileError):
        return TryLater("auth_error", str(error), blocked=True)
    if isinstance(error, AuthenticationRefused):
        return TryLater("auth_error", f"{error}; issue a new token", blocked=True)
    if isinstance(error, ContractViolation):
        return TryLater("bad_answer", f"Switchboard's answer is no acceptance: {error}", suspect=True)
    if isinstance(error, ToolError):
        return _of_tool_error(error)
    return TryLater("connection_error", str(error))


def _of_tool_error(error: ToolError) -> Refused | TryLater:
    detail = error.error
    if detail is None:
        return TryLater("tool_error", str(error), suspect=True)
    reason = detail.error_class.value
    if detail.error_class is ErrorClass.VALIDATION_ERROR:
        # About us, not about the message: refusing every message for it would lose them all.
        if _is_forbidden(error.content):
            return TryLater("forbidden", detail.message, blocked=True)
        return Refused(reason, detail.message)
    suspect = detail.error_class not in (
        ErrorClass.OVERLOAD_REJECTED,
        ErrorClass.TARGET_UNAVAILABLE,
        ErrorClass.TIMEOUT,
    )
    return TryLater(reason, detail.message, detail.retry_after_s, suspect=suspect)


def _is_forbidden(content: str) -> bool:
    try:
        found: Any = json.loads(content)["error"]["details"]["reason"]
    except (ValueError, KeyError, TypeError):
        # A tool that this caller's role may not use is answered as an unknown one.
        return "no tool " in content
    return bool(found == "forbidden")
