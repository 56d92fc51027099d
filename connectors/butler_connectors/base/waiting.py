"""Waits that end early when the process is asked to stop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["Stopping", "pause", "unless_stopped"]

T = TypeVar("T")


class Stopping(Exception):
    """The process is ending; the awaited result is no longer needed."""


async def pause(stopping: asyncio.Event, seconds: float) -> None:
    """Wait `seconds`; raises `Stopping` as soon as the process is asked to stop."""
    try:
        await asyncio.wait_for(stopping.wait(), max(0.0, seconds))
    except TimeoutError:
        return
    raise Stopping


async def unless_stopped(work: Coroutine[Any, Any, T], stopping: asyncio.Event) -> T:
    """Run `work` to its end; if the stop comes first, cancel it and raise `Stopping`."""
    task = asyncio.create_task(work)
    stop = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise Stopping
    finally:
        stop.cancel()
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=5.0)
