"""The seam between a session and where its household's spending is written down (D59; ADR 0066).

Invariant: whatever is said twice counts once; a ledger that is away is an outage, so that nothing is asked unreserved.
"""

from __future__ import annotations

from typing import Protocol

from butler_contracts.budgets import Asking, Bound, Reservation, Spent
from butler_contracts.errors import TargetUnavailable

__all__ = ["LEDGER_AWAY", "Ledger", "LedgerAway"]

LEDGER_AWAY = "ledger_away"


class LedgerAway(TargetUnavailable):
    """What may be spent cannot be told now; later it can. No other family stands in for that."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"what may be spent cannot be looked up now: {why}", details={"original_class": LEDGER_AWAY}
        )


class Ledger(Protocol):
    """One butler's hand on the household's ledger. Raises `LedgerAway`."""

    async def reserve(self, wanted: Reservation) -> Bound | None:
        """Put aside what a session may cost; the bound for which it may not begin."""

    async def asking(self, asking: Asking) -> bool:
        """Write down a question before it is asked; False when the session was given up meanwhile."""

    async def settle(self, spent: Spent) -> None:
        """Write down what a session came to, and give back the rest of what was put aside for it."""
