"""PURE: service levels as JSON for tools and the ops API (MSG-15). No content of a message is in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from butler_messenger.delivery.circuits import Account
from butler_messenger.delivery.records import Row
from butler_messenger.service_levels.burning import Level
from butler_messenger.service_levels.figures import Figures
from butler_messenger.service_levels.objectives import ACTING, Count, Objective, Policy, Sli, WindowPair

__all__ = ["Standing", "policy_view", "standing_view"]


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
    level = one.level
    return {
        "channel": one.account.channel,
        "identity_scope": one.account.identity_scope,
        "state": level.state.value,
        "cause": level.cause or None,
        "changed_at": _time(level.changed_at),
        "burning_at": _time(level.burning_at),
        "released_at": _time(level.released_at(policy)),
        "counted_from": _time(level.counted_from),
        "burn": level.burn,
        "tightened": one.figures.tightened.get(policy.fast.long_s, 0),
        "objectives": [_objective(sli, one, policy) for sli in _slis(one)],
        "changes": [
            {
                "changed_at": _time(row["changed_at"]),
                "state": row["state"],
                "why": row["why"],
                "by": row["actor"],
            }
            for row in one.changes
        ],
    }


def policy_view(policy: Policy) -> dict[str, Any]:
    """Return the policy that decides."""
    return {
        "tightens": policy.tightens,
        "fast": _pair(policy.fast),
        "slow": _pair(policy.slow),
        "minimum_events": policy.minimum_events,
        "minimum_failures": policy.minimum_failures,
        "release_after_s": policy.release_after_s,
        "period_days": policy.period_days,
    }


def _slis(one: Standing) -> list[Sli]:
    """Return every objective, including those without events yet."""
    plain = {Sli(objective) for objective in Objective if objective is not Objective.LATENCY}
    return sorted(plain | set(one.figures.counts) | set(one.period.counts))


def _objective(sli: Sli, one: Standing, policy: Policy) -> dict[str, Any]:
    target, counts = policy.targets[sli.objective], one.figures.counts.get(sli, {})
    whole = one.period.counts.get(sli, {}).get(policy.period_s, Count())
    told: dict[str, Any] = {
        "objective": sli.objective.value,
        "intent": sli.intent or None,
        "target": target,
        "acts": sli.objective in ACTING,
        "windows": [
            _window(length_s, counts.get(length_s, Count()), target) for length_s in policy.windows_s
        ],
        "period": _window(policy.period_s, whole, target),
        "budget_left": 1 - whole.burn(target),
    }
    if sli.objective is Objective.LATENCY:
        told["within_s"] = policy.within_s.get((one.account.channel, sli.intent))
        told["p95_s"] = one.within_s.get((one.account.channel, sli.intent))
    return told


def _window(seconds: float, count: Count, target: float) -> dict[str, Any]:
    good = (count.events - count.bad) / count.events if count.events else None
    return {
        "seconds": seconds,
        "events": count.events,
        "bad": count.bad,
        "good": good,
        "burn": count.burn(target),
    }


def _pair(pair: WindowPair) -> dict[str, float]:
    return {"long_s": pair.long_s, "short_s": pair.short_s, "burn": pair.burn}


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment is not None else None
