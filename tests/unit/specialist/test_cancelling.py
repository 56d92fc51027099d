"""Whose work was cancelled loses its session at once, not at the next renewal of leases (SWB-38, ADR 0075)."""

from __future__ import annotations

from typing import cast
from uuid import UUID, uuid4

import pytest

from butler_contracts.errors import ErrorDetail
from butler_specialist.accept.cancelling import Cancelling
from butler_specialist.store.inbox import Cancelled, RouteInbox


class Inbox:
    """One that says how the work stands."""

    def __init__(self, status: Cancelled) -> None:
        self.status = status

    async def cancel(self, subrequest_id: UUID, error: ErrorDetail) -> Cancelled:
        return self.status


@pytest.mark.spec("SWB-38.1")
@pytest.mark.parametrize(("status", "looked"), [("cancelled", 1), ("ended", 0), ("unknown", 0)])
async def test_sessions_are_looked_at_as_soon_as_work_is_cancelled(status: Cancelled, looked: int) -> None:
    looks: list[str] = []

    async def let_go() -> None:
        looks.append("looked")

    cancelling = Cancelling(cast(RouteInbox, Inbox(status)), let_go)
    assert await cancelling.cancel(uuid4()) == status
    assert len(looks) == looked
