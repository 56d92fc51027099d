"""History from a real mailbox through the real connector and the real Switchboard to a specialist, in silence."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.integration.connectors.running import connector, ready
from tests.integration.connectors.test_imap import PASSWORD, USER, mail
from tests.support.database import Provision
from tests.support.mail.imap_server import ImapServer
from tests.support.switchboard import MAILBOX
from tests.support.switchboard_service import Household, Running, household, until

BILL = "I paid the gas bill of 40 euro"
WALK = "My blood pressure this morning was 120 over 80."
JANUARY = {
    "connector_type": "imap",
    "endpoint_identity": MAILBOX,
    "date_from": "2026-01-01",
    "date_to": "2026-01-31",
}


@pytest.fixture
async def imap() -> AsyncIterator[ImapServer]:
    async with ImapServer(user=USER, password=PASSWORD) as server:
        yield server


@pytest.fixture
async def home(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Household]:
    async with household(provisioned, tmp_path, "general", "finance", "health") as home:
        yield home


def environment(home: Household, running: Running, imap: ImapServer, folder: Path) -> dict[str, str]:
    token = folder / "imap.jwt"
    token.write_text(home.keys.connector("imap", MAILBOX))
    return {
        "CONNECTOR_TYPE": "imap",
        "CONNECTOR_PROVIDER": "imap",
        "CONNECTOR_CHANNEL": "email",
        "CONNECTOR_ENDPOINT_IDENTITY": MAILBOX,
        "CONNECTOR_CURSOR_PATH": str(folder / "cursor.json"),
        "CONNECTOR_BACKFILL_POLL_INTERVAL_S": "0.1",
        "SWITCHBOARD_MCP_URL": f"{running.url}/mcp",
        "BUTLERS_TOKEN_FILE": str(token),
        "IMAP_HOST": imap.host,
        "IMAP_PORT": str(imap.port),
        "IMAP_TLS": "none",
        "IMAP_USERNAME": USER,
        "IMAP_PASSWORD": PASSWORD,
    }


async def operate(home: Household, running: Running, tool: str, **args: Any) -> dict[str, Any]:
    return await running.call(home.keys.operator(), tool, args)


async def job_in(home: Household, running: Running, *states: str) -> dict[str, Any]:
    async def check() -> dict[str, Any] | None:
        (job,) = (await operate(home, running, "backfill.list"))["jobs"]
        return job if job["status"] in states else None

    found: dict[str, Any] = await until(check, what=f"a job that is {states}")
    return found


async def online(home: Household, running: Running) -> None:
    async def check() -> bool:
        return bool(await home.pool.fetchval("SELECT count(*) FROM connector_registry"))

    await until(check, what="the first heartbeat")


async def fill(imap: ImapServer, count: int, *, days: int = 365) -> None:
    for number in range(count):
        day = datetime(2026, 1, 1, 9, tzinfo=UTC) + timedelta(days=number % days)
        await imap.deliver(mail(number, BILL if number % 2 else WALK), when=day)


@pytest.mark.spec("CNX-06.4")
async def test_history_is_read_once_worked_on_and_told_to_nobody(
    home: Household, imap: ImapServer, tmp_path: Path
) -> None:
    await fill(imap, 33)
    async with home.run("[routing]\ncost_per_thousand_messages_cents = 500\n") as running:
        async with connector(environment(home, running, imap, tmp_path)) as service:
            await ready(service)
            await online(home, running)
            made = await operate(
                home,
                running,
                "create_backfill_job",
                **JANUARY,
                rate_limit_per_hour=72_000,
                target_categories=["finance"],
            )
            job = await job_in(home, running, "completed")
        assert (job["rows_processed"], job["rows_skipped"], job["cost_spent_cents"]) == (31, 0, 15.5)
        await home.idle()
        async with httpx.AsyncClient(base_url=running.url, timeout=60) as http:
            ops = {"Authorization": f"Bearer {home.keys.operator()}"}
            shown = (await http.get(f"/ops/v1/backfills/{made['job_id']}", headers=ops)).json()
    rows = await home.pool.fetch("SELECT * FROM message_inbox ORDER BY received_at")
    assert [row["external_event_id"] for row in rows] == [
        f"<mail-{number}@example.org>" for number in range(31)
    ]
    assert {str(row["backfill_job_id"]) for row in rows} == {made["job_id"]}
    assert {(row["reply_policy"], row["policy_tier"]) for row in rows} == {("none", "default")}
    hours = {row["received_at"].replace(minute=0, second=0, microsecond=0) for row in rows}
    assert {datetime.fromisoformat(hour) for hour in shown["dirty_hours"]} == hours
    # Only what is finance's goes anywhere; the rest is on record.
    assert len(home.butler("finance").got) == 15
    assert home.butler("health").got == []
    assert home.messenger.got == []


async def test_a_pause_stops_the_real_connector_and_a_resume_lets_it_go_on(
    home: Household, imap: ImapServer, tmp_path: Path
) -> None:
    await fill(imap, 100, days=31)
    async with home.run() as running, connector(environment(home, running, imap, tmp_path)) as service:
        await ready(service)
        await online(home, running)
        made = await operate(home, running, "create_backfill_job", **JANUARY, rate_limit_per_hour=72_000)

        async def begun() -> dict[str, Any] | None:
            job = await job_in(home, running, "active")
            return job if job["rows_processed"] else None

        started = await until(begun, what="the first batch")
        await operate(home, running, "backfill.pause", job_id=made["job_id"])

        async def counted() -> bool:
            paused = await job_in(home, running, "paused")
            taken = await home.pool.fetchval("SELECT count(*) FROM message_inbox")
            return bool(started["rows_processed"] <= paused["rows_processed"] == taken)

        await until(counted, what="the batch that was under way being counted")
        await operate(home, running, "backfill.resume", job_id=made["job_id"])
        done = await job_in(home, running, "completed")
    assert done["rows_processed"] == await home.pool.fetchval("SELECT count(*) FROM message_inbox") == 100
