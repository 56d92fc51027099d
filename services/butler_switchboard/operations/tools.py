"""The operators' tools over MCP: dead letters (SWB-32, D4) and holds of butlers (SWB-10).

The dashboard reads, an operator acts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import Field

from butler_contracts.base import StrictModel, Timestamp
from butler_contracts.text import STORABLE, ButlerName
from butler_kit.auth import Caller, Role
from butler_kit.mcp.server import ToolServer
from butler_kit.operations import ActBody, Order, key_of, order_by
from butler_switchboard.operations.actions import HoldActions
from butler_switchboard.operations.dead_letter_models import DeadLetterQuestion
from butler_switchboard.operations.dead_letters import DeadLetters
from butler_switchboard.registry.eligibility import Hold

__all__ = ["register_operator_tools"]

_READERS: Final = (Role.OPERATOR, Role.DASHBOARD)
_ACTORS: Final = (Role.OPERATOR,)


class WhichDeadLetter(StrictModel):
    """Names one."""

    dead_letter_id: UUID


OrderKey = Annotated[str, Field(min_length=1, max_length=200), STORABLE]


class CloseDeadLetter(ActBody):
    """What to do with which one, and why; the same `idempotency_key` again does nothing."""

    dead_letter_id: UUID
    idempotency_key: OrderKey | None = None

    def order(self, caller: Caller, verb: str, *, new_id: Callable[[], UUID]) -> Order:
        """The order, as the ops API would take it."""
        return order_by(
            caller,
            uid=key_of(self.idempotency_key, otherwise=new_id()),
            action=f"dead_letter.{verb}",
            target=f"dead_letter/{self.dead_letter_id}",
            body=self,
        )


class ReleaseButler(ActBody):
    """Which butler's hold ends, and why; the same `idempotency_key` again does nothing."""

    butler: ButlerName
    idempotency_key: OrderKey | None = None

    def order(self, caller: Caller, verb: str, *, new_id: Callable[[], UUID], **params: Any) -> Order:
        """The order, as the ops API would take it."""
        return order_by(
            caller,
            uid=key_of(self.idempotency_key, otherwise=new_id()),
            action=f"butler.{verb}",
            target=f"butler/{self.butler}",
            body=self,
            params=params,
        )


class HoldButler(ReleaseButler):
    """Which butler gets nothing new, why, and until when at most."""

    until: Timestamp | None = None


def register_operator_tools(
    server: ToolServer, dead_letters: DeadLetters, holds: HoldActions, *, new_id: Callable[[], UUID]
) -> None:
    """Offer them all but what is passed on (`operations.passing_tools`)."""
    _offer_dead_letters(server, dead_letters, new_id=new_id)

    @server.tool("butler.quarantine", HoldButler, roles=_ACTORS)
    async def quarantine(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Hold a butler: it gets nothing new until it is released."""
        asked = HoldButler(**args)
        until = asked.until.isoformat() if asked.until is not None else None
        order = asked.order(caller, "quarantine", new_id=new_id, until=until)
        return (await holds.hold(asked.butler, Hold(asked.reason, asked.until), order)).document()

    @server.tool("butler.release", ReleaseButler, roles=_ACTORS)
    async def release(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """End a butler's hold."""
        asked = ReleaseButler(**args)
        return (await holds.release(asked.butler, asked.order(caller, "release", new_id=new_id))).document()


def _offer_dead_letters(server: ToolServer, dead_letters: DeadLetters, *, new_id: Callable[[], UUID]) -> None:

    @server.tool("dead_letter.list", DeadLetterQuestion, roles=_READERS)
    async def page(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """What failed beyond retry, newest first; without a state the open ones."""
        found = await dead_letters.page(DeadLetterQuestion(**args))
        return found.model_dump(mode="json")

    @server.tool("dead_letter.inspect", WhichDeadLetter, roles=_READERS)
    async def inspect(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """One dead letter with its own copy of the message, the plan and every attempt."""
        return (await dead_letters.inspect(args["dead_letter_id"])).model_dump(mode="json")

    @server.tool("dead_letter.replay", CloseDeadLetter, roles=_ACTORS)
    async def replay(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Send its failed parts again, once."""
        asked = CloseDeadLetter(**args)
        done = await dead_letters.replay(asked.dead_letter_id, asked.order(caller, "replay", new_id=new_id))
        return done.model_dump(mode="json")

    @server.tool("dead_letter.discard", CloseDeadLetter, roles=_ACTORS)
    async def discard(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Keep it, and never replay it."""
        asked = CloseDeadLetter(**args)
        order = asked.order(caller, "discard", new_id=new_id)
        return (await dead_letters.discard(asked.dead_letter_id, order)).model_dump(mode="json")
