"""A record of what was refused for good: id, reason, moment, never a body (D15).

Invariant: at most two files of `MAX_BYTES` each, `refused.jsonl` and the one before it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final

from butler_contracts.text import excerpt
from butler_kit.time import Clock

__all__ = ["MAX_BYTES", "RefusedSpool"]

MAX_BYTES: Final = 1024 * 1024
_ID_CHARS: Final = 512
_REASON_CHARS: Final = 500


class RefusedSpool:
    """Appends one line a refusal to `path`; without a path it keeps nothing (the log still tells)."""

    def __init__(self, path: Path | None, *, clock: Clock, max_bytes: int = MAX_BYTES) -> None:
        self._path = path
        self._clock = clock
        self._max_bytes = max_bytes

    def add(self, event_id: str, *, reason: str, message: str) -> None:
        """Note one refusal; raises `OSError` when the disk does not take it."""
        if self._path is None:
            return
        line = {
            "at": self._clock.now().isoformat(),
            "event_id": excerpt(event_id, limit=_ID_CHARS),
            "reason": reason,
            "message": excerpt(message, limit=_REASON_CHARS),
        }
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._path.exists() and self._path.stat().st_size >= self._max_bytes:
            os.replace(self._path, self._path.with_name(f"{self._path.name}.1"))
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
