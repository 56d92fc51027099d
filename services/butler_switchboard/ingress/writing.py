"""Writes a decided message into the inbox, and resolves a dedupe key that is already known (CNX-03, SWB-12, D7).

The same key and content is the known request. The same key with other content is kept beside it; another mail of that
Message-ID, or any message of a source that asks for it, becomes a request of its own under a tagged key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import asyncpg
import structlog

from butler_contracts.ingest import IngestEnvelopeV1, SourceChannel
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.time import uuid7_timestamp
from butler_switchboard.ingress.admission import Admission
from butler_switchboard.ingress.conflicts import content_mark, is_another_mail
from butler_switchboard.ingress.context import retagged
from butler_switchboard.ingress.rows import AdmissionRow, Admitted

__all__ = ["Writing", "Written"]

_SQL = NamedQueries("butler_switchboard", "sql/ingress.sql")
_log = structlog.get_logger(__name__)


class Written(NamedTuple):
    """The request known under the key, and the admitted one: a new one if a conflict made it so."""

    known: Admitted
    admitted: Admitted


class Writing:
    """One instance per process; `conflict` is called with the channel of each conflict."""

    def __init__(
        self,
        *,
        pool: Pool,
        admission: Admission,
        new_request_on_conflict: frozenset[str],
        conflict: Callable[[str], None],
    ) -> None:
        self._pool = pool
        self._admission = admission
        self._new_request_on_conflict = new_request_on_conflict
        self._conflict = conflict

    async def write(self, envelope: IngestEnvelopeV1, row: AdmissionRow) -> Written:
        """Write it durably. Raises `ButlerError`; then nothing of it is stored, or a retry finds it."""
        known = await self._admission.submit(row)
        return Written(known, await self._tagged(envelope, row, known) if known.conflict else known)

    async def keep_conflict(self, envelope: IngestEnvelopeV1, row: AdmissionRow, written: Written) -> None:
        """Keep the payload once. Raises `TargetUnavailable` or `TimedOut`; a defect is only logged."""
        known, admitted = written
        try:
            async with acquire(self._pool, doing="keeping a conflicting payload") as connection:
                await connection.execute(
                    _SQL["record_conflict"],
                    row.dedupe_key,
                    known.request_id,
                    row.fingerprint,
                    envelope.to_wire(),
                    admitted.request_id if admitted is not known else None,
                )
        except asyncpg.PostgresError:
            _log.exception("conflict_not_kept", request_id=str(known.request_id), dedupe_key=row.dedupe_key)

    async def _tagged(self, envelope: IngestEnvelopeV1, row: AdmissionRow, known: Admitted) -> Admitted:
        self._conflict(row.channel)
        arrived = envelope.to_wire()
        if not await self._is_new(row, arrived, known):
            return known
        tagged = f"{row.dedupe_key}#conflict:{content_mark(arrived, row.fingerprint)}"
        return await self._admission.submit(retagged(row, tagged))

    async def _is_new(self, row: AdmissionRow, arrived: Mapping[str, Any], known: Admitted) -> bool:
        if row.endpoint_identity in self._new_request_on_conflict:
            return True
        if row.channel != SourceChannel.EMAIL.value:
            return False
        async with acquire(self._pool, doing="comparing two mails") as connection:
            stored = await connection.fetchval(
                _SQL["stored_envelope"], known.request_id, uuid7_timestamp(known.request_id)
            )
        return stored is None or is_another_mail(stored, arrived)
