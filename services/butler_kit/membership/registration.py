"""A butler's registration with Switchboard, and its heartbeats (SWB-09, SWB-10, D30, D35).

Invariant: nothing waits for it; whatever goes wrong, it is retried with growing pauses, for ever. After any failure
it registers again: a Switchboard that lost its memory is told everything, and for one that did not the same card
changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from butler_contracts.errors import ButlerError
from butler_kit.mcp import ToolCalls, ToolError
from butler_kit.telemetry import get_logger
from butler_kit.time import wait_until_set

__all__ = ["HEARTBEAT_S", "IntroductionCard", "Registration"]

_log = get_logger(__name__)

_ROUTE_CONTRACT: Final = "route.v1"
HEARTBEAT_S: Final = 30.0
_FIRST_RETRY_S: Final = 0.1
"""Short: when all start at once, Switchboard is not up at the first try, but is a moment later."""
_LAST_RETRY_S: Final = 15.0

Pause = Callable[[asyncio.Event, float], Awaitable[bool]]
Answered = Callable[[Mapping[str, Any]], Awaitable[None]]


async def _unread(_: Mapping[str, Any]) -> None:
    return None


@dataclass(frozen=True, slots=True)
class IntroductionCard:
    """A butler's self-description; its name comes from its token, its address from its declaration (D3)."""

    description: str
    triggers: tuple[str, ...]
    capabilities: tuple[str, ...]
    tools: tuple[str, ...]
    required_information: tuple[str, ...] = ()

    def to_args(self) -> dict[str, Any]:
        """Return the arguments of `register_butler`."""
        return {
            "description": self.description,
            "triggers": list(self.triggers),
            "capabilities": list(self.capabilities),
            "tools": list(self.tools),
            "required_information": list(self.required_information),
            "route_contract": _ROUTE_CONTRACT,
        }


class Registration:
    """Registers, beats every 30 seconds, and registers again after any failure.

    `observe` returns what a beat reports about the butler; `answered` receives Switchboard's answer; `pause` waits
    for the event, but at most so many seconds.
    """

    def __init__(
        self,
        switchboard: ToolCalls,
        *,
        card: IntroductionCard,
        observe: Callable[[], Awaitable[Mapping[str, Any]]],
        answered: Answered = _unread,
        pause: Pause = wait_until_set,
    ) -> None:
        self._switchboard = switchboard
        self._card = card
        self._observe = observe
        self._answered = answered
        self._pause = pause

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
            await self._pause(stopping, pause_s)

    async def _say(self, *, registered: bool) -> None:
        if not registered:
            await self._switchboard.call("register_butler", self._card.to_args())
            _log.info("registered_at_switchboard")
        observed = dict(await self._observe())
        await self._answered(await self._switchboard.call("butler.heartbeat", {"observed": observed}))
