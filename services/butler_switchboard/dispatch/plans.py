"""Plans of a verdict, plans that send a message nowhere, and what plans keep (pure; SWB-16.1, SWB-29.1, D54)."""

from __future__ import annotations

from dataclasses import replace

from butler_contracts.errors import ErrorClass, ErrorDetail
from butler_contracts.replied import RepliedV1
from butler_switchboard.dispatch.model import (
    AbortPolicy,
    FanoutMode,
    JoinPolicy,
    Plan,
    PlannedTarget,
    RequestState,
)
from butler_switchboard.routing.message import MeantWord
from butler_switchboard.routing.registry_view import RegistryView
from butler_switchboard.routing.verdict import Verdict

__all__ = ["nothing_to_do", "plan_of", "refused", "told_of", "with_precedence"]


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


def plan_of(state: RequestState, decided_by: str, judged: Verdict, join: JoinPolicy) -> Plan:
    """Return the plan of a verdict; `join` is the tier's."""
    targets = tuple(
        PlannedTarget(
            position=position,
            segment_id=f"s{position}",
            butler=target.butler,
            prompt=target.prompt,
            segment=target.segment.as_json() or None,
            away=target.away,
        )
        for position, target in enumerate(judged.targets, start=1)
    )
    return Plan(
        request_id=state.request_id,
        targets=targets,
        family=judged.family,
        model_version=judged.model_version,
        prompt_version=judged.prompt_version,
        decided_by=decided_by,
        confidence=judged.confidence,
        fallback=judged.fallback,
        reason=judged.reason,
        join_policy=JoinPolicy(judged.join) if judged.join is not None else join,
        fanout_mode=FanoutMode(judged.order),
        abort_policy=AbortPolicy.STOP if judged.order == "conditional" else AbortPolicy.CONTINUE,
        error=judged.error.to_detail() if judged.error is not None else None,
        trial=judged.trial,
    )


def told_of(meant: MeantWord | None, plan: Plan) -> Plan:
    """Tell the butlers that are replied to which of their messages is meant."""
    if meant is None:
        return plan
    replied = RepliedV1(request_id=meant.request_id, actions=meant.actions).to_wire()
    targets = (replace(one, replied=replied) if one.butler in meant.butlers else one for one in plan.targets)
    return replace(plan, targets=tuple(targets))
