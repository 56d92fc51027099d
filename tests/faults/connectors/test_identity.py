"""Which message is which, from a provider's wire to the requests of a real Switchboard (CNX-03, D7, D8).

Looked at from outside: what the butlers were given, the inbox, and the page that `butlers trace` prints.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from tests.faults.connectors.sources import BOT, MAILBOX, imap_env, letter, telegram_env
from tests.faults.ledger import LEDGER
from tests.integration.connectors.running import connector, ready
from tests.support.butlers import accepts_then_answers
from tests.support.database import Provision
from tests.support.mail.imap_server import ImapServer
from tests.support.switchboard_service import Household, Running, household, until
from tests.support.telegram_api import TelegramApiServer, message_update, person

ADA = person(1001, "Ada")
BILL = "I paid the gas bill of 40 euro"


@pytest.fixture
async def home(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Household]:
    async with household(provisioned, tmp_path, "general", "finance") as made:
        for one in made.butlers.values():
            one.behaviour = accepts_then_answers()
        yield made


def env_of(home: Household, running: Running, folder: Path, kind: str, place: Any) -> dict[str, str]:
    """The environment of a connector that submits to the running Switchboard."""
    endpoint = BOT if kind == "telegram_bot" else MAILBOX
    token = folder / f"{kind}.jwt"
    token.write_text(home.keys.connector(kind, endpoint))
    way: dict[str, Any] = {"switchboard": f"{running.url}/sse", "token": token}
    if kind == "telegram_bot":
        return telegram_env(folder, api=place.url, **way)
    return imap_env(folder, port=place.port, **way)


async def inbox(home: Household, count: int) -> list[dict[str, Any]]:
    """The requests in order, once there are `count` of them and all have ended."""

    async def ended() -> list[dict[str, Any]]:
        rows = await home.pool.fetch("SELECT * FROM message_inbox ORDER BY received_at")
        done = len(rows) >= count and all(row["final_state_at"] is not None for row in rows)
        return [dict(row) for row in rows] if done else []

    found: list[dict[str, Any]] = await until(ended, what=f"{count} requests have ended", deadline_s=90)
    return found


async def settled_up_to(imap: ImapServer, folder: Path, uid: int) -> None:
    """Wait until the mailbox's checkpoint has passed this mail."""
    file = folder / "imap" / "cursor.json"

    async def passed() -> bool:
        return f"/{uid}/" in file.read_text()

    await until(passed, what=f"the checkpoint passes mail {uid}", deadline_s=90)


async def trace(home: Household, running: Running, request_id: UUID) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {home.keys.operator()}"}
    async with httpx.AsyncClient(trust_env=False, timeout=30) as client:
        answer = await client.get(f"{running.url}/ops/v1/requests/{request_id}", headers=headers)
    answer.raise_for_status()
    document: dict[str, Any] = answer.json()
    return document


def given(home: Household) -> int:
    """How many pieces of work the butlers were given, repeats left out."""
    return len({work.subrequest.subrequest_id for one in home.butlers.values() for work in one.got})


async def test_another_mail_under_a_known_message_id_is_its_own_request_and_shows_as_a_conflict(
    home: Household, imap: ImapServer, tmp_path: Path
) -> None:
    async with home.run() as running:
        async with connector(env_of(home, running, tmp_path, "imap", imap)) as service:
            await ready(service)
            await imap.deliver(letter(BILL, message_id="<one@example.org>"))
            await inbox(home, 1)
            await imap.deliver(letter("Transfer 9,999 euro", message_id="<one@example.org>"))
            await inbox(home, 2)
            # The whole mailbox is read once more: nothing of it is new.
            imap.change_uid_validity()
            last = await imap.deliver(letter("I paid the phone bill of 5 euro"))
            rows = await inbox(home, 3)
            await settled_up_to(imap, tmp_path, last)
        first = next(row for row in rows if BILL in row["normalized_text"])
        page = await trace(home, running, first["request_id"])
        count = await home.pool.fetchval("SELECT count(*) FROM message_inbox")
    LEDGER.messages += 3
    assert (count, given(home)) == (3, 3)
    [conflict] = page["dedupe_conflicts"]
    assert "9,999" in conflict["envelope"]["payload"]["normalized_text"]
    assert BILL in page["envelope"]["payload"]["normalized_text"]


async def test_mails_without_an_id_are_known_by_their_content_and_the_same_body_under_two_ids_is_two(
    home: Household, imap: ImapServer, tmp_path: Path
) -> None:
    async with (
        home.run() as running,
        connector(env_of(home, running, tmp_path, "imap", imap)) as service,
    ):
        await ready(service)
        await imap.deliver(letter(BILL))
        await imap.deliver(letter("I paid the water bill of 12 euro"))
        await imap.deliver(letter("I paid the rent of 900 euro", message_id="<rent-1@example.org>"))
        await imap.deliver(letter("I paid the rent of 900 euro", message_id="<rent-2@example.org>"))
        await inbox(home, 4)
        # The whole mailbox is read once more: nothing of it is new.
        imap.change_uid_validity()
        last = await imap.deliver(letter("I paid the phone bill of 5 euro"))
        rows = await inbox(home, 5)
        await settled_up_to(imap, tmp_path, last)
        count = await home.pool.fetchval("SELECT count(*) FROM message_inbox")
    LEDGER.messages += 5
    assert (len(rows), count, given(home)) == (5, 5, 5)
    assert len({row["request_id"] for row in rows}) == 5


async def test_a_mail_without_an_id_that_is_read_again_after_the_hour_is_the_same_mail(
    home: Household, imap: ImapServer, tmp_path: Path
) -> None:
    hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    async with (
        home.run() as running,
        connector(env_of(home, running, tmp_path, "imap", imap)) as service,
    ):
        await ready(service)
        await imap.deliver(letter(BILL), when=hour - timedelta(seconds=1))
        await inbox(home, 1)
        # Read again in the hour that follows; and the same words once more, a second after the hour.
        imap.change_uid_validity()
        again = await imap.deliver(letter(BILL), when=hour + timedelta(seconds=1))
        # One after the other: admitted together, two mails of one hour with the same words are one.
        await settled_up_to(imap, tmp_path, again)
        last = await imap.deliver(letter(BILL), when=hour + timedelta(minutes=6))
        rows = await inbox(home, 2)
        await settled_up_to(imap, tmp_path, last)
        count = await home.pool.fetchval("SELECT count(*) FROM message_inbox")
    LEDGER.messages += 3
    assert (len(rows), count, given(home)) == (2, 2, 2)


async def test_an_identical_yes_twice_in_a_minute_is_two_requests_in_their_order(
    home: Household, telegram: TelegramApiServer, tmp_path: Path
) -> None:
    async with (
        home.run() as running,
        connector(env_of(home, running, tmp_path, "telegram_bot", telegram)) as service,
    ):
        await ready(service)
        first, second = (
            telegram.inject(message_update(ADA, text="yes", date=1_790_000_000)) for _ in range(2)
        )
        rows = await inbox(home, 2)
        # One of them is handed out once more: it is known by its update, not by its words.
        telegram.redeliver(first["update_id"])
        telegram.inject(message_update(ADA, text=BILL))
        rows = await inbox(home, 3)
    LEDGER.messages += 3
    events = [row["external_event_id"] for row in rows]
    assert events[:2] == [str(first["update_id"]), str(second["update_id"])]
    assert (len(rows), given(home)) == (3, 3)
