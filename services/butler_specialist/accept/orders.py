"""The tools through which Switchboard passes on an operator's order on a record (ADR 0042).

Nobody else may call them: Switchboard knows who is an operator, and audits them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final

from pydantic import Field

from butler_contracts.record_orders import RecordOrder, RecordVerb, tool_of
from butler_contracts.text import STORABLE
from butler_kit.auth import Caller, Role, trusted_caller
from butler_kit.mcp.server import ToolServer
from butler_kit.operations import ActBody, order_by
from butler_specialist.store.record_orders import RecordOrders

__all__ = ["register_record_tools"]

_DEADLINE_S: Final = 8.0


class PassedOn(RecordOrder, ActBody):
    """The order with whose it is; the same `idempotency_key` again does nothing."""

    idempotency_key: Annotated[str, Field(min_length=1, max_length=200), STORABLE]


def register_record_tools(
    server: ToolServer, orders: Callable[[], RecordOrders], *, trusted: Sequence[str]
) -> None:
    """Register the three tools; `orders` is called on each request."""

    async def do(verb: RecordVerb, caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        trusted_caller(caller, trusted)
        asked = PassedOn(**args)
        order = order_by(
            caller,
            uid=asked.idempotency_key,
            action=tool_of(verb),
            target=f"record/{asked.record_id}",
            body=asked,
        )
        own = RecordOrder(record_id=asked.record_id, version=asked.version, values=asked.values)
        return await orders().do(verb, own, order)

    @server.tool(tool_of("withdraw"), PassedOn, roles=(Role.SWITCHBOARD,), deadline_s=_DEADLINE_S)
    async def withdraw(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Pass over a record from now on; it is kept."""
        return await do("withdraw", caller, args)

    @server.tool(tool_of("edit"), PassedOn, roles=(Role.SWITCHBOARD,), deadline_s=_DEADLINE_S)
    async def edit(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Put values of a record right; what they were is kept."""
        return await do("edit", caller, args)

    @server.tool(tool_of("undo"), PassedOn, roles=(Role.SWITCHBOARD,), deadline_s=_DEADLINE_S)
    async def undo(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Put a record back to what it was before its last change, for a day."""
        return await do("undo", caller, args)
