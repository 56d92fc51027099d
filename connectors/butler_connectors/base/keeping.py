"""Retries work on a source's documents until their storage is available (CNX-07)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from butler_connectors.base.backoff import backoff_s
from butler_connectors.base.documents import DocumentFault
from butler_connectors.base.metrics import ConnectorMetrics
from butler_connectors.base.status import Status
from butler_connectors.base.waiting import pause
from butler_kit.telemetry import get_logger

__all__ = ["Keeping"]

T = TypeVar("T")
_log = get_logger(__name__)


class Keeping:
    """Provides `until_done` for every part of a connector; `draw` is random in [0, 1)."""

    def __init__(self, metrics: ConnectorMetrics, status: Status, draw: Callable[[], float]) -> None:
        self._metrics = metrics
        self._status = status
        self._draw = draw

    async def until_done(
        self,
        part: str,
        work: Callable[[], Awaitable[T]],
        stopping: asyncio.Event,
        *,
        failed: Callable[[], None] = lambda: None,
    ) -> T:
        """Return the result of `work`, retried while it fails. Raises `Stopping`.

        Each failure is recorded as a trouble of `part`, and `failed` is called.
        """
        failures = 0
        while True:
            try:
                result = await work()
            except DocumentFault as fault:
                failures += 1
                failed()
                self._metrics.error(fault.cause, part)
                self._status.trouble(part, "degraded", str(fault))
                _log.warning("a document of this source cannot be had", part=part, error=str(fault))
                await pause(stopping, backoff_s(failures, self._draw()))
            else:
                self._status.clear(part)
                return result
