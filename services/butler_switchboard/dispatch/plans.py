"""Plans that send a message nowhere, with the reason (pure; SWB-16.1, D54)."""

from __future__ import annotations

from dataclasses import replace

from butler_contracts.errors import ErrorClass, ErrorDetail
from butler_switchboard.dispatch.model import Plan, RequestState

__all__ = ["nothing_to_do", "refused"]


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
