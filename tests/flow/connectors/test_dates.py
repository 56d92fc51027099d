"""What comes late keeps its day: real mailbox, real Switchboard, real specialist, from the message to the records."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest

from butler_contracts.problems import ContractViolation, FieldProblem
from butler_contracts.route import RouteEnvelopeV1
from butler_switchboard.registry.records import Declaration
from tests.flow.connectors.test_backfill import environment, job_in, online, operate
from tests.integration.connectors.running import connector, ready
from tests.integration.connectors.test_imap import PASSWORD, USER, mail
from tests.integration.specialist.household import CountingSwitchboard, Place, plan_for
from tests.support.butlers import FakeButler, accepts_then_answers, refuses
from tests.support.database import Provision
from tests.support.mail.imap_server import ImapServer
from tests.support.switchboard import MAILBOX, telegram
from tests.support.switchboard_service import Household, Running, household, until

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YEAR = {
    "connector_type": "imap",
    "endpoint_identity": MAILBOX,
    "date_from": "2025-12-25",
    "date_to": "2026-01-31",
}


@pytest.fixture
async def imap() -> AsyncIterator[ImapServer]:
    async with ImapServer(user=USER, password=PASSWORD) as server:
        yield server


@pytest.fixture
async def home(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Household]:
    async with household(provisioned, tmp_path, "general") as home:
        yield home


@pytest.fixture
async def finance(provisioned: Provision, tmp_path: Path, home: Household) -> Place:
    """A real finance specialist's place; it runs as long as `serving` says."""
    database = await provisioned(plan_for("finance"))
    pool = await database.pool("finance")
    return Place(tmp_path, "finance", database, pool, home.keys, CountingSwitchboard())


@asynccontextmanager
async def serving(finance: Place, running: Running) -> AsyncIterator[None]:
    finance.switchboard.url = f"{running.url}/mcp"
    async with finance.specialist() as client:
        parts = running.switchboard.parts
        declared = Declaration(role="specialist", endpoint_url=f"{client.base}/mcp")
        await parts.butlers.declare("finance", declared, actor="test")

        async def registered() -> bool:
            await parts.registry.refresh()
            return parts.registry.view().eligible("finance")

        await until(registered, what="the specialist being eligible")
        yield


def typed(text: str) -> dict[str, Any]:
    """What `butlers send --channel api` submits."""
    return {
        "schema_version": "ingest.v1",
        "source": {"channel": "api", "provider": "internal", "endpoint_identity": "butlers-send"},
        "event": {
            "external_event_id": f"butlers-send:{uuid4()}",
            "observed_at": datetime.now(UTC).isoformat(),
        },
        "sender": {"identity": "ada"},
        "payload": {"raw": {"text": text}, "normalized_text": text},
        "control": {},
    }


async def ask(home: Household, running: Running, text: str) -> str:
    answer = await running.call(home.keys.operator(), "ingestion.ingest", {"envelope": typed(text)})
    row = await home.finished(UUID(answer["request_id"]))
    return str(row["aggregated_reply"])


async def days(finance: Place) -> list[tuple[str, date]]:
    return [(str(row["amount"].normalize()), row["occurred_on"]) for row in await finance.records()]


async def test_mail_of_january_that_is_read_today_is_booked_in_january(
    home: Household, finance: Place, imap: ImapServer, tmp_path: Path
) -> None:
    late_evening = datetime(2026, 1, 15, 22, 30, tzinfo=UTC)
    after_midnight_at_home = datetime(2025, 12, 31, 23, 30, tzinfo=UTC)
    await imap.deliver(mail(1, "I paid 42 EUR at Rewe yesterday."), when=late_evening)
    await imap.deliver(mail(2, "I paid the gas bill of 40.50 EUR."), when=after_midnight_at_home)
    ours = f'[routing]\ntrusted_endpoints = ["{MAILBOX}"]\n'
    async with home.run(ours) as running, serving(finance, running):
        async with connector(environment(home, running, imap, tmp_path)) as service:
            await ready(service)
            await online(home, running)
            await operate(home, running, "create_backfill_job", **NEW_YEAR, rate_limit_per_hour=72_000)
            await job_in(home, running, "completed")
        await home.idle()
        january = await ask(home, running, "How much did we spend in January 2026?")
        november = await ask(home, running, "How much did we spend in November 2026?")
    assert sorted(await days(finance)) == [("40.5", date(2026, 1, 1)), ("42", date(2026, 1, 14))]
    assert "82.50 EUR" in january
    assert "EUR" not in november
    assert home.messenger.got == []


