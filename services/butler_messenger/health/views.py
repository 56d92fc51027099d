"""PURE: budgets, queue and figures as JSON for tools and the ops API (MSR-10). No content of a message is in them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from butler_messenger.admission.headroom import Headroom
from butler_messenger.admission.limits import account_of
from butler_messenger.delivery.records import Row
from butler_messenger.delivery.states import Status

__all__ = ["budget_view", "pause_view", "queue_view", "stats_view"]

_ENDED: Final = (Status.SENT, Status.FAILED, Status.UNCERTAIN, Status.DEAD_LETTERED)


def budget_view(one: Headroom) -> dict[str, Any]:
    """Return a budget: `used` of `limit`, the requester's `room`, seconds until a message fits, else null."""
    key = one.demand.key
    account = account_of(key)
    dimension, _, whose = key.partition(":")
    if dimension in ("recipient", "thread"):
        whose = whose.partition(":")[2]
    elif dimension == "origin":
        whose = whose.partition(":")[0]
    return {
        "dimension": dimension,
        "channel": account.partition(".")[0] if account else None,
        "identity_scope": account.partition(".")[2] if account else None,
        "whose": whose if dimension in ("recipient", "thread", "origin") else None,
        "limit": one.demand.most,
        "used": one.used,
        "used_by_sends": one.sends,
        "used_by_replies": one.replies,
        "room": one.room,
        "free_in_s": one.free_in_s,
    }


def pause_view(row: Row) -> dict[str, Any]:
    """Return a pause that a provider asked for, of the whole account or of one chat."""
    return {
        "channel": row["channel"],
        "identity_scope": row["identity_scope"],
        "target_identity": row["target_identity"],
        "until": _time(row["throttled_until"]),
    }


def queue_view(rows: Sequence[Row], *, places: int) -> dict[str, Any]:
    """Return all that is under way, in total and by lane, channel and origin; `places` is the limit."""
    groups = [
        {
            "lane": row["lane"],
            "channel": row["channel"],
            "origin_butler": row["origin_butler"],
            **_counts(row),
            "oldest_at": _time(row["oldest_at"]),
            "next_try_at": _time(row["next_try_at"]),
            "deferred_until": _time(row["deferred_until"]),
        }
        for row in rows
    ]
    return {"places": places, **_together(rows), "groups": groups}


def _counts(row: Row) -> dict[str, int]:
    calling, deferred = row["in_provider_call"], row["awaiting_retry"]
    return {
        "deliveries": row["deliveries"],
        "pending": row["deliveries"] - calling,
        "in_progress": calling,
        "admitted": row["deliveries"] - calling - deferred,
        "awaiting_retry": deferred,
        "in_provider_call": calling,
    }


def _together(rows: Sequence[Row]) -> dict[str, Any]:
    counted = [_counts(row) for row in rows]
    names = ("deliveries", "pending", "in_progress", "admitted", "awaiting_retry", "in_provider_call")
    oldest = min(rows, key=lambda row: row["oldest_at"], default=None)
    tries = [row for row in rows if row["awaiting_retry"]]
    return {
        **{name: sum(one[name] for one in counted) for name in names},
        "oldest_at": _time(oldest["oldest_at"]) if oldest is not None else None,
        "oldest_s": (oldest["now"] - oldest["oldest_at"]).total_seconds() if oldest is not None else None,
        "next_try_at": _time(min((row["next_try_at"] for row in tries), default=None)),
        "deferred_until": _time(max((row["deferred_until"] for row in tries), default=None)),
    }


def stats_view(row: Row) -> dict[str, Any]:
    """Return one group: counts by state, rates (null before the first), seconds until it was sent."""
    states = {state.value: row[state.value] for state in Status}
    ended = sum(states[state] for state in _ENDED)
    p50, p95 = row["sent_after_s"] or (None, None)
    return {
        "deliveries": row["deliveries"],
        "states": states,
        "retried": row["retried"],
        "success_rate": _rate(states[Status.SENT], ended),
        "dead_letter_rate": _rate(states[Status.DEAD_LETTERED], ended),
        "retry_rate": _rate(row["retried"], row["deliveries"]),
        "sent_after_s": {"p50": p50, "p95": p95},
    }


def _rate(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _time(value: datetime | None) -> str | None:
    return value.isoformat().replace("+00:00", "Z") if value is not None else None
