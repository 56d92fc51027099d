"""Periodic upkeep of a running service."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from butler_contracts.errors import ButlerError
from butler_kit.telemetry import get_logger
from butler_kit.time import wait_until_set

__all__ = ["repeat"]

_log = get_logger(__name__)


async def repeat(
    work: Callable[[], Awaitable[object]],
    *,
    every_s: float,
    stopping: asyncio.Event,
    what: str,
    retry_s: float | None = None,
    spread: Callable[[], float] | None = None,
) -> None:
    """Do `work` now and every `every_s` seconds until `stopping`.

    A `ButlerError` is logged as the event `<what>_failed`; the next try comes after `retry_s`, by default at
    the usual time. `spread` returns a factor for each pause, so that replicas do not all work at the same moment.
    """
    while not stopping.is_set():
        wait_s = every_s * (spread() if spread is not None else 1.0)
        try:
            await work()
        except ButlerError as failure:
            _log.warning(f"{what}_failed", problem=failure.message)
            wait_s = wait_s if retry_s is None else retry_s
        await wait_until_set(stopping, wait_s)
