"""Whose work was cancelled loses its session at once, not at the next renewal of leases (SWB-38, ADR 0075)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast
from uuid import UUID, uuid4

import pytest

from butler_contracts.errors import ErrorDetail
from butler_specialist.accept.cancelling import Cancelling
from butler_specialist.outside.journal import Journal
from butler_specialist.outside.model import Called, CallState
from butler_specialist.store.inbox import Cancelled, RouteInbox


class Inbox:
    """One that says how the work stands."""

    def __init__(self, status: Cancelled) -> None:
        self.status = status

    async def cancel(self, subrequest_id: UUID, error: ErrorDetail) -> Cancelled:
        return self.status


class Calls:
    """What was called outside for it."""

    def __init__(self, *calls: Called) -> None:
        self.calls = calls

    async def of_subrequest(self, subrequest_id: UUID) -> Sequence[Called]:
        return self.calls


@pytest.mark.spec("SWB-38.1")
@pytest.mark.parametrize(("status", "looked"), [("cancelled", 1), ("ended", 0), ("unknown", 0)])
async def test_sessions_are_looked_at_as_soon_as_work_is_cancelled(status: Cancelled, looked: int) -> None:
    looks: list[str] = []

    async def let_go() -> None:
        looks.append("looked")

    cancelling = Cancelling(cast(RouteInbox, Inbox(status)), cast(Journal, Calls()), let_go)
    assert (await cancelling.cancel(uuid4()))["status"] == status
    assert len(looks) == looked


@pytest.mark.spec("SWB-38.1")
@pytest.mark.parametrize("status", ["cancelled", "ended"])
async def test_only_what_was_ended_here_names_what_may_have_been_done_outside(status: Cancelled) -> None:
    async def let_go() -> None:
        return None

    calls = Calls(
        Called("home", "lamp_on", "room: hall", CallState.RETURNED),
        Called("home", "alarm", "", CallState.FAILED),
    )
    cancelling = Cancelling(cast(RouteInbox, Inbox(status)), cast(Journal, calls), let_go)
    named = {"called": [{"server": "home", "tool": "lamp_on", "state": "returned"}]}
    assert await cancelling.cancel(uuid4()) == {"status": status, **(named if status == "cancelled" else {})}
