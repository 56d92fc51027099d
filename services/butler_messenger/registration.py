"""Messenger makes itself known to Switchboard and shows that it is alive (SWB-09, SWB-10, D30, D35)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from butler_kit.mcp import ToolError
from butler_kit.telemetry import get_logger
from butler_messenger.delivery.reports import SwitchboardTools

__all__ = ["ROUTE_CONTRACT", "Registration"]

_log = get_logger(__name__)

ROUTE_CONTRACT: Final = "route.v1"
HEARTBEAT_S: Final = 30.0
_RETRY_S: Final = 2.0


class Registration:
    """Registers once, again when Switchboard no longer knows us, and beats every 30 seconds."""

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
        """Keep registered until stopped; an unreachable Switchboard is tried again."""
        registered = False
        while not stopping.is_set():
            try:
                if registered:
                    await self._switchboard.call(
                        "butler.heartbeat", {"observed": dict(await self._observe())}
                    )
                else:
                    await self._switchboard.call("register_butler", self._card)
                    _log.info("registered_at_switchboard")
                    registered = True
            except (ToolError, OSError) as error:
                _log.warning("switchboard_not_told", problem=str(error), registered=registered)
                registered = False
            await _pause(stopping, HEARTBEAT_S if registered else _RETRY_S)


async def _pause(stopping: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await stopping.wait()
    except TimeoutError:
        return
