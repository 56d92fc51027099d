"""What other butlers share of the sender, for a session with a model (D69, ADR 0116).

Invariants: a session waits a few seconds for it at most, and goes on without it; while nobody shares anything, or
nobody can be asked, it is not asked for at each message.
"""

from __future__ import annotations

from typing import Final, Protocol

from butler_contracts.errors import ButlerError
from butler_contracts.memory import Shared, SharedAsked, SharedMemory
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock
from butler_specialist.profiles.answering import Answering

__all__ = ["SharedFacts"]

_log = get_logger(__name__)

_NOBODY_SHARES_S: Final = 300.0
_NO_ANSWER_S: Final = 60.0


class _Switchboard(Protocol):
    async def shared(self, asked: SharedAsked) -> Shared: ...


class SharedFacts:
    """Asks Switchboard once for each session."""

    def __init__(self, switchboard: _Switchboard, clock: Clock) -> None:
        self._switchboard = switchboard
        self._clock = clock
        self._not_before = float("-inf")

    async def of(self, answering: Answering) -> tuple[SharedMemory, ...]:
        """Return what is shared of an adult who writes in their own chat; nothing of anybody else."""
        hand = answering.hand
        if hand is None or answering.in_group or self._clock.monotonic() < self._not_before:
            return ()
        try:
            found = await self._switchboard.shared(SharedAsked(subrequest_id=hand.subrequest_id))
        except ButlerError as failure:
            _log.warning("shared_facts_not_known", problem=failure.message)
            self._not_before = self._clock.monotonic() + _NO_ANSWER_S
            return ()
        if not found.by:
            self._not_before = self._clock.monotonic() + _NOBODY_SHARES_S
        return found.memories
