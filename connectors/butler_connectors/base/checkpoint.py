"""The resume cursor: kept whole, never half written (CNX-07.1, CNX-07.2)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from butler_connectors.base.documents import CURSOR, DocumentFault, Documents
from butler_contracts.heartbeat import CURSOR_MAX
from butler_kit.time import Clock

__all__ = ["Checkpoint", "CheckpointUnreadable", "Checkpoints", "cursor_document"]

_VERSION: Final = 1
_MAX_BYTES: Final = 64 * 1024


class CheckpointUnreadable(Exception):
    """The document is no checkpoint of this source; the message says which one and what is wrong."""


@dataclass(frozen=True)
class Checkpoint:
    """The cursor to resume from, and when it was written."""

    cursor: str
    updated_at: datetime


class Checkpoints:
    """The checkpoint of one source among its `documents`; `current` is the last one loaded or saved."""

    def __init__(self, documents: Documents, *, endpoint_identity: str, clock: Clock) -> None:
        self.current: Checkpoint | None = None
        self._documents = documents
        self._endpoint = endpoint_identity
        self._clock = clock

    @property
    def where(self) -> str:
        """The location of the document, for people."""
        return self._documents.where(CURSOR)

    async def load(self) -> Checkpoint | None:
        """Read it; None if there is none yet. Raises `CheckpointUnreadable`, `DocumentFault`."""
        try:
            content = await self._documents.read(CURSOR)
        except DocumentFault as fault:
            if fault.passing:
                raise
            raise CheckpointUnreadable(str(fault)) from None
        self.current = None if content is None else self._parse(content)
        return self.current

    async def set_aside(self) -> str:
        """Rename an unusable one, so that the next start does not find it; return the new name."""
        self.current = None
        return await self._documents.set_aside(CURSOR)

    async def save(self, cursor: str) -> Checkpoint:
        """Save a cursor. Raises `DocumentFault`."""
        saved = Checkpoint(cursor, self._clock.now())
        await self._documents.write(CURSOR, cursor_document(saved, self._endpoint))
        self.current = saved
        return saved

    def _parse(self, content: bytes) -> Checkpoint:
        try:
            if len(content) > _MAX_BYTES:
                raise ValueError("too long")
            document = json.loads(content)
            found = Checkpoint(document["cursor"], datetime.fromisoformat(document["updated_at"]))
            endpoint, version = document["endpoint_identity"], document["version"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise CheckpointUnreadable(f"{self.where} is damaged: it holds no checkpoint") from None
        if version != _VERSION:
            raise CheckpointUnreadable(f"{self.where} is of version {version!s:.20}, expected {_VERSION}")
        if endpoint != self._endpoint:
            raise CheckpointUnreadable(
                f"{self.where} belongs to '{endpoint!s:.100}', not to '{self._endpoint}'"
            )
        readable = isinstance(found.cursor, str) and 0 < len(found.cursor) <= CURSOR_MAX
        if not readable or found.updated_at.tzinfo is None:
            raise CheckpointUnreadable(f"{self.where} is damaged: its cursor or its time is no such thing")
        return found


def cursor_document(checkpoint: Checkpoint, endpoint_identity: str) -> bytes:
    """Return the stored form of a source's checkpoint."""
    document = {
        "version": _VERSION,
        "endpoint_identity": endpoint_identity,
        "cursor": checkpoint.cursor,
        "updated_at": checkpoint.updated_at.isoformat(),
    }
    return json.dumps(document).encode()
