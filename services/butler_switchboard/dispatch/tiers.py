"""How routing differs between tiers (SWB-34.1): data, chosen by the request's own `policy_tier` alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from butler_contracts.ingest import PolicyTier
from butler_switchboard.dispatch.model import JoinPolicy, PolicyInForce
from butler_switchboard.routing.policy import RuleRoute

__all__ = ["PlannerPolicy", "TierPolicy"]


@dataclass(frozen=True, slots=True)
class TierPolicy:
    """The model that routes a tier, the seconds that may take, and when its messages count as done.

    `in_force` is what is recorded of it all with each plan.
    """

    model: str | None
    session_timeout_s: float
    join: JoinPolicy
    in_force: PolicyInForce | None = None


@dataclass(frozen=True, slots=True)
class PlannerPolicy:
    """Least confidence of a specialist; seconds that a message waits for any butler; policies by tier.

    `routes` are the triage rules with several targets, by id.
    """

    threshold: float
    patience_s: float
    max_tool_calls: int
    tiers: Mapping[PolicyTier, TierPolicy]
    routes: Mapping[str, RuleRoute] = field(default_factory=dict)
