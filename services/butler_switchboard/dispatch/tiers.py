"""What routing does differently from tier to tier (SWB-34.1): data, chosen by the request's own `policy_tier` alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from butler_contracts.ingest import PolicyTier
from butler_switchboard.dispatch.model import JoinPolicy

__all__ = ["PlannerPolicy", "TierPolicy"]


@dataclass(frozen=True, slots=True)
class TierPolicy:
    """By which model a tier is routed, how many seconds that may take, and when its messages count as done."""

    model: str | None
    session_timeout_s: float
    join: JoinPolicy


@dataclass(frozen=True, slots=True)
class PlannerPolicy:
    """Least confidence of a specialist; seconds that a message waits for any butler at all; what differs by tier."""

    threshold: float
    patience_s: float
    max_tool_calls: int
    tiers: Mapping[PolicyTier, TierPolicy]
