"""Messages on which Switchboard fails, kept whole beside the checkpoint until it takes them.

Invariants: what `add` returned True for is on disk, flushed, in a file of mode 0600, before the checkpoint passes it;
at most `max_messages` and `max_bytes` are kept, and what does not fit is not taken.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from butler_connectors.base.disk import flush_folder, write_through
from butler_contracts.errors import ValidationFailed
from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.parse import parse
from butler_contracts.text import excerpt
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock

__all__ = ["MAX_BYTES", "MAX_MESSAGES", "Park", "Parked"]

MAX_MESSAGES: Final = 1_000
MAX_BYTES: Final = 64 * 1024 * 1024
_VERSION: Final = 1
_REASON_CHARS: Final = 500
_log = get_logger(__name__)


@dataclass(frozen=True)
class Parked:
    """What is kept in memory of a parked message; its body stays on disk."""

    number: int
    path: Path
    event_id: str
    thread: str | None
    reason: str
    message: str
    since: datetime
    size_bytes: int


class Park:
    """The parked messages of one source in a folder, in the order in which they were parked."""

    def __init__(
        self,
        folder: Path,
        *,
        clock: Clock,
        max_messages: int = MAX_MESSAGES,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._folder = folder
        self._clock = clock
        self._max_messages = max_messages
        self._max_bytes = max_bytes
        self._kept: dict[int, Parked] = {}

    @property
    def kept(self) -> list[Parked]:
        """All of them, the oldest first."""
        return [self._kept[number] for number in sorted(self._kept)]

    def load(self) -> None:
        """Read what an earlier process left; a file that is none is renamed and told."""
        with contextlib.suppress(FileNotFoundError):
            for path in sorted(self._folder.glob("*.json")):
                try:
                    parked = _read(path)
                except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
                    aside = path.with_suffix(".unreadable")
                    os.replace(path, aside)
                    _log.error("a parked message cannot be read", kept_as=str(aside), reason=str(error))
                else:
                    self._kept[parked.number] = parked

    def add(
        self, event_id: str, thread: str | None, envelope: IngestEnvelopeV1, *, reason: str, message: str
    ) -> bool:
        """Keep a message; False when the park is full. Raises `OSError` when the disk does not take it."""
        if any(parked.event_id == event_id for parked in self._kept.values()):
            return True  # read again from the source, because the checkpoint had not passed it
        document = {
            "version": _VERSION,
            "event_id": event_id,
            "thread": thread,
            "reason": reason,
            "message": excerpt(message, limit=_REASON_CHARS),
            "since": self._clock.now().isoformat(),
            "envelope": envelope.to_wire(),
        }
        content = json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")
        used = sum(parked.size_bytes for parked in self._kept.values())
        if len(self._kept) >= self._max_messages or used + len(content) > self._max_bytes:
            return False
        number = max(self._kept, default=0) + 1
        path = self._folder / f"{number:012d}.json"
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_through(path, content)
        self._kept[number] = _read(path)
        return True

    def envelope(self, parked: Parked) -> IngestEnvelopeV1:
        """The body, from disk. Raises `OSError`, `ValidationFailed`."""
        try:
            return parse(IngestEnvelopeV1, json.loads(parked.path.read_bytes())["envelope"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValidationFailed(f"{parked.path.name} holds no envelope: {error}") from None

    def remove(self, parked: Parked) -> None:
        """Forget a message that is settled. Raises `OSError`."""
        parked.path.unlink(missing_ok=True)
        flush_folder(self._folder)
        self._kept.pop(parked.number, None)


def _read(path: Path) -> Parked:
    content = path.read_bytes()
    document = json.loads(content)
    if document["version"] != _VERSION or not isinstance(document["envelope"], dict):
        raise ValueError("is no parked message of this version")
    return Parked(
        number=int(path.stem),
        path=path,
        event_id=str(document["event_id"]),
        thread=document["thread"],
        reason=str(document["reason"]),
        message=str(document["message"]),
        since=datetime.fromisoformat(document["since"]),
        size_bytes=len(content),
    )
