"""Bindings of subjects in PostgreSQL: declared and undeclared by the operator, audited, read by every replica (D3, D4).

Every write is decided from the stored bindings, under one lock for all replicas, and commits with its audit entry.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from butler_contracts.errors import ButlerError
from butler_kit.auth import ConnectorBinding, SubjectDirectories, SubjectDirectory
from butler_kit.db import Connection, NamedQueries, Pool, acquire
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock
from butler_switchboard.operations.audit import Audit, AuditEntry
from butler_switchboard.registry.subjects import (
    AlreadyBound,
    Binding,
    DeclaredSubjects,
    NotBound,
    binds,
    refresh_in,
)

__all__ = ["BindingCopy", "BindingStore"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/bindings.sql")
_log = get_logger(__name__)


class BindingStore:
    """One binding per call, in the caller's transaction; subjects in `reserved` may not be bound."""

    def __init__(self, audit: Audit, *, reserved: SubjectDirectory | None = None) -> None:
        self._audit = audit
        self._reserved = reserved or SubjectDirectories()

    async def bind(self, connection: Connection, wanted: Binding, *, actor: str) -> bool:
        """Bind a subject; return False if it is bound that way already. Raises `AlreadyBound`."""
        if (standing := self._reserved.find(wanted.subject)) is not None:
            raise AlreadyBound(
                f"the subject '{wanted.subject}' is the household's {standing.role}; "
                f"it cannot speak for {wanted.caller}"
            )
        await connection.execute(_SQL["one_at_a_time"])
        known = await self._in_question(connection, wanted.subject, wanted.butler, wanted.source)
        if not binds(wanted, known):
            return False
        of = wanted.connector
        await connection.execute(
            _SQL["bind"],
            wanted.subject,
            wanted.butler,
            *(wanted.source or (None, None)),
            of.max_tier if of is not None else None,
        )
        await self._audit.record_in(connection, _entry(wanted, "declare", actor))
        return True

    async def unbind(
        self,
        connection: Connection,
        *,
        butler: str | None = None,
        source: tuple[str, str] | None = None,
        only: str | None = None,
        actor: str,
    ) -> Binding | None:
        """Unbind a caller's subject and return what was bound.

        Raises `NotBound` if the caller is bound to another subject than `only`.
        """
        await connection.execute(_SQL["one_at_a_time"])
        known = await self._in_question(connection, None, butler, source)
        if not known:
            return None
        (binding,) = known
        if only is not None and binding.subject != only:
            raise NotBound(
                f"{binding.caller} is not declared with the subject '{only}'; nothing was undeclared"
            )
        await connection.execute(_SQL["unbind"], binding.subject)
        await self._audit.record_in(connection, _entry(binding, "undeclare", actor))
        return binding

    async def _in_question(
        self, connection: Connection, subject: str | None, butler: str | None, source: tuple[str, str] | None
    ) -> list[Binding]:
        rows = await connection.fetch(_SQL["in_question"], subject, butler, *(source or (None, None)))
        return [_binding(dict(row)) for row in rows]


class BindingCopy:
    """Keeps the in-memory copy fresh: at once after our own writes, else by its task."""

    def __init__(self, *, pool: Pool, subjects: DeclaredSubjects, clock: Clock) -> None:
        self._pool = pool
        self._subjects = subjects
        self._clock = clock
        self._read_at: float | None = None

    async def refresh(self) -> None:
        """Read every binding into memory."""
        self._subjects.asked.clear()
        monotonic = self._clock.monotonic()
        self._subjects.replace(await self.all())
        self._read_at = monotonic

    async def all(self) -> list[Binding]:
        """Return every binding, as the database has it now."""
        async with acquire(self._pool, doing="reading bindings") as connection:
            rows = await connection.fetch(_SQL["bindings"])
        return [_binding(dict(row)) for row in rows]

    async def run(self, stopping: asyncio.Event) -> None:
        """Refresh every few seconds, sooner after a miss; an outage leaves the copy as it is."""
        while not stopping.is_set():
            try:
                await self.refresh()
            except ButlerError as failure:
                self._read_at = self._clock.monotonic()
                _log.warning("bindings_not_refreshed", problem=failure.message)
            await self._wait_until_due()

    async def _wait_until_due(self) -> None:
        try:
            async with asyncio.timeout(refresh_in(self._age_s(), asked=False)):
                await self._subjects.asked.wait()
        except TimeoutError:
            return
        await asyncio.sleep(refresh_in(self._age_s(), asked=True))

    def _age_s(self) -> float:
        return self._clock.monotonic() - self._read_at if self._read_at is not None else 0.0


def _binding(row: Mapping[str, Any]) -> Binding:
    if row["butler"] is not None:
        return Binding(row["subject"], butler=row["butler"])
    connector = ConnectorBinding(row["connector_type"], row["endpoint_identity"], row["max_tier"])
    return Binding(row["subject"], connector=connector)


def _entry(binding: Binding, verb: str, actor: str) -> AuditEntry:
    of = binding.connector
    tier = f" up to tier {of.max_tier}" if of is not None and verb == "declare" else ""
    speaks = "speaks for" if verb == "declare" else "no longer speaks for"
    return AuditEntry(
        butler=binding.butler or "switchboard",
        actor=actor,
        operation=f"subject.{verb}",
        subject=binding.subject,
        summary=f"{binding.subject} {speaks} {binding.caller}{tier}",
        result="ok",
    )
