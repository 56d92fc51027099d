"""Runs the blocking work of one IMAP connection in a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from butler_connectors.base.waiting import Stopping, unless_stopped
from butler_kit.mail.session import ImapSession

__all__ = ["SessionThread"]

T = TypeVar("T")


class SessionThread:
    """One thread; work on a session is done one after another."""

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    async def run(self, session: ImapSession, work: Callable[[], T], stopping: asyncio.Event) -> T:
        """Return the result of `work`; the stop cuts the connection to end the work and raises `Stopping`."""

        async def run() -> T:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)

        try:
            return await unless_stopped(run(), stopping)
        except Stopping:
            session.abort()
            raise
