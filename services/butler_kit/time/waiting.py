"""Pauses that end early when something happens, instead of sleeping through it."""

from __future__ import annotations

import asyncio

__all__ = ["wait_until_set"]


async def wait_until_set(event: asyncio.Event, timeout_s: float) -> bool:
    """Wait for the event, at most `timeout_s` seconds; return whether it is set."""
    try:
        async with asyncio.timeout(timeout_s):
            await event.wait()
    except TimeoutError:
        return event.is_set()
    return True
