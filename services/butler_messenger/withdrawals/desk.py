"""Withdraws the deliveries of a request that an operator has cancelled (SWB-38, D70, ADR 0075), and a question that
Switchboard does not need answered any more (ADR 0124).

Invariant: a delivery is withdrawn or marked for its provider, and its row's lock decides which: one that a provider
may have seen stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from uuid import UUID

from butler_contracts.errors import ErrorClass
from butler_contracts.stored import Unreadable
from butler_kit.db import NamedQueries, Pool, acquire, transaction
from butler_kit.telemetry import get_logger
from butler_messenger.approvals.words import question_keys
from butler_messenger.delivery.records import Delivery, Row

__all__ = ["Withdrawals"]

_log = get_logger(__name__)

_WITHDRAW: Final = NamedQueries("butler_messenger.sql", "delivery.sql")["withdraw"]
_CALLS: Final = NamedQueries("butler_messenger.sql", "call_approvals.sql")
_WITHDRAW_CALLS: Final = _CALLS["withdraw"]
_BY_AN_OPERATOR: Final = "withdrawn: an operator cancelled the request that it answers"
_NOT_NEEDED: Final = "withdrawn: the request that it asks about does not wait any more"


class Withdrawals:
    """`on_terminal` is called with each delivery that it ended."""

    def __init__(self, pool: Pool, on_terminal: Callable[[Delivery], None]) -> None:
        self._pool = pool
        self._on_terminal = on_terminal

    async def withdraw(self, request_id: UUID) -> list[UUID]:
        """End the deliveries of a request that no provider has seen, and deny its waiting calls.

        Returns the ids of the ended deliveries. A second call finds nothing.
        """
        async with acquire(self._pool, doing="withdrawing deliveries") as connection:
            rows = await connection.fetch(
                _WITHDRAW, request_id, ErrorClass.VALIDATION_ERROR.value, _BY_AN_OPERATOR, None
            )
            await connection.execute(_WITHDRAW_CALLS, request_id, _BY_AN_OPERATOR)
        for row in rows:
            self._tell(row)
        return [row["delivery_id"] for row in rows]

    async def withdraw_question(self, approval_id: UUID, reason: str) -> bool:
        """Let nobody decide on a held request any more, and end its questions that no provider has seen.

        False if it was never asked about, or is decided: then nothing is changed.
        """
        async with transaction(self._pool, doing="withdrawing a question") as connection:
            request_id = await connection.fetchval(_CALLS["take_back"], approval_id, reason)
            if request_id is None:
                return False
            why = (ErrorClass.VALIDATION_ERROR.value, _NOT_NEEDED, question_keys(approval_id))
            rows = await connection.fetch(_WITHDRAW, request_id, *why)
        _log.info("question_withdrawn", approval_id=str(approval_id), unsent=len(rows))
        for row in rows:
            self._tell(row)
        return True

    def _tell(self, row: Row) -> None:
        try:
            self._on_terminal(Delivery.from_row(row))
        except Unreadable as error:  # it has ended all the same
            _log.warning("delivery_unreadable", delivery_id=str(row["delivery_id"]), problem=error.message)
