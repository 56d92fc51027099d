"""The state of each channel by its last call with a known outcome; queried by the operator at every beat.

Invariant: an answer contains no recipient and no content, and needs no call to a provider.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from butler_contracts.errors import ErrorClass
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.time import Clock

__all__ = ["ChannelReader", "fault_of"]

_CHANNELS: Final = NamedQueries("butler_messenger.sql", "tracking.sql")["channels"]
RECENT: Final = timedelta(days=1)
"""An older call says nothing about the current state."""


class ChannelReader:
    """Gives the same answers on every replica."""

    def __init__(self, pool: Pool, clock: Clock) -> None:
        self._pool = pool
        self._clock = clock

    async def channels(self) -> list[dict[str, Any]]:
        """Return one entry per recently called channel; `fault` is null, or its kind and words."""
        async with acquire(self._pool, doing="reading the channels") as connection:
            rows = await connection.fetch(_CHANNELS, self._clock.now() - RECENT)
        return [
            {"channel": row["channel"], "at": row["finished_at"], "fault": fault_of(dict(row))}
            for row in rows
        ]


def fault_of(row: Mapping[str, Any]) -> dict[str, str] | None:
    """Return the fault that an attempt proves: a refused account or no connection, no refused recipient or file."""
    if row["outcome"] != "failed":
        return None
    words = str(row["error_message"] or "")
    if not row["consumed"] and row["error_class"] != ErrorClass.VALIDATION_ERROR:
        return {"kind": "connection_error", "message": words}
    kind = (row["provider_response"] or {}).get("fault")
    return {"kind": str(kind), "message": words} if kind else None
