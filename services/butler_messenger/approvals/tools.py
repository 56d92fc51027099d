"""The tools `messenger_approval_*` and `messenger_approval_rule_*`, for operator and Switchboard (MSR-03, MSG-5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from butler_contracts.call_approvals import CallForApproval
from butler_kit.auth import Caller, Role
from butler_kit.mcp.server import ToolServer
from butler_kit.operations import key_of, order_by
from butler_messenger.approvals.calls import CallApprovals
from butler_messenger.approvals.desk import ApprovalDesk
from butler_messenger.approvals.questions import (
    ApprovalQuestion,
    ApprovalsQuestion,
    DecideCall,
    EndRuleCall,
    RulesQuestion,
    params_of,
)
from butler_messenger.approvals.rules import StandingRules

__all__ = ["register_approval_tools"]

_ROLES: Final = (Role.OPERATOR, Role.SWITCHBOARD)


def register_approval_tools(
    server: ToolServer,
    desk: Callable[[], ApprovalDesk],
    rules: Callable[[], StandingRules],
    calls: Callable[[], CallApprovals],
    *,
    new_id: Callable[[], UUID],
) -> None:
    """Register the tools; what answers them is asked for at each call."""

    @server.tool("messenger_approval_ask", CallForApproval, roles=(Role.SWITCHBOARD,))
    async def ask(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Ask whether a butler may call a tool outside, and hear what was decided: the same call again asks nobody."""
        return (await calls().ask(CallForApproval(**args))).to_wire()

    @server.tool("messenger_approval_list", ApprovalsQuestion, roles=_ROLES)
    async def page(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Messages that wait for an approval, or were decided on: newest first, in pages, each with a preview."""
        return await desk().page(ApprovalsQuestion(**args))

    @server.tool("messenger_approval_inspect", ApprovalQuestion, roles=_ROLES)
    async def inspect(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """One of them with the whole text that would be sent."""
        return await desk().inspect(args["approval_id"])

    @server.tool("messenger_approval_decide", DecideCall, roles=_ROLES)
    async def decide(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Approve or deny one, once, with who and why: it is sent, or it ends unsent.

        With an approval `always_for_s` allows the same butler to send to the same recipient by the same tool without
        being asked about, for so many seconds."""
        asked = DecideCall(**args)
        order = order_by(
            caller,
            uid=key_of(asked.idempotency_key, otherwise=new_id()),
            action=f"approval.{asked.decision}",
            target=f"approval/{asked.approval_id}",
            body=asked,
            params=params_of(asked),
        )
        return await desk().decide(asked.approval_id, asked.decision, order, always_s=asked.always_for_s)

    @server.tool("messenger_approval_rule_list", RulesQuestion, roles=_ROLES)
    async def rule_page(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """What is sent without being asked about: which butler to whom, until when, by whose word."""
        return await rules().page(RulesQuestion(**args))

    @server.tool("messenger_approval_rule_end", EndRuleCall, roles=_ROLES)
    async def end_rule(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """End one of them now, with who and why: what it allowed is asked about again."""
        asked = EndRuleCall(**args)
        order = order_by(
            caller,
            uid=key_of(asked.idempotency_key, otherwise=new_id()),
            action="approval_rule.end",
            target=f"approval_rule/{asked.rule_id}",
            body=asked,
        )
        return await rules().end(asked.rule_id, order)
