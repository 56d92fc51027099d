"""One butler's spending: an account for each session, settled however the session ends, and counted.

A reservation that cannot be settled is not lost: its last note stands until the ledger gives it up.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, Protocol

from butler_contracts.budgets import Spent
from butler_contracts.errors import ButlerError
from butler_kit.runtime.budget.account import Account
from butler_kit.runtime.budget.exhausted import BudgetExhausted
from butler_kit.runtime.budget.ledger import Ledger
from butler_kit.runtime.budget.terms import Terms
from butler_kit.runtime.family import SessionJob

__all__ = ["Spending", "SpendingMetrics"]

logger = logging.getLogger(__name__)

_SETTLE_S: Final = 5.0


class SpendingMetrics(Protocol):
    """The part of `telemetry.Metrics` used here."""

    def count(self, name: str, amount: float = 1, /, **labels: str) -> None: ...


class Spending:
    """Opens and settles accounts; `ledger` is called only when needed, since the ledger opens later."""

    def __init__(
        self,
        terms: Terms | None = None,
        ledger: Callable[[], Ledger] | None = None,
        metrics: SpendingMetrics | None = None,
    ) -> None:
        self._terms = terms or Terms()
        self._ledger = ledger
        self._metrics = metrics
        self._settling: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def session(self, job: SessionJob) -> AsyncIterator[Account]:
        """Open the account of `job`. Raises `BudgetExhausted`, `LedgerAway`."""
        account = Account(job, self._terms, self._ledger() if self._ledger is not None else None)
        try:
            await account.open()
            yield account
        except BudgetExhausted as end:
            self._count("butlers.budget.refused", bound=end.bound.value)
            raise
        finally:
            await self._settled(account)

    async def aclose(self) -> None:
        """Wait for running settlements; each is bounded."""
        await asyncio.gather(*self._settling, return_exceptions=True)

    async def _settled(self, account: Account) -> None:
        spent = account.spent()
        if spent is None or self._ledger is None:
            return
        self._told(spent)
        task = asyncio.create_task(_settle(self._ledger(), spent), name="settle-spending")
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)
        # A session that is ended from outside ends, but what it spent is still recorded.
        await asyncio.shield(task)

    def _told(self, spent: Spent) -> None:
        self._count("butlers.model.tokens", spent.input_tokens, model=spent.model, direction="input")
        self._count("butlers.model.tokens", spent.output_tokens, model=spent.model, direction="output")
        if spent.priced:
            self._count("butlers.model.cost_microcents", spent.microcents, model=spent.model)

    def _count(self, name: str, amount: int = 1, /, **labels: str) -> None:
        if self._metrics is not None:
            self._metrics.count(name, amount, **labels)


async def _settle(ledger: Ledger, spent: Spent) -> None:
    try:
        async with asyncio.timeout(_SETTLE_S):
            await ledger.settle(spent)
    except (ButlerError, TimeoutError) as failure:
        logger.warning("session %s: its cost is not written down: %s", spent.session_id, failure)
