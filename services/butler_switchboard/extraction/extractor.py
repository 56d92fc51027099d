"""Reads one queued message in a session of the skill and writes the findings (SWB-26.1; D12, ADR 0085).

Invariants: a message is read a bounded number of times, whatever fails, and giving it up is audited; findings are in
`extraction_log` alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol
from uuid import UUID

from butler_contracts.errors import ButlerError
from butler_contracts.ingest import SourceChannel
from butler_kit.queue import Decision, Defer, Finish, Finished, Lease
from butler_kit.runtime import RulesFamily, SessionJob, SessionResult, Spawner, ToolBelt
from butler_kit.telemetry import bind_request, get_logger
from butler_switchboard.dispatch.model import PersonOf, RequestState
from butler_switchboard.extraction.judging import signals_of
from butler_switchboard.extraction.prompt import SIGNAL, payload
from butler_switchboard.extraction.rules.reading import RULES_VERSION, extracting_program
from butler_switchboard.extraction.signals import MOST_SIGNALS
from butler_switchboard.extraction.store import ExtractionStore, Source
from butler_switchboard.ingress.message import InboxMessage
from butler_switchboard.operations.audit import Audit, AuditEntry
from butler_switchboard.routing.rules.clean import own_ranges
from butler_switchboard.routing.rules.program import RulesSessions
from butler_switchboard.skills.inventory import RELATIONSHIP_EXTRACTOR, skill

__all__ = ["MOST_TRIES", "SESSION_KIND", "Extractor"]

_log = get_logger(__name__)

SESSION_KIND: Final = "extract"
MOST_TRIES: Final = 10
"""Per message, over about six hours while no runtime is available."""
_FIRST_PAUSE_S: Final = 60.0
_LONGEST_PAUSE_S: Final = 3_600.0
_BOUNDS: Final = frozenset({"too_many_calls", "too_many_turns"})


class Requests(Protocol):
    async def load(self, request_id: UUID) -> RequestState | None: ...


class FormerVersions(Protocol):
    async def of(self, message: InboxMessage) -> tuple[RequestState, ...]: ...


@dataclass(frozen=True, slots=True)
class Reads:
    """Where the extractor reads a message, its versions before it was edited, and who wrote it."""

    requests: Requests
    former: FormerVersions
    person_of: PersonOf


@dataclass(frozen=True, slots=True)
class Runs:
    """How a session is run: `model` is the configured one, `deadline_s` the longest it may take."""

    spawner: Spawner
    rules: RulesSessions
    model: str | None
    deadline_s: float
    new_id: Callable[[], UUID]
    new_boundary: Callable[[], str]


class Extractor:
    """The queue's handler; it also gives up messages that nobody can read."""

    def __init__(self, reads: Reads, runs: Runs, store: ExtractionStore, audit: Audit) -> None:
        self._reads = reads
        self._runs = runs
        self._store = store
        self._audit = audit

    async def __call__(self, lease: Lease) -> Decision:
        with bind_request(lease.item_id):
            state = await self._reads.requests.load(lease.item_id)
            person = await self._reads.person_of(state.message.context) if state is not None else None
            if state is None or person is None:
                return Finish()
            result = await self._session(state, person)
            failure = _failure_of(result)
            if failure is not None:
                return self._again(lease, failure)
            await self._write(lease, state.message, person, result)
            return Finished()

    async def give_up(self, lease: Lease, cause: BaseException) -> Decision:
        """The queue's `on_exhausted`."""
        self._unread(lease, cause)
        return Finish()

    async def aclose(self) -> None:
        """Wait for the completion hooks of the last sessions."""
        await self._runs.spawner.aclose()

    async def _session(self, state: RequestState, person: UUID) -> SessionResult:
        runs, message = self._runs, state.message
        job = SessionJob(
            session_id=runs.new_id(),
            kind=SESSION_KIND,
            system_text=skill(RELATIONSHIP_EXTRACTOR).text,
            payload=payload(message.text, boundary=runs.new_boundary()),
            tools=ToolBelt([SIGNAL], max_calls=MOST_SIGNALS),
            model=runs.model or RULES_VERSION,
            prompt_version=skill(RELATIONSHIP_EXTRACTOR).label,
            deadline_s=runs.deadline_s,
            request_id=state.request_id,
            person=person,
        )
        with runs.rules.prepared(job.session_id, extracting_program(message.text, _own(message))):
            return await runs.spawner.trigger(job, RELATIONSHIP_EXTRACTOR)

    async def _write(self, lease: Lease, message: InboxMessage, person: UUID, result: SessionResult) -> None:
        calls = [call.args for call in result.tool_calls]
        found = signals_of(calls, message.text, _own(message))
        former = [one.request_id for one in await self._reads.former.of(message)]
        await self._store.write(lease, person, found, self._source(result), former=former)
        _log.info("extracted", signals=len(found), left_out=len(calls) - len(found), family=result.family)

    def _source(self, result: SessionResult) -> Source:
        by_rules = result.family == RulesFamily.name
        model = RULES_VERSION if by_rules else result.model or self._runs.model or ""
        used = skill(RELATIONSHIP_EXTRACTOR)
        return Source(used.name, used.version, result.family, model)

    def _again(self, lease: Lease, failure: ButlerError) -> Decision:
        """Defer after a retryable failure, with backoff. Raises any other, which is a failed attempt."""
        if not failure.retryable:
            raise failure
        if lease.attempt >= MOST_TRIES:
            self._unread(lease, failure)
            return Finish()
        return Defer(min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0 ** (lease.attempt - 1)))

    def _unread(self, lease: Lease, cause: BaseException) -> None:
        said = cause.message if isinstance(cause, ButlerError) else type(cause).__name__
        _log.error("extraction_given_up", attempts=lease.attempt, problem=said)
        self._audit.record(
            AuditEntry(
                butler="switchboard",
                actor="switchboard",
                operation="extraction.given_up",
                summary=f"what the message says of people was not found, after {lease.attempt} tries",
                result="error",
                request_id=lease.item_id,
                error=said,
            )
        )


def _own(message: InboxMessage) -> tuple[tuple[int, int], ...]:
    mail = message.context.source_channel is SourceChannel.EMAIL
    return own_ranges(message.text, subject=message.subject, mail=mail)


def _failure_of(result: SessionResult) -> ButlerError | None:
    """Return why a session found nothing; what it recorded up to its bounds counts, as each call stands alone."""
    if result.status == "completed" or result.error is None:
        return None
    if result.tool_calls and result.error.original_class in _BOUNDS:
        return None
    return ButlerError.from_detail(result.error)
