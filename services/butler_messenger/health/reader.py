"""Reads the state of delivery: budgets, places, queue and figures (MSG-5.1.4, MSR-10.3, MSR-10.4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.time import Clock
from butler_messenger.admission.headroom import Headroom, Taken, headroom
from butler_messenger.admission.limits import TIGHT, WINDOW_S, AdmissionLimits, Demand, account_of, measure
from butler_messenger.admission.store import IDENTITY_SCOPE
from butler_messenger.delivery.records import Row
from butler_messenger.delivery.states import Status
from butler_messenger.health.questions import LimitsQuestion, QueueQuestion, StatsQuestion
from butler_messenger.health.views import budget_view, pause_view, queue_view, stats_view

__all__ = ["HealthReader"]

_SQL: Final = NamedQueries("butler_messenger.sql", "health.sql")
_LEVELS: Final = NamedQueries("butler_messenger.sql", "service_levels.sql")
MOST_BUDGETS: Final = 200
"""The most budgets shown; the fullest come first."""
_A_SEND: Final = 1.0


class HealthReader:
    """Gives the same answers on every replica; writes nothing."""

    def __init__(
        self, pool: Pool, limits: AdmissionLimits, channels: Collection[str], *, clock: Clock
    ) -> None:
        self._pool = pool
        self._limits = limits
        self._channels = channels
        self._clock = clock

    async def limits(self, asked: LimitsQuestion) -> dict[str, Any]:
        """Return the budgets for a send: global, of each channel, and those used within the window."""
        async with acquire(self._pool, doing="reading the budgets") as connection:
            rows = await connection.fetch(_SQL["rates"], WINDOW_S)
            pauses = await connection.fetch(_SQL["pauses"], asked.channel)
        accounts = (f"channel:{name}.{IDENTITY_SCOPE}" for name in sorted(self._channels))
        always = [key for key in ("global", *accounts) if _is_of(key, asked.channel)]
        keys = dict.fromkeys((*always, *(row["key"] for row in rows if _is_of(row["key"], asked.channel))))
        wanted = [Demand(key, measure(key, self._limits.rates)) for key in keys]
        seen = _standings(wanted, rows, cost=_A_SEND)
        first, others = seen[: len(always)], seen[len(always) :]
        fullest = [*first, *sorted(others, key=lambda one: one.used / one.demand.most, reverse=True)]
        return {
            "window_s": WINDOW_S,
            "budgets": [budget_view(one) for one in fullest[:MOST_BUDGETS]],
            "left_out": max(0, len(fullest) - MOST_BUDGETS),
            "pauses": [pause_view(row) for row in pauses],
        }

    async def headrooms(self, demands: Sequence[Demand], *, cost: float) -> list[Headroom]:
        """Return the state of these budgets for a message of `cost`, without those that are not in force."""
        keys = [one.key for one in demands]
        async with acquire(self._pool, doing="reading the budgets") as connection:
            rows = await connection.fetch(_SQL["rates_of"], WINDOW_S, keys)
            tight = {f"{TIGHT}:{row['account']}" for row in await connection.fetch(_LEVELS["tight"])}
        in_force = [one for one in demands if not one.key.startswith(f"{TIGHT}:") or one.key in tight]
        return _standings(in_force, rows, cost=cost)

    async def queue(self, asked: QueueQuestion) -> dict[str, Any]:
        """Return what is under way, in total and by lane, channel and origin (MSR-10.3)."""
        async with acquire(self._pool, doing="counting the queue") as connection:
            rows = await connection.fetch(_SQL["queue"], asked.channel)
            held = await connection.fetchval(_SQL["held"], asked.channel)
        return {**queue_view(rows, places=self._limits.max_in_flight), "awaiting_approval": held}

    async def stats(self, asked: StatsQuestion) -> dict[str, Any]:
        """Return the counts, rates and times of a window, in total and by groups (MSR-10.4)."""
        since, until = asked.window(self._clock.now())
        async with acquire(self._pool, doing="counting deliveries") as connection:
            whole = await connection.fetchrow(_SQL["stats"], since, until, None)
            by = asked.group_by
            groups = await connection.fetch(_SQL["stats"], since, until, by) if by is not None else []
        return {
            "since": since.astimezone(UTC).isoformat().replace("+00:00", "Z"),
            "until": until.astimezone(UTC).isoformat().replace("+00:00", "Z"),
            **stats_view(whole or _NOTHING),
            "group_by": by,
            "groups": [{"of": row["whose"], **stats_view(row)} for row in groups],
        }


_NOTHING: Final = {
    **{state.value: 0 for state in Status},
    "deliveries": 0,
    "retried": 0,
    "sent_after_s": None,
}


def _is_of(key: str, channel: str | None) -> bool:
    account = account_of(key)
    return channel is None or account is None or account.partition(".")[0] == channel


def _standings(demands: Iterable[Demand], rows: Sequence[Row], *, cost: float) -> list[Headroom]:
    taken: defaultdict[str, list[Taken]] = defaultdict(list)
    for row in rows:
        taken[row["key"]].append(Taken(row["opened_at"], row["sends"], row["replies"]))
    now = rows[0]["now"] if rows else datetime.min.replace(tzinfo=UTC)  # irrelevant: nothing was taken
    return [headroom(one, taken[one.key], cost=cost, now=now) for one in demands]
