"""The tools `messenger_suppression_*`, for operator and Switchboard (docs/adr/0083, MSG-5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from butler_kit.auth import Caller, Role
from butler_kit.mcp.server import ToolServer
from butler_kit.operations import key_of, order_by
from butler_messenger.suppressions.desk import SuppressionDesk
from butler_messenger.suppressions.questions import EndSuppressionCall, SuppressionsQuestion

__all__ = ["register_suppression_tools"]

_ROLES: Final = (Role.OPERATOR, Role.SWITCHBOARD)


def register_suppression_tools(
    server: ToolServer, desk: Callable[[], SuppressionDesk], *, new_id: Callable[[], UUID]
) -> None:
    """Register the tools; `desk` is asked for at each call."""

    @server.tool("messenger_suppression_list", SuppressionsQuestion, roles=_ROLES)
    async def page(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Who is not written to unasked: newest first, in pages, since when, why and by whose hand."""
        return await desk().page(SuppressionsQuestion(**args))

    @server.tool("messenger_suppression_end", EndSuppressionCall, roles=_ROLES)
    async def end(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """End one of them now, with who and why: its recipient is written to again."""
        asked = EndSuppressionCall(**args)
        order = order_by(
            caller,
            uid=key_of(asked.idempotency_key, otherwise=new_id()),
            action="suppression.end",
            target=f"suppression/{asked.suppression_id}",
            body=asked,
        )
        return await desk().end(asked.suppression_id, order)
