"""What a connector keeps beside its checkpoint is on disk, whole, before anything relies on it."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["flush_folder", "write_through"]


def write_through(path: Path, content: bytes) -> None:
    """Write a file of mode 0600 beside `path`, flush it, rename it over `path`. Raises `OSError`."""
    temporary = path.with_name(f".{path.name}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    flush_folder(path.parent)


def flush_folder(folder: Path) -> None:
    """Flush a folder: a rename in it survives a power cut only then."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
