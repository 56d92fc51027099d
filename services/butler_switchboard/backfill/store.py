"""Backfill jobs in PostgreSQL: one audited transaction per change, decided from the locked row (SWB-18, SWB-19).

Invariant: nothing is decided from data read without the lock, so a pause and a report that meet both count.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid4

import asyncpg
import structlog

from butler_contracts.errors import Conflict, NotFound, ValidationFailed
from butler_contracts.stored import Unreadable, stored
from butler_kit.auth import Forbidden
from butler_kit.db import Connection, NamedQueries, Pool, acquire, transaction
from butler_kit.service import repeat
from butler_switchboard.backfill.models import BackfillView, CreateBody, CreateJob, JobQuestion
from butler_switchboard.backfill.states import (
    Applied,
    Job,
    Outcome,
    Progress,
    Status,
    assign,
    cancel,
    expire,
    pause,
    report,
    resume,
)
from butler_switchboard.operations.audit import Audit, AuditEntry
from butler_switchboard.registry.liveness import Liveness, LivenessPolicy, liveness

__all__ = ["BackfillStore", "ConnectorOffline", "Taken", "UnknownBackfill"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/backfill.sql")
_STATE: Final = tuple(field.name for field in fields(Job))
_DIRTY_HOURS_MAX: Final = 10_000
_TIGHT: Final = "the service level is missed"
_log = structlog.get_logger(__name__)
RELEASE_S: Final = 15.0
"""How often the jobs of silent connectors are released; a poll does so at once."""
_VERBS: Final[dict[str, Callable[[Job, datetime], Job]]] = {
    "pause": lambda job, now: pause(job),
    "resume": lambda job, now: resume(job, now=now),
    "cancel": lambda job, now: cancel(job, now=now),
}


class UnknownBackfill(NotFound):
    """No such job for this caller (HTTP 404)."""


class ConnectorOffline(Conflict):
    """The connector was never heard, or not recently (HTTP 409), so nobody would take the job."""


class Taken:
    """The result of a poll: the job's row as it was taken, and its state now."""

    __slots__ = ("job", "row")

    def __init__(self, job: Job, row: asyncpg.Record) -> None:
        self.job = job
        self.row = row


