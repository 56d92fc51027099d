"""Takes a batch of events to Switchboard and the checkpoint along (CNX-07, CNX-08.2, D11, D15).

Invariants: at most one submission in flight per thread, in order; at most `max_inflight` at all; the checkpoint
is that of a contiguous prefix of settled events. Settled is what was accepted, a duplicate, skipped, or refused
for good; whatever else happens, the event is kept and tried again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from butler_connectors.base.backoff import backoff_s
from butler_connectors.base.checkpoint import CheckpointFile
from butler_connectors.base.events import Malformed, Skipped, SourceEvent
from butler_connectors.base.metrics import ConnectorMetrics
from butler_connectors.base.spool import RefusedSpool
from butler_connectors.base.status import Status
from butler_connectors.base.submit import Accepted, Outcome, Refused, Switchboard, TryLater
from butler_connectors.base.waiting import Stopping, pause
from butler_contracts.ingest import IngestEnvelopeV1
from butler_kit.faults import points, reached_async
from butler_kit.telemetry import bind_request, get_logger

__all__ = ["Prefix", "Runner"]

POISON_TRIES: Final = 10
"""Failed answers after which a message is held responsible, when others are accepted meanwhile."""
HOPELESS_TRIES: Final = 200
"""The same without others to compare with: about an hour and a half."""
_PART: Final = "switchboard"
_log = get_logger(__name__)


class Prefix:
    """How many of `total` items are done without a gap from the first; `closed` when no more will be. Pure."""

    def __init__(self, total: int) -> None:
        self._done = [False] * total
        self.length = 0
        self.closed = False

    def done(self, index: int) -> None:
        """Mark one; the prefix grows over all that follow it."""
        self._done[index] = True
        while self.length < len(self._done) and self._done[self.length]:
            self.length += 1


class Runner:
    """Settles events; one instance a process."""

    def __init__(
        self,
        *,
        switchboard: Switchboard,
        checkpoints: CheckpointFile,
        spool: RefusedSpool,
        metrics: ConnectorMetrics,
        status: Status,
        max_inflight: int,
        draw: Callable[[], float],
    ) -> None:
        self._switchboard = switchboard
        self._checkpoints = checkpoints
        self._spool = spool
        self._metrics = metrics
        self._status = status
        self._slots = asyncio.Semaphore(max_inflight)
        self._draw = draw
        self._failures = 0
        self._accepted = 0

    async def process(self, events: Sequence[SourceEvent], stopping: asyncio.Event) -> None:
        """Settle the batch and save its last cursor.

        Raises `Stopping` when the process ends first: submissions in flight were awaited, the checkpoint is that
        of what was settled.
        """
        prefix, grown = Prefix(len(events)), asyncio.Event()

        async def settle_thread(indices: Iterable[int]) -> bool:
            for index in indices:
                if not await self._settle(events[index], stopping):
                    return False
                prefix.done(index)
                grown.set()
            return True

        async with asyncio.TaskGroup() as group:
            threads = [group.create_task(settle_thread(thread)) for thread in _threads(events)]
            group.create_task(self._follow(events, prefix, grown, stopping))
            if threads:
                await asyncio.wait(threads)
            prefix.closed = True
            grown.set()
        await self._save_up_to(events, prefix.length, stopping)
        if prefix.length < len(events):
            raise Stopping

    async def save(self, cursor: str, stopping: asyncio.Event) -> None:
        """Save a cursor, trying until the disk takes it; raises `Stopping`."""
        failures = 0
        while True:
            try:
                await asyncio.shield(asyncio.to_thread(self._checkpoints.save, cursor))
            except OSError as error:
                failures += 1
                self._metrics.checkpoint_saved(ok=False)
                self._metrics.error(error, "checkpoint")
                self._status.trouble(
                    "checkpoint", "degraded", f"{self._checkpoints.path}: cannot be saved ({error.strerror})"
                )
                _log.warning("the checkpoint could not be saved", error=str(error))
                await pause(stopping, backoff_s(failures, self._draw()))
            else:
                await reached_async(points.CHECKPOINT_SAVED)
                self._metrics.checkpoint_saved(ok=True)
                self._status.clear("checkpoint")
                return

    async def _follow(
        self, events: Sequence[SourceEvent], prefix: Prefix, grown: asyncio.Event, stopping: asyncio.Event
    ) -> None:
        """Save while the batch goes on: what was accepted is then not submitted again after a crash."""
        while not prefix.closed:
            await grown.wait()
            grown.clear()
            try:
                await self._save_up_to(events, prefix.length, stopping)
            except Stopping:
                return

    async def _save_up_to(self, events: Sequence[SourceEvent], length: int, stopping: asyncio.Event) -> None:
        if length == 0:
            return
        cursor, current = events[length - 1].cursor, self._checkpoints.current
        if current is None or current.cursor != cursor:
            await self.save(cursor, stopping)

    async def _settle(self, event: SourceEvent, stopping: asyncio.Event) -> bool:
        """Bring one event to its end; False when the stop came first."""
        if isinstance(event.content, Skipped):
            self._metrics.skipped(event.content.reason)
            return True
        if isinstance(event.content, Malformed):
            await self._refuse(event, event.content.reason, event.content.message)
            return True
        return await self._submit_until_settled(event, event.content, stopping)

    async def _submit_until_settled(
        self, event: SourceEvent, envelope: IngestEnvelopeV1, stopping: asyncio.Event
    ) -> bool:
        suspicions, accepted_before = 0, self._accepted
        while not stopping.is_set():
            outcome = await self._submit(envelope, stopping)
            if outcome is None:
                return False
            if isinstance(outcome, Accepted):
                self._note_acceptance(event, outcome)
                return True
            if isinstance(outcome, TryLater) and outcome.suspect:
                suspicions += 1
                others_pass = self._accepted > accepted_before
                if suspicions >= (POISON_TRIES if others_pass else HOPELESS_TRIES):
                    outcome = Refused(outcome.reason, outcome.message)
            if isinstance(outcome, Refused):
                await self._refuse(event, outcome.reason, outcome.message)
                return True
            try:
                await pause(stopping, self._note_failure(event, outcome))
            except Stopping:
                return False
        return False

    async def _submit(self, envelope: IngestEnvelopeV1, stopping: asyncio.Event) -> Outcome | None:
        async with self._slots:
            return None if stopping.is_set() else await self._switchboard.submit(envelope)

    def _note_acceptance(self, event: SourceEvent, accepted: Accepted) -> None:
        self._failures = 0
        self._accepted += 1
        self._status.clear(_PART)
        with bind_request(accepted.request_id):
            _log.info("message submitted", event_id=event.event_id, duplicate=accepted.duplicate)

    def _note_failure(self, event: SourceEvent, outcome: TryLater) -> float:
        """Tell about a submission to be tried again; return the seconds to wait."""
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

    async def _refuse(self, event: SourceEvent, reason: str, message: str) -> None:
        self._metrics.refused(reason)
        _log.error("the message was refused for good", event_id=event.event_id, reason=reason, detail=message)
        try:
            await asyncio.to_thread(self._spool.add, event.event_id, reason=reason, message=message)
        except OSError as error:
            self._metrics.error(error, "spool")
            _log.warning("the refusal could not be noted on disk", error=str(error))


def _threads(events: Sequence[SourceEvent]) -> list[list[int]]:
    """Indices by thread, in order; an event without a thread is alone (D11)."""
    threads: dict[str, list[int]] = {}
    alone: list[list[int]] = []
    for index, event in enumerate(events):
        if event.thread is None:
            alone.append([index])
        else:
            threads.setdefault(event.thread, []).append(index)
    return sorted([*threads.values(), *alone])
