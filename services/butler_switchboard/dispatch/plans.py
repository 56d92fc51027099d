"""Plans that send a message nowhere, and the precedence that plans keep (pure; SWB-16.1, SWB-29.1, D54)."""

from __future__ import annotations

from dataclasses import replace

from butler_contracts.errors import ErrorClass, ErrorDetail
from butler_switchboard.dispatch.model import Plan, RequestState
from butler_switchboard.routing.registry_view import RegistryView

__all__ = ["nothing_to_do", "refused", "with_precedence"]


def nothing_to_do(state: RequestState, reason: str) -> Plan:
    """Return a plan without targets: the message is only recorded."""
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
    """Return a plan without targets that says why nobody gets the message."""
    error = ErrorDetail(error_class=error_class, message=message, retryable=False)
    return replace(nothing_to_do(state, reason), error=error)


def with_precedence(plan: Plan, registry: RegistryView) -> Plan:
    """Return the plan with its butlers' precedence as it is now, so that all replicas agree (SWB-29.1)."""
    targets = tuple(replace(one, precedence=registry.precedence(one.butler)) for one in plan.targets)
    return replace(plan, targets=targets)
