"""Puts on record how the runtime stands, for pages that read the database: at the start and with a change (D28)."""

from __future__ import annotations

import asyncio
from typing import Final

from butler_contracts.errors import ButlerError
from butler_contracts.text import storable
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.runtime.standing import RuntimeStanding
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock, wait_until_set

__all__ = ["RuntimeRecord"]

_RECORD: Final = NamedQueries("butler_switchboard", "sql/operations.sql")["record_runtime"]
_RETRY_S: Final = 5.0
_log = get_logger(__name__)


class RuntimeRecord:
    """`run` owns the writing; the last replica that saw a change has the last word."""

    def __init__(self, pool: Pool, standing: RuntimeStanding, clock: Clock) -> None:
        self._pool = pool
        self._standing = standing
        self._clock = clock

    async def run(self, stopping: asyncio.Event) -> None:
        """Write until stopped; what could not be written is written later."""
        changed = self._standing.changed
        changed.set()
        stop = asyncio.create_task(stopping.wait(), name="runtime-record-stop")
        try:
            while not stopping.is_set():
                told = asyncio.create_task(changed.wait(), name="runtime-record-change")
                await asyncio.wait({told, stop}, return_when=asyncio.FIRST_COMPLETED)
                told.cancel()
                if changed.is_set() and not await self._written():
                    await wait_until_set(stopping, _RETRY_S)
        finally:
            stop.cancel()

    async def _written(self) -> bool:
        self._standing.changed.clear()
        fault = self._standing.fault
        try:
            async with acquire(self._pool, doing="recording the runtime") as connection:
                await connection.execute(
                    _RECORD,
                    self._standing.family,
                    self._standing.fallback,
                    fault.kind if fault is not None else None,
                    storable(fault.message) if fault is not None else None,
                    fault.since if fault is not None else self._clock.now(),
                )
        except ButlerError as failure:
            _log.warning("runtime_record_failed", problem=failure.message)
            self._standing.changed.set()
            return False
        return True
