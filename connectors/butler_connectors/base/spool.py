"""A record of messages refused for good: id, reason, time, never a body (D15)."""

from __future__ import annotations

import json
from typing import Final

from butler_connectors.base.documents import Documents
from butler_contracts.text import excerpt
from butler_kit.time import Clock

__all__ = ["RefusedSpool"]

_ID_CHARS: Final = 512
_REASON_CHARS: Final = 500


class RefusedSpool:
    """Records one line per refusal; the storage keeps the newest."""

    def __init__(self, documents: Documents, *, clock: Clock) -> None:
        self._documents = documents
        self._clock = clock

    async def add(self, event_id: str, *, reason: str, message: str) -> None:
        """Record one refusal. Raises `DocumentFault`."""
        line = {
            "at": self._clock.now().isoformat(),
            "event_id": excerpt(event_id, limit=_ID_CHARS),
            "reason": reason,
            "message": excerpt(message, limit=_REASON_CHARS),
        }
        await self._documents.note(json.dumps(line, ensure_ascii=False).encode("utf-8", "surrogatepass"))
