"""Records the state of runtimes, Switchboard's own and those that butlers report, for all who ask (D28)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from butler_contracts.errors import ButlerError
from butler_contracts.text import STORABLE, storable
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.runtime.standing import RuntimeStanding
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock, wait_until_set

__all__ = ["ButlerRuntime", "RuntimeRecord", "Runtimes"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/operations.sql")
_RECORD: Final = _SQL["record_runtime"]
_ALL: Final = _SQL["runtimes"]
_OWN: Final = "switchboard"
_RETRY_S: Final = 5.0
_log = get_logger(__name__)


class _Fault(BaseModel):
    model_config = ConfigDict(frozen=True)

    kind: Annotated[str, Field(min_length=1, max_length=100), STORABLE]
    message: Annotated[str, Field(max_length=1_000), STORABLE]


class _Word(BaseModel):
    """What a butler says of its runtime; what a newer one says besides is left out."""

    model_config = ConfigDict(frozen=True)

    family: Annotated[str, Field(min_length=1, max_length=63), STORABLE]
    fallback: Annotated[str, Field(max_length=63), STORABLE] | None = None
    fault: _Fault | None = None
    note: Annotated[str, Field(max_length=1_000), STORABLE] | None = None


@dataclass(frozen=True, slots=True)
class ButlerRuntime:
    """The state of one butler's runtime; without a `fault_kind` the message is a note."""

    butler: str
    family: str
    fallback: str | None
    fault_kind: str | None
    fault_message: str | None
    since: datetime


class Runtimes:
    """What butlers' heartbeats say about their runtimes; the last one counts, whichever replica heard it."""

    def __init__(self, pool: Pool, clock: Clock) -> None:
        self._pool = pool
        self._clock = clock

    async def hear(self, butler: str, said: object) -> None:
        """Record what a butler reports about its runtime; ignore a report that is missing or unreadable."""
        try:
            word = _Word.model_validate(said)
        except ValidationError:
            return
        fault = word.fault
        kind, message = (fault.kind, fault.message) if fault is not None else (None, word.note)
        async with acquire(self._pool, doing="recording a butler's runtime") as connection:
            await connection.execute(
                _RECORD, word.family, word.fallback, kind, message, self._clock.now(), butler
            )

    async def all(self) -> Sequence[ButlerRuntime]:
        """Return the runtime of every known butler that has reported one, by name."""
        async with acquire(self._pool, doing="reading runtimes") as connection:
            return [ButlerRuntime(**row) for row in await connection.fetch(_ALL)]


class RuntimeRecord:
    """`run` owns the writing; the last replica that saw a change wins."""

    def __init__(self, pool: Pool, standing: RuntimeStanding, clock: Clock) -> None:
        self._pool = pool
        self._standing = standing
        self._clock = clock

    async def run(self, stopping: asyncio.Event) -> None:
        """Write until stopped; retry later what could not be written."""
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
        fault, note = self._standing.fault, self._standing.note
        message = fault.message if fault is not None else note
        try:
            async with acquire(self._pool, doing="recording the runtime") as connection:
                await connection.execute(
                    _RECORD,
                    self._standing.family,
                    self._standing.fallback,
                    fault.kind if fault is not None else None,
                    storable(message) if message is not None else None,
                    fault.since if fault is not None else self._clock.now(),
                    _OWN,
                )
        except ButlerError as failure:
            _log.warning("runtime_record_failed", problem=failure.message)
            self._standing.changed.set()
            return False
        return True
