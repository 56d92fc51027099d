"""Passes a butler's request to call an outside tool on to Messenger, which asks the people (ADR 0101).

Invariants: the requester is the authenticated caller and the writer is the stored request's sender: people are asked
only about a message of a household member that may be answered. Switchboard decides nothing and keeps nothing of it.
"""

from __future__ import annotations

from typing import Any, Final

from butler_contracts.call_approvals import CallAsked, CallForApproval, CallVerdict
from butler_contracts.errors import ValidationFailed
from butler_contracts.parse import parse
from butler_kit.auth import Caller
from butler_switchboard.dispatch.lifecycle import CANCELLED, MESSENGER
from butler_switchboard.dispatch.targets import Targets
from butler_switchboard.ingress.store import InboxStore

__all__ = ["ASK_TIMEOUT_S", "ASK_TOOL", "CallApprovals"]

ASK_TOOL: Final = "messenger_approval_ask"
"""Of Messenger."""
ASK_TIMEOUT_S: Final = 5.0


class CallApprovals:
    """The tool `approval.ask` for butlers."""

    def __init__(self, *, inbox: InboxStore, targets: Targets) -> None:
        self._inbox = inbox
        self._targets = targets

    async def ask(self, caller: Caller, document: dict[str, Any]) -> CallVerdict:
        """Return the decision. Raises `ValidationFailed` if nobody may be asked, and Messenger's refusals."""
        asked = parse(CallAsked, document)
        message = await self._inbox.load(asked.request_id)
        if message is None:
            raise ValidationFailed(f"request_id: {asked.request_id} is not known; expected one that is")
        if message.lifecycle_state == CANCELLED:
            raise ValidationFailed(
                f"request_id: {asked.request_id} was cancelled by an operator; nothing is called for it"
            )
        context = message.context_of_answer
        if context.sender_class != "household" or context.reply_policy != "allow" or context.automatic:
            raise ValidationFailed(f"request_id: {asked.request_id} is no member's; nothing is called for it")
        told = CallForApproval(
            **dict(asked),
            origin_butler=caller.name,
            channel=context.source_channel.value,
            sender=context.source_sender_identity,
        )
        answer = await self._targets.call(
            MESSENGER,
            ASK_TOOL,
            told.to_wire(),
            claims={"jti": str(asked.call_id), "origin": caller.name},
            timeout_s=ASK_TIMEOUT_S,
        )
        return parse(CallVerdict, answer)
