"""Settles events at Switchboard (CNX-07, CNX-08.2, D11, D15).

Invariants: at most one submission in flight per thread, in order; at most `max_inflight` in total. An event ends
accepted, as a duplicate, skipped, refused for good because of what it is, or parked with its body; otherwise it is
kept at the source and retried.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from butler_connectors.base.backoff import backoff_s
from butler_connectors.base.checkpoint import Checkpoints
from butler_connectors.base.documents import DocumentFault
from butler_connectors.base.flow import Behind, Flow
from butler_connectors.base.keeping import Keeping
from butler_connectors.base.metrics import ConnectorMetrics
from butler_connectors.base.parking import Parking
from butler_connectors.base.spool import RefusedSpool
from butler_connectors.base.status import Status
from butler_connectors.base.submit import Accepted, Outcome, Refused, Switchboard, TryLater
from butler_connectors.base.suspicion import PARK_TRIES, Evidence, Suspicion, Verdict
from butler_connectors.base.turns import Turns
from butler_connectors.base.waiting import Stopping, pause
from butler_contracts.ingest import IngestEnvelopeV1
from butler_kit.faults import points, reached_async
from butler_kit.sources.events import Malformed, Skipped, SourceEvent
from butler_kit.sources.faults import SourceFault
from butler_kit.telemetry import bind_request, get_logger

__all__ = ["Runner"]

_PART: Final = "switchboard"
_log = get_logger(__name__)


class Runner:
    """Settles events; one instance per process."""

    def __init__(
        self,
        *,
        switchboard: Switchboard,
        checkpoints: Checkpoints,
        spool: RefusedSpool,
        parking: Parking,
        metrics: ConnectorMetrics,
        status: Status,
        max_inflight: int,
        draw: Callable[[], float],
    ) -> None:
        self._switchboard = switchboard
        self._checkpoints = checkpoints
        self._spool = spool
        self.parking = parking
        self._metrics = metrics
        self._status = status
        self._slots = asyncio.Semaphore(max_inflight)
        self._draw = draw
        self.keeping = Keeping(metrics, status, draw)
        self._failures = 0
        self._turns = Turns()
        self.evidence = Evidence()

    @asynccontextmanager
    async def flow(self) -> AsyncIterator[Flow]:
        """Open a flow for events, for the duration of the block; then events in flight are awaited and saved.

        A fault of the source and the stop are raised from the block unchanged.
        """
        left: SourceFault | Stopping | None = None
        async with asyncio.TaskGroup() as following:
            async with asyncio.TaskGroup() as group:
                flow = Flow(self, group)
                following.create_task(flow.follow())
                try:
                    yield flow
                except (SourceFault, Stopping) as error:
                    left = error
                flow.end()
            flow.close()
        if left is not None:
            raise left

    async def settle(self, event: SourceEvent, ending: asyncio.Event, behind: Behind) -> bool:
        """Settle one event; False if `ending` came first."""
        if isinstance(event.content, Skipped):
            self._metrics.skipped(event.content.reason)
            return True
        if isinstance(event.content, Malformed):
            await self.refuse(event.event_id, event.content.reason, event.content.message)
            return True
        reason = self._switchboard.rules.skip_reason(event.content)
        if reason is not None:
            self._metrics.skipped(reason)
            return True
        return await self._submit_until_settled(event, event.content, ending, behind)

    async def submit_apart(
        self, thread: str | None, envelope: IngestEnvelopeV1, stopping: asyncio.Event
    ) -> Outcome:
        """Submit a message from outside the flow once, when its thread has a turn; raises `Stopping`."""
        outcome = await self._submit(thread, envelope, stopping)
        if outcome is None:
            raise Stopping
        return outcome

    async def save(self, cursor: str, stopping: asyncio.Event) -> None:
        """Save a cursor, retrying until it is saved; raises `Stopping`."""
        await self.keeping.until_done(
            "checkpoint",
            lambda: self._checkpoints.save(cursor),
            stopping,
            failed=lambda: self._metrics.checkpoint_saved(ok=False),
        )
        await reached_async(points.CHECKPOINT_SAVED)
        self._metrics.checkpoint_saved(ok=True)

    async def _submit_until_settled(
        self, event: SourceEvent, envelope: IngestEnvelopeV1, ending: asyncio.Event, behind: Behind
    ) -> bool:
        suspicion = Suspicion(self.evidence)
        while not ending.is_set():
            outcome = await self._submit(event.thread, envelope, ending)
            if outcome is None:
                return False
            if isinstance(outcome, Accepted):
                self._note_acceptance(event, outcome)
                if suspicion.tries:
                    self.parking.relieved()
                return True
            if isinstance(outcome, Refused):
                await self.refuse(event.event_id, outcome.reason, outcome.message)
                return True
            verdict = suspicion.failed() if outcome.suspect else Verdict.AGAIN
            if verdict is Verdict.PARK and await self._park(event, envelope, outcome):
                return True
            delay_s = self._note_failure(event, outcome)
            if verdict is Verdict.COMPARE:
                await self._compare(behind, suspicion.tries // PARK_TRIES, ending)
            try:
                await pause(ending, delay_s)
            except Stopping:
                return False
        return False

    async def _park(self, event: SourceEvent, envelope: IngestEnvelopeV1, outcome: TryLater) -> bool:
        parked = await self.parking.park(
            event.event_id, event.thread, envelope, reason=outcome.reason, message=outcome.message
        )
        if parked:
            self._status.clear(_PART)
        return parked

    async def _compare(self, behind: Behind, number: int, ending: asyncio.Event) -> None:
        """Try one that waits behind a failing message: whether it passes shows where the fault is."""
        found = behind.one(number)
        if found is None:
            return
        entry, envelope = found
        outcome = await self._submit(entry.event.thread, envelope, ending)
        if isinstance(outcome, Accepted):
            self._note_acceptance(entry.event, outcome)
            behind.done(entry)

    async def _submit(
        self, thread: str | None, envelope: IngestEnvelopeV1, ending: asyncio.Event
    ) -> Outcome | None:
        async with self._turns.of(thread), self._slots:
            if ending.is_set():
                return None
            outcome = await self._switchboard.submit(envelope)
        if isinstance(outcome, Accepted):
            self.evidence.note(duplicate=outcome.duplicate)
        return outcome

    def _note_acceptance(self, event: SourceEvent, accepted: Accepted) -> None:
        self._failures = 0
        self._status.clear(_PART)
        with bind_request(accepted.request_id):
            _log.info("message submitted", event_id=event.event_id, duplicate=accepted.duplicate)

    def _note_failure(self, event: SourceEvent, outcome: TryLater) -> float:
        """Report a submission to be retried; return the seconds to wait."""
        self._failures += 1
        self._status.trouble(_PART, "error" if outcome.blocked else "degraded", outcome.message)
        delay_s = backoff_s(self._failures, self._draw(), retry_after_s=outcome.retry_after_s)
        _log.warning(
            "the message is kept and submitted again",
            event_id=event.event_id,
            reason=outcome.reason,
            detail=outcome.message,
            next_try_s=round(delay_s, 1),
        )
        return delay_s

    async def refuse(self, event_id: str, reason: str, message: str) -> None:
        """Record a message that is refused for good."""
        self._metrics.refused(reason)
        _log.error("the message was refused for good", event_id=event_id, reason=reason, detail=message)
        try:
            await self._spool.add(event_id, reason=reason, message=message)
        except DocumentFault as fault:
            self._metrics.error(fault.cause, "spool")
            _log.warning("the refusal could not be noted", error=str(fault))
