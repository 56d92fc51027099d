"""`route.cancel`: an operator ends work that Switchboard sent here (SWB-38, ADR 0075).

Invariant: work either has an outcome or was cancelled, and the lock on its work row decides which; cancelled work
records nothing and tells nobody. What it had called outside by then stays done, and is named.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final
from uuid import UUID

from butler_contracts.base import StrictModel
from butler_contracts.errors import Conflict
from butler_kit.auth import Caller, Role, trusted_caller
from butler_kit.mcp.server import ToolServer
from butler_kit.telemetry import get_logger
from butler_specialist.outside.journal import Journal
from butler_specialist.outside.model import CallState
from butler_specialist.store.inbox import Cancelled, RouteInbox

__all__ = ["Cancelling", "register_cancel_tool"]

_log = get_logger(__name__)

_DEADLINE_S: Final = 3.0
_BY_AN_OPERATOR: Final = "an operator ended this; nothing was noted"


class WhichWork(StrictModel):
    """Names a subrequest."""

    subrequest_id: UUID


class Cancelling:
    """Cancels work; `let_go` makes this process look for sessions that have lost their work, and end them."""

    def __init__(self, inbox: RouteInbox, journal: Journal, let_go: Callable[[], Awaitable[None]]) -> None:
        self._inbox = inbox
        self._journal = journal
        self._let_go = let_go

    async def cancel(self, subrequest_id: UUID) -> dict[str, Any]:
        """Cancel the work and return its status and `called`, what it may have done outside; a repeat changes nothing.

        `ended`: it already had an outcome; `unknown`: it never arrived. Of `called`, the arguments are left out: they
        are the sender's words.
        """
        status = await self._ended(subrequest_id)
        if status != "cancelled":
            return {"status": status}
        called = await self._journal.of_subrequest(subrequest_id)
        told = [
            {"server": one.server, "tool": one.tool, "state": one.state.value}
            for one in called
            if one.state is not CallState.FAILED
        ]
        return {"status": status, **({"called": told} if told else {})}

    async def _ended(self, subrequest_id: UUID) -> Cancelled:
        status = await self._inbox.cancel(subrequest_id, Conflict(_BY_AN_OPERATOR).to_detail())
        if status == "cancelled":
            await self._let_go()
            _log.info("work_cancelled", subrequest_id=str(subrequest_id))
        return status


def register_cancel_tool(
    server: ToolServer, cancelling: Callable[[], Cancelling], *, trusted: Sequence[str]
) -> None:
    """Register `route.cancel`; `cancelling` is called on each request."""

    @server.tool("route.cancel", WhichWork, roles=(Role.SWITCHBOARD,), deadline_s=_DEADLINE_S)
    async def cancel(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """End what is not done yet: its session is ended, and nothing of it is noted or told."""
        trusted_caller(caller, trusted)
        return await cancelling().cancel(WhichWork(**args).subrequest_id)