async def test_after_a_weekend_without_switchboard_every_day_is_the_one_that_was_meant(
    home: Household, finance: Place
) -> None:
    """Friday's, Saturday's and Sunday's messages arrive on Monday, together with a question of Friday."""
    monday = datetime.now(UTC)
    friday, sunday = monday - timedelta(days=3), monday - timedelta(hours=20)
    async with home.run() as running, serving(finance, running):
        for number, text, moment in (
            (1, "Paid 42.00 EUR at Rewe yesterday.", friday),
            (2, "Paid 17.30 EUR for the taxi.", friday),
            (3, "Paid 9.90 EUR for lunch today.", sunday),
            (4, "Paid 5.00 EUR for coffee today.", monday),
        ):
            await running.accepted(telegram(number, text, observed_at=moment))
            await home.idle()
    meant = {
        "42": friday.astimezone(BERLIN).date() - timedelta(days=1),
        "17.3": friday.astimezone(BERLIN).date(),
        "9.9": sunday.astimezone(BERLIN).date(),
        "5": monday.astimezone(BERLIN).date(),
    }
    assert dict(await days(finance)) == meant
    undated = next(row for row in await finance.records() if "taxi" in row["text"])
    assert undated["details"] == {"day": "of the message"}


async def test_work_that_waits_at_the_specialist_keeps_its_day_over_a_restart(
    home: Household, finance: Place
) -> None:
    friday = datetime.now(UTC) - timedelta(days=3)
    async with home.run() as running:
        async with serving(finance, running):
            await running.accepted(telegram(1, "Paid 42 EUR at Rewe yesterday.", observed_at=friday))
            await home.idle()
        envelope = await finance.pool.fetchval("SELECT envelope FROM route_inbox")
        # The release before reads these rows too, and refuses what it does not know.
        assert "observed_at" not in envelope["request_context"]
        # As if the process had died before its outcome.
        await home.pool.execute("UPDATE subroute SET state = 'accepted', finished_at = NULL, response = NULL")
        await finance.pool.execute(
            "WITH gone AS (DELETE FROM records) UPDATE route_inbox SET outcome_at = NULL, finished_at = NULL, "
            "lifecycle_state = 'accepted', result = NULL, notify_request = NULL"
        )
        await finance.pool.execute(
            "INSERT INTO route_work (item_id, lane, source, available_at, enqueued_at) "
            "SELECT subrequest_id, 'default', 'telegram', now(), now() FROM route_inbox"
        )
        async with serving(finance, running):

            async def kept() -> bool:
                return bool(await finance.records())

            await until(kept, what="the work being done after the restart")
    assert await days(finance) == [("42", friday.astimezone(BERLIN).date() - timedelta(days=1))]


async def test_a_butler_of_the_release_before_gets_the_work_without_the_moment(home: Household) -> None:
    works = accepts_then_answers()
    unknown = FieldProblem(
        "request_context.observed_at", "is not a known field", "only fields of this version"
    )
    refusal = refuses(ContractViolation("route.v1", (unknown,)))

    async def of_the_release_before(butler: FakeButler, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        dated = envelope.request_context.observed_at is not None
        return await (refusal if dated else works)(butler, envelope)

    general = home.butler("general")
    general.behaviour = of_the_release_before
    long_ago = datetime.now(UTC) - timedelta(days=3)
    async with home.run() as running:
        row = await home.finished(await running.accepted(telegram(1, "good morning", observed_at=long_ago)))
    dated, undated = general.got
    assert dated.request_context.observed_at == long_ago
    assert undated == dated.undated()
    assert row["lifecycle_state"] == "parsed"
    assert "observed_at" not in row["request_context"]


async def test_a_pasted_statement_of_two_hundred_lines_arrives_whole(home: Household, finance: Place) -> None:
    rows = (
        f"{n % 28 + 1:02d}.10.2026 Stadtmarkt Kartenzahlung Nr. {n:03d}   {n}.10 EUR" for n in range(1, 201)
    )
    async with home.run() as running, serving(finance, running):
        reply = await ask(home, running, "My card statement of October, all paid:\n" + "\n".join(rows))
    assert "Spent in October 2026: 20,120.00 EUR." in reply
    assert len(await finance.records()) == 200
