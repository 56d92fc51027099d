"""From a butler's `notify` through Switchboard and Messenger to the person, and back (MSG-4)."""

from __future__ import annotations

import ast
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from butler_connectors.base.senders import SenderLists
from butler_connectors.imap.normalize import FetchedMail, MailSource, normalise
from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.notify import NotifyResponseV1
from butler_contracts.parse import parse
from butler_kit.auth.signer import connector_claims
from butler_kit.config import parse_config
from butler_kit.db import Grant, SchemaPlan
from butler_kit.mcp import CachedMCPClient, ToolError
from butler_kit.time import SystemClock
from butler_messenger.sql import SHARED_MIGRATIONS
from butler_switchboard.app import service_of
from butler_switchboard.registry.records import Declaration
from butler_switchboard.settings import SwitchboardConfig
from butler_switchboard.wiring import Switchboard
from tests.integration.messenger.household import ADA, PLANS, Client, Place, envelope, household, notify

import pytest

from butler_kit.mcp import ToolError
from tests.flow.messenger.house import House, house
from tests.integration.messenger.household import ADA, envelope, notify
from tests.support.database import Provision
from tests.support.telegram_api import Fault

SERVICES = Path(__file__).parents[3] / "services"
SHARED = SchemaPlan(
    "shared",
    "butler_messenger",
    PLANS[0].password,
    SHARED_MIGRATIONS,
    (Grant("butler_switchboard", ("contacts", "contact_info")),),
)
_DEADLINE_S = 90.0


@dataclass
class House:
    """Switchboard and Messenger, both real, and the butlers' and connector's way in."""

    place: Place
    switchboard: Switchboard
    messenger: Client
    url: str

    async def call(self, token: str, tool: str, args: dict[str, Any]) -> dict[str, Any]:
        client = CachedMCPClient(self.url, lambda: token, timeout_s=15.0)
        try:
            return await client.call(tool, args)
        finally:
            await client.aclose()

    async def notify(self, wish: dict[str, Any], *, name: str = "finance") -> NotifyResponseV1:
        token = self.place.keys.other(name, "butler", receiver="switchboard")
        return parse(NotifyResponseV1, await self.call(token, "notify", {"notify_request": wish}))

    async def context_of_message(self, *, sender: int = ADA) -> dict[str, Any]:
        """Somebody writes to the bot; the context that Switchboard keeps of it."""
        update = self.place.telegram.inject(message_update(person(sender, "Ada"), text="What did I spend?"))
        message_id = str(update["message"]["message_id"])
        envelope = telegram(
            update["update_id"],
            "What did I spend?",
            sender=str(sender),
            chat=str(sender),
            message_id=message_id,
        )
        return await self._context_of(envelope, "telegram_bot", BOT)

    async def context_of_mail(self, *headers: str) -> dict[str, Any]:
        """Ada writes a mail, which the real connector reads; the context that Switchboard keeps of it."""
        proof = "Authentication-Results: mx.example.org; dmarc=pass header.from=example.org"
        lines = [proof, "From: Ada <ada@example.org>", *headers, "", "130 euro for the plumber"]
        return await self.mail_read(*lines)

    async def mail_read(self, *lines: str, source: MailSource | None = None) -> dict[str, Any]:
        """A mail comes into the household's mailbox; the context that Switchboard keeps of it."""
        content = "\r\n".join(lines).encode()
        mail = FetchedMail(1, 1, datetime.now(UTC), len(content), content)
        envelope = normalise(mail, source or MailSource(MAILBOX)).content
        assert isinstance(envelope, IngestEnvelopeV1)
        return await self._context_of(envelope, "imap", MAILBOX)

    async def _context_of(self, envelope: IngestEnvelopeV1, kind: str, endpoint: str) -> dict[str, Any]:
        claims = connector_claims(kind, endpoint, "interactive")
        binding = {"connector": claims["connector"]}
        token = self.place.keys.other(f"connector:{kind}", "connector", receiver="switchboard", **binding)
        accepted = await self.call(token, "ingestion.ingest", {"envelope": envelope.to_wire()})
        pool = await self.place.database.pool("switchboard")
        context: dict[str, Any] = await pool.fetchval(
            "SELECT request_context FROM message_inbox WHERE request_id = $1::text::uuid",
            accepted["request_id"],
        )
        return context


@asynccontextmanager
async def house(provisioned: Provision, folder: Path) -> AsyncIterator[House]:
    async with household(provisioned, folder, plans=(SWITCHBOARD_PLAN, PLANS[0], SHARED)) as place:
        env = {
            "BUTLERS_DATABASE_URL": place.database.dsn("switchboard"),
            "BUTLERS_JWKS_FILE": str(place.keys.jwks),
            "BUTLERS_SIGNING_KEY_FILE": str(folder / "switchboard.pem"),
        }
        text = (
            '[butler]\nrole = "switchboard"\nport = 0\n[routing]\ntrusted_authserv_ids = ["mx.example.org"]\n'
        )
        config = parse_config(text, "butler.toml", SwitchboardConfig, env)
        switchboard = Switchboard(config, env, clock=SystemClock())
        service = service_of(switchboard)
        serving = asyncio.create_task(service.serve())
        await asyncio.wait_for(service.started.wait(), _DEADLINE_S)
        place.switchboard.url = f"http://127.0.0.1:{service.port}/mcp"
        try:
            async with place.messenger() as messenger:
                endpoint = Declaration(role="messenger", endpoint_url=f"{messenger.base}/sse")
                await switchboard.parts.butlers.declare("messenger", endpoint, actor="test")
                await switchboard.parts.registry.refresh()
                yield House(place, switchboard, messenger, place.switchboard.url)
        finally:
            service.request_stop()
            await asyncio.wait_for(serving, _DEADLINE_S)


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
