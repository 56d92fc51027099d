"""Checks regularly that the providers' records can be queried, before they are needed (D41).

Invariant: a change is logged once, in words; the metric shows the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from butler_kit.telemetry import Metrics, get_logger
from butler_messenger.delivery.channels.port import Channel

__all__ = ["RecordsWatch"]

_log = get_logger(__name__)
_METRIC: Final = "butlers.messenger.records_available"


class RecordsWatch:
    """The channels that keep records, and what was wrong with each at the last look."""

    def __init__(self, channels: Mapping[str, Channel], metrics: Metrics) -> None:
        self._channels = {name: channel for name, channel in channels.items() if channel.keeps_records}
        self._metrics = metrics
        self._problems: dict[str, str] = {}

    async def look(self) -> None:
        """Check each once, and log what changed since the last look."""
        for name, channel in self._channels.items():
            problem = await channel.records_problem()
            self._metrics.set(_METRIC, 0 if problem else 1, channel=name)
            if problem is not None and problem != self._problems.get(name):
                _log.warning("sent_records_unavailable", channel=name, problem=problem)
            if problem is None and name in self._problems:
                _log.info("sent_records_available", channel=name)
            self._problems.pop(name, None)
            if problem is not None:
                self._problems[name] = problem
