"""What a Messenger of a test says when Switchboard asks about a child's request (ADR 0124)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from butler_contracts.call_approvals import digest_of
from butler_contracts.errors import ValidationFailed
from butler_contracts.request_approvals import WITHDRAW_TOOL as UNASK_TOOL
from butler_kit.auth import Caller
from butler_kit.mcp.server import ToolServer

__all__ = ["ASK_TOOLS", "GrownUps"]

_ASK_TOOL = "messenger_approval_ask"
ASK_TOOLS = (_ASK_TOOL, UNASK_TOOL)


@dataclass
class GrownUps:
    """`names` can be asked, as a rule nobody; `word` is the verdict and of whom; the rest is what came, by approval."""

    names: tuple[str, ...] = ()
    word: tuple[str, str | None] = ("waiting", None)
    asked: dict[UUID, dict[str, Any]] = field(default_factory=dict)
    unasked: list[UUID] = field(default_factory=list)

    def offer(self, server: ToolServer) -> None:
        @server.tool(_ASK_TOOL, {"type": "object"}, roles=("switchboard",))
        async def ask(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
            if not self.names:
                raise ValidationFailed("nobody can be asked here")
            self.asked.setdefault(UUID(args["call_id"]), args)
            state, by = self.word
            return {
                "call_id": args["call_id"],
                "state": state,
                "arguments_digest": digest_of(args["arguments"]),
                "expires_at": "2100-01-01T00:00:00Z",
                "decided_by": by,
                "asked": list(self.names),
            }

        @server.tool(UNASK_TOOL, {"type": "object"}, roles=("switchboard",))
        async def unask(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
            self.unasked.append(UUID(args["approval_id"]))
            return {"withdrawn": True}
