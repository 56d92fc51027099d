"""The tools by which butlers reserve and settle what their sessions cost, each in its own name (ADR 0066)."""

from __future__ import annotations

from typing import Any, Final

from butler_contracts.budgets import Asking, Reservation, Spent
from butler_kit.auth import Caller, Role
from butler_kit.mcp.server import ToolServer
from butler_switchboard.spending.store import SpendingStore

__all__ = ["register_spending_tools"]

_BUTLERS: Final = (Role.BUTLER,)


def register_spending_tools(server: ToolServer, store: SpendingStore) -> None:
    """Offer the three."""

    @server.tool("spending.reserve", Reservation, roles=_BUTLERS)
    async def reserve(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Put aside what a session may cost, before it asks a model."""
        bound = await store.reserve(_named(caller), Reservation(**args))
        return {"status": "reserved"} if bound is None else {"status": "refused", "bound": bound.value}

    @server.tool("spending.asking", Asking, roles=_BUTLERS)
    async def asking(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Say what the next question of a session may cost."""
        return {"status": "noted" if await store.asking(_named(caller), Asking(**args)) else "given_up"}

    @server.tool("spending.settle", Spent, roles=_BUTLERS)
    async def settle(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Say what a session cost; the rest of what was put aside for it is given back."""
        await store.settle(_named(caller), Spent(**args))
        return {"status": "settled"}


def _named(caller: Caller) -> str:
    return caller.name or caller.subject
