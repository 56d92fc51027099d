"""Routing decisions made before any model is asked (SWB-28.1, pure).

A triage rule or thread affinity that says `route_to` beats the model: no session is run. Whether the target may be
chosen at all is judged afterwards by `verdict`, for policy and model alike.
"""

from __future__ import annotations

from dataclasses import dataclass

from butler_switchboard.routing.message import RouteCall, RoutingMessage, Segment

__all__ = ["PolicyDecision", "policy_decision"]

ROUTE_TO = "route_to"


@dataclass(frozen=True, slots=True)
class PolicyDecision:
    """A call that policy makes, and the rule that made it, for the record."""

    call: RouteCall
    rule: str


def policy_decision(
    message: RoutingMessage,
    *,
    triage_decision: str | None,
    triage_target: str | None,
    rule_id: str | None = None,
) -> PolicyDecision | None:
    """Return the call that the triage result demands, with the whole message; None if a model has to decide.

    The target may come with the decision (`route_to`) or inside it (`route_to:finance`).
    """
    kind, _, inner = (triage_decision or "").partition(":")
    target = triage_target or inner.strip()
    if kind != ROUTE_TO or not target:
        return None
    rule = rule_id or "unnamed"
    segment = Segment.whole(message.text, f"triage rule {rule} routes this message to {target}")
    return PolicyDecision(call=RouteCall(butler=target, prompt=message.text, segment=segment), rule=rule)
