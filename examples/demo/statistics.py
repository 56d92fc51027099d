"""Statistics of the demo's own hour: what its connectors counted, rolled up while the household still runs.

A connector reports its counters with its next heartbeat, minutes after such a short demo; one that ends reports at
once. So the connectors are ended in order (the household restarts them), and the hour is computed while still open.
"""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from datetime import datetime
from typing import Final

import asyncpg

from butler_cli.local.state import StateDir
from butler_cli.local.status import read_status
from butler_contracts.errors import ButlerError
from butler_kit.db import init_connection
from butler_rollups.models import STEP, Job
from butler_rollups.run import Asked, run
from butler_rollups.sql_engine import SqlEngine
from butler_rollups.windows import floor
from examples.demo.household import Household

__all__ = ["roll_up"]

TOLD_DEADLINE_S: Final = 15.0
POLL_S: Final = 0.25
_SUMS: Final = """
SELECT count(DISTINCT (connector_type, endpoint_identity)) AS connectors, sum(messages_ingested) AS messages
FROM connector_stats_hourly WHERE hour >= $1
"""
_TOLD: Final = "SELECT count(*) FROM connector_heartbeat_log WHERE messages_ingested > 0"


async def roll_up(household: Household, *, since: datetime) -> str:
    """Compute the hours and the day from `since` to now; return a line with the result."""
    connection = await asyncpg.connect(
        household.endpoints["database"]["dsn"],
        timeout=10,
        server_settings={"search_path": "switchboard", "timezone": "UTC"},
    )
    try:
        await init_connection(connection)
        await _tell(household, connection)
        now: datetime = await connection.fetchval("SELECT clock_now()")
        for job in (Job.HOURLY, Job.FANOUT):
            start, end = floor(since, STEP[job]), floor(now, STEP[job]) + STEP[job]
            await run(connection, SqlEngine(), Asked(job, start, end))
        sums = await connection.fetchrow(_SUMS, floor(since, STEP[Job.HOURLY]))
    except (ButlerError, asyncpg.PostgresError, OSError) as failure:
        return f"statistics: not rolled up: {failure}"
    finally:
        await connection.close(timeout=10)
    connectors, messages = (sums["connectors"], sums["messages"]) if sums else (0, 0)
    return f"statistics: this hour is rolled up: {connectors} connectors brought {messages or 0} messages"


async def _tell(household: Household, connection: asyncpg.Connection) -> None:
    """End the connectors, each with a last heartbeat, and wait until all of these are stored."""
    status = read_status(StateDir.at(household.state))
    names = set(household.endpoints["connectors"])
    ended = [one for one in status.processes if one.name in names] if status else []
    for process in ended:
        if process.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGTERM)
    with suppress(TimeoutError):
        async with asyncio.timeout(TOLD_DEADLINE_S):
            while True:
                if await connection.fetchval(_TOLD) >= len(ended):
                    return
                await asyncio.sleep(POLL_S)
