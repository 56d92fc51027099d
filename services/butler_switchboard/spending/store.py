"""The ledger in PostgreSQL: one statement for each operation, shared by all replicas and all butlers.

Invariant: spending and reservations together never exceed a limit; an account is charged once, however often the
charge is repeated, and one whose process died is given up after its time.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

import structlog

from butler_contracts.budgets import Asking, Bound, Reservation, Spent
from butler_contracts.errors import ButlerError
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.runtime.budget import LedgerAway
from butler_kit.time import wait_until_set

__all__ = ["ButlersLedger", "SpendingStore"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/spending.sql")
_log = structlog.get_logger(__name__)

SWEEP_S: Final = 15.0
_SWEPT_AT_ONCE: Final = 500


class SpendingStore:
    """Keeps account of all spending. Raises `TargetUnavailable` while the database is away."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def reserve(self, butler: str, wanted: Reservation) -> Bound | None:
        """Reserve what a session of `butler` may cost; return the bound that forbids it, if any."""
        limits = wanted.limits
        bound = await self._value(
            "reserve",
            wanted.session_id,
            butler,
            wanted.person,
            wanted.request_id,
            wanted.worst_microcents,
            wanted.lasts_s,
            limits.day_microcents,
            limits.day_sessions,
            limits.person_day_microcents,
        )
        return Bound(bound) if bound is not None else None

    async def asking(self, butler: str, asking: Asking) -> bool:
        """Record a question; return False if its session was given up."""
        noted = await self._value(
            "note_question", asking.session_id, butler, asking.spent_microcents, asking.asked_microcents
        )
        return noted is not None

    async def settle(self, butler: str, spent: Spent) -> None:
        """Charge a session what it cost, and release the rest."""
        await self._value(
            "settle",
            spent.session_id,
            butler,
            spent.person,
            spent.request_id,
            spent.model,
            spent.priced,
            spent.questions,
            spent.input_tokens,
            spent.output_tokens,
            spent.microcents,
        )

    async def sweep(self) -> int:
        """Give up the sessions whose time is over; return how many."""
        for swept in range(_SWEPT_AT_ONCE):
            session = await self._value("lapse")
            if session is None:
                return swept
            _log.warning("spending_given_up", session_id=str(session))
        return _SWEPT_AT_ONCE

    async def run(self, stopping: asyncio.Event) -> None:
        """Sweep until stopped."""
        while not stopping.is_set():
            try:
                await self.sweep()
            except ButlerError as failure:
                _log.warning("spending_not_swept", problem=failure.message)
            await wait_until_set(stopping, SWEEP_S)

    async def _value(self, statement: str, *args: object) -> Any:
        async with acquire(self._pool, doing="keeping the ledger of spending") as connection:
            return await connection.fetchval(_SQL[statement], *args)


class ButlersLedger:
    """The ledger of one butler in this process: see `butler_kit.runtime.budget.Ledger`."""

    def __init__(self, store: SpendingStore, butler: str) -> None:
        self._store = store
        self._butler = butler

    async def reserve(self, wanted: Reservation) -> Bound | None:
        try:
            return await self._store.reserve(self._butler, wanted)
        except ButlerError as failure:
            raise LedgerAway(failure.message) from failure

    async def asking(self, asking: Asking) -> bool:
        try:
            return await self._store.asking(self._butler, asking)
        except ButlerError as failure:
            raise LedgerAway(failure.message) from failure

    async def settle(self, spent: Spent) -> None:
        try:
            await self._store.settle(self._butler, spent)
        except ButlerError as failure:
            raise LedgerAway(failure.message) from failure
