"""Runs sessions: a bounded number at once, a bounded number waiting, each with its own context (CON-4.2,
CON-4.3).

Invariants: at most `max_concurrent_sessions` run; a session cannot wait for a session it started itself;
every run has a row, a deadline and a sealed ledger at its end, whatever its program did.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from butler_contracts.budgets import Bound
from butler_contracts.errors import (
    ButlerError,
    ErrorDetail,
    InternalFailure,
    OverloadRejected,
    TimedOut,
    ValidationFailed,
)
from butler_kit.runtime.budget.exhausted import BudgetExhausted
from butler_kit.runtime.family import Ran, RuntimeFamily, SessionJob
from butler_kit.runtime.store import SessionRow, SessionStore
from butler_kit.runtime.toolbelt import ToolCall
from butler_kit.runtime.transcript import Recorder, Transcript
from butler_kit.time import Clock

__all__ = ["SelfTriggerRejected", "SessionResult", "Spawner", "SpawnerMetrics"]

logger = logging.getLogger(__name__)

_BOOKKEEPING_S: Final = 5.0
_DEFAULT_RETRY_S: Final = 5.0
_LONGEST_RETRY_S: Final = 60.0

_ancestors: ContextVar[frozenset[UUID]] = ContextVar("butlers_session_ancestors", default=frozenset())
"""The in-process sessions that enclose the running code; task-local, so concurrent sessions do not see each
other."""


class SelfTriggerRejected(ValidationFailed):
    """A session in flight triggered its own butler, which would wait for itself (CON-4.2)."""


class SpawnerMetrics(Protocol):
    """The part of `telemetry.Metrics` used here."""

    def set(self, name: str, value: float, /, **labels: str) -> None: ...

    def observe(self, name: str, value: float, /, **labels: str) -> None: ...


@dataclass(frozen=True)
class SessionResult:
    """How a session ended. `tool_calls` is the verdict; `status` is completed, failed, timeout or
    cancelled. A completed session has an `error` where another family stood in: it says why."""

    session_id: UUID
    kind: str
    family: str
    status: str
    tool_calls: tuple[ToolCall, ...]
    started_at: datetime
    ended_at: datetime
    duration_ms: float
    error: ErrorDetail | None = None
    model: str | None = None
    """The model that was asked, if the family reports it."""


@dataclass(frozen=True)
class _Ended:
    """How a run ended, before its row is completed."""

    started_at: datetime
    ended_at: datetime
    duration_s: float
    error: ButlerError | None
    ran: Ran | None
    cancelled: asyncio.CancelledError | None

    @property
    def status(self) -> str:
        if self.cancelled is not None:
            return "cancelled"
        if self.error is None:
            return "completed"
        return "timeout" if isinstance(self.error, TimedOut) else "failed"


SessionHook = Callable[[SessionResult], Awaitable[None]]


class Spawner:
    """One butler's sessions.

    `max_queued` triggers may wait for a place, each at most `queue_wait_s`. `on_completed` is called after
    each session in the background; what it raises is logged (SWB-17.2). `budget_s` is how long the household's
    owner lets a session run, whatever its job says (SWB-33.1). `keeps_words`: they want to read later what a model
    read and wrote (D62). `on_trial` runs the jobs that say so; without it all are the usual family's (SWB-36.1).
    """

    def __init__(
        self,
        name: str,
        family: RuntimeFamily,
        max_concurrent_sessions: int,
        *,
        clock: Clock,
        metrics: SpawnerMetrics,
        session_store: SessionStore,
        max_queued: int = 32,
        queue_wait_s: float = 60.0,
        on_completed: SessionHook | None = None,
        budget_s: float | None = None,
        keeps_words: bool = False,
        on_trial: RuntimeFamily | None = None,
    ) -> None:
        if max_concurrent_sessions < 1:
            raise ValueError("max_concurrent_sessions has to be at least 1")
        self._name = name
        self._family = family
        self._on_trial = on_trial or family
        self._limit = max_concurrent_sessions
        self._places = asyncio.Semaphore(max_concurrent_sessions)
        self._clock = clock
        self._metrics = metrics
        self._store = session_store
        self._max_queued = max_queued
        self._queue_wait_s = queue_wait_s
        self._on_completed = on_completed
        self._budget_s = budget_s
        self._keeps_words = keeps_words
        self._active: set[UUID] = set()
        self._queued = 0
        self._last_duration_s = 0.0
        self._hooks: set[asyncio.Task[None]] = set()

    @property
    def active_sessions(self) -> int:
        """How many sessions run now."""
        return len(self._active)

    @property
    def queued_triggers(self) -> int:
        """How many triggers wait for a place."""
        return self._queued

    async def trigger(self, job: SessionJob, trigger_source: str) -> SessionResult:
        """Run `job` when there is a place and return how it ended, whatever it did.

        Raises `SelfTriggerRejected`, `OverloadRejected` (queue full or waited too long, with
        `retry_after_s`), or what the session store raises; then nothing was run.
        """
        self._refuse_self_trigger(trigger_source)
        job = self._recording(self._within_budget(job))
        async with self._place():
            self._active.add(job.session_id)
            self._metrics.set("butlers.spawner.active_sessions", len(self._active))
            try:
                ended = await self._run_recorded(job, trigger_source)
            finally:
                job.tools.seal()
                self._active.discard(job.session_id)
                self._metrics.set("butlers.spawner.active_sessions", len(self._active))
        # The next one need not wait for the end of this one's row.
        return await self._recorded(job, ended)

    async def aclose(self) -> None:
        """Wait for completion hooks that still run; each is bounded."""
        await asyncio.gather(*self._hooks, return_exceptions=True)

    def _family_of(self, job: SessionJob) -> RuntimeFamily:
        return self._on_trial if job.on_trial else self._family

    def _within_budget(self, job: SessionJob) -> SessionJob:
        if self._budget_s is None or self._budget_s >= job.deadline_s:
            return job
        return replace(job, deadline_s=self._budget_s, seconds_budgeted=True)

    def _recording(self, job: SessionJob) -> SessionJob:
        return replace(job, recorder=Recorder(job.person)) if self._keeps_words else job

    def _refuse_self_trigger(self, source: str) -> None:
        inside = bool(_ancestors.get() & self._active)
        if inside or (source == "trigger" and self._active):
            raise SelfTriggerRejected(
                f"{self._name}: a session in flight may not trigger its own butler; "
                "finish the session, or trigger from another source"
            )

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        if self._places.locked() and self._queued >= self._max_queued:
            raise self._overload(f"{self._queued} sessions already wait")
        self._count_queued(+1)
        try:
            async with asyncio.timeout(self._queue_wait_s):
                await self._places.acquire()
        except TimeoutError:
            raise self._overload(f"no place within {self._queue_wait_s:g} s") from None
        finally:
            self._count_queued(-1)
        try:
            yield
        finally:
            self._places.release()

    def _count_queued(self, change: int) -> None:
        self._queued += change
        self._metrics.set("butlers.spawner.queued_triggers", self._queued)

    def _overload(self, why: str) -> OverloadRejected:
        ahead = (self._queued + 1) * (self._last_duration_s or _DEFAULT_RETRY_S) / self._limit
        return OverloadRejected(
            f"{self._name} runs {len(self._active)} sessions and {why}",
            retry_after_s=round(min(max(ahead, 1.0), _LONGEST_RETRY_S), 1),
        )

    async def _run_recorded(self, job: SessionJob, source: str) -> _Ended:
        """Open its row and run it, whatever comes of it."""
        started_at, begun = self._clock.now(), self._clock.monotonic()
        await self._store.open(_row(job, source, self._family_of(job).name, started_at))
        cancelled: asyncio.CancelledError | None = None
        error: ButlerError | None = None
        ran: Ran | None = None
        try:
            error, ran = await self._run(job)
        except asyncio.CancelledError as stop:
            cancelled = stop
        return _Ended(started_at, self._clock.now(), self._clock.monotonic() - begun, error, ran, cancelled)

    async def _recorded(self, job: SessionJob, ended: _Ended) -> SessionResult:
        """Complete the row; a session that was cancelled stays so for who asked."""
        ran, status = ended.ran, ended.status
        result = SessionResult(
            session_id=job.session_id,
            kind=job.kind,
            family=ran.family if ran is not None else self._family_of(job).name,
            status=status,
            tool_calls=job.tools.ledger,
            started_at=ended.started_at,
            ended_at=ended.ended_at,
            duration_ms=ended.duration_s * 1000,
            error=_told_of(ended.error, ran),
            model=ran.model if ran is not None else None,
        )
        self._last_duration_s = ended.duration_s
        self._metrics.observe("butlers.spawner.session_duration_ms", result.duration_ms, outcome=status)
        await self._close(result, job.tools.every_call, job.recorder.transcript())
        if ended.cancelled is not None:
            raise ended.cancelled
        return result

    async def _run(self, job: SessionJob) -> tuple[ButlerError | None, Ran | None]:
        """Run to the end or the deadline; return what went wrong, if anything, else how it ran."""
        deadline = asyncio.timeout(job.deadline_s)
        try:
            async with deadline:
                return None, await self._launch(job)
        except ButlerError as error:
            return error, None
        except Exception:
            if deadline.expired():
                return _too_long(job), None
            logger.exception("session %s failed", job.session_id)
            return InternalFailure("the session broke off; the log has the reason"), None

    async def _launch(self, job: SessionJob) -> Ran | None:
        launch = self._family_of(job).launch(job)
        around = _ancestors.set(_ancestors.get() | {job.session_id})
        try:
            return await launch.program(job)
        finally:
            _ancestors.reset(around)

    async def _close(
        self, result: SessionResult, calls: tuple[ToolCall, ...], transcript: Transcript | None
    ) -> None:
        """Complete the row; the verdict stands even when the row cannot be written."""
        try:
            async with asyncio.timeout(_BOOKKEEPING_S):
                await self._store.close(
                    result.session_id,
                    ended_at=result.ended_at,
                    status=result.status,
                    tool_calls=calls,
                    error=result.error,
                    duration_ms=result.duration_ms,
                    family=result.family,
                    model=result.model,
                    transcript=transcript,
                )
        except Exception:
            logger.exception("the row of session %s could not be completed", result.session_id)
        if self._on_completed is not None:
            hook = asyncio.create_task(_told(self._on_completed, result), name="session-completed")
            self._hooks.add(hook)
            hook.add_done_callback(self._hooks.discard)


def _too_long(job: SessionJob) -> ButlerError:
    if job.seconds_budgeted:
        return BudgetExhausted(Bound.SESSION_SECONDS)
    return TimedOut(f"the session did not finish within {job.deadline_s:g} s")


def _told_of(error: ButlerError | None, ran: Ran | None) -> ErrorDetail | None:
    told = error if error is not None else ran.instead_of if ran is not None else None
    return told.to_detail() if told is not None else None


def _row(job: SessionJob, source: str, family: str, started_at: datetime) -> SessionRow:
    return SessionRow(
        session_id=job.session_id,
        kind=job.kind,
        trigger_source=source,
        request_id=job.request_id,
        family=family,
        model=job.model,
        prompt_version=job.prompt_version,
        started_at=started_at,
        tags=job.tags,
    )


async def _told(hook: SessionHook, result: SessionResult) -> None:
    try:
        async with asyncio.timeout(_BOOKKEEPING_S):
            await hook(result)
    except Exception:
        logger.exception("the completion of session %s could not be reported", result.session_id)
