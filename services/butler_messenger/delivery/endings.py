"""Stores the end of a delivery, through any outage, and announces it afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from butler_contracts.errors import TargetUnavailable, TimedOut
from butler_kit.faults import points, reached_async
from butler_kit.queue import Decision, Finish
from butler_kit.telemetry import SpanName, get_logger, span
from butler_messenger.delivery.metrics import DeliveryMetrics
from butler_messenger.delivery.records import Delivery
from butler_messenger.delivery.states import Status

__all__ = ["Endings"]

_log = get_logger(__name__)

_PERSIST_PAUSE_S: Final = 0.2
_LONGEST_PERSIST_PAUSE_S: Final = 5.0

T = TypeVar("T")


class Endings:
    """`on_terminal` is called with each delivery that ended, once that is stored."""

    def __init__(self, metrics: DeliveryMetrics, on_terminal: Callable[[Delivery], None]) -> None:
        self._metrics = metrics
        self._on_terminal = on_terminal

    async def end(self, write: Callable[[], Awaitable[Delivery | None]]) -> Decision:
        """Store an end, then announce it; None from `write` means that it had ended already."""
        await self.announce(await self.persist(write))
        return Finish()

    async def announce(self, ended: Delivery | None) -> None:
        """Announce a stored end; None means that it had ended already."""
        if ended is not None:
            await reached_async(points.RECEIPT_COMMITTED, ended.channel, ended.intent)
            self._tell(ended)

    async def persist(self, write: Callable[[], Awaitable[T]]) -> T:
        """Write a provider's answer, retrying through an outage: it would be lost otherwise."""
        pause_s = _PERSIST_PAUSE_S
        while True:
            try:
                with span(SpanName.PERSISTENCE_WRITE):
                    return await write()
            except (TargetUnavailable, TimedOut) as error:
                _log.warning("answer_not_stored_yet", problem=error.message)
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, _LONGEST_PERSIST_PAUSE_S)

    def _tell(self, ended: Delivery) -> None:
        if ended.failure is not None and ended.status is not Status.SENT:
            _log.warning("delivery_ended", status=ended.status.value, problem=ended.failure.message)
        else:
            _log.info("delivery_ended", status=ended.status.value)
        self._metrics.ended(ended)
        self._on_terminal(ended)
