"""The tools by which butlers and connectors make themselves known (SWB-09, SWB-10, SWB-21, D3)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from butler_contracts.base import StrictModel
from butler_contracts.person_settings import PEOPLE
from butler_contracts.text import STORABLE
from butler_contracts.triage import TriageRule, rules_to_wire
from butler_kit.auth import Caller, Role
from butler_kit.mcp.server import ToolServer
from butler_kit.time import Clock
from butler_switchboard.registry.butlers import Butlers
from butler_switchboard.registry.connectors import Connectors
from butler_switchboard.registry.records import Registration

__all__ = ["RegisterButler", "register_registry_tools"]

_BUTLERS: Final = (Role.BUTLER,)
_CONNECTORS: Final = (Role.CONNECTOR,)
Hear = Callable[[str, object], Awaitable[None]]
"""Takes what the butler of that name says; None where it says nothing."""
Words = Annotated[str, Field(min_length=1, max_length=500), STORABLE]
Phrases = Annotated[tuple[Words, ...], Field(max_length=200)]
ToolName = Annotated[str, Field(min_length=1, max_length=200), STORABLE]

_HEARTBEAT: Final = {
    "type": "object",
    "properties": {
        "heartbeat": {"type": "object", "description": "one connector.heartbeat.v1 document"},
    },
    "required": ["heartbeat"],
    "additionalProperties": False,
}
_OBSERVED: Final = {
    "type": "object",
    "properties": {
        "observed": {"type": "object", "description": "what the butler sees of itself", "maxProperties": 50}
    },
    "additionalProperties": False,
}


async def _nobody() -> dict[str, Any] | None:
    return None


class RegisterButler(StrictModel):
    """A butler's introduction; its name is that of its token, its endpoint that of its declaration (D3)."""

    description: Annotated[str, Field(max_length=2_000), STORABLE] = ""
    triggers: Phrases = ()
    capabilities: Phrases = ()
    required_information: Phrases = ()
    tools: Annotated[tuple[ToolName, ...], Field(max_length=500)]
    route_contract: Literal["route.v1"]


def register_registry_tools(
    server: ToolServer,
    butlers: Butlers,
    connectors: Connectors,
    clock: Clock,
    rules: Sequence[TriageRule] = (),
    people: Callable[[], Awaitable[dict[str, Any] | None]] = _nobody,
    *,
    runtime: Hear,
) -> None:
    """Offer the butlers' two tools, each under its own name, and the connectors' heartbeat, for its own identity.

    A connector's beat is answered with the triage `rules`, so that nothing is submitted that one of them skips (D10),
    and a butler's with the settings that `people` have of their own, where those can be read (D83). `runtime` hears
    what a butler says of its own.
    """
    told = rules_to_wire(rules)

    @server.tool("register_butler", RegisterButler, roles=_BUTLERS)
    async def register(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Introduce yourself: what you do, and every tool that you serve."""
        record = await butlers.register(caller, Registration(**args))
        return {"eligibility_state": record.eligibility_state.value, "reason": record.eligibility_reason}

    @server.tool("butler.heartbeat", _OBSERVED, roles=_BUTLERS)
    async def beat(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Say that you are alive."""
        record = await butlers.heartbeat(caller)
        await runtime(record.name, args.get("observed", {}).get("runtime"))
        told = {"eligibility_state": record.eligibility_state.value, "reason": record.eligibility_reason}
        known = await people()
        return told if known is None else {**told, PEOPLE: known}

    @server.tool("connector.heartbeat", _HEARTBEAT, roles=_CONNECTORS)
    async def connector_beat(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Say how your connector does; the first beat makes it known."""
        connectors.heartbeat(caller, args["heartbeat"])
        return {"status": "accepted", "server_time": clock.now().isoformat(), "rules": told}
