"""Acknowledges button presses, so that the person's client stops waiting (ADR 0041).

It says nothing to anybody: Messenger reports the result of a press. Best effort, beside the polling, a bounded number
at a time: an unacknowledged press is handled all the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Final

from butler_connectors.telegram_bot.faults import PollFault
from butler_connectors.telegram_bot.presses import query_of
from butler_kit.telemetry import get_logger

__all__ = ["Acknowledging"]

_MOST: Final = 32
"""The most under way at once; beyond that, a person's client gives up waiting by itself."""
_log = get_logger(__name__)


class Acknowledging:
    """`take` returns at once; `aclose` cancels acknowledgements under way."""

    def __init__(self, acknowledge: Callable[[str], Awaitable[None]]) -> None:
        self._acknowledge = acknowledge
        self._tasks: set[asyncio.Task[None]] = set()

    def take(self, updates: Iterable[Mapping[str, Any]]) -> None:
        """Acknowledge the presses among these updates."""
        for query in filter(None, map(query_of, updates)):
            query_id = query.get("id")
            if isinstance(query_id, str) and len(self._tasks) < _MOST:
                task = asyncio.create_task(self._try(query_id), name="acknowledge a press")
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def aclose(self) -> None:
        tasks = set(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=2.0)

    async def _try(self, query_id: str) -> None:
        try:
            await self._acknowledge(query_id)
        except PollFault as fault:
            _log.info("a press was not acknowledged", reason=fault.kind, detail=str(fault))
