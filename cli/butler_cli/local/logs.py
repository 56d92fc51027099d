"""The log of each process: `<state>/logs/NAME.log`, private and bounded."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import BinaryIO, Final

__all__ = ["bound_log", "open_log", "tail"]

MAX_BYTES: Final = 20 * 1024 * 1024
"""Beyond it a log is set aside as NAME.log.1, so that a household never fills the disk."""


def open_log(path: Path) -> BinaryIO:
    """Open the log for appending."""
    bound_log(path)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    return os.fdopen(descriptor, "ab")


def bound_log(path: Path) -> None:
    """Move a log that is too long aside; its process goes on appending to the emptied file."""
    try:
        if path.stat().st_size > MAX_BYTES:
            shutil.copyfile(path, path.with_suffix(".log.1"))
            path.with_suffix(".log.1").chmod(0o600)
            os.truncate(path, 0)
    except FileNotFoundError:
        return


def tail(path: Path, *, lines: int = 15) -> str:
    """Return the last lines of a log, at most 16 kB."""
    try:
        with path.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - 16_384))
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])
