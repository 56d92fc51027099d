"""The benchmark's environment: the embedded PostgreSQL with the product's own settings, a migrated household, keys."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from uuid import uuid4

import asyncpg

from bench.ingest.messages import BOT, a_row
from butler_cli.local.postgres import ADMIN_ROLE, EmbeddedPostgres
from butler_kit.auth.jwks import ISSUER_LOCAL, ISSUER_SWITCHBOARD
from butler_kit.auth.keys import generate_key_pair, write_jwks
from butler_kit.auth.signer import TokenSigner, audience_of, connector_claims
from butler_kit.db import Grant, MigrationSource, SchemaPlan, provision
from butler_kit.time import SystemClock

__all__ = ["Place", "open_place"]

_SWITCHBOARD = SchemaPlan(
    "switchboard",
    "butler_switchboard",
    "bench",
    (MigrationSource("switchboard", "butler_switchboard", "sql/migrations"),),
)
_SHARED = SchemaPlan(
    "shared",
    "butler_messenger",
    "bench",
    (MigrationSource("shared", "butler_messenger", "sql/shared_migrations"),),
    (Grant("butler_switchboard", ("contacts", "contact_info")),),
)


_FILL = """
WITH made AS (
    SELECT
        n, date_trunc('milliseconds', now()) - n * interval '1 millisecond' AS at,
        'event:telegram:telegram:' || $5::text || ':' || (1000000 + n) AS key, gen_random_uuid() AS id
    FROM generate_series(1, $1::integer) AS n
),
known AS (
    INSERT INTO ingest_dedupe (dedupe_key, request_id, received_at, fingerprint)
    SELECT key, id, at, md5(key) FROM made
)
INSERT INTO message_inbox (
    request_id, received_at, schema_version, source_channel, source_provider, source_endpoint_identity,
    source_sender_identity, source_thread_identity, external_event_id, external_message_id, policy_tier, ingestion_tier,
    sender_class, reply_policy, dedupe_key, request_context, raw_payload, normalized_text, lifecycle_state,
    final_state_at
)
SELECT
    id, at, 'ingest.v1', 'telegram', 'telegram', $5, '1', (n % 20)::text, (1000000 + n)::text, (1000000 + n)::text,
    'interactive', 'full', 'household', 'allow', key, $2::text::json, $3::text::json, $4, 'parsed', at
FROM made
"""


class Place:
    """A server, its databases, and what a Switchboard needs to start on one of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.postgres = EmbeddedPostgres(folder)
        self._clock = SystemClock()
        keys = folder / "keys"
        keys.mkdir()
        self.jwks, self.signing_key = keys / "jwks.json", keys / "switchboard.pem"
        public = [
            generate_key_pair(keys / "local.pem", ISSUER_LOCAL),
            generate_key_pair(self.signing_key, ISSUER_SWITCHBOARD),
        ]
        write_jwks(self.jwks, public)
        self._authority = TokenSigner(keys / "local.pem", ISSUER_LOCAL, self._clock)

    def token(self, endpoint_identity: str = BOT) -> str:
        """Return a connector's own token, by default the bench connector's; valid for an hour."""
        claims = connector_claims("telegram_bot", endpoint_identity, "interactive")
        return self._authority.sign(audience_of("switchboard"), "connector-telegram_bot", 3600, claims)

    def admin_dsn(self, database: str = "butlers") -> str:
        password = self.postgres.admin_dsn.split(":")[2].split("@")[0]
        return self.postgres.dsn(ADMIN_ROLE, password, database=database)

    def dsn(self, database: str) -> str:
        return self.postgres.dsn(_SWITCHBOARD.role, _SWITCHBOARD.password, database=database)

    def environment(self, database: str) -> dict[str, str]:
        return {
            "BUTLERS_DATABASE_URL": self.dsn(database),
            "BUTLERS_JWKS_FILE": str(self.jwks),
            "BUTLERS_SIGNING_KEY_FILE": str(self.signing_key),
            "BUTLERS_LOG_FORMAT": "json",
        }

    async def make_database(self, name: str) -> None:
        """Create a migrated household of one person; a stranger writes all messages, so nobody is shown anything."""
        await self._execute("postgres", f"CREATE DATABASE {name} TEMPLATE template0")
        await provision(self.admin_dsn(name), [_SWITCHBOARD, _SHARED])
        contact = uuid4()
        await self._execute(
            name,
            f"INSERT INTO shared.contacts (contact_id, name, role) VALUES ('{contact}', 'Alice', 'owner');"
            f"INSERT INTO shared.contact_info (contact_id, type, value) VALUES ('{contact}', 'telegram', '1')",
        )

    async def empty(self, database: str) -> None:
        """Delete every message, so that an earlier slice leaves no rows for the next one."""
        await self._execute(
            database,
            "TRUNCATE switchboard.message_inbox, switchboard.ingest_dedupe, switchboard.inbox_work;",
        )

    async def fill(self, database: str, rows: int) -> None:
        """Insert `rows` finished messages, a millisecond apart, and refresh the tables' statistics."""
        row = a_row(1)
        async with self.admin(database) as connection:
            await connection.execute("SET search_path = switchboard")
            await connection.execute(
                _FILL, rows, row.context_json, row.raw_json, row.text, row.endpoint_identity
            )
            await connection.execute("ANALYZE message_inbox, ingest_dedupe")
            await connection.execute("CHECKPOINT")

    async def _execute(self, database: str, statement: str) -> None:
        async with self.admin(database) as connection:
            await connection.execute(statement)

    @asynccontextmanager
    async def admin(self, database: str) -> AsyncIterator[asyncpg.Connection]:
        connection = await asyncpg.connect(self.admin_dsn(database))
        try:
            yield connection
        finally:
            await connection.close()


@contextmanager
def open_place() -> Iterator[Place]:
    """Run a server in a private folder, which is removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="butlers-bench-"))
    place = Place(folder)
    try:
        place.postgres.start()
        yield place
    finally:
        place.postgres.stop(deadline_s=5)
        shutil.rmtree(folder, ignore_errors=True)
