"""What lies in the mailbox enters by Messenger's inbox tool once, whoever brings it (MSG-5, D47, ADR 0088)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from butler_kit.mail.normalize import FetchedMail
from butler_kit.mcp import ToolError
from tests.flow.messenger.house import House, house
from tests.integration.messenger.household import ADDRESS, MAIL_PASSWORD
from tests.support.database import Provision
from tests.support.mail.imap_server import ImapServer
from tests.support.switchboard import MAILBOX

PROOF = "Authentication-Results: mx.example.org; dmarc=pass header.from=example.org"


@pytest.fixture
async def imap() -> AsyncIterator[ImapServer]:
    async with ImapServer(user=ADDRESS, password=MAIL_PASSWORD) as server:
        yield server


def inbox(imap: ImapServer) -> str:
    return (
        f'\n[modules.email.bot.inbox]\nhost = "127.0.0.1"\nport = {imap.port}\ntls = "none"\n'
        f'endpoint_identity = "{MAILBOX}"\n'
    )


def mail(number: int, *, message_id: bool = True) -> bytes:
    own_id = f"Message-ID: <mail-{number}@example.org>\r\n" if message_id else ""
    head = f"{PROOF}\r\nFrom: Ada <ada@example.org>\r\n{own_id}Subject: Mail {number}\r\n"
    return f"{head}\r\n130 euro for the plumber\r\n> as you said\r\n".encode()


async def route(home: House, **asked: Any) -> dict[str, Any]:
    return await home.messenger.tool("email_check_and_route_inbox", asked)


def statuses(answer: dict[str, Any]) -> list[str]:
    return [one["status"] for one in answer["messages"]]


async def brought(home: House, imap: ImapServer, uid: int, content: bytes, when: datetime) -> dict[str, Any]:
    """The mailbox's connector brings a mail of it, as it reads it."""
    return await home.brought_by_the_connector(
        FetchedMail(uid, imap.uid_validity, when, len(content), content)
    )


@pytest.mark.spec("MSG-5")
async def test_a_mail_enters_once_whether_the_connector_or_the_tool_brings_it(
    provisioned: Provision, tmp_path: Path, imap: ImapServer
) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    mails = [mail(1), mail(2, message_id=False), mail(3), mail(4, message_id=False)]
    uids = [await imap.deliver(content, when=now) for content in mails]
    await imap.deliver(mail(9), when=now - timedelta(hours=30))
    async with house(provisioned, tmp_path, after=inbox(imap), mailbox=MAILBOX) as home:
        first = [await brought(home, imap, uids[at], mails[at], now) for at in (0, 1)]
        answer = await route(home)
        again = await route(home)
        metrics = (await home.messenger.get("/metrics")).text
        late = [await brought(home, imap, uids[at], mails[at], now) for at in (2, 3)]
        pool = await home.place.database.pool("switchboard")
        rows = await pool.fetch("SELECT request_context FROM message_inbox ORDER BY received_at")
    assert statuses(answer) == ["duplicate", "duplicate", "accepted", "accepted"]
    assert statuses(again) == ["duplicate"] * 4
    for outcome, number in (("accepted", 2), ("duplicate", 6)):
        assert f'butlers_messenger_inbox_mail_total{{outcome="{outcome}"}} {number}.0' in metrics
    requests = [one["request_id"] for one in answer["messages"]]
    assert requests == [one["request_id"] for one in again["messages"]]
    assert requests == [one["request_id"] for one in (*first, *late)]
    assert [one["duplicate"] for one in late] == [True, True]
    assert (answer["looked_at"], answer["accepted"], answer["next"]) == (4, 2, None)
    # By the tool it is the same message as by the connector: proven as Ada's, and at no higher tier.
    contexts = [row["request_context"] for row in rows]
    assert len(contexts) == 4
    assert {one["source_endpoint_identity"] for one in contexts} == {MAILBOX}
    assert {one["sender_class"] for one in contexts} == {"household"}


async def test_a_long_mailbox_is_routed_in_pages_that_leave_nothing_out(
    provisioned: Provision, tmp_path: Path, imap: ImapServer
) -> None:
    for number in range(1, 6):
        await imap.deliver(mail(number))
    async with house(provisioned, tmp_path, after=inbox(imap), mailbox=MAILBOX) as home:
        pages = [await route(home, limit=2)]
        while pages[-1]["next"] is not None:
            pages.append(await route(home, limit=2, after=pages[-1]["next"]))
    assert [statuses(page) for page in pages] == [["accepted"] * 2, ["accepted"] * 2, ["accepted"]]


async def test_switchboard_takes_mail_of_messenger_only_for_the_mailbox_of_its_manifest(
    provisioned: Provision, tmp_path: Path, imap: ImapServer
) -> None:
    await imap.deliver(mail(1))
    async with house(provisioned, tmp_path, after=inbox(imap), mailbox="imap:another@example.org") as home:
        [refused] = (await route(home))["messages"]
        keys = home.place.keys
        own = keys.other("finance", "butler", receiver="switchboard")
        with pytest.raises(ToolError, match="no tool"):
            await home.call(own, "ingestion.ingest", {"envelope": {}})
        pool = await home.place.database.pool("switchboard")
        admitted = await pool.fetchval("SELECT count(*) FROM message_inbox")
    assert (refused["status"], "'imap:another@example.org'" in refused["reason"]) == ("refused", True)
    assert admitted == 0
