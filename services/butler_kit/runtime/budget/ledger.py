"""The interface between a session and the ledger of its household's spending (D59; ADR 0066).

Invariant: a repeated message counts once; a ledger that is away is an outage, so that nothing is asked unreserved.
"""

from __future__ import annotations

from typing import Protocol

from butler_contracts.budgets import Asking, Bound, Reservation, Spent
from butler_contracts.errors import TargetUnavailable

__all__ = ["LEDGER_AWAY", "Ledger", "LedgerAway"]

LEDGER_AWAY = "ledger_away"


class LedgerAway(TargetUnavailable):
    """The ledger is away, so what may be spent is unknown for now. No other runtime family replaces it."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"what may be spent cannot be looked up now: {why}", details={"original_class": LEDGER_AWAY}
        )


class Ledger(Protocol):
    """One butler's access to the household's ledger. Raises `LedgerAway`."""

    async def reserve(self, wanted: Reservation) -> Bound | None:
        """Reserve what a session may cost; return the bound that keeps it from beginning, if any."""

    async def asking(self, asking: Asking) -> bool:
        """Record a question before it is asked; return False when the session was given up meanwhile."""

    async def settle(self, spent: Spent) -> None:
        """Record what a session cost, and release the rest of its reservation."""
