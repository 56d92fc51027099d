"""Parks messages on which Switchboard fails, and reports how many wait (D15).

Invariant: a message counts as parked once its document is durable; a full park and a full disk park nothing.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Final

from butler_connectors.base.documents import DocumentFault
from butler_connectors.base.metrics import ConnectorMetrics
from butler_connectors.base.park import Park, Parked
from butler_connectors.base.status import Status
from butler_contracts.ingest import IngestEnvelopeV1
from butler_kit.telemetry import get_logger

__all__ = ["Parking"]

_PART: Final = "parked"
_FULL_PART: Final = "park"
_log = get_logger(__name__)


class Parking:
    """The park of this source, with its metrics and status; `changed` is set when a message is parked."""

    def __init__(self, park: Park, *, metrics: ConnectorMetrics, status: Status) -> None:
        self._park = park
        self._metrics = metrics
        self._status = status
        self.changed = asyncio.Event()
        # Two messages parked at once would take the same number.
        self._one_at_a_time = asyncio.Lock()
        self._loaded = False

    @property
    def kept(self) -> list[Parked]:
        """All parked messages, oldest first."""
        return self._park.kept

    async def load(self) -> None:
        """Load what an earlier process left, unless loaded already. Raises `DocumentFault`."""
        async with self._one_at_a_time:
            if not self._loaded:
                await self._park.load()
                self._loaded = True
        self._tell()

    def forget(self) -> None:
        """Read the parked messages again when next needed, since somebody else may park from here on."""
        self._loaded = False

    async def park(
        self, event_id: str, thread: str | None, envelope: IngestEnvelopeV1, *, reason: str, message: str
    ) -> bool:
        """Park a message; False if it has to be held at the source instead."""
        try:
            await self.load()
            async with self._one_at_a_time:
                kept = await self._park.add(event_id, thread, envelope, reason=reason, message=message)
            problem = "the park is full; what fails now is held at the source"
        except DocumentFault as fault:
            self._metrics.error(fault.cause, "park")
            kept, problem = False, f"a message cannot be parked: {fault}"
        if not kept:
            self._status.trouble(_FULL_PART, "degraded", problem)
            return False
        self.relieved()
        self._metrics.parked(reason)
        _log.error(
            "the message is parked: Switchboard fails on it while others pass",
            event_id=event_id,
            reason=reason,
            detail=message,
        )
        self._tell()
        self.changed.set()
        return True

    def relieved(self) -> None:
        """Clear the trouble of a message without room, which has passed; the next one reports it again."""
        self._status.clear(_FULL_PART)

    async def envelope(self, parked: Parked) -> IngestEnvelopeV1:
        """Return the message itself. Raises `DocumentFault`, `ValidationFailed`."""
        return await self._park.envelope(parked)

    async def remove(self, parked: Parked) -> None:
        """Remove one that is settled."""
        try:
            await self._park.remove(parked)
        except DocumentFault as fault:
            # The next process submits it once more, as a duplicate.
            self._metrics.error(fault.cause, "park")
            _log.warning("a parked message cannot be removed", error=str(fault))
        self.relieved()
        self._tell()

    def _tell(self) -> None:
        kept = self._park.kept
        self._metrics.waiting_parked(len(kept))
        if not kept:
            self._status.clear(_PART)
            return
        reasons = Counter(parked.reason for parked in kept)
        why = ", ".join(f"{count} by {reason}" for reason, count in sorted(reasons.items()))
        self._status.trouble(
            _PART,
            "degraded",
            f"{len(kept)} parked ({why}), tried again until Switchboard takes them: {kept[0].message}",
        )
