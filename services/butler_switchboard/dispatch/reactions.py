"""Shows lifecycle states as reactions, best effort (SWB-08.4, D20).

Per request only the latest state is sent and at most one call is under way, so an early state can never overwrite a
later one. A failure is logged and forgotten.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

import structlog

from butler_contracts.context import RequestContext
from butler_contracts.notify import NotifyRequestV1, NotifyResponseV1
from butler_switchboard.dispatch.lifecycle import Lifecycle, reaction

__all__ = ["Reactions", "ReactsThroughMessenger"]

_log = structlog.get_logger(__name__)

EARLY_AT_ONCE = 8
"""How many early states may be under way to Messenger at once; messages come faster than they are shown."""
MAX_REQUESTS = 500
"""How many requests may have a reaction under way; beyond it early states are not shown."""


class ReactsThroughMessenger(Protocol):
    async def react(self, request: NotifyRequestV1) -> NotifyResponseV1: ...


@dataclass(slots=True)
class _Line:
    wanted: NotifyRequestV1 | None
    task: asyncio.Task[None]


class Reactions:
    """`show` returns at once; `settle` waits until the given state was tried, within a bound."""

    def __init__(self, messenger: ReactsThroughMessenger) -> None:
        self._messenger = messenger
        self._lines: dict[UUID, _Line] = {}
        self._early = asyncio.Semaphore(EARLY_AT_ONCE)

    def show(self, context: RequestContext, state: Lifecycle) -> None:
        wanted = reaction(context, state)
        if wanted is None:
            return
        line = self._lines.get(context.request_id)
        if line is not None:
            line.wanted = wanted
        elif len(self._lines) < MAX_REQUESTS or state is not Lifecycle.PROGRESS:
            send = self._in_turn if state is Lifecycle.PROGRESS else self._send
            task = asyncio.create_task(send(context.request_id), name="reaction")
            self._lines[context.request_id] = _Line(wanted, task)

    async def settle(self, context: RequestContext, state: Lifecycle, *, timeout_s: float) -> None:
        """Show the last state and wait until it was tried; a slow provider is not waited for."""
        self.show(context, state)
        line = self._lines.get(context.request_id)
        if line is not None:
            await asyncio.wait({line.task}, timeout=timeout_s)

    async def aclose(self) -> None:
        """Cancel the calls that are still under way."""
        tasks = {line.task for line in self._lines.values()}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=2.0)

    async def _in_turn(self, request_id: UUID) -> None:
        """Send once a slot is free; a state that has advanced by then is shown as the later one."""
        async with self._early:
            await self._send(request_id)

    async def _send(self, request_id: UUID) -> None:
        try:
            while (wanted := self._take(request_id)) is not None:
                await self._try(request_id, wanted)
        finally:
            self._lines.pop(request_id, None)

    async def _try(self, request_id: UUID, wanted: NotifyRequestV1) -> None:
        try:
            response = await self._messenger.react(wanted)
        except Exception as failure:
            _log.warning("reaction_failed", request_id=str(request_id), error=str(failure))
            return
        if response.error is not None:
            _log.warning("reaction_failed", request_id=str(request_id), error=response.error.message)

    def _take(self, request_id: UUID) -> NotifyRequestV1 | None:
        line = self._lines[request_id]
        wanted, line.wanted = line.wanted, None
        return wanted
