"""Plans that send a message nowhere, with the reason (pure; SWB-14.1, SWB-16.1, D54)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from butler_contracts.errors import ErrorClass, ErrorDetail
from butler_switchboard.dispatch.model import Plan, RequestState

__all__ = ["LET_GO", "let_go", "nothing_to_do", "refused"]

LET_GO: Final = "let_go"
"""The reason of a plan for a message that had to make room for newer ones."""


def nothing_to_do(state: RequestState, reason: str) -> Plan:
    """A plan without targets: the message is only recorded."""
    return Plan(
        request_id=state.request_id,
        targets=(),
        family="none",
        model_version="",
        prompt_version="",
        decided_by="policy",
        confidence=None,
        fallback=False,
        reason=reason,
    )


def refused(state: RequestState, error_class: ErrorClass, message: str, *, reason: str) -> Plan:
    """A plan without targets that says why nobody gets the message."""
    error = ErrorDetail(error_class=error_class, message=message, retryable=False)
    return replace(nothing_to_do(state, reason), error=error)


def let_go(state: RequestState) -> Plan:
    """The end of a message that waited while its tier was full, and was the oldest (D79)."""
    message = "too many messages were waiting, and this was one of the oldest"
    return refused(state, ErrorClass.OVERLOAD_REJECTED, message, reason=LET_GO)
