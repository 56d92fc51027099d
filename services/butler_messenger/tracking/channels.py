"""How each channel stands, by the last call that was answered: asked by the operator at every beat.

Invariant: no recipient and no content is in an answer, and nobody is called for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.time import Clock

__all__ = ["ChannelReader", "fault_of"]

_CHANNELS: Final = NamedQueries("butler_messenger.sql", "tracking.sql")["channels"]
RECENT: Final = timedelta(days=1)
"""What happened before says nothing about now."""


class ChannelReader:
    """Answers for all replicas alike."""

    def __init__(self, pool: Pool, clock: Clock) -> None:
        self._pool = pool
        self._clock = clock

    async def channels(self) -> list[dict[str, Any]]:
        """One entry a channel that was called lately; `fault` is null, or its kind and words."""
        async with acquire(self._pool, doing="reading the channels") as connection:
            rows = await connection.fetch(_CHANNELS, self._clock.now() - RECENT)
        return [
            {"channel": row["channel"], "at": row["finished_at"], "fault": fault_of(dict(row))}
            for row in rows
        ]


def fault_of(row: Mapping[str, Any]) -> dict[str, str] | None:
    """What an attempt proves against its channel: a refused account, or no connection; a refused recipient does not."""
    if row["outcome"] != "failed":
        return None
    words = str(row["error_message"] or "")
    if not row["consumed"]:
        return {"kind": "connection_error", "message": words}
    kind = (row["provider_response"] or {}).get("fault")
    return {"kind": str(kind), "message": words} if kind else None
