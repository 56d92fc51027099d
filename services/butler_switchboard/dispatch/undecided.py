"""Remembers the verdicts on messages that nobody can take yet, so that no model is asked twice (ADR 0087).

Only the newest are kept, in this process alone: after a restart, or by another replica, the model is asked once more.
A verdict holds while the registry is what the model was told; that of a session that broke off only for `AGAIN_S`.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final
from uuid import UUID

from butler_switchboard.routing.registry_view import RegistryView
from butler_switchboard.routing.verdict import Verdict

__all__ = ["AGAIN_S", "Undecided"]

AGAIN_S: Final = 15.0
"""How long a waiting message does not ask the model again after a session broke off."""
_MOST: Final = 1_000


class Undecided:
    """Verdicts by request and registry; moments are those of a monotonic clock, in seconds."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[UUID, RegistryView], tuple[Verdict, float | None]] = OrderedDict()

    def of(self, request_id: UUID, registry: RegistryView, *, now: float) -> Verdict | None:
        """Return what was decided with these butlers; None if a session has to be run."""
        verdict, until = self._kept.get((request_id, registry), (None, None))
        return verdict if until is None or now < until else None

    def keep(
        self, request_id: UUID, registry: RegistryView, verdict: Verdict, *, now: float, broke_off: bool
    ) -> None:
        """Remember a verdict that lets its message wait; any other is committed, and needs no memory."""
        if verdict.error is None:
            return
        self._kept[request_id, registry] = verdict, now + AGAIN_S if broke_off else None
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
