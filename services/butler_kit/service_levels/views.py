"""PURE: service levels as JSON for tools and the ops API. No content of a message is in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from butler_kit.service_levels.burning import Level
from butler_kit.service_levels.counts import BurnPolicy, Count, Measured, Sli, WindowPair
from butler_kit.service_levels.rows import Row

__all__ = ["changes_view", "level_view", "objective_view", "policy_view"]


def level_view(level: Level, policy: BurnPolicy) -> dict[str, Any]:
    """Return the state, its cause and its times."""
    return {
        "state": level.state.value,
        "cause": level.cause or None,
        "changed_at": _time(level.changed_at),
        "burning_at": _time(level.burning_at),
        "released_at": _time(level.released_at(policy)),
        "counted_from": _time(level.counted_from),
        "burn": level.burn,
    }


def objective_view(sli: Sli, lately: Measured, period: Measured, policy: BurnPolicy) -> dict[str, Any]:
    """Return one objective's counts and rates, and what is left of its budget of the period."""
    target, counts = policy.targets[sli.objective], lately.get(sli, {})
    whole = period.get(sli, {}).get(policy.period_s, Count())
    return {
        "objective": str(sli.objective),
        "intent": sli.part or None,
        "target": target,
        "acts": sli.objective in policy.acting,
        "windows": [
            _window(length_s, counts.get(length_s, Count()), target) for length_s in policy.windows_s
        ],
        "period": _window(policy.period_s, whole, target),
        "budget_left": 1 - whole.burn(target),
    }


def changes_view(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the changes of a level, as in the table `service_level_change`."""
    return [
        {
            "changed_at": _time(row["changed_at"]),
            "state": row["state"],
            "why": row["why"],
            "by": row["actor"],
        }
        for row in rows
    ]


def policy_view(policy: BurnPolicy) -> dict[str, Any]:
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


def _window(seconds: float, count: Count, target: float) -> dict[str, Any]:
    good = (count.events - count.bad) / count.events if count.events else None
    return {
        "seconds": seconds,
        "events": count.events,
        "bad": count.bad,
        "good": good,
        "burn": count.burn(target),
    }


def _pair(pair: WindowPair) -> Mapping[str, float]:
    return {"long_s": pair.long_s, "short_s": pair.short_s, "burn": pair.burn}


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment is not None else None
