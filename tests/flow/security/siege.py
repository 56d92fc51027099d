"""Hands hostile texts to a household over its real channels, waits for the end, and reads what became of each.

What is expected comes from the connectors' own pure normalisers, given what the provider handed out; what happened is
read from the database as its superuser, because a text must be intact where it is stored.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx

from butler_connectors.telegram_bot.normalize import TelegramSource
from butler_connectors.telegram_bot.normalize import envelope_of as telegram_envelope
from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.text import text_fault
from butler_kit.mail.normalize import FetchedMail, MailSource
from butler_kit.mail.normalize import normalise as normalise_mail
from examples.demo.providers import MAILBOX, webhook_token
from tests.flow.security.injection import HostileCase, mail_bytes, post_body, update_of
from tests.support.household import RunningPlace, until

__all__ = ["CHANNELS", "Arrived", "Siege"]

CHANNELS = ("telegram", "email", "api")
BOT = "telegram:bot:household"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DEADLINE_S = 600.0
LOOK_EVERY_S = 0.5
POSTS_AT_ONCE = 4
_INBOX = """
SELECT i.request_id::text, i.dedupe_key, i.source_channel, i.normalized_text, i.raw_payload,
       i.lifecycle_state, i.final_state_at, i.error_message, p.reason, p.plan,
       w.item_id IS NOT NULL AS waiting,
       ARRAY(SELECT s.target FROM switchboard.subroute s WHERE s.request_id = i.request_id) AS targets
FROM switchboard.message_inbox i
LEFT JOIN switchboard.route_plan p USING (request_id)
LEFT JOIN switchboard.inbox_work w ON w.item_id = i.request_id
"""
_OPEN_DELIVERIES = """
SELECT 1 FROM messenger.delivery_requests WHERE status IN ('pending', 'in_progress') LIMIT 1
"""


@dataclass(frozen=True)
class Sent:
    """A case on its way: `text` and `raw` are what the record must hold."""

    case: HostileCase
    channel: str
    key: str
    text: str
    raw: dict[str, Any]


@dataclass(frozen=True)
class Arrived:
    """A case at its end: what was expected of it, and its row in the record."""

    sent: Sent
    row: dict[str, Any]

    @property
    def targets(self) -> set[str]:
        return set(self.row["targets"])

    @property
    def payload(self) -> dict[str, Any]:
        stored: dict[str, Any] = json.loads(self.row["raw_payload"])["payload"]
        return stored

    def __str__(self) -> str:
        return f"{self.sent.case.id} by {self.sent.channel}"


class Siege:
    """Sends cases, each by the channels given; `refused` are the posts that the webhook did not take."""

    def __init__(self, running: RunningPlace) -> None:
        self._running = running
        self.sent: list[Sent] = []
        self.refused: dict[str, tuple[int, str]] = {}

    async def send(self, pairs: Iterable[tuple[HostileCase, str]]) -> None:
        posts = []
        for nth, (case, channel) in enumerate(pairs, start=1):
            if channel == "telegram":
                self._tell_bot(case, chat=-nth)
            elif channel == "email":
                await self._mail(case)
            else:
                posts.append(case)
        await self._post_all(posts)

    async def ended(self) -> list[Arrived]:
        """Wait until every request is terminal and every delivery settled."""

        async def settled() -> bool:
            rows = await self._running.rows(
                "SELECT count(*) AS all, count(final_state_at) AS done FROM switchboard.message_inbox"
            )
            await asyncio.sleep(LOOK_EVERY_S)
            return bool(len(self.sent) <= rows[0]["all"] == rows[0]["done"])

        async def told() -> bool:
            return not await self._running.rows(_OPEN_DELIVERIES)

        await until(settled, what="every hostile text has come to its end", deadline_s=DEADLINE_S)
        await until(told, what="every delivery is settled", deadline_s=DEADLINE_S)
        rows = await self._running.rows(_INBOX)
        by_key = {row["dedupe_key"]: row for row in rows} | {row["request_id"]: row for row in rows}
        assert len(rows) == len(self.sent), "a text was taken twice, or not at all"
        return [Arrived(sent, by_key[sent.key]) for sent in self.sent]

    def _tell_bot(self, case: HostileCase, *, chat: int) -> None:
        update = self._running.providers.telegram.inject(update_of(case, chat=chat))
        made = telegram_envelope(update, TelegramSource(BOT), now=NOW)
        self._note(case, "telegram", f"event:telegram:telegram:{BOT}:{update['update_id']}", made)

    async def _mail(self, case: HostileCase) -> None:
        own = f"<{case.id}@hostile.example>"
        content = mail_bytes(case, message_id=own)
        await self._running.providers.imap.deliver(content)
        made = normalise_mail(FetchedMail(1, 1, NOW, len(content), content), MailSource(f"imap:{MAILBOX}"))
        self._note(case, "email", f"event:email:imap:imap:{MAILBOX}:{own}", made.content)

    def _note(self, case: HostileCase, channel: str, key: str, made: object) -> None:
        assert isinstance(made, IngestEnvelopeV1), f"{case.id}: {made}"
        self.sent.append(Sent(case, channel, key, made.payload.normalized_text, dict(made.payload.raw or {})))

    async def _post_all(self, cases: list[HostileCase]) -> None:
        slots = asyncio.Semaphore(POSTS_AT_ONCE)
        headers = {"Authorization": f"Bearer {webhook_token()}", "Content-Type": "application/json"}
        async with (
            httpx.AsyncClient(timeout=60, trust_env=False, headers=headers) as client,
            asyncio.TaskGroup() as posts,
        ):
            for case in cases:
                posts.create_task(self._post(client, slots, case))

    async def _post(self, client: httpx.AsyncClient, slots: asyncio.Semaphore, case: HostileCase) -> None:
        url = f"{self._running.household.endpoints['webhook']}/v1/messages"
        async with slots:
            answer = await client.post(url, content=post_body(case), headers={"Idempotency-Key": case.id})
        if answer.status_code != 202:
            self.refused[case.id] = answer.status_code, answer.text
            return
        assert text_fault(case.text) is None
        raw = {"text": case.text, "sender": "ada", "thread": f"hostile {case.id}"}
        self.sent.append(Sent(case, "api", answer.json()["request_id"], case.text, raw))
