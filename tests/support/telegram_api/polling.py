"""getUpdates: https://core.telegram.org/bots/api#getupdates.

Invariant: one poll at a time. A newer one ends the older with 409, as the public server does
(tdlib/telegram-bot-api, `Client::abort_long_poll`).
"""

from __future__ import annotations

import asyncio
from typing import Any

from .errors import ApiError, bad_request
from .parameters import Parameters
from .state import UPDATE_TYPES, BotState

_CONFLICT = (
    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
)
_MAX_TIMEOUT_S = 50
_MAX_LIMIT = 100


class UpdatePoller:
    """Hands out the queue of one bot, by offset, with long polling."""

    def __init__(self, state: BotState) -> None:
        self._state = state
        self._changed = asyncio.Event()
        self._generation = 0
        self._closed = False
        self.waiting = 0

    def wake(self) -> None:
        """Tell a waiting poll that the queue has changed."""
        self._changed.set()
        self._changed = asyncio.Event()

    def close(self) -> None:
        """End a waiting poll with what there is, so that the server can stop."""
        self._closed = True
        self.wake()

    async def get_updates(self, parameters: Parameters) -> list[dict[str, Any]]:
        """The next updates, oldest first, at most `limit`; waits up to `timeout` seconds for the first."""
        limit = self._limit(parameters)
        timeout_s = min(max(parameters.integer("timeout") or 0, 0), _MAX_TIMEOUT_S)
        self._remember_allowed(parameters)
        offset = self._confirm(parameters.integer("offset"))
        self._generation += 1
        mine = self._generation
        self.wake()
        batch = await self._wait_for_batch(mine, offset, limit, timeout_s)
        if batch:
            self._state.record("handed_out", update_ids=[update["update_id"] for update in batch])
        return batch

    async def _wait_for_batch(
        self, mine: int, offset: int, limit: int, timeout_s: int
    ) -> list[dict[str, Any]]:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_s
        self.waiting += 1
        self._state.on_change()
        try:
            while not (batch := self._batch(offset, limit)) and not self._closed:
                changed = self._changed
                try:
                    async with asyncio.timeout_at(deadline):
                        await changed.wait()
                except TimeoutError:
                    break
                if self._generation != mine:
                    raise ApiError(409, _CONFLICT)
            return batch
        finally:
            self.waiting -= 1

    def _batch(self, offset: int, limit: int) -> list[dict[str, Any]]:
        self._state.expire()
        due = [q for q in self._state.queue if q.update_id >= offset or (q.redelivery and not q.handed_out)]
        return [queued.update for queued in due[:limit]]

    def _confirm(self, offset: int | None) -> int:
        """Forget what the offset confirms; a negative one keeps only that many from the end of the queue."""
        if offset is None:
            return 0
        if offset < 0:
            kept = [q.update_id for q in self._state.queue][offset:]
            offset = kept[0] if kept else 0
        self._state.confirm_below(offset)
        return offset

    @staticmethod
    def _limit(parameters: Parameters) -> int:
        limit = parameters.integer("limit")
        return _MAX_LIMIT if limit is None else min(max(limit, 1), _MAX_LIMIT)

    def _remember_allowed(self, parameters: Parameters) -> None:
        """Kept until the next list is given; empty means the default; holds for later updates only."""
        given = parameters.structured("allowed_updates")
        if given is None:
            return
        if not isinstance(given, list) or not all(isinstance(item, str) for item in given):
            raise bad_request("can't parse allowed updates: expected an Array of String")
        self._state.record("allowed", types=sorted(set(given) & UPDATE_TYPES))
