"""Messages on which Switchboard fails, kept whole beside the checkpoint until it takes them.

Invariants: a message for which `add` returned True is durable before the checkpoint passes it; at most `max_messages`
and `max_bytes` are kept, and a message that does not fit is not taken.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from butler_connectors.base.documents import PARKED, Documents
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
    """The part of a parked message that is kept in memory; its body stays in storage, under `name`."""

    number: int
    name: str
    event_id: str
    thread: str | None
    reason: str
    message: str
    since: datetime
    size_bytes: int


class Park:
    """The parked messages of one source, in the order in which they were parked."""

    def __init__(
        self,
        documents: Documents,
        *,
        clock: Clock,
        max_messages: int = MAX_MESSAGES,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._documents = documents
        self._clock = clock
        self._max_messages = max_messages
        self._max_bytes = max_bytes
        self._kept: dict[int, Parked] = {}

    @property
    def kept(self) -> list[Parked]:
        """All of them, oldest first."""
        return [self._kept[number] for number in sorted(self._kept)]

    async def load(self) -> None:
        """Read what an earlier process left; rename and log unreadable ones. Raises `DocumentFault`."""
        found: dict[int, Parked] = {}
        for name in await self._documents.names(PARKED):
            try:
                parked = _parsed(name, await self._documents.read(name) or b"")
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                aside = await self._documents.set_aside(name)
                _log.error("a parked message cannot be read", kept_as=aside, reason=str(error))
            else:
                found[parked.number] = parked
        self._kept = found

    async def add(
        self, event_id: str, thread: str | None, envelope: IngestEnvelopeV1, *, reason: str, message: str
    ) -> bool:
        """Park a message; False if the park is full. Raises `DocumentFault` if it cannot be written."""
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
        name = f"{PARKED}/{number:012d}"
        await self._documents.write(name, content)
        self._kept[number] = _parsed(name, content)
        return True

    async def envelope(self, parked: Parked) -> IngestEnvelopeV1:
        """Return the body. Raises `DocumentFault`, `ValidationFailed`."""
        try:
            content = await self._documents.read(parked.name) or b""
            return parse(IngestEnvelopeV1, json.loads(content)["envelope"])
        except (ValueError, KeyError, TypeError) as error:
            where = self._documents.where(parked.name)
            raise ValidationFailed(f"{where} holds no envelope: {error}") from None

    async def remove(self, parked: Parked) -> None:
        """Remove a message that is settled. Raises `DocumentFault`."""
        await self._documents.remove(parked.name)
        self._kept.pop(parked.number, None)


def _parsed(name: str, content: bytes) -> Parked:
    document = json.loads(content)
    if document["version"] != _VERSION or not isinstance(document["envelope"], dict):
        raise ValueError("is no parked message of this version")
    return Parked(
        number=int(name.rpartition("/")[2]),
        name=name,
        event_id=str(document["event_id"]),
        thread=document["thread"],
        reason=str(document["reason"]),
        message=str(document["message"]),
        since=datetime.fromisoformat(document["since"]),
        size_bytes=len(content),
    )
