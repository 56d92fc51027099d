"""The dead-letter tools `messenger_dead_letter_*`, for operator and Switchboard (MSG-5.1.2, MSR-08)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from butler_kit.auth import Caller, Role
from butler_kit.mcp.server import ToolServer
from butler_kit.operations import key_of, order_by
from butler_messenger.deadletters.letters import DeadLetters
from butler_messenger.deadletters.questions import (
    DeadLetterQuestion,
    DiscardCall,
    ListQuestion,
    ReplayCall,
)
from butler_messenger.deadletters.reader import DeadLetterReader

__all__ = ["register_dead_letter_tools"]

_ROLES: Final = (Role.OPERATOR, Role.SWITCHBOARD)
_REPLAY_DEADLINE_S: Final = 20.0


def register_dead_letter_tools(
    server: ToolServer,
    reader: Callable[[], DeadLetterReader],
    letters: Callable[[], DeadLetters],
    *,
    new_id: Callable[[], UUID],
) -> None:
    """Register the four tools; `reader` and `letters` are asked for at each call."""

    @server.tool("messenger_dead_letter_list", ListQuestion, roles=_ROLES)
    async def page(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Dead-lettered deliveries by channel, origin, error class and time, newest first, in pages."""
        return await reader().page(ListQuestion(**args))

    @server.tool("messenger_dead_letter_inspect", DeadLetterQuestion, roles=_ROLES)
    async def inspect(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """One dead letter: the wish, every attempt, why it is here, and whether it may be replayed."""
        return await reader().inspect(args["dead_letter_id"])

    @server.tool("messenger_dead_letter_replay", ReplayCall, roles=_ROLES, deadline_s=_REPLAY_DEADLINE_S)
    async def replay(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Send it again as a new delivery of the same wish, once; answers with that delivery's outcome."""
        asked = ReplayCall(**args)
        kind, undelivered = asked.named()
        order = order_by(
            caller,
            uid=key_of(asked.idempotency_key, otherwise=new_id()),
            action=f"{kind}.replay",
            target=f"{kind}/{undelivered}",
            body=asked,
            params=asked.params(),
        )
        if kind == "delivery":
            return await letters().replay_delivery(undelivered, order)
        return await letters().replay(undelivered, order)

    @server.tool("messenger_dead_letter_discard", DiscardCall, roles=_ROLES)
    async def discard(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Keep it, and never replay it; lists leave it out from now on."""
        asked = DiscardCall(**args)
        kind, undelivered = asked.named()
        order = order_by(
            caller,
            uid=key_of(asked.idempotency_key, otherwise=new_id()),
            action=f"{kind}.discard",
            target=f"{kind}/{undelivered}",
            body=asked,
        )
        if kind == "delivery":
            return await letters().discard_delivery(undelivered, order)
        return await letters().discard(undelivered, order)
