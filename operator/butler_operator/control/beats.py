"""A beat for each household, by itself: one that lasts, because its Switchboard hangs, delays no other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from typing import Final

__all__ = ["Beats"]

SETTLE_S: Final = 0.2
"""Changes within this time are reported together."""


class Beats:
    """Calls `beat` for every namespace of `members`, again `every_s` after it ended, and at once after `soon`.

    `left` is called for a namespace that is no member any more.
    """

    def __init__(
        self,
        beat: Callable[[str], Awaitable[None]],
        members: Callable[[], Collection[str]],
        *,
        left: Callable[[str], None],
        every_s: float,
    ) -> None:
        self._beat = beat
        self._members = members
        self._left = left
        self._every_s = every_s
        self._changed: dict[str, asyncio.Event] = {}
        self._others_changed = asyncio.Event()

    def soon(self, namespace: str) -> None:
        """Let the namespace's next beat come now; one that has no beat yet may have become a member."""
        self._changed.get(namespace, self._others_changed).set()

    async def run(self) -> None:
        """Beat until cancelled."""
        async with asyncio.TaskGroup() as group:
            while True:
                self._others_changed.clear()
                for namespace in sorted(set(self._members()) - self._changed.keys()):
                    self._changed[namespace] = asyncio.Event()
                    group.create_task(self._keep(namespace), name=f"beat-{namespace}")
                await _changed_or(self._others_changed, self._every_s)

    async def _keep(self, namespace: str) -> None:
        changed = self._changed[namespace]
        try:
            while namespace in self._members():
                changed.clear()
                await self._beat(namespace)
                await _changed_or(changed, self._every_s)
            self._left(namespace)
        finally:
            del self._changed[namespace]


async def _changed_or(changed: asyncio.Event, after_s: float) -> None:
    """Wait for the change and what comes with it, at most `after_s`."""
    try:
        async with asyncio.timeout(after_s):
            await changed.wait()
        await asyncio.sleep(SETTLE_S)
    except TimeoutError:
        return
