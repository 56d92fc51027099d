"""A served Switchboard with the mailbox's connector online."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from butler_kit.db import Pool
from butler_switchboard.operations.retention import Retention, RetentionPolicy
from tests.integration.switchboard.backfill.jobs import Backfills
from tests.integration.switchboard.operations.served import serve
from tests.support.database import Database, Provision
from tests.support.switchboard import switchboard_database


@pytest.fixture
async def database(provisioned: Provision) -> Database:
    return await switchboard_database(provisioned)


@pytest.fixture
async def pool(database: Database) -> Pool:
    pool = await database.pool("switchboard")
    await Retention(pool, RetentionPolicy()).prepare()
    return pool


@pytest.fixture
async def backfills(pool: Pool, database: Database, tmp_path: Path) -> AsyncIterator[Backfills]:
    async with serve(pool, tmp_path) as served:
        backfills = Backfills(served, database)
        await backfills.connector_beats()
        yield backfills
