"""Small files that change under a running process: re-read when they changed, the last good content kept.

Invariant: a change is seen at most `recheck_s` after it (2 s by default, D2 asks for 60); a broken new
content never replaces a good one.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, Generic, TypeVar

from butler_kit.auth.errors import KeyFileError
from butler_kit.time import Clock

__all__ = ["TokenFile", "WatchedFile"]

T = TypeVar("T")
_MAX_BYTES: Final = 1 << 20
_RECHECK_S: Final = 2.0
_log = logging.getLogger(__name__)


class WatchedFile(Generic[T]):
    """The parsed content of a file; `parse` raises `ValueError` for content that must not be used.

    A file that is missing at the start counts as `absent` when that is given, else it is a `KeyFileError`.
    """

    def __init__(
        self,
        path: Path,
        parse: Callable[[bytes], T],
        *,
        clock: Clock,
        absent: T | None = None,
        recheck_s: float = _RECHECK_S,
    ) -> None:
        self._path = path
        self._parse = parse
        self._clock = clock
        self._recheck_s = recheck_s
        self._checked_at = clock.monotonic()
        self._failed: str | None = None
        self._stamp: tuple[int, int, int] | None
        if absent is not None and not path.exists():
            self._stamp, self._value = None, absent
        else:
            self._stamp, self._value = self._load()

    def get(self) -> T:
        """Return the newest good content."""
        now = self._clock.monotonic()
        if now - self._checked_at >= self._recheck_s:
            self._checked_at = now
            self._refresh()
        return self._value

    def _refresh(self) -> None:
        if self._stamp is None and not self._path.exists():
            return
        try:
            if self._stat() == self._stamp:
                return
            self._stamp, self._value = self._load()
        except KeyFileError as error:
            if str(error) != self._failed:
                _log.warning("keeping the last good content: %s", error)
            self._failed = str(error)
            return
        self._failed = None
        _log.info("%s was read again after a change", self._path)

    def _stat(self) -> tuple[int, int, int]:
        try:
            found = os.stat(self._path)
        except OSError as error:
            raise KeyFileError(f"{self._path} cannot be read ({error.strerror}); restore the file") from None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _load(self) -> tuple[tuple[int, int, int], T]:
        # The stamp is taken first: a change between the two calls is then seen at the next check.
        stamp = self._stat()
        content = _read(self._path)
        try:
            return stamp, self._parse(content)
        except (ValueError, KeyError, TypeError) as error:
            raise KeyFileError(f"{self._path} {error}; restore it from a backup") from None


class TokenFile:
    """A process's own token for Switchboard, read again for every call: it is replaced while running."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> str:
        """Return the token; `KeyFileError` when the file is missing, unreadable or empty."""
        token = _read(self._path).decode("ascii", "replace").strip()
        if not token:
            raise KeyFileError(f"{self._path} is empty; write the token that `butlers token` prints into it")
        return token


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise KeyFileError(f"{path} cannot be read ({error.strerror}); restore the file") from None
    if len(content) > _MAX_BYTES:
        raise KeyFileError(f"{path} is larger than {_MAX_BYTES} bytes; it is not a key or token file")
    return content
