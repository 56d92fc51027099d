"""Sends the example messages through their real channels, each once the messages it follows are finished."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes
from typing import Any

import httpx

from examples.demo.household import DemoFailed
from examples.demo.providers import Providers, webhook_token
from tests.support.messages import ExampleMessage, fresh_mail, fresh_post, fresh_update

__all__ = ["Sender", "Sent", "waves"]


@dataclass(frozen=True)
class Sent:
    """A message that was sent: the key by which its request is found, or the request id from the answer."""

    message: ExampleMessage
    dedupe_key: str | None
    request_id: str | None
    sent_at: datetime


def waves(messages: list[ExampleMessage]) -> list[list[ExampleMessage]]:
    """Return the messages in rounds: everything that a message follows is in an earlier round."""
    placed: dict[str, int] = {}
    for message in messages:
        before = [*message.after, *([message.duplicate_of] if message.duplicate_of else [])]
        placed[message.id] = max((placed[name] + 1 for name in before), default=0)
    rounds = range(max(placed.values(), default=-1) + 1)
    return [[message for message in messages if placed[message.id] == number] for number in rounds]


class Sender:
    """Sends one message at a time; remembers the updates that the servers made."""

    def __init__(self, providers: Providers, webhook: str, *, run: str) -> None:
        self._providers = providers
        self._webhook = webhook
        self._run = run
        self._updates: dict[str, dict[str, Any]] = {}
        self._by_channel: dict[str, Callable[[ExampleMessage], Awaitable[Sent]]] = {
            "telegram": self._telegram,
            "email": self._email,
            "api": self._api,
        }

    async def send(self, message: ExampleMessage) -> Sent:
        return await self._by_channel[message.channel](message)

    async def _telegram(self, message: ExampleMessage) -> Sent:
        now = datetime.now(UTC)
        if message.duplicate_of is not None:
            update = self._updates[message.duplicate_of]
            self._providers.telegram.redeliver(update["update_id"])
        else:
            update = self._providers.telegram.inject(fresh_update(message, now=now, injected=self._updates))
        self._updates[message.id] = update
        key = f"event:telegram:telegram:{message.endpoint}:{update['update_id']}"
        return Sent(message, key, None, now)

    async def _email(self, message: ExampleMessage) -> Sent:
        now = datetime.now(UTC)
        raw = fresh_mail(message, now=now, run=self._run)
        await self._providers.imap.deliver(raw)
        key = f"event:email:imap:{message.endpoint}:{message_from_bytes(raw)['Message-ID']}"
        return Sent(message, key, None, now)

    async def _api(self, message: ExampleMessage) -> Sent:
        now = datetime.now(UTC)
        key, body = fresh_post(message, run=self._run)
        headers = {"Authorization": f"Bearer {webhook_token()}", "Idempotency-Key": key}
        async with httpx.AsyncClient(timeout=15, trust_env=False) as client:
            answer = await client.post(f"{self._webhook}/v1/messages", json=body, headers=headers)
        if answer.status_code != 202:
            raise DemoFailed(f"{message.id}: the webhook answered {answer.status_code}: {answer.text[:200]}")
        return Sent(message, None, answer.json()["request_id"], now)
