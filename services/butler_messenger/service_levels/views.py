"""PURE: the service levels of channels as JSON for tools and the ops API (MSG-15). No message's content is in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from butler_kit.service_levels import Level, Sli
from butler_kit.service_levels.views import changes_view, level_view, objective_view
from butler_messenger.delivery.circuits import Account
from butler_messenger.delivery.records import Row
from butler_messenger.service_levels.figures import Figures
from butler_messenger.service_levels.objectives import Objective, Policy

__all__ = ["Standing", "standing_view"]


@dataclass(frozen=True, slots=True)
class Standing:
    """All that is known about one account; `within_s` by channel and intent, `changes` newest first."""

    account: Account
    level: Level
    figures: Figures
    period: Figures
    within_s: Mapping[tuple[str, str], float]
    changes: Sequence[Row]


def standing_view(one: Standing, policy: Policy) -> dict[str, Any]:
    """Return the state, its cause and times, and each objective's counts, rates and remaining budget."""
    return {
        "channel": one.account.channel,
        "identity_scope": one.account.identity_scope,
        **level_view(one.level, policy),
        "tightened": one.figures.tightened.get(policy.fast.long_s, 0),
        "objectives": [_objective(sli, one, policy) for sli in _slis(one)],
        "changes": changes_view(one.changes),
    }


def _slis(one: Standing) -> list[Sli]:
    """Return every objective, including those without events yet."""
    plain = {Sli(objective) for objective in Objective if objective is not Objective.LATENCY}
    return sorted(plain | set(one.figures.counts) | set(one.period.counts))


def _objective(sli: Sli, one: Standing, policy: Policy) -> dict[str, Any]:
    told = objective_view(sli, one.figures.counts, one.period.counts, policy)
    if sli.objective == Objective.LATENCY:
        told["within_s"] = policy.within_s.get((one.account.channel, sli.part))
        told["p95_s"] = one.within_s.get((one.account.channel, sli.part))
    return told
