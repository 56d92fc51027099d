"""Works on backfill jobs beside live reading (CNX-06.4, SWB-20, D34).

Invariants: live reading goes first and never waits for history; the reported cursor is that of a prefix of settled
messages, so that a kill at any point repeats a batch, which deduplication recognises, and skips nothing; a pause or a
cancellation takes effect within one batch.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from butler_connectors.base.backoff import backoff_s
from butler_connectors.base.metrics import ConnectorMetrics
from butler_connectors.base.orders import Answer, Figures, Order
from butler_connectors.base.pace import Pace
from butler_connectors.base.runner import Runner
from butler_connectors.base.submit import Accepted, Refused, Switchboard, TryLater
from butler_connectors.base.suspicion import PARK_TRIES, Suspicion, Verdict
from butler_connectors.base.waiting import Stopping, pause
from butler_contracts.ingest import IngestEnvelopeV1, PolicyTier
from butler_kit.sources.events import Malformed, Skipped, SourceEvent
from butler_kit.sources.faults import SourceFault
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock

__all__ = ["Backfill", "History", "NoHistory", "Piece", "Readable"]

BATCH_S: Final = 15.0
"""A longer batch is reported as far as it got: the lease must not run out meanwhile."""
_log = get_logger(__name__)


@dataclass(frozen=True)
class Piece:
    """Messages in order, the cursor after all of them, and whether they are the last ones."""

    events: tuple[SourceEvent, ...]
    cursor: str
    last: bool


class History(Protocol):
    """A source's past. `next` raises `SourceFault` for passing faults, `Stopping` when the process ends."""

    async def next(
        self, order: Order, cursor: str | None, *, at_most: int, stopping: asyncio.Event
    ) -> Piece: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class NoHistory:
    """The reason why a source has no readable past."""

    reason: str


@dataclass(frozen=True)
class Readable:
    """A history beside live reading: `runner` settles the rest, `quiet` is set while nothing new comes."""

    history: History
    runner: Runner
    quiet: asyncio.Event


@dataclass
class _Turn:
    """Our work on one job: the last counted batch, the cursor, the pace."""

    order: Order
    pace: Pace
    seq: int
    cursor: str | None
    told_at: float
    failures: int = 0
    suspicion: tuple[str, Suspicion] | None = None
    """The message on which Switchboard failed last, and how often."""
    may_repeat: bool = True
    """Whether the batch may have been submitted before without a report: its duplicates are then charged."""


@dataclass
class _Batch:
    """The result of one batch so far."""

    processed: int = 0
    skipped: int = 0
    charged: int = 0
    cursor: str | None = None
    wait_s: float = 0.0
    trouble: str | None = None
    settled: int = field(default=0)


class _Over(Exception):
    """The job is not ours any more, or has ended."""