class BackfillStore:
    """Creates, changes and shows jobs; none is ever deleted (SWB-17.1)."""

    def __init__(self, pool: Pool, audit: Audit, policy: LivenessPolicy, new_id: Callable[[], UUID]) -> None:
        self._pool = pool
        self._audit = audit
        self._policy = policy
        self._new_id = new_id

    async def create(self, asked: CreateJob, *, actor: str) -> tuple[UUID, Status]:
        """Create a job, or find the one with the same `external_id` and give it the limits asked for now.

        Raises `ConnectorOffline`, or `ValidationFailed` for an `external_id` that stands for another range.
        """
        async with transaction(self._pool, doing="creating a backfill job") as connection:
            known = None
            if asked.external_id is not None:
                known = await connection.fetchval(_SQL["job_by_external_id"], asked.external_id)
            if known is None:
                await self._check_online(connection, asked)
                known = await self._add(connection, asked, actor)
            row = await self._lock(connection, known)
            if asked.external_id is not None:
                await self._adopt(connection, row, asked, actor)
            return row["job_id"], stored(Status, row["status"])

    async def act(
        self, verb: str, job_id: UUID, *, actor: str, owner: str | None, reason: str | None
    ) -> Status:
        """Perform `pause`, `resume` or `cancel` for a person or a manifest; `owner` must be the job's, if it has one.

        Raises `UnknownBackfill`, `WrongState`, or `Forbidden` naming the owner.
        """
        async with transaction(self._pool, doing=f"backfill {verb}") as connection:
            row = await self._lock(connection, job_id)
            _check_owner(row, owner, verb)
            now: datetime = row["now"]
            before = expire(_job(row), now=now)
            after = _VERBS[verb](before, now)
            await self._save(connection, row, after, actor=actor, operation=f"backfill.{verb}", reason=reason)
        return after.status

    async def poll(self, connector_type: str, endpoint_identity: str, *, actor: str) -> Taken | None:
        """Lease the oldest job that waits for this connector to it; return None if there is none.

        Nor is there one while the service level is missed (docs/adr/0113).
        """
        await self.release_silent()
        async with transaction(self._pool, doing="polling for a backfill job") as connection:
            row = await connection.fetchrow(_SQL["lock_next"], connector_type, endpoint_identity)
            if row is None:
                return None
            taken = assign(_job(row), lease_id=uuid4(), now=row["now"])
            await self._save(connection, row, taken, actor=actor, operation="backfill.poll")
        return Taken(taken, row)

    async def report(
        self, job_id: UUID, progress: Progress, *, source: tuple[str, str], actor: str
    ) -> tuple[Applied, asyncpg.Record]:
        """Count a batch of the connector `source`; return the outcome, and the row as it was before.

        Raises `UnknownBackfill`, also for a job of another connector, and `WrongState`.
        """
        async with transaction(self._pool, doing="recording backfill progress") as connection:
            row = await self._lock(connection, job_id)
            if (row["connector_type"], row["endpoint_identity"]) != source:
                raise _unknown(job_id)
            applied = report(_job(row), progress, now=row["now"], tight=row["tight"])
            if applied.outcome is Outcome.APPLIED:
                held = _TIGHT if applied.job.status is Status.PENDING else None
                await self._save(
                    connection, row, applied.job, actor=actor, operation="backfill.progress", reason=held
                )
        return applied, row

    async def release_silent(self) -> int:
        """Return the jobs of connectors that fell silent to the queue, with their cursor (D34)."""
        async with transaction(self._pool, doing="releasing backfill jobs") as connection:
            rows = await connection.fetch(_SQL["lock_silent"])
            for row in rows:
                released = expire(_job(row), now=row["now"])
                await self._save(
                    connection, row, released, actor="switchboard", operation="backfill.lease_expired"
                )
        return len(rows)

    async def run(self, stopping: asyncio.Event) -> None:
        """Release silent connectors' jobs until stopped, so that reading jobs needs no write."""
        await repeat(self.release_silent, every_s=RELEASE_S, stopping=stopping, what="backfill_release")

    async def list(self, asked: JobQuestion) -> list[BackfillView]:
        """Return jobs, newest first."""
        async with acquire(self._pool, doing="reading backfill jobs") as connection:
            rows = await connection.fetch(
                _SQL["jobs"],
                asked.connector_type,
                asked.endpoint_identity,
                asked.status,
                asked.external_id,
                asked.limit,
            )
        return [*self._readable(rows)]

    def _readable(self, rows: Sequence[asyncpg.Record]) -> Iterator[BackfillView]:
        for row in rows:
            try:
                yield self._view(row)
            except Unreadable as error:
                _log.warning("backfill_left_out", job_id=str(row["job_id"]), problem=error.message)

    async def view(self, job_id: UUID) -> BackfillView:
        """Return one job, with the hours in which its messages were received. Raises `UnknownBackfill`."""
        async with acquire(self._pool, doing="reading a backfill job") as connection:
            row = await connection.fetchrow(_SQL["job"], job_id)
            if row is None:
                raise _unknown(job_id)
            hours = await connection.fetch(_SQL["dirty_hours"], job_id, _DIRTY_HOURS_MAX)
        return self._view(row).model_copy(update={"dirty_hours": [hour["hour"] for hour in hours]})

    async def _check_online(self, connection: Connection, asked: CreateJob) -> None:
        who = f"{asked.connector_type} '{asked.endpoint_identity}'"
        row = await connection.fetchrow(_SQL["connector_of"], asked.connector_type, asked.endpoint_identity)
        if row is None:
            raise ConnectorOffline(f"connector {who} is not known; expected one that has sent a heartbeat")
        state = liveness(row["last_heartbeat_at"], row["now"], self._policy)
        if state is not Liveness.ONLINE:
            raise ConnectorOffline(f"connector {who} is {state}; start it, then ask again")

    async def _add(self, connection: Connection, asked: CreateJob, actor: str) -> UUID:
        manifest = asked if isinstance(asked, CreateBody) else None
        status = Status.PAUSED if manifest is not None and manifest.suspended else Status.PENDING
        job_id: UUID | None = await connection.fetchval(
            _SQL["add_job"],
            self._new_id(),
            asked.external_id,
            manifest.owner if manifest is not None else None,
            asked.connector_type,
            asked.endpoint_identity,
            list(asked.target_categories),
            asked.date_from,
            asked.date_to,
            asked.rate_limit_per_hour,
            asked.daily_cost_cap_cents,
            status,
            actor,
        )
        if job_id is None:  # another replica made it meanwhile
            found: UUID = await connection.fetchval(_SQL["job_by_external_id"], asked.external_id)
            return found
        days = f"{asked.date_from} to {asked.date_to}"
        what = f"{asked.connector_type}:{asked.endpoint_identity} from {days} is {status}"
        await self._audit.record_in(connection, _entry(job_id, actor, "backfill.create", what, None))
        return job_id

    async def _adopt(self, connection: Connection, row: asyncpg.Record, asked: CreateJob, actor: str) -> None:
        """Set the pace and cap asked for now; the row of an `external_id` is for one range only."""
        same = all(
            row[name] == value
            for name, value in (
                ("connector_type", asked.connector_type),
                ("endpoint_identity", asked.endpoint_identity),
                ("date_from", asked.date_from),
                ("date_to", asked.date_to),
                ("target_categories", list(asked.target_categories)),
            )
        )
        if not same:
            raise ValidationFailed(
                f"external_id: '{asked.external_id}' stands for job {row['job_id']}, which reads another range"
            )
        limits = (asked.rate_limit_per_hour, asked.daily_cost_cap_cents)
        if limits == (row["rate_limit_per_hour"], row["daily_cost_cap_cents"]):
            return
        await connection.execute(_SQL["set_limits"], row["job_id"], *limits)
        what = f"at most {limits[0]} an hour and {limits[1]} cents a day"
        await self._audit.record_in(connection, _entry(row["job_id"], actor, "backfill.limits", what, None))

    async def _lock(self, connection: Connection, job_id: UUID) -> asyncpg.Record:
        row = await connection.fetchrow(_SQL["lock_job"], job_id)
        if row is None:
            raise _unknown(job_id)
        return row

    async def _save(
        self,
        connection: Connection,
        row: asyncpg.Record,
        job: Job,
        *,
        actor: str,
        operation: str,
        reason: str | None = None,
    ) -> None:
        """Write the job; a change of its state is audited in the same transaction."""
        await connection.execute(
            _SQL["save_job"],
            job.job_id,
            job.status,
            job.cursor,
            job.batch_seq,
            job.lease_id,
            job.lease_until,
            job.rows_processed,
            job.rows_skipped,
            job.cost_spent_cents,
            job.spend_day,
            job.spend_day_cents,
            job.day_allowance_cents,
            job.error,
            job.started_at,
            job.finished_at,
            job.progress_at,
        )
        if job.status == row["status"]:
            return
        what = f"{row['connector_type']}:{row['endpoint_identity']} {row['status']} → {job.status}"
        entry = _entry(job.job_id, actor, operation, what, reason, error=job.error)
        await self._audit.record_in(connection, entry)

    def _view(self, row: asyncpg.Record) -> BackfillView:
        now: datetime = row["now"]
        job = expire(_job(row), now=now)
        shared = {name: row[name] for name in BackfillView.model_fields if name in row}
        return BackfillView(
            **{
                **shared,
                "status": job.status.value,
                "target_categories": list(row["target_categories"]),
                "cost_spent_cents": float(job.cost_spent_cents),
                "cost_spent_today_cents": float(job.spent_on(now.date())),
                "connector_liveness": liveness(row["last_heartbeat_at"], now, self._policy).value,
            }
        )


def _job(row: asyncpg.Record) -> Job:
    values: dict[str, Any] = {name: row[name] for name in _STATE}
    return Job(**{**values, "status": stored(Status, row["status"])})


def _check_owner(row: asyncpg.Record, owner: str | None, verb: str) -> None:
    if row["owner"] is not None and row["owner"] != owner:
        how = "delete it" if verb == "cancel" else f"set its spec.suspend to {str(verb == 'pause').lower()}"
        raise Forbidden(f"job {row['job_id']} belongs to {row['owner']}; to {verb} it, {how}")


def _unknown(job_id: UUID) -> UnknownBackfill:
    return UnknownBackfill(f"backfill job {job_id} is not known; `backfill.list` shows the known ones")


def _entry(
    job_id: UUID, actor: str, operation: str, summary: str, reason: str | None, *, error: str | None = None
) -> AuditEntry:
    return AuditEntry(
        butler="switchboard",
        actor=actor,
        operation=operation,
        subject=str(job_id),
        summary=summary,
        result="ok",
        reason=reason,
        error=error,
    )
