"""One set of conversations, played to its household in a process with the set's own clock."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

from bench.useful.loading import Home
from bench.useful.results import Result, from_document
from bench.useful.shift import SHIFT

__all__ = ["played_set"]


async def played_set(home: Home, root: Path, part: str = "") -> list[Result]:
    """Say a set, or the part of it, to its household below `root`, and return the verdict on each message."""
    ahead = int((home.now - datetime.now(UTC)).total_seconds())
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.useful.play", home.name, str(root), part),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, SHIFT: str(ahead)},
        limit=2**20,
    )
    try:
        results = [from_document(json.loads(line)) async for line in _lines(process)]
        if await process.wait():
            raise RuntimeError(f"the household of {home.name} failed:\n{_log(root)}")
        return results
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


async def _lines(process: asyncio.subprocess.Process) -> AsyncIterator[bytes]:
    if process.stdout is not None:
        async for line in process.stdout:
            yield line


def _log(root: Path) -> str:
    file = root / "up.log"
    return file.read_text("utf-8")[-2000:] if file.exists() else "it did not start"
