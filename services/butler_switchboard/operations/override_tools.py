"""The operators' tools that intervene in a request (SWB-38): what the ops API does, for the pages (D80)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import Field

from butler_contracts.text import STORABLE
from butler_kit.auth import Caller, Role
from butler_kit.mcp.server import ToolServer
from butler_kit.operations import ActBody, key_of, order_by
from butler_switchboard.operations.correcting import Correctors
from butler_switchboard.operations.correction_models import CorrectBody
from butler_switchboard.operations.override_models import EndVerb, RerouteBody
from butler_switchboard.operations.overrides import Overrides
from butler_switchboard.operations.rerouting import Rerouting

__all__ = ["register_override_tools"]

_ACTORS: Final = (Role.OPERATOR,)
_TOLD: Final[dict[EndVerb, str]] = {
    "cancel": "End a request that is under way.",
    "complete": "Declare a request done that is under way.",
}
OrderKey = Annotated[str, Field(min_length=1, max_length=200), STORABLE]


class EndRequest(ActBody):
    """Which request, and why; the same `idempotency_key` again does nothing."""

    request_id: UUID
    idempotency_key: OrderKey | None = None


class RerouteRequest(RerouteBody):
    """Which part of which request goes where, and why; the same `idempotency_key` again does nothing."""

    request_id: UUID
    idempotency_key: OrderKey | None = None


class CorrectRequest(CorrectBody):
    """Whose part of which request was whose, and why; the same `idempotency_key` again does nothing."""

    request_id: UUID
    idempotency_key: OrderKey | None = None


def register_override_tools(
    server: ToolServer,
    overrides: Overrides,
    rerouting: Rerouting,
    correctors: Correctors,
    *,
    new_id: Callable[[], UUID],
) -> None:
    """Offer the four tools."""

    async def end(verb: EndVerb, caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        asked = EndRequest(**args)
        order = order_by(
            caller,
            uid=key_of(asked.idempotency_key, otherwise=new_id()),
            action=f"request.{verb}",
            target=f"request/{asked.request_id}",
            body=asked,
        )
        return (await overrides.end(asked.request_id, verb, order)).model_dump(mode="json")

    for verb, told in _TOLD.items():
        server.tool(f"request.{verb}", EndRequest, roles=_ACTORS, description=told)(partial(end, verb))

    @server.tool("request.reroute", RerouteRequest, roles=_ACTORS)
    async def reroute(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Give a butler's part of a request to another butler."""
        asked = RerouteRequest(**args)
        order = order_by(
            caller,
            uid=key_of(asked.idempotency_key, otherwise=new_id()),
            action="request.reroute",
            target=f"request/{asked.request_id}",
            body=asked,
            params={"butler": asked.butler, "to": asked.to},
        )
        return (await rerouting.reroute(asked.request_id, asked, order)).model_dump(mode="json")

    @server.tool("request.correct", CorrectRequest, roles=_ACTORS)
    async def correct(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Give a part to the butler whose it was; the one that had it takes back what it noted."""
        asked = CorrectRequest(**args)
        params = {"to": asked.to} | ({"butler": asked.butler} if asked.butler is not None else {})
        order = order_by(
            caller,
            uid=key_of(asked.idempotency_key, otherwise=new_id()),
            action="request.correct",
            target=f"request/{asked.request_id}",
            body=asked,
            params=params,
        )
        return (await correctors.correct(asked.request_id, asked, order)).model_dump(mode="json")
