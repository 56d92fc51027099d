"""Leases and documents of sources in PostgreSQL (CNX-17, D33).

Invariants: of two instances that ask at once one gets the lease; a document is written under its source's lease, which
changes hands only before or after. Times are the database's, which all replicas share.
"""

from __future__ import annotations

import json
from typing import Any, Final

from butler_contracts.errors import ValidationFailed
from butler_contracts.heartbeat import ConnectorCheckpointV1
from butler_contracts.sources import DocumentAsked, DocumentGiven, LeaseAsked, LeaseGiven
from butler_kit.db import Connection, NamedQueries, Pool, acquire, transaction

__all__ = ["SEEN_S", "SourceStore"]

_SQL = NamedQueries("butler_switchboard.sql", "sources.sql")
SEEN_S: Final = 60.0
"""How long an instance counts as standing by after it asked."""
MOST_DOCUMENTS: Final = 1_100
MOST_BYTES: Final = 80 * 1024 * 1024
"""More than a connector's park takes, with what is beside it."""


class SourceStore:
    """The sources of the pool's schema."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def lease(self, asked: LeaseAsked) -> LeaseGiven:
        """Give the lease to the instance that asks, unless another holds it; or take it back."""
        source = (asked.connector_type, asked.endpoint_identity)
        async with transaction(self._pool, doing="leasing a source") as connection:
            token = None
            if asked.release:
                await connection.execute(_SQL["release_lease"], *source, asked.instance_id)
            else:
                token = await connection.fetchval(
                    _SQL["take_lease"], *source, asked.instance_id, asked.seconds
                )
            if token is None and not asked.release:
                await connection.execute(_SQL["stand_by"], *source, asked.instance_id)
            else:
                await connection.execute(_SQL["stand_by_no_more"], *source, asked.instance_id, SEEN_S)
            row = await connection.fetchrow(_SQL["lease"], *source, SEEN_S)
        if row is None:
            return LeaseGiven(held=False, token=0, holder=asked.instance_id, expires_in_s=0.0)
        return LeaseGiven(
            held=token is not None,
            token=row["token"],
            holder=row["holder"],
            expires_in_s=max(0.0, row["left_s"]),
            standbys=row["standbys"],
        )

    async def document(self, asked: DocumentAsked) -> DocumentGiven:
        """Perform an action on a document. Raises `ValidationFailed` for an incomplete request."""
        source = (asked.connector_type, asked.endpoint_identity)
        match asked.action:
            case "read":
                return await self._read(source, asked.name)
            case "list":
                async with acquire(self._pool, doing="listing documents of a source") as connection:
                    rows = await connection.fetch(_SQL["document_names"], *source, asked.name)
                return DocumentGiven(status="ok", names=tuple(row["name"] for row in rows))
            case "write" | "remove":
                return await self._change(source, asked)

    async def _read(self, source: tuple[str, str], name: str) -> DocumentGiven:
        async with acquire(self._pool, doing="reading a document of a source") as connection:
            found = await _document(connection, source, name)
            if found is not None:
                return found
            known = await connection.fetchrow(_SQL["last_known"], *source) if name == "cursor" else None
        if known is None:
            return DocumentGiven(status="absent")
        checkpoint = ConnectorCheckpointV1(
            cursor=known["checkpoint_cursor"], updated_at=known["checkpoint_updated_at"]
        )
        return DocumentGiven(status="absent", known=checkpoint)

    async def _change(self, source: tuple[str, str], asked: DocumentAsked) -> DocumentGiven:
        if asked.lease is None:
            raise ValidationFailed(
                "lease: is missing; expected the token of the lease under which this is written"
            )
        async with transaction(self._pool, doing="keeping a document of a source") as connection:
            if await connection.fetchval(_SQL["lock_lease"], *source, asked.lease) is None:
                return DocumentGiven(status="fenced")
            if asked.action == "remove":
                await connection.execute(_SQL["remove_document"], *source, asked.name)
                return DocumentGiven(status="ok")
            return await _written(connection, source, asked)


async def _written(connection: Connection, source: tuple[str, str], asked: DocumentAsked) -> DocumentGiven:
    if asked.content is None or asked.version is None:
        raise ValidationFailed("content, version: are missing; expected what to keep and over which version")
    content = json.dumps(asked.content)
    row = await connection.fetchrow(_SQL["change_document"], *source, asked.name, asked.version, content)
    if row is None and asked.version == 0:
        row = await connection.fetchrow(
            _SQL["add_document"], *source, asked.name, content, MOST_DOCUMENTS, MOST_BYTES
        )
    if row is not None:
        return DocumentGiven(status="ok", version=row["version"], updated_at=row["updated_at"])
    standing = await _document(connection, source, asked.name)
    if standing is not None:
        return standing.model_copy(update={"status": "conflict"})
    return DocumentGiven(status="full" if asked.version == 0 else "conflict")


async def _document(connection: Connection, source: tuple[str, str], name: str) -> DocumentGiven | None:
    row = await connection.fetchrow(_SQL["read_document"], *source, name)
    if row is None:
        return None
    content: dict[str, Any] = json.loads(row["content"])
    return DocumentGiven(status="ok", version=row["version"], content=content, updated_at=row["updated_at"])
