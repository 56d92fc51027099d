"""The events of butlers: declared, registered, alive, reported on, held, released, swept (SWB-09, SWB-10, D3, D30).

Every event goes the same way: read the row, let the pure core make the next one, write it by compare-and-set together
with its log line; the loser of a race reads again. Operators' actions are audited in that same transaction (D4).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final, Protocol

from butler_contracts.errors import NotFound, TargetUnavailable, ValidationFailed
from butler_kit.auth import Caller, Forbidden
from butler_kit.db import Connection, Pool, transaction
from butler_kit.operations import Acting
from butler_kit.telemetry import get_logger
from butler_switchboard.operations.audit import Audit, AuditEntry
from butler_switchboard.registry.eligibility import Hold, Origin, Reason, Signal, State
from butler_switchboard.registry.ownership import channel_tools
from butler_switchboard.registry.records import ButlerRecord, Declaration, Registration, Report
from butler_switchboard.registry.store import ButlerStore, Transition, log_transition

__all__ = ["ButlerEvents", "Butlers", "UnknownButler"]

_log = get_logger(__name__)

RACES: Final = 20
"""Lost races in a row before a caller is told to come back; each one means that another writer got through."""

Change = Callable[[ButlerRecord, datetime], ButlerRecord]


class UnknownButler(NotFound):
    """No butler of that name is declared (HTTP 404)."""


class ButlerEvents(Protocol):
    """The metrics events of the registry."""

    def eligibility_changed(self, butler: str, state: str) -> None: ...


class Butlers:
    """The registry's one writer of butlers; `changed` is called after every change this process made."""

    def __init__(
        self,
        *,
        pool: Pool,
        store: ButlerStore,
        audit: Audit,
        events: ButlerEvents,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self._pool = pool
        self._store = store
        self._audit = audit
        self._events = events
        self._changed = changed

    async def declare(self, name: str, declaration: Declaration, *, actor: str) -> ButlerRecord:
        """Declare the butler as its manifest says; repeating it changes nothing."""
        async with transaction(self._pool, doing="declaring a butler") as connection:
            await self._store.add(connection, name, declaration.role)
        return await self._revise(
            name,
            lambda record, now: record.declared(declaration, now=now),
            actor=actor,
            act=_Act("butler.declare", always=False),
        )

    async def register(self, caller: Caller, registration: Registration) -> ButlerRecord:
        """Record a butler's registration. Raises `Forbidden` if it is not declared (D3)."""
        name = _own_name(caller)
        try:
            return await self._revise(
                name,
                lambda record, now: record.registered(registration, now=now),
                actor=caller.subject,
                signal=Signal.REGISTERED,
            )
        except UnknownButler as unknown:
            raise Forbidden(f"{unknown.message}; it cannot register", retryable=True) from None

    async def heartbeat(self, caller: Caller) -> ButlerRecord:
        """Record a sign of life. Raises `Forbidden` for a butler that has not registered."""
        name = _own_name(caller)
        try:
            return await self._revise(name, _alive, actor=caller.subject, signal=Signal.HEARTBEAT)
        except UnknownButler as unknown:
            raise Forbidden(f"{unknown.message}; it has no heartbeat", retryable=True) from None

    async def report(self, name: str, report: Report, *, actor: str) -> ButlerRecord:
        """Record pod evidence. Raises `UnknownButler`."""
        return await self._revise(name, lambda record, now: record.reported(report, now=now), actor=actor)

    async def quarantine(
        self, name: str, hold: Hold, *, actor: str, acting: Acting | None = None
    ) -> ButlerRecord:
        """Hold a butler until it is released or `hold.until` passes; audited with the reason."""
        return await self._revise(
            name,
            lambda record, now: _held(record, hold, now),
            actor=actor,
            act=_Act("butler.quarantine", always=True, reason=hold.reason),
            acting=acting,
        )

    async def release(
        self, name: str, *, reason: str, actor: str, acting: Acting | None = None
    ) -> ButlerRecord:
        """End an operator's hold or an automatic quarantine; a manifest's hold ends in the manifest alone."""
        return await self._revise(
            name,
            lambda record, now: _released(record, now),
            actor=actor,
            act=_Act("butler.release", always=True, reason=reason),
            acting=acting,
        )

    async def sweep(self) -> dict[str, int]:
        """Record what time alone has changed (SWB-10.5); return how many were checked and changed."""
        now, records = await self._store.all()
        late = [record for record in records if _differs(record, record.judged(now=now))]
        for record in late:
            await self._revise(record.name, lambda record, now: record, actor="eligibility-sweep")
        return {"butlers": len(records), "changed": len(late)}

    async def _revise(
        self,
        name: str,
        change: Change,
        *,
        actor: str,
        signal: Signal = Signal.NONE,
        act: _Act | None = None,
        acting: Acting | None = None,
    ) -> ButlerRecord:
        for _ in range(RACES):
            async with self._writing(acting) as connection:
                done = await self._attempt(connection, name, change, actor, signal)
                if done is not None and act is not None and acting is None:
                    await self._audited(connection, *done, actor=actor, act=act)
            if done is not None:
                before, after = done
                if acting is None:
                    self._tell(before, after)
                else:
                    acting.afterwards.append(partial(self._tell, before, after))
                return after
        raise TargetUnavailable(
            f"butler '{name}' is being changed by many at once; try again", retry_after_s=1.0
        )

    @asynccontextmanager
    async def _writing(self, acting: Acting | None) -> AsyncIterator[Connection]:
        """Yield the open transaction of an operator's action, else one of our own."""
        if acting is not None:
            yield acting.connection
            return
        async with transaction(self._pool, doing="writing the registry") as connection:
            yield connection

    async def _attempt(
        self, connection: Connection, name: str, change: Change, actor: str, signal: Signal
    ) -> tuple[ButlerRecord, ButlerRecord] | None:
        """Read and write once; return None if another writer came between."""
        known = await self._store.load(connection, name)
        if known is None:
            raise UnknownButler(f"butler '{name}' is not declared; expected one that a manifest declares")
        now, before = known
        after = change(before, now).judged(now=now, signal=signal)
        if after != before and not await self._store.save(connection, before, after):
            return None
        if _differs(before, after):
            await log_transition(connection, _transition(before, after, actor))
        return before, after

    async def _audited(
        self, connection: Connection, before: ButlerRecord, after: ButlerRecord, *, actor: str, act: _Act
    ) -> None:
        """Audit an action without an order, such as a declaration; an order's own audit says what it did."""
        if after != before or act.always:
            await self._audit.record_in(connection, act.entry(after, actor))

    def _tell(self, before: ButlerRecord, after: ButlerRecord) -> None:
        if after == before:
            return
        self._changed()
        if not _differs(before, after):
            return
        self._events.eligibility_changed(after.name, after.eligibility_state.value)
        _log.info(
            "eligibility_changed",
            butler=after.name,
            previous=before.eligibility_state.value,
            state=after.eligibility_state.value,
            reason=after.eligibility_reason,
        )
        if after.eligibility_reason == Reason.CHANNEL_TOOL_OWNERSHIP:
            self._audit.record(_violation(after))


@dataclass(frozen=True)
class _Act:
    """An action of a person or a manifest, to be audited: `always`, or only when it changed something."""

    operation: str
    always: bool
    reason: str | None = None

    def entry(self, after: ButlerRecord, actor: str) -> AuditEntry:
        return AuditEntry(
            butler=after.name,
            actor=actor,
            operation=self.operation,
            subject=after.name,
            summary=f"{after.name} is {after.eligibility_state} ({after.eligibility_reason})",
            result="ok",
            reason=self.reason,
        )


def _violation(record: ButlerRecord) -> AuditEntry:
    tools = ", ".join(channel_tools(record.tools))
    return AuditEntry(
        butler=record.name,
        actor="switchboard",
        operation="registry.channel_tool_ownership",
        subject=record.name,
        summary=f"{record.name} advertises tools that only messenger may own: {tools}",
        result="quarantined",
        error="a butler tells people something by notify.v1 through Switchboard",
    )


def _transition(before: ButlerRecord, after: ButlerRecord, actor: str) -> Transition:
    return Transition(
        kind="butler",
        subject=after.name,
        previous_state=before.eligibility_state.value,
        new_state=after.eligibility_state.value,
        reason=after.eligibility_reason,
        actor=actor,
        previous_seen_at=before.last_seen_at,
        observed_at=after.eligibility_updated_at,
    )


def _differs(before: ButlerRecord, after: ButlerRecord) -> bool:
    return (before.eligibility_state, before.eligibility_reason) != (
        after.eligibility_state,
        after.eligibility_reason,
    )


def _alive(record: ButlerRecord, now: datetime) -> ButlerRecord:
    if record.registered_at is None:
        raise Forbidden(f"'{record.name}' has not registered; call register_butler first", retryable=True)
    return replace(record, last_seen_at=now)


def _released(record: ButlerRecord, now: datetime) -> ButlerRecord:
    hold = record.manifest_hold
    if record.quarantine_origin is Origin.MANIFEST and hold is not None and hold.in_force(now):
        raise ValidationFailed(
            f"'{record.name}' is held by its manifest ({hold.reason}); edit spec.eligibility.quarantine there"
        )
    return record.released() if record.eligibility_state is State.QUARANTINED else record


def _held(record: ButlerRecord, hold: Hold, now: datetime) -> ButlerRecord:
    if not hold.in_force(now):
        raise ValidationFailed(f"until: is {hold.until}, which is past; expected a moment to come")
    return record.held(hold, now=now)


def _own_name(caller: Caller) -> str:
    if caller.name is None:
        raise Forbidden(f"'{caller.subject}' is not a butler")
    return caller.name
