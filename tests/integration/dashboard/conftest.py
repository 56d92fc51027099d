"""The dashboard over a database of one test."""

from __future__ import annotations

import pytest

from tests.support.dashboard import dashboard_database, dashboard_served


@pytest.fixture
async def database(provisioned):
    return await dashboard_database(provisioned)


@pytest.fixture
async def served(database, tmp_path):
    async with dashboard_served(database, tmp_path / "keys") as found:
        yield found


@pytest.fixture
async def admin(database):
    """Whoever may write, to arrange what the dashboard reads."""
    connection = await database.admin()
    await connection.execute("SET search_path = switchboard, messenger")
    yield connection
    await connection.close()