class Backfill:
    """`run` until asked to stop; `quiet` is set while live reading has nothing to do."""

    def __init__(
        self,
        *,
        connector_type: str,
        endpoint_identity: str,
        switchboard: Switchboard,
        past: Readable | NoHistory,
        metrics: ConnectorMetrics,
        poll_interval_s: float,
        clock: Clock,
        draw: Callable[[], float],
    ) -> None:
        self._source = (connector_type, endpoint_identity)
        self._switchboard = switchboard
        self._past = past
        self._metrics = metrics
        self._poll_interval_s = poll_interval_s
        self._clock = clock
        self._draw = draw

    @property
    def can(self) -> bool:
        """Whether there is a history to read: the capability that heartbeats advertise (CNX-11.5)."""
        return not isinstance(self._past, NoHistory)

    async def run(self, stopping: asyncio.Event) -> None:
        """Ask for a job, work on it, ask again."""
        try:
            while True:
                order = await self._switchboard.poll_backfill(*self._source)
                if order is None:
                    await pause(stopping, self._poll_interval_s)
                else:
                    await self._work(order, stopping)
        except Stopping:
            return
        finally:
            if not isinstance(self._past, NoHistory):
                self._past.history.close()

    async def _work(self, order: Order, stopping: asyncio.Event) -> None:
        now = self._clock.monotonic()
        turn = _Turn(
            order, Pace(order.params.rate_limit_per_hour, now=now), order.batch_seq, order.cursor, now
        )
        _log.info("a backfill begins", job_id=str(order.job_id), cursor=order.cursor)
        try:
            if isinstance(self._past, NoHistory):
                ended = Figures(status="error", error=self._past.reason)
                await self._tell(turn, ended, stopping)
                return
            while True:
                await self._earn(turn, self._past.quiet, stopping)
                await self._one_batch(turn, self._past, stopping)
        except _Over:
            _log.info("the backfill is over here", job_id=str(order.job_id), cursor=turn.cursor)
        finally:
            if not isinstance(self._past, NoHistory):
                self._past.history.close()

    async def _one_batch(self, turn: _Turn, past: Readable, stopping: asyncio.Event) -> None:
        try:
            piece = await past.history.next(
                turn.order, turn.cursor, at_most=turn.pace.batch, stopping=stopping
            )
        except SourceFault as fault:
            past.history.close()
            turn.failures += 1
            await self._tell(turn, Figures(error=str(fault)[:1_000]), stopping)
            await self._rest(turn, backoff_s(turn.failures, self._draw()), stopping)
            return
        batch = await self._submit(turn, past, piece, stopping)
        turn.pace.took(batch.settled)
        complete = batch.settled == len(piece.events)
        cursor = piece.cursor if complete else batch.cursor
        figures = Figures(
            rows_processed=batch.processed,
            rows_skipped=batch.skipped,
            cost_spent_cents=round(batch.charged * turn.order.params.cents_per_message, 4),
            cursor=cursor,
            status="completed" if complete and piece.last else None,
            error=batch.trouble,
        )
        turn.failures = turn.failures + 1 if batch.trouble else 0
        await self._tell(turn, figures, stopping)
        turn.may_repeat = False
        if cursor is not None:
            turn.cursor = cursor
        if figures.status is not None:
            raise _Over
        if batch.wait_s:
            await self._rest(turn, batch.wait_s, stopping)

    async def _submit(self, turn: _Turn, past: Readable, piece: Piece, stopping: asyncio.Event) -> _Batch:
        """Settle the messages in order, until one fails, live mail arrives or the batch takes too long."""
        batch, started = _Batch(), self._clock.monotonic()
        for index, event in enumerate(piece.events):
            late = self._clock.monotonic() - started > BATCH_S
            if late or stopping.is_set() or not past.quiet.is_set():
                break
            if not await self._settle(turn, past.runner, event, batch):
                await self._compare(turn, past.runner, piece.events[index + 1 :])
                break
            batch.settled += 1
            batch.cursor = event.cursor
        return batch

    async def _settle(self, turn: _Turn, runner: Runner, event: SourceEvent, batch: _Batch) -> bool:
        content = event.content
        if isinstance(content, Malformed):
            await runner.refuse(event.event_id, content.reason, content.message)
            batch.skipped += 1
            return True
        if isinstance(content, IngestEnvelopeV1):
            reason = self._switchboard.rules.skip_reason(content)
            content = content if reason is None else Skipped(reason)
        if isinstance(content, Skipped):
            self._metrics.skipped(content.reason)
            batch.skipped += 1
            return True
        envelope = _marked(content, turn.order)
        outcome = await self._switchboard.submit(envelope)
        if isinstance(outcome, Accepted):
            runner.evidence.note(duplicate=outcome.duplicate)
            batch.processed += 1
            batch.charged += not outcome.duplicate or turn.may_repeat
            return True
        if isinstance(outcome, Refused):
            await runner.refuse(event.event_id, outcome.reason, outcome.message)
            batch.skipped += 1
            return True
        if await self._is_parked(turn, runner, event, envelope, outcome):
            batch.skipped += 1
            return True
        batch.trouble = outcome.message[:1_000]
        batch.wait_s = backoff_s(turn.failures + 1, self._draw(), retry_after_s=outcome.retry_after_s)
        return False

    async def _is_parked(
        self, turn: _Turn, runner: Runner, event: SourceEvent, envelope: IngestEnvelopeV1, outcome: TryLater
    ) -> bool:
        """Park a message on which Switchboard fails while others pass; return whether the job goes on."""
        if not outcome.suspect:
            return False
        if turn.suspicion is None or turn.suspicion[0] != event.event_id:
            turn.suspicion = (event.event_id, Suspicion(runner.evidence))
        if turn.suspicion[1].failed() is not Verdict.PARK:
            return False
        return await runner.parking.park(
            event.event_id, event.thread, envelope, reason=outcome.reason, message=outcome.message
        )

    async def _compare(self, turn: _Turn, runner: Runner, behind: Sequence[SourceEvent]) -> None:
        """Try one behind a message that keeps failing; if it passes, it is a duplicate on its turn."""
        if turn.suspicion is None or turn.suspicion[1].last is not Verdict.COMPARE:
            return
        others = [event.content for event in behind if isinstance(event.content, IngestEnvelopeV1)]
        if others:
            chosen = others[turn.suspicion[1].tries // PARK_TRIES % len(others)]
            outcome = await self._switchboard.submit(_marked(chosen, turn.order))
            if isinstance(outcome, Accepted):
                runner.evidence.note(duplicate=outcome.duplicate)

    async def _earn(self, turn: _Turn, quiet: asyncio.Event, stopping: asyncio.Event) -> None:
        """Wait until the pace allows a batch and live reading has nothing to do."""
        while True:
            wait_s = turn.pace.wait_s(self._clock.monotonic())
            if wait_s > 0:
                await self._rest(turn, wait_s, stopping)
            elif quiet.is_set():
                return
            else:
                await self._until_quiet(turn, quiet, stopping)

    async def _until_quiet(self, turn: _Turn, quiet: asyncio.Event, stopping: asyncio.Event) -> None:
        waits = [asyncio.create_task(quiet.wait()), asyncio.create_task(stopping.wait())]
        try:
            await asyncio.wait(waits, timeout=self._silence_s(turn), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        await self._rest(turn, 0.0, stopping)

    async def _rest(self, turn: _Turn, seconds: float, stopping: asyncio.Event) -> None:
        """Wait, and report in time to keep the job; raise `_Over` if it is no longer ours."""
        end = self._clock.monotonic() + seconds
        while True:
            left = end - self._clock.monotonic()
            if self._silence_s(turn) <= 0:
                await self._tell(turn, Figures(), stopping)
            if left <= 0:
                if stopping.is_set():
                    raise Stopping
                return
            await pause(stopping, min(left, max(self._silence_s(turn), 0.01)))

    def _silence_s(self, turn: _Turn) -> float:
        """Return how long until the next report is due: a third of the lease after the last one."""
        return turn.order.lease_s / 3 - (self._clock.monotonic() - turn.told_at)

    async def _tell(self, turn: _Turn, figures: Figures, stopping: asyncio.Event) -> None:
        """Report under one number until answered; raise `_Over` if the job is no longer ours."""
        failures = 0
        while True:
            told = await self._switchboard.report_backfill(turn.order, turn.seq + 1, figures)
            if isinstance(told, Answer):
                break
            if isinstance(told, Refused):
                _log.warning("the report was refused", job_id=str(turn.order.job_id), detail=told.message)
                raise _Over
            failures += 1
            await pause(stopping, backoff_s(failures, self._draw(), retry_after_s=told.retry_after_s))
        turn.seq += 1
        turn.told_at = self._clock.monotonic()
        if told.rate_limit_per_hour is not None:
            turn.pace.limit(told.rate_limit_per_hour)
        if not told.goes_on:
            raise _Over


def _marked(envelope: IngestEnvelopeV1, order: Order) -> IngestEnvelopeV1:
    """Return the envelope marked as history: of this job, behind everything else (D22, D34)."""
    marks = {"backfill_job_id": order.job_id, "policy_tier": PolicyTier.DEFAULT}
    return envelope.model_copy(update={"control": envelope.control.model_copy(update=marks)})
