"""Reads the bot's updates by long polling and keeps the offset (CNX-01.1, CNX-07.1, D16).

Invariant: an offset is sent only when the checkpoint holds it, so that the provider forgets nothing that
Switchboard does not have.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, Final

from butler_connectors.base.backoff import backoff_s
from butler_connectors.base.checkpoint import Checkpoints, CheckpointUnreadable
from butler_connectors.base.flow import Flow
from butler_connectors.base.runner import Runner
from butler_connectors.base.start import Start
from butler_connectors.base.status import Status
from butler_connectors.base.waiting import Stopping, pause, unless_stopped
from butler_connectors.telegram_bot.acknowledging import Acknowledging
from butler_connectors.telegram_bot.api import BotApi
from butler_connectors.telegram_bot.closed_albums import ClosedAlbums
from butler_connectors.telegram_bot.faults import PollFault
from butler_connectors.telegram_bot.normalize import TelegramSource
from butler_connectors.telegram_bot.taking import Taken
from butler_kit.faults import points, reached_async
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock

__all__ = ["TelegramPoller"]

RENUMBERED_AFTER: Final = timedelta(days=6)
"""After a week of silence Telegram may renumber updates; unconfirmed ones are then polled with no offset."""
_LOOK_FIRST_S: Final = 1.0
_LOOK_LAST_S: Final = 5.0
"""How often the other chats' new messages are looked for while a chat waits for Switchboard."""
_LOOK_FOR_PARTS_S: Final = 0.25
"""How often the next part of an album that may grow is looked for."""
_MOST_UPDATES: Final = 100
_SLOW_S: Final = 60.0
_BLOCKED: Final = frozenset({"unauthorized", "conflict"})
_PART: Final = "telegram"
_log = get_logger(__name__)


class TelegramPoller:
    """The source: `run` until asked to stop."""

    def __init__(
        self,
        *,
        api: BotApi,
        runner: Runner,
        checkpoints: Checkpoints,
        albums: ClosedAlbums,
        source: TelegramSource,
        start: Start,
        status: Status,
        poll_timeout_s: int,
        clock: Clock,
        draw: Callable[[], float],
    ) -> None:
        self._api = api
        self._presses = Acknowledging(api.acknowledge)
        self._runner = runner
        self._checkpoints = checkpoints
        self._albums = albums
        self._source = source
        self._start = start
        self._status = status
        self._poll_timeout_s = poll_timeout_s
        self._clock = clock
        self._draw = draw

    async def run(self, stopping: asyncio.Event) -> None:
        """Find the position, then poll and settle until asked to stop."""
        try:
            offset = await self._position(stopping)
            await self._runner.keeping.until_done("albums", self._albums.load, stopping)
            self._status.positioned = True
            async with self._runner.flow() as flow:
                await self._read(flow, offset, stopping)
        except Stopping:
            return
        finally:
            await self._presses.aclose()

    async def _read(self, flow: Flow, offset: int, stopping: asyncio.Event) -> None:
        """Take new updates, and confirm those that the checkpoint has passed.

        A chat that has to wait holds the offset, not the other chats: their updates are among the hundred behind it.
        """
        taken, look_s = Taken(self._source, self._albums, self._clock, offset=offset), _LOOK_FIRST_S
        while True:
            confirmed, idle = int(flow.saved or offset), flow.idle
            confirmable = self._confirmable(confirmed)
            at_once = taken.waiting or not idle
            updates = await self._poll(confirmable, 0 if at_once else self._poll_timeout_s, stopping)
            taken.forget(below=confirmed, idle=idle)
            if confirmable is None and idle:
                confirmed = taken.renumber()
            new, closed = taken.sort(updates, confirmed=confirmed, full=len(updates) >= _MOST_UPDATES)
            if closed:
                await self._runner.keeping.until_done("albums", partial(self._albums.add, closed), stopping)
            if new:
                await reached_async(points.CONNECTOR_FETCHED, "telegram")
                flow.take(taken.take(new, confirmed=confirmed))
                self._presses.take(new)
                look_s = _LOOK_FIRST_S
            if taken.waiting:
                await pause(stopping, _LOOK_FOR_PARTS_S)
                continue
            await flow.moved(stopping, at_most_s=look_s)
            look_s = min(2 * look_s, _LOOK_LAST_S)

    def _confirmable(self, offset: int) -> int | None:
        saved = self._checkpoints.current
        if saved is not None and self._clock.now() - saved.updated_at > RENUMBERED_AFTER:
            return None
        return offset or None

    async def _position(self, stopping: asyncio.Event) -> int:
        try:
            saved = await self._runner.keeping.until_done("checkpoint", self._checkpoints.load, stopping)
            if saved is not None:
                return _offset(saved.cursor, self._checkpoints)
        except CheckpointUnreadable as error:
            # The updates that the provider still holds were never confirmed: reading all of them loses nothing,
            # and those that Switchboard has already are duplicates there.
            aside = await self._runner.keeping.until_done("checkpoint", self._checkpoints.set_aside, stopping)
            _log.error("reading from what Telegram still holds", reason=str(error), kept_as=aside)
            return 0
        offset = await self._first_position(stopping)
        await self._runner.save(str(offset), stopping)
        return offset

    async def _first_position(self, stopping: asyncio.Event) -> int:
        """Return where a new source starts; a message that arrives after the one call here is read (D16)."""
        if self._start.since is not None:
            return 0
        # A negative offset keeps that many from the end of the queue and forgets the rest.
        kept = self._start.last or 1
        updates = await self._poll(-kept, 0, stopping)
        if not updates:
            return 0
        return int(updates[0]["update_id"]) if self._start.last else int(updates[-1]["update_id"]) + 1

    async def _poll(
        self, offset: int | None, timeout_s: int, stopping: asyncio.Event
    ) -> Sequence[dict[str, Any]]:
        """Poll until it succeeds, however many tries it takes; raises `Stopping`."""
        failures = 0
        while True:
            try:
                call = self._api.get_updates(offset=offset, timeout_s=timeout_s, limit=_MOST_UPDATES)
                updates = await unless_stopped(call, stopping)
            except PollFault as fault:
                failures += 1
                await pause(stopping, self._note_fault(fault, failures))
            else:
                self._status.source_works(_PART)
                return updates

    def _note_fault(self, fault: PollFault, failures: int) -> float:
        blocked = fault.kind in _BLOCKED
        self._status.source_failed(_PART, "error" if blocked else "degraded", fault)
        delay_s = backoff_s(
            failures + 3 if blocked else failures,
            self._draw(),
            retry_after_s=fault.retry_after_s,
            last_s=_SLOW_S if blocked else 30.0,
        )
        _log.warning("the poll failed", reason=fault.kind, detail=str(fault), next_try_s=round(delay_s, 1))
        return delay_s


def _offset(cursor: str, checkpoints: Checkpoints) -> int:
    if not cursor.isdecimal() or len(cursor) > 20:
        raise CheckpointUnreadable(f"{checkpoints.where} is damaged: its cursor is no update id")
    return int(cursor)
