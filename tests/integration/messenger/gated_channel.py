"""A provider that answers when the test lets it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from butler_messenger.delivery.channels.port import Mark, Outgoing
from butler_messenger.delivery.decisions import Evidence
from butler_messenger.delivery.outcomes import ProviderOutcome, Sent

__all__ = ["GatedChannel"]


class GatedChannel:
    """Telegram as far as the worker knows it: no records, no second look; `sent` holds every text that went out.

    `before_answer` runs between the provider's acceptance and its answer.
    """

    name = "telegram"
    keeps_records = autofile = False

    def __init__(self, before_answer: Callable[[], Awaitable[None]]) -> None:
        self.sent: list[str] = []
        self.called = asyncio.Event()
        self._before_answer = before_answer

    def tool_for(self, outgoing: Outgoing) -> str:
        return "telegram_send_message"

    def part_count(self, outgoing: Outgoing) -> int:
        return 1

    async def records_problem(self) -> str | None:
        return None

    async def send(self, outgoing: Outgoing, *, part: int, mark: Mark) -> ProviderOutcome:
        await mark()
        self.sent.append(outgoing.message)
        self.called.set()
        await self._before_answer()
        return Sent(f"{len(self.sent)}")

    async def evidence(self, outgoing: Outgoing) -> Evidence:
        return "none"

    def record_id(self, outgoing: Outgoing) -> str:
        return ""

    async def aclose(self) -> None: ...
