"""The resume cursor in a file: replaced atomically, never half written (CNX-07.1, CNX-07.2).

Invariant: whoever reads the file sees a complete checkpoint, the last one or the one before.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from butler_connectors.base.disk import flush_folder
from butler_contracts.heartbeat import CURSOR_MAX
from butler_kit.faults import points, reached
from butler_kit.time import Clock

__all__ = ["Checkpoint", "CheckpointFile", "CheckpointUnreadable"]

_VERSION: Final = 1
_FILE_MAX_BYTES: Final = 64 * 1024


class CheckpointUnreadable(Exception):
    """The file is there and is no checkpoint of this source; says which file and what is wrong."""


@dataclass(frozen=True)
class Checkpoint:
    """Where to go on, and when that was written."""

    cursor: str
    updated_at: datetime


class CheckpointFile:
    """The checkpoint of one source at `path`; `current` is the last one loaded or saved."""

    def __init__(self, path: Path, *, endpoint_identity: str, clock: Clock) -> None:
        self.path = path
        self.current: Checkpoint | None = None
        self._endpoint = endpoint_identity
        self._clock = clock

    def load(self) -> Checkpoint | None:
        """Read it; None when there is none yet. Raises `CheckpointUnreadable`."""
        try:
            with self.path.open("rb") as file:
                content = file.read(_FILE_MAX_BYTES + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise CheckpointUnreadable(f"{self.path} cannot be read ({error.strerror})") from None
        self.current = self._parse(content)
        return self.current

    def set_aside(self) -> Path:
        """Rename an unreadable file, so that a person can look at it and the next start does not meet it."""
        aside = self.path.with_name(self.path.name + ".unreadable")
        os.replace(self.path, aside)
        return aside

    def save(self, cursor: str) -> Checkpoint:
        """Write a temporary file, flush it to disk, rename it over the old one. Raises `OSError`."""
        saved = Checkpoint(cursor, self._clock.now())
        document = {
            "version": _VERSION,
            "endpoint_identity": self._endpoint,
            "cursor": cursor,
            "updated_at": saved.updated_at.isoformat(),
        }
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = self.path.with_name(f".{self.path.name}.tmp")
        with temporary.open("w", encoding="utf-8") as file:
            json.dump(document, file)
            file.flush()
            os.fsync(file.fileno())
        reached(points.CHECKPOINT_WRITTEN)
        os.replace(temporary, self.path)
        flush_folder(self.path.parent)
        self.current = saved
        return saved

    def _parse(self, content: bytes) -> Checkpoint:
        try:
            document = json.loads(content)
            found = Checkpoint(document["cursor"], datetime.fromisoformat(document["updated_at"]))
            endpoint, version = document["endpoint_identity"], document["version"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise CheckpointUnreadable(f"{self.path} is damaged: it holds no checkpoint") from None
        if version != _VERSION:
            raise CheckpointUnreadable(f"{self.path} is of version {version!s:.20}, expected {_VERSION}")
        if endpoint != self._endpoint:
            raise CheckpointUnreadable(
                f"{self.path} belongs to '{endpoint!s:.100}', not to '{self._endpoint}'"
            )
        readable = isinstance(found.cursor, str) and 0 < len(found.cursor) <= CURSOR_MAX
        if not readable or found.updated_at.tzinfo is None:
            raise CheckpointUnreadable(f"{self.path} is damaged: its cursor or its time is no such thing")
        return found
