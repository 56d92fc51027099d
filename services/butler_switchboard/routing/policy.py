"""Routing decisions made before any model is asked (SWB-28.1, pure).

A triage rule or thread affinity that says `route_to` beats the model: no session is run. Whether the target may be
chosen at all is judged afterwards by `verdict`, for policy and model alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from butler_switchboard.routing.message import Join, RouteCall, RoutingMessage, Segment
from butler_switchboard.routing.order import After, Order

__all__ = ["PolicyDecision", "RuleRoute", "policy_decision"]

ROUTE_TO = "route_to"


@dataclass(frozen=True, slots=True)
class RuleRoute:
    """What a rule with several targets demands; without `join` the tier's applies."""

    targets: tuple[str, ...]
    order: Order = "parallel"
    join: Join | None = None


_NO_ROUTES: Final[Mapping[str, RuleRoute]] = MappingProxyType({})
_AFTER: Final[Mapping[Order, After]] = MappingProxyType({"ordered": "always", "conditional": "success"})


@dataclass(frozen=True, slots=True)
class PolicyDecision:
    """The calls that policy makes, the rule that made them, for the record, and its word on when they are done."""

    calls: tuple[RouteCall, ...]
    rule: str
    join: Join | None = None


def policy_decision(
    message: RoutingMessage,
    *,
    triage_decision: str | None,
    triage_target: str | None,
    rule_id: str | None = None,
    routes: Mapping[str, RuleRoute] = _NO_ROUTES,
) -> PolicyDecision | None:
    """Return the calls that the triage result demands, with the whole message; None if a model has to decide.

    The target may come with the decision (`route_to`) or inside it (`route_to:finance`). It is the first of several
    that its rule has in `routes`; if that rule is another one now, the target stands alone.
    """
    kind, _, inner = (triage_decision or "").partition(":")
    target = triage_target or inner.strip()
    if kind != ROUTE_TO or not target:
        return None
    rule = rule_id or "unnamed"
    route = routes.get(rule)
    if route is None or route.targets[0] != target:
        route = RuleRoute((target,))
    calls = (_call(message, rule, name, route.order, first=name == target) for name in route.targets)
    return PolicyDecision(tuple(calls), rule, route.join)


def _call(message: RoutingMessage, rule: str, target: str, order: Order, *, first: bool) -> RouteCall:
    segment = Segment.whole(message.text, f"triage rule {rule} routes this message to {target}")
    after = None if first else _AFTER.get(order)
    return RouteCall(butler=target, prompt=message.text, segment=segment, after=after)
