"""The storage of a source's own state: its checkpoint and other small documents (CNX-07, CNX-17.3).

Invariant: a reader sees a whole document, the last one written or the one before; once `write` returns, the document
is durable.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol, TypeVar

from butler_kit.faults import points, reached

__all__ = [
    "ALBUMS",
    "CURSOR",
    "PARKED",
    "REFUSED",
    "REFUSED_MAX_BYTES",
    "DocumentFault",
    "Documents",
    "FileDocuments",
]

CURSOR: Final = "cursor"
ALBUMS: Final = "albums"
PARKED: Final = "parked"
"""The folder of parked messages: `parked/000000000001`."""
REFUSED: Final = "refused"
REFUSED_MAX_BYTES: Final = 1024 * 1024
_MOST_BYTES: Final = 8 * 1024 * 1024
T = TypeVar("T")


class DocumentFault(Exception):
    """A document cannot be read or written; the message says which one and what is wrong.

    `cause` is the error of the storage; `passing` is True if the storage cannot be reached at all, which says nothing
    about the document.
    """

    def __init__(self, message: str, cause: BaseException, *, passing: bool = False) -> None:
        super().__init__(message)
        self.cause = cause
        self.passing = passing


class Documents(Protocol):
    """One storage; names are `cursor`, `albums`, `refused`, `parked/000000000001`."""

    def where(self, name: str) -> str:
        """Return the location of the document, for people."""
        ...

    async def read(self, name: str) -> bytes | None:
        """Return the document; None if there is none. Raises `DocumentFault`."""
        ...

    async def write(self, name: str, content: bytes) -> None:
        """Write the document, replacing the one before. Raises `DocumentFault`."""
        ...

    async def names(self, folder: str) -> list[str]:
        """Return the names of the documents in a folder, in order. Raises `DocumentFault`."""
        ...

    async def remove(self, name: str) -> None:
        """Remove the document, if it exists. Raises `DocumentFault`."""
        ...

    async def set_aside(self, name: str) -> str:
        """Rename an unusable document, and return its new location. Raises `DocumentFault`."""
        ...

    async def note(self, line: bytes) -> None:
        """Add a line to `refused`, which keeps the newest lines. Raises `DocumentFault`."""
        ...


class FileDocuments:
    """Files beside `cursor`, which is `…/cursor.json`: `cursor.albums.json`, `cursor.parked/….json`."""

    def __init__(self, cursor: Path) -> None:
        self._cursor = cursor

    def path(self, name: str) -> Path:
        """Return the file of a document."""
        if name == CURSOR:
            return self._cursor
        folder, _, number = name.partition("/")
        if number:
            return self._cursor.with_suffix(f".{folder}") / f"{number}.json"
        return self._cursor.with_suffix(f".{folder}.json{'l' if folder == REFUSED else ''}")

    def where(self, name: str) -> str:
        return str(self.path(name))

    async def read(self, name: str) -> bytes | None:
        path = self.path(name)
        return await asyncio.to_thread(_told, f"{path} cannot be read", lambda: _read(path))

    async def write(self, name: str, content: bytes) -> None:
        path = self.path(name)
        written = _checkpoint_written if name == CURSOR else _nothing
        work = asyncio.to_thread(_told, f"{path}: cannot be saved", lambda: _write(path, content, written))
        # The thread finishes even if the task is cancelled: a file is never left half done.
        await asyncio.shield(work)

    async def names(self, folder: str) -> list[str]:
        found = await asyncio.to_thread(lambda: list(self._cursor.with_suffix(f".{folder}").glob("*.json")))
        return sorted(f"{folder}/{path.stem}" for path in found)

    async def remove(self, name: str) -> None:
        path = self.path(name)
        await asyncio.to_thread(_told, f"{path} cannot be removed", lambda: _remove(path))

    async def set_aside(self, name: str) -> str:
        path = self.path(name)
        aside = path.with_name(f"{path.name}.unreadable")
        await asyncio.to_thread(_told, f"{path} cannot be renamed", lambda: os.replace(path, aside))
        return str(aside)

    async def note(self, line: bytes) -> None:
        path = self.path(REFUSED)
        await asyncio.to_thread(_told, f"{path} cannot be written", lambda: _append(path, line))


def _append(path: Path, line: bytes) -> None:
    """Append to a file of at most `REFUSED_MAX_BYTES`; the full one before it is kept."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size >= REFUSED_MAX_BYTES:
        os.replace(path, path.with_name(f"{path.name}.1"))
    with path.open("ab") as file:
        file.write(line + b"\n")


def _read(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES)
    except FileNotFoundError:
        return None


def _write(path: Path, content: bytes, written: Callable[[], None]) -> None:
    """Write a file of mode 0600 beside it, flush it, call `written`, and rename it over the old one."""
    temporary = path.with_name(f".{path.name}.tmp")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    written()
    os.replace(temporary, path)
    _flush(path.parent)


def _remove(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
        _flush(path.parent)


def _flush(folder: Path) -> None:
    """Flush a folder; only then does a rename in it survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _told(failed: str, work: Callable[[], T]) -> T:
    """Return the result of `work`; the message of a disk failure begins with `failed`."""
    try:
        return work()
    except OSError as error:
        raise DocumentFault(f"{failed} ({error.strerror or error})", error) from None


def _checkpoint_written() -> None:
    reached(points.CHECKPOINT_WRITTEN)


def _nothing() -> None:
    pass
