"""Starts the two jobs of every butler that remembers (SWB-25.1, ADR 0078): they own the memories, we the schedule.

Invariant: a butler that cannot be asked does not hold up the others, and the run's result names it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from butler_contracts.errors import ButlerError, TargetUnavailable
from butler_contracts.memory import CAPABILITY, CLEAN_UP_TOOL, CONSOLIDATE_TOOL
from butler_kit.telemetry import get_logger
from butler_switchboard.schedules.day import Asking, Butlers

__all__ = ["Memories"]

_log = get_logger(__name__)
_TIMEOUT_S: Final = 70.0
"""A butler has 60 s for a job."""


class Memories:
    """Asks the butlers that are eligible when a job runs."""

    def __init__(self, butlers: Butlers, asking: Asking) -> None:
        self._butlers = butlers
        self._asking = asking

    async def consolidate(self) -> Mapping[str, Any]:
        """Return what each butler has consolidated. Raises `TargetUnavailable` if some cannot be asked."""
        return await self._each(CONSOLIDATE_TOOL)

    async def clean_up(self) -> Mapping[str, Any]:
        """Return what each butler has deleted. Raises `TargetUnavailable` if some cannot be asked."""
        return await self._each(CLEAN_UP_TOOL)

    async def _each(self, tool: str) -> Mapping[str, Any]:
        known = self._butlers.view().butlers
        names = [one.name for one in known if one.eligible and CAPABILITY in one.capabilities]
        answers = await asyncio.gather(*(self._asked(name, tool) for name in names))
        done = dict(zip(names, answers, strict=True))
        missing = [name for name, answer in done.items() if answer is None]
        if missing:
            raise TargetUnavailable(f"{', '.join(missing)}: could not be asked for {tool}; the next run will")
        return done

    async def _asked(self, name: str, tool: str) -> dict[str, Any] | None:
        if not self._butlers.capable(name, tool):
            return None
        try:
            return await self._asking.call(name, tool, {}, claims={}, timeout_s=_TIMEOUT_S)
        except ButlerError as failure:
            _log.warning("memory_not_looked_after", butler=name, tool=tool, problem=failure.message)
            return None
