"""What the operator declares and undeclares: butlers with their subjects, connectors with theirs (SWB-09, D3, D4).

An undeclared butler is gone with its registration, evidence and hold; what it did stays on record. A connector loses
only its subject: it stays registered, because its source may come back (CNX-12.4), but is missed by nobody. Repeating
a declaration changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from butler_kit.auth import ConnectorBinding
from butler_kit.db import Connection, NamedQueries, Pool, transaction
from butler_switchboard.operations.audit import Audit, AuditEntry
from butler_switchboard.registry.beats import UnknownConnector
from butler_switchboard.registry.bindings import BindingCopy, BindingStore
from butler_switchboard.registry.butlers import Butlers, UnknownButler
from butler_switchboard.registry.records import ButlerRecord, Declaration
from butler_switchboard.registry.store import Transition, log_transition
from butler_switchboard.registry.subjects import Binding, NotBound

__all__ = ["UNDECLARED", "Declarations"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/declarations.sql")
UNDECLARED: Final = "undeclared"
"""The last state of a butler in its log."""


class Declarations:
    """Writes declarations; `changed` is called after a butler was undeclared."""

    def __init__(
        self,
        *,
        pool: Pool,
        butlers: Butlers,
        bindings: BindingStore,
        copy: BindingCopy,
        audit: Audit,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self._pool = pool
        self._butlers = butlers
        self._bindings = bindings
        self._copy = copy
        self._audit = audit
        self._changed = changed

    async def declare_butler(
        self, name: str, declaration: Declaration, *, subject: str | None, actor: str
    ) -> ButlerRecord:
        """Declare a butler; without a subject its present one stays. Raises `AlreadyBound`."""
        # The subject comes first: if refused, it leaves nothing behind; and alone it lets nobody register.
        if subject is not None:
            await self._bind(Binding(subject, butler=name), actor)
        return await self._butlers.declare(name, declaration, actor=actor)

    async def undeclare_butler(self, name: str, *, only: str | None, actor: str) -> None:
        """Forget a butler; with `only`, just if that is its subject. Raises `UnknownButler`."""
        try:
            async with transaction(self._pool, doing="undeclaring a butler") as connection:
                unbound = await self._bindings.unbind(connection, butler=name, only=only, actor=actor)
                gone = await connection.fetchrow(_SQL["forget_butler"], name)
                if gone is not None:
                    await self._record_end(connection, name, dict(gone), actor)
        except NotBound as another:
            raise UnknownButler(another.message) from None
        if unbound is not None:
            await self._copy.refresh()
        if gone is None and unbound is None:
            raise UnknownButler(f"butler '{name[:63]}' is not declared")
        self._changed()

    async def declare_connector(self, subject: str, connector: ConnectorBinding, *, actor: str) -> None:
        """Let a subject speak for one source, up to one tier. Raises `AlreadyBound`."""
        await self._bind(Binding(subject, connector=connector), actor)

    async def undeclare_connector(
        self, connector_type: str, endpoint_identity: str, *, only: str | None, actor: str
    ) -> Binding:
        """Unbind a source, so that nobody speaks for it any more. Raises `UnknownConnector`."""
        source = (connector_type, endpoint_identity)
        try:
            async with transaction(self._pool, doing="undeclaring a connector") as connection:
                gone = await self._bindings.unbind(connection, source=source, only=only, actor=actor)
                if gone is not None:
                    await connection.execute(_SQL["connector_undeclared"], *source)
        except NotBound as another:
            raise UnknownConnector(another.message) from None
        if gone is None:
            raise UnknownConnector(f"{connector_type} connector '{endpoint_identity}' is not declared")
        await self._copy.refresh()
        return gone

    async def sources(self) -> list[tuple[str, ConnectorBinding]]:
        """Return the declared sources, each with its subject, as the database has them now."""
        return [(one.subject, one.connector) for one in await self._copy.all() if one.connector is not None]

    async def _bind(self, wanted: Binding, actor: str) -> None:
        async with transaction(self._pool, doing="declaring a subject") as connection:
            changed = await self._bindings.bind(connection, wanted, actor=actor)
            if changed and wanted.source is not None:
                await connection.execute(_SQL["connector_declared"], *wanted.source)
        if changed:
            await self._copy.refresh()

    async def _record_end(
        self, connection: Connection, name: str, gone: Mapping[str, Any], actor: str
    ) -> None:
        transition = Transition(
            kind="butler",
            subject=name,
            previous_state=gone["eligibility_state"],
            new_state=UNDECLARED,
            reason=UNDECLARED,
            actor=actor,
            previous_seen_at=gone["last_seen_at"],
            observed_at=gone["now"],
        )
        await log_transition(connection, transition)
        held = gone["quarantine_origin"] == "operator"
        entry = AuditEntry(
            butler=name,
            actor=actor,
            operation="butler.undeclare",
            subject=name,
            summary=f"{name} was {gone['eligibility_state']} ({gone['eligibility_reason']}) and is undeclared",
            result="ok",
            reason=f"an operator's hold ended with it: {gone['quarantine_reason']}" if held else None,
        )
        await self._audit.record_in(connection, entry)
