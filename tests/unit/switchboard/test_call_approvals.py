"""A butler's question whether it may call something: of a member's message alone, in that butler's name (ADR 0101)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.call_approvals import digest_of, written_arguments
from butler_contracts.context import RequestContext
from butler_contracts.errors import ValidationFailed
from butler_contracts.parse import ContractViolation
from butler_switchboard.dispatch.call_approvals import CallApprovals
from tests.integration.specialist.household import request_context
from tests.support.switchboard import butler

ARGUMENTS = written_arguments({"door": "front"})


class Double:
    """The inbox, and Messenger behind it; `asked` is every call to that."""

    def __init__(self, state: str = "accepted", **context: Any) -> None:
        self.context = RequestContext.model_validate({**request_context("telegram"), **context})
        self.state = state
        self.asked: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = []

    async def load(self, request_id: UUID) -> Any:
        if request_id != self.context.request_id:
            return None
        return SimpleNamespace(lifecycle_state=self.state, context_of_answer=self.context)

    async def call(
        self, name: str, tool: str, arguments: dict[str, Any], *, claims: dict[str, Any], timeout_s: float
    ) -> dict[str, Any]:
        self.asked.append((name, tool, arguments, claims))
        return {
            "call_id": arguments["call_id"],
            "state": "waiting",
            "arguments_digest": digest_of(arguments["arguments"]),
            "expires_at": "2030-01-01T00:00:00Z",
        }

    async def ask(self, **changes: Any) -> Any:
        asked = {
            "call_id": str(uuid4()),
            "request_id": str(self.context.request_id),
            "server": "door",
            "tool": "unlock",
            "arguments": ARGUMENTS,
            **changes,
        }
        approvals = CallApprovals(inbox=self, targets=self)  # type: ignore[arg-type]
        return await approvals.ask(butler("home"), asked)


async def test_messenger_hears_who_asks_and_who_wrote_as_they_are_stored() -> None:
    double = Double()
    verdict = await double.ask()
    [(name, tool, told, claims)] = double.asked
    assert (name, tool) == ("messenger", "messenger_approval_ask")
    assert (told["origin_butler"], told["channel"], told["sender"]) == ("home", "telegram", "1001")
    assert (told["arguments"], claims["origin"]) == (ARGUMENTS, "home")
    assert verdict.state == "waiting"


@pytest.mark.parametrize(
    ("double", "words"),
    [
        (Double(state="cancelled"), "was cancelled by an operator"),
        (Double(sender_class="other", reply_policy="owner"), "is no member's"),
        (Double(reply_policy="none"), "is no member's"),
        (Double(automatic=True, reply_policy="none"), "is no member's"),
    ],
)
async def test_nobody_is_asked_for_what_no_member_wrote_now(double: Double, words: str) -> None:
    with pytest.raises(ValidationFailed, match=words):
        await double.ask()
    assert double.asked == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"request_id": str(uuid4())},
        {"origin_butler": "finance"},
        {"sender": "1002"},
        {"arguments": '{"b": 1}'},
        {"arguments": written_arguments({"x": "é" * 800})},
        {"arguments": '{"x":"\x00"}'},
        {"server": "Door"},
        {"tool": "un lock"},
    ],
)
async def test_what_is_forged_or_unreadable_is_refused(wrong: dict[str, Any]) -> None:
    double = Double()
    with pytest.raises((ValidationFailed, ContractViolation)):
        await double.ask(**wrong)
    assert double.asked == []
