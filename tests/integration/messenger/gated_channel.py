"""A provider that answers when the test lets it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from butler_kit.db import Pool
from butler_kit.telemetry import MESSENGER, Metrics
from butler_kit.time import Clock
from butler_messenger.attachments.carrying import Carrier, FileSettings
from butler_messenger.attachments.origins import AttachmentRules
from butler_messenger.attachments.readers import Readers
from butler_messenger.delivery.channels.port import Mark, Outgoing
from butler_messenger.delivery.circuits import Circuits
from butler_messenger.delivery.decisions import Evidence
from butler_messenger.delivery.metrics import DeliveryMetrics
from butler_messenger.delivery.outcomes import ProviderOutcome, Sent
from butler_messenger.delivery.store import DeliveryStore

__all__ = ["GatedChannel"]


class GatedChannel:
    """Telegram as far as the worker knows it: no records, no second look; `sent` holds every text that went out.

    `before_answer` runs between the provider's acceptance and its answer.
    """

    name = "telegram"
    keeps_records = autofile = carries_files = False

    def __init__(self, before_answer: Callable[[], Awaitable[None]]) -> None:
        self.sent: list[str] = []
        self.called = asyncio.Event()
        self._before_answer = before_answer

    def tool_for(self, outgoing: Outgoing) -> str:
        return "telegram_send_message"

    def part_count(self, outgoing: Outgoing) -> int:
        return 1

    def enclosed(self, outgoing: Outgoing, part: int) -> tuple[int, ...]:
        return ()

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


def carries_nothing(pool: Pool, store: DeliveryStore, circuits: Circuits, clock: Clock) -> Carrier:
    """Of a Messenger whose manifest names no origins of files."""
    settings = FileSettings(AttachmentRules(), None, 0.0)
    metrics = DeliveryMetrics(Metrics(MESSENGER))
    return Carrier(settings, store, Readers(pool, "en"), circuits, metrics, clock)
