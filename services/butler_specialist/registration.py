"""The specialist makes itself known to Switchboard and shows that it is alive (SWB-09, SWB-10, D30).

Invariant: nothing waits for it; an unreachable Switchboard is tried again with growing pauses, for ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from butler_contracts.errors import ButlerError
from butler_kit.mcp import ToolError
from butler_kit.telemetry import get_logger
from butler_specialist.work.switchboard import SwitchboardTools

__all__ = ["HEARTBEAT_S", "Registration"]

_log = get_logger(__name__)

HEARTBEAT_S: Final = 30.0
_FIRST_RETRY_S: Final = 1.0
_LAST_RETRY_S: Final = 15.0


class Registration:
    """Registers, beats every 30 seconds, and registers again after any failure."""

    def __init__(
        self,
        switchboard: SwitchboardTools,
        *,
        card: Mapping[str, Any],
        observe: Callable[[], Awaitable[Mapping[str, Any]]],
    ) -> None:
        self._switchboard = switchboard
        self._card = dict(card)
        self._observe = observe

    async def run(self, stopping: asyncio.Event) -> None:
        """Keep registered until stopped."""
        registered, retry_s = False, _FIRST_RETRY_S
        while not stopping.is_set():
            try:
                await self._say(registered=registered)
                registered, pause_s, retry_s = True, HEARTBEAT_S, _FIRST_RETRY_S
            except (ToolError, OSError, ButlerError) as error:
                _log.warning("switchboard_not_told", problem=str(error), registered=registered)
                registered, pause_s, retry_s = False, retry_s, min(retry_s * 2, _LAST_RETRY_S)
            await _pause(stopping, pause_s)

    async def _say(self, *, registered: bool) -> None:
        if not registered:
            await self._switchboard.call("register_butler", self._card)
            _log.info("registered_at_switchboard")
        await self._switchboard.call("butler.heartbeat", {"observed": dict(await self._observe())})


async def _pause(stopping: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await stopping.wait()
    except TimeoutError:
        return
