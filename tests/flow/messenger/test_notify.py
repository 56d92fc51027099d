"""From a butler's `notify` through Switchboard and Messenger to the person, and back (MSG-4)."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from butler_kit.mail.normalize import MailSource
from butler_kit.mcp import ToolError
from butler_kit.sources.senders import SenderLists
from tests.flow.messenger.house import House, house
from tests.integration.messenger.household import ADA, envelope, notify
from tests.support.database import Provision
from tests.support.switchboard import MAILBOX
from tests.support.telegram_api import Fault

SERVICES = Path(__file__).parents[3] / "services"

_DEADLINE_S = 90.0


@pytest.fixture
async def home(provisioned: Provision, tmp_path: Path) -> AsyncIterator[House]:
    async with house(provisioned, tmp_path) as made:
        yield made


@pytest.mark.spec("MSG-4", "MSG-5.2")
async def test_a_butlers_answer_goes_through_switchboard_and_messenger_and_its_outcome_comes_back(
    home: House,
) -> None:
    context = await home.context_of_message()
    wish = notify("12 euro.", intent="reply", context=context)
    answer = await home.notify(wish)
    again = await home.notify(wish)
    assert answer.delivery is not None
    assert (answer.status, answer.delivery.state) == ("ok", "sent")
    assert answer == again
    [sent] = home.place.telegram.sent
    assert (sent["chat_id"], sent["text"]) == (ADA, "[finance] 12 euro.")
    assert str(sent["reply_to_message_id"]) == context["source_message_identity"]
    row = await home.place.row(answer.delivery.delivery_id)
    assert (row["origin_butler"], str(row["request_id"])) == ("finance", context["request_id"])


@pytest.mark.spec("MSG-4", "MSG-6.5")
async def test_switchboards_policy_and_messengers_refusals_come_back_normalised(home: House) -> None:
    with pytest.raises(ToolError, match="origin_butler"):
        await home.notify(notify(origin="health", idempotency_key="x"))
    refused = await home.notify(notify(recipient="424242", idempotency_key="y"))
    assert refused.error is not None
    assert (refused.error.error_class.value, refused.error.retryable) == ("validation_error", False)
    assert home.place.telegram.sent == []


@pytest.mark.spec("MSG-4", "MSG-5.2")
async def test_a_butler_cannot_go_round_switchboard(home: House) -> None:
    token = home.place.keys.other("finance", "butler", receiver="switchboard")
    stolen = await home.messenger.get("/ops/v1/deliveries", token=token)
    assert stolen.status_code == 401
    own = home.place.keys.other("finance", "butler", receiver="messenger")
    assert not {t for t in await home.messenger.listed_tools(own) if t.startswith(("telegram_", "email_"))}
    with pytest.raises(ToolError, match="notify"):
        await home.messenger.tool("notify", {"notify_request": notify(idempotency_key="x")}, token=own)
    direct = await home.messenger.execute(envelope(notify(idempotency_key="x")), token=own)
    assert direct.error is not None
    assert "'finance'" in direct.error.message
    assert home.place.telegram.sent == []
    # Taking messages in, and routing them, is Switchboard's: Messenger offers nothing of it to anybody.
    for bearer in (own, home.place.keys.switchboard(), home.messenger.operator()):
        offered = await home.messenger.listed_tools(bearer)
        assert not {t for t in offered if t.startswith(("ingestion.", "connector.", "backfill.", "route_to"))}


@pytest.mark.spec("MSG-4", "MSG-5.2")
def test_no_other_service_has_a_providers_library() -> None:
    sending = {"telegram", "aiosmtplib", "smtplib"}
    others = [
        path
        for name in ("butler_switchboard", "butler_specialist")
        for path in (SERVICES / name).rglob("*.py")
    ]
    assert len(others) > 20
    for path in others:
        assert not _imported(path) & sending, path


def _imported(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    plain = {name.name.split(".")[0] for node in nodes if isinstance(node, ast.Import) for name in node.names}
    return plain | {(node.module or "").split(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}


async def test_the_end_of_a_slow_delivery_reaches_switchboard_by_itself(home: House) -> None:
    home.place.telegram.script(Fault("sendMessage", "slow", count=1, delay_s=3.0))
    answer = await home.notify(notify(idempotency_key="slow"))
    assert answer.delivery is not None
    assert answer.delivery.state == "queued"
    await home.place.until_reported(answer.delivery.delivery_id)
    pool = await home.place.database.pool("switchboard")
    states = await pool.fetch("SELECT delivery_state FROM notifications")
    assert [row["delivery_state"] for row in states] == ["sent"]


async def test_a_stranger_is_not_answered_and_the_owner_is_told(home: House) -> None:
    context = await home.context_of_message(sender=666)
    assert context["reply_policy"] == "owner"
    forged = {**context, "reply_policy": "allow", "sender_class": "household"}
    with pytest.raises(ToolError, match="not answered"):
        await home.notify(notify("hello", intent="reply", context=forged))
    told = await home.notify(notify("A stranger wrote.", context=context))
    assert told.status == "ok"
    assert [sent["chat_id"] for sent in home.place.telegram.sent] == [ADA]


async def test_answers_to_a_mail_keep_its_subject_and_its_conversation(home: House) -> None:
    asked = ("Message-ID: <second@example.org>", "References: <first@example.org>")
    subject = "Subject: AW: Re: =?utf-8?q?Klempner_f=C3=BCr_Dienstag=0D=0ABcc=3A_eve=40evil.example?="
    context = await home.context_of_mail(*asked, subject)
    assert context["reply_policy"] == "allow"
    for origin in ("finance", "health"):
        wish = notify(
            "Noted: 130.00 EUR.",
            intent="reply",
            channel="email",
            context=context,
            origin=origin,
            subject="Noted: 130.00 EUR",
        )
        assert (await home.notify(wish, name=origin)).status == "ok"
    mails = [mail.message() for mail in home.place.smtp.accepted]
    assert [mail["Subject"] for mail in mails] == [
        "Re: [finance] Klempner für Dienstag Bcc: eve@evil.example",
        "Re: [health] Klempner für Dienstag Bcc: eve@evil.example",
    ]
    assert {mail["In-Reply-To"] for mail in mails} == {"<second@example.org>"}
    assert {mail["References"] for mail in mails} == {"<first@example.org> <second@example.org>"}
    assert {mail["Bcc"] for mail in mails} == {None}


async def test_an_answer_to_a_mail_without_a_subject_has_a_short_one(home: House) -> None:
    context = await home.context_of_mail("Message-ID: <third@example.org>")
    wish = notify("Noted: 130.00 EUR.", intent="reply", channel="email", context=context)
    assert (await home.notify(wish)).status == "ok"
    assert [mail.subject for mail in home.place.smtp.accepted] == ["Re: [finance] Your message"]


async def test_who_unsubscribes_by_what_a_mail_offers_is_not_written_to_unasked_again(home: House) -> None:
    eve: dict[str, Any] = {"channel": "email", "recipient": "eve@example.org"}
    await home.notify(notify("Dinner at eight", idempotency_key="1", **eve))
    [mail] = home.place.smtp.accepted
    link = urlsplit(str(mail.message()["List-Unsubscribe"]).strip("<>"))
    [subject] = parse_qs(link.query)["subject"]
    only_family = MailSource(MAILBOX, senders=SenderLists.of(allow="@example.org"))
    program = (
        "From: eve@other.example",
        f"To: {link.path}",
        f"Subject: {subject}",
        "Message-ID: <u@x>",
        "",
        "",
    )
    await home.mail_read(*program, source=only_family)
    async with asyncio.timeout(_DEADLINE_S):
        while not await home.place.rows("SELECT 1 FROM suppression"):
            await asyncio.sleep(0.02)
    refused = await home.notify(notify("Lunch at one", idempotency_key="2", **eve))
    assert refused.error is not None
    assert "(unsubscribed: by mail, in answer to one of finance)" in refused.error.message
    assert len(home.place.smtp.accepted) == 1
