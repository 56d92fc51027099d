"""Fixtures of the registry's tests."""

from __future__ import annotations

import pytest

from butler_kit.db import Pool
from butler_switchboard.operations.retention import Retention, RetentionPolicy
from tests.integration.switchboard.registry.household import Household
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
def household(pool: Pool) -> Household:
    return Household(pool)
