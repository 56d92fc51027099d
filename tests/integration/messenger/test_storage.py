"""Messenger's tables: migrations, retention, and the plans of the statements that run often (D50, D55)."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from butler_kit.db import load_migrations, migrate
from butler_messenger.retention import RetentionLimits, limits_of, prune
from butler_messenger.settings import MessengerConfig
from butler_messenger.sql import MIGRATIONS, SHARED_MIGRATIONS
from tests.integration.messenger.household import PLANS, Place, notify
from tests.support.database import Provision
from tests.support.mail.smtp_server import SmtpFault
from tests.support.manifests import config_of


def kept_for(**delivery: int) -> RetentionLimits:
    """How long Messenger keeps what it has when its manifest says so of `delivery`."""
    return limits_of(config_of(MessengerConfig, {"role": "messenger", "delivery": delivery}).delivery)


SQL = Path(__file__).parents[3] / "services" / "butler_messenger" / "sql"


async def test_the_migrations_make_both_schemas_and_a_second_run_finds_nothing_to_do(
    provisioned: Provision,
) -> None:
    database = await provisioned(*PLANS)
    for schema, sources in (("messenger", MIGRATIONS), ("shared", SHARED_MIGRATIONS)):
        assert (
            await migrate(database.admin_dsn, schema=schema, role="butler_messenger", sources=sources) == ()
        )
    pool = await database.pool("messenger")
    rows = await pool.fetch(
        "SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema IN ('messenger', 'shared')"
    )
    tables = {f"{row['table_schema']}.{row['table_name']}" for row in rows}
    assert {
        "messenger.delivery_requests",
        "messenger.delivery_attempts",
        "messenger.delivery_receipts",
        "messenger.delivery_dead_letter",
        "messenger.delivery_work",
        "shared.contacts",
        "shared.contact_info",
        "shared.pending_actions",
    } <= tables


def test_the_migrations_are_numbered_and_safe_beside_an_older_replica() -> None:
    files = [
        SQL / source.directory.removeprefix("sql/") / f"{m.number:04d}_{m.title}.sql"
        for source in (*MIGRATIONS, *SHARED_MIGRATIONS)
        for m in load_migrations(source)
    ]
    # New tables are empty: their indexes need no CONCURRENTLY, which no transaction allows anyway.
    excluded = "require-concurrent-index-creation,prefer-robust-stmts,prefer-bigint-over-int,require-timeout-settings"
    squawk = Path(sys.executable).with_name("squawk")
    run = subprocess.run(
        [str(squawk), "--assume-in-transaction", f"--exclude={excluded}", *map(str, files)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize(
    ("said", "days"), [({}, 366), ({"dedupeRetentionDays": 40, "deadLetterDays": 9}, 41)]
)
async def test_old_records_go_and_young_ones_stay(place: Place, said: dict[str, int], days: int) -> None:
    place.smtp.script(SmtpFault("rcpt", "drop", count=3))
    async with place.messenger() as messenger:
        old = await messenger.notify(notify(channel="email", idempotency_key="old"))
        assert old.delivery is not None
        await place.until_status(old.delivery.delivery_id, "dead_lettered")
        await place.until_reported(old.delivery.delivery_id)
    assert await prune(place.pool, kept_for(**said)) == 0
    await place.database.shift_clock(timedelta(days=days))
    async with place.messenger() as messenger:
        young = await messenger.notify(notify(idempotency_key="young"))
        assert young.delivery is not None
        await prune(place.pool, kept_for(**said))
    left = await place.rows("SELECT delivery_id FROM delivery_requests")
    assert [str(row["delivery_id"]) for row in left] == [young.delivery.delivery_id]
    for table in ("delivery_dead_letter", "delivery_marker"):
        assert await place.rows(f"SELECT 1 FROM {table}") == []


async def test_dead_letters_have_a_bound_besides_their_age(place: Place) -> None:
    await place.pool.execute(
        "INSERT INTO delivery_dead_letter SELECT gen_random_uuid(), gen_random_uuid(), n::text, NULL, 'finance',"
        " 'telegram', 'send', NULL, '{}', 'r', 'timeout', 'm', '[]', true, 0, clock_now() - make_interval(secs => n)"
        " FROM generate_series(1, 50) AS n"
    )
    await prune(place.pool, kept_for(deadLetterMax=10))
    kept = await place.rows("SELECT idempotency_key FROM delivery_dead_letter ORDER BY created_at DESC")
    assert [row["idempotency_key"] for row in kept] == [str(n) for n in range(1, 11)]
