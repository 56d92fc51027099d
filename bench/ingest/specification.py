"""The specification's algorithm to the letter, one message at a time over a pool (CNX-03.4): a baseline only.

Look for the key; in a transaction take the advisory lock, look again, insert. The table is the product's inbox with an
index on the key, which this algorithm needs because nothing else finds a duplicate.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from bench.ingest.place import Place
from butler_kit.db import Pool, init_connection
from butler_switchboard.ingress.rows import AdmissionRow, Admitted

__all__ = ["Specification", "open_specification"]

KEY_INDEX = "CREATE INDEX IF NOT EXISTS bench_inbox_key ON switchboard.message_inbox (dedupe_key)"
_FIND = "SELECT request_id FROM message_inbox WHERE dedupe_key = $1"
_LOCK = "SELECT pg_advisory_xact_lock(hashtext($1))"
_INSERT = """
INSERT INTO message_inbox (
    request_id, received_at, schema_version, source_channel, source_provider, source_endpoint_identity,
    source_sender_identity, source_thread_identity, external_event_id, external_message_id, supersedes, policy_tier,
    ingestion_tier, sender_class, reply_policy, dedupe_key, request_context, raw_payload, normalized_text,
    lifecycle_state
) VALUES (
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17::text::json, $18::text::json, $19, $20
)
"""


class Specification:
    """The same `submit` as the product's admission."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def submit(self, row: AdmissionRow) -> Admitted:
        """Check, BEGIN, lock, check again, INSERT, COMMIT."""
        async with self._pool.acquire() as connection:
            known = await connection.fetchval(_FIND, row.dedupe_key)
            if known is not None:
                return Admitted(known, duplicate=True)
            async with connection.transaction():
                await connection.execute(_LOCK, row.dedupe_key)
                known = await connection.fetchval(_FIND, row.dedupe_key)
                if known is not None:
                    return Admitted(known, duplicate=True)
                await connection.execute(_INSERT, *_values(row))
        return Admitted(row.request_id, duplicate=False)


@asynccontextmanager
async def open_specification(place: Place, database: str) -> AsyncIterator[Specification]:
    """The algorithm over a pool of ten connections, the usual size in one process."""
    async with place.admin(database) as connection:
        await connection.execute(KEY_INDEX)
    async with asyncpg.create_pool(
        place.dsn(database),
        min_size=10,
        max_size=10,
        init=init_connection,
        server_settings={"search_path": "switchboard", "jit": "off"},
    ) as pool:
        yield Specification(pool)


def _values(row: AdmissionRow) -> tuple[object, ...]:
    return (
        row.request_id, row.received_at, row.schema_version, row.channel, row.provider, row.endpoint_identity,
        row.sender_identity, row.thread_identity, row.external_event_id, row.external_message_id, row.supersedes,
        row.policy_tier, row.ingestion_tier, row.sender_class, row.reply_policy, row.dedupe_key, row.context_json,
        row.raw_json, row.text, row.lifecycle_state,
    )  # fmt: skip
