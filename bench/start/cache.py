"""Drops files from the page cache, as after a boot; needs no root (posix_fadvise(2), POSIX_FADV_DONTNEED)."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

__all__ = ["forget_programs"]


def forget_programs(*also: Path) -> int:
    """Drop the files of Python, its packages and `also`; return how many. Pages that a process maps stay."""
    os.sync()
    forgotten = 0
    for file in _files(*also):
        with suppress(OSError):
            descriptor = os.open(file, os.O_RDONLY)
            try:
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
                forgotten += 1
            finally:
                os.close(descriptor)
    return forgotten


def _files(*also: Path) -> Iterator[Path]:
    roots = {Path(sys.executable).resolve().parents[1], *map(Path, sysconfig.get_paths().values()), *also}
    for root in roots:
        if root.is_dir():
            yield from (path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
