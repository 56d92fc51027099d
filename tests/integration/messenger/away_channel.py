"""A provider that is away, or there, as the test says; it counts how many calls it has in hand at one moment."""

from __future__ import annotations

import asyncio

from butler_contracts.errors import ErrorClass
from butler_messenger.delivery.channels.port import Mark, Outgoing
from butler_messenger.delivery.outcomes import Failure, ProviderOutcome, Unreachable
from tests.integration.messenger.gated_channel import GatedChannel

__all__ = ["AwayChannel"]


class AwayChannel(GatedChannel):
    """Telegram as far as the worker knows it; calls wait while `answering` is clear."""

    def __init__(self) -> None:
        super().__init__(self._answers)
        self.away = True
        self.answering = asyncio.Event()
        self.answering.set()
        self.calls = self.in_hand = 0
        self.beside: list[int] = []
        """For each call since the provider is back, how many were in hand with it."""

    async def send(self, outgoing: Outgoing, *, part: int, mark: Mark) -> ProviderOutcome:
        self.calls += 1
        self.in_hand += 1
        try:
            if not self.away:
                self.beside.append(self.in_hand)
                return await super().send(outgoing, part=part, mark=mark)
            self.called.set()
            await self.answering.wait()
            return Unreachable(Failure(ErrorClass.TARGET_UNAVAILABLE, "no route to the provider", True))
        finally:
            self.in_hand -= 1

    async def _answers(self) -> None:
        await self.answering.wait()
        await asyncio.sleep(0.05)  # whoever may call beside this one does so meanwhile
