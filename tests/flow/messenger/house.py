"""Switchboard and Messenger, both real, with the ways into them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.notify import NotifyResponseV1
from butler_contracts.parse import parse
from butler_kit.auth.signer import connector_claims
from butler_kit.config import parse_config
from butler_kit.db import Grant, SchemaPlan
from butler_kit.mail.normalize import FetchedMail, MailSource, normalise
from butler_kit.mcp import CachedMCPClient
from butler_kit.time import SystemClock
from butler_messenger.sql import SHARED_MIGRATIONS
from butler_switchboard.app import service_of
from butler_switchboard.registry.records import Declaration
from butler_switchboard.settings import SwitchboardConfig
from butler_switchboard.wiring import Switchboard
from tests.integration.messenger.household import ADA, PLANS, Client, Place, household
from tests.support.database import Provision
from tests.support.switchboard import BOT, MAILBOX, SWITCHBOARD_PLAN, telegram
from tests.support.telegram_api import message_update, person

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
        return await self._context_of(_envelope_of(mail, source or MailSource(MAILBOX)), "imap", MAILBOX)

    async def brought_by_the_connector(self, mail: FetchedMail) -> dict[str, Any]:
        """What Switchboard answers to the mailbox's connector for this mail."""
        return await self._submit(_envelope_of(mail, MailSource(MAILBOX)), "imap", MAILBOX)

    async def _submit(self, envelope: IngestEnvelopeV1, kind: str, endpoint: str) -> dict[str, Any]:
        claims = connector_claims(kind, endpoint, "interactive")
        binding = {"connector": claims["connector"]}
        token = self.place.keys.other(f"connector:{kind}", "connector", receiver="switchboard", **binding)
        return await self.call(token, "ingestion.ingest", {"envelope": envelope.to_wire()})

    async def _context_of(self, envelope: IngestEnvelopeV1, kind: str, endpoint: str) -> dict[str, Any]:
        accepted = await self._submit(envelope, kind, endpoint)
        pool = await self.place.database.pool("switchboard")
        context: dict[str, Any] = await pool.fetchval(
            "SELECT request_context FROM message_inbox WHERE request_id = $1::text::uuid",
            accepted["request_id"],
        )
        return context


def _envelope_of(mail: FetchedMail, source: MailSource) -> IngestEnvelopeV1:
    envelope = normalise(mail, source).content
    assert isinstance(envelope, IngestEnvelopeV1)
    return envelope


@asynccontextmanager
async def house(
    provisioned: Provision, folder: Path, *, after: str = "", mailbox: str | None = None
) -> AsyncIterator[House]:
    """`after` is more of Messenger's `butler.toml`; `mailbox` is what its manifest says of its inbox."""
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
            async with place.messenger(after=after) as messenger:
                endpoint = f"{messenger.base}/sse"
                declared = Declaration(role="messenger", endpoint_url=endpoint, mailbox=mailbox)
                await switchboard.parts.butlers.declare("messenger", declared, actor="test")
                await switchboard.parts.registry.refresh()
                yield House(place, switchboard, messenger, place.switchboard.url)
        finally:
            service.request_stop()
            await asyncio.wait_for(serving, _DEADLINE_S)
