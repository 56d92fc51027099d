"""Reads the figures of all accounts from the database (MSG-15)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from butler_kit.db import Connection, NamedQueries
from butler_kit.service_levels import Count, Sli
from butler_messenger.admission.store import IDENTITY_SCOPE
from butler_messenger.delivery.records import Row
from butler_messenger.service_levels.objectives import Objective, Policy

__all__ = ["Figures", "figures", "most_within_s"]

_SQL: Final = NamedQueries("butler_messenger.sql", "service_levels.sql")


@dataclass(slots=True)
class Figures:
    """One channel's counts by figure and window (seconds), and its refusals for being tight, by window."""

    counts: defaultdict[Sli, dict[float, Count]] = field(default_factory=lambda: defaultdict(dict))
    tightened: dict[float, int] = field(default_factory=dict)


async def figures(connection: Connection, windows_s: Sequence[float], policy: Policy) -> dict[str, Figures]:
    """Return the figures of each channel with any event within the longest window."""
    wanted = sorted(policy.within_s.items())
    within = (list(windows_s), max(windows_s))
    ended = await connection.fetch(
        _SQL["ended"],
        *within,
        [channel for (channel, _), _ in wanted],
        [intent for (_, intent), _ in wanted],
        [within_s for _, within_s in wanted],
    )
    tallied = await connection.fetch(_SQL["tallied"], *within, IDENTITY_SCOPE)
    letters = await connection.fetch(_SQL["letters"], *within)
    found: defaultdict[str, Figures] = defaultdict(Figures)
    _of_deliveries(found, ended)
    _of_wishes(found, tallied)
    _of_letters(found, letters)
    return dict(found)


async def most_within_s(connection: Connection, window_s: float) -> dict[tuple[str, str], float]:
    """Return the seconds within which 95 % of a window's messages were sent, by channel and intent."""
    rows = await connection.fetch(_SQL["most_within"], window_s)
    return {(row["channel"], row["intent"]): row["p95_s"] for row in rows}


def _of_deliveries(found: defaultdict[str, Figures], rows: Iterable[Row]) -> None:
    for row in rows:
        one, intent, window_s = found[row["channel"]], row["intent"], row["seconds"]
        one.counts[Sli(Objective.LATENCY, intent)][window_s] = Count(row["timed"], row["late"])
        _add(one, Objective.SUCCESS, window_s, row["sent"] + row["failed"], row["failed"])
        _add(one, Objective.ONCE, window_s, row["sent"], row["repeated"])
        _add(one, Objective.DEAD_LETTERS, window_s, row["ended"], 0)
        _add(one, Objective.REPLAYS, window_s, row["replays"], row["failed_replays"])


def _of_wishes(found: defaultdict[str, Figures], rows: Iterable[Row]) -> None:
    for row in rows:
        one, window_s = found[row["channel"]], row["seconds"]
        _add(one, Objective.ADMISSION, window_s, row["asked"], row["refused"])
        _add(one, Objective.QUEUE, window_s, row["samples"], row["full_samples"])
        one.tightened[window_s] = row["tightened"]


def _of_letters(found: defaultdict[str, Figures], rows: Iterable[Row]) -> None:
    for row in rows:
        _add(found[row["channel"]], Objective.DEAD_LETTERS, row["seconds"], 0, row["letters"])


def _add(one: Figures, objective: Objective, window_s: float, events: int, bad: int) -> None:
    counts = one.counts[Sli(objective)]
    before = counts.get(window_s, Count())
    counts[window_s] = Count(before.events + events, before.bad + bad)
