"""A specialist's client of the household's ledger, which Switchboard keeps (ADR 0066).

Invariant: an unreachable ledger is an outage: no model is asked without a reservation.
"""

from __future__ import annotations

from typing import Any, Final

from butler_contracts.budgets import Asking, Bound, Reservation, Spent
from butler_kit.mcp import ToolCalls, ToolError
from butler_kit.runtime.budget import LedgerAway

__all__ = ["SwitchboardLedger"]

_TIMEOUT_S: Final = 5.0


class SwitchboardLedger:
    """See `butler_kit.runtime.budget.Ledger`."""

    def __init__(self, tools: ToolCalls) -> None:
        self._tools = tools

    async def reserve(self, wanted: Reservation) -> Bound | None:
        said = await self._call("spending.reserve", wanted.to_wire())
        if said.get("status") == "reserved":
            return None
        bound = str(said.get("bound"))
        try:
            return Bound(bound)
        except ValueError as error:
            raise LedgerAway(f"switchboard says {bound!r}, which is not known here") from error

    async def asking(self, asking: Asking) -> bool:
        return (await self._call("spending.asking", asking.to_wire())).get("status") == "noted"

    async def settle(self, spent: Spent) -> None:
        await self._call("spending.settle", spent.to_wire())

    async def _call(self, tool: str, args: dict[str, Any]) -> dict[str, Any]:
        try:
            return await self._tools.call(tool, args, timeout_s=_TIMEOUT_S)
        except (ToolError, OSError) as error:
            raise LedgerAway(f"switchboard does not take {tool}: {error}") from error
