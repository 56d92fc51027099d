"""Armed faults, taken from files: `kill`, `stall SECONDS` or `raise`, each exactly once over all processes.

A file named as the point arms it for the first process to reach it; `POINT@DETAIL` (`POINT@DETAIL.DETAIL`) for the
first to reach it with these details, such as a channel and an intent. Taking a fault moves its file into `taken/`
under the point's armed name, with the process id and the moment added: a rename succeeds once, so no fault happens
twice.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

__all__ = ["TAKEN", "ArmedFaults", "InjectedFault"]

TAKEN: Final = "taken"


class InjectedFault(RuntimeError):
    """The error of an armed `raise`; none of the system's own."""


class ArmedFaults:
    """The faults armed in one directory, as one process meets them."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._taken = directory / TAKEN
        self._taken.mkdir(parents=True, exist_ok=True)

    def reached(self, name: str, *details: str) -> None:
        """Perform what is armed here; a stall holds the whole process."""
        for order in self._orders(name, details):
            time.sleep(_perform(order, name))

    async def reached_async(self, name: str, *details: str) -> None:
        """Like `reached`; a stall holds this task only."""
        for order in self._orders(name, details):
            await asyncio.sleep(_perform(order, name))

    def _orders(self, name: str, details: Sequence[str]) -> Iterator[str]:
        yield from self._take(name)
        for count in range(1, len(details) + 1):
            yield from self._take(f"{name}@{'.'.join(details[:count])}")

    def _take(self, armed: str) -> Iterator[str]:
        taken = self._taken / f"{armed}#{os.getpid()}#{time.monotonic_ns()}"
        try:
            os.rename(self._directory / armed, taken)
        except FileNotFoundError:
            return
        yield taken.read_text(encoding="utf-8")


def _perform(order: str, name: str) -> float:
    """Perform the order; a stall is returned, in seconds, for the caller to wait."""
    match order.split():
        case ["kill"]:
            os.kill(os.getpid(), signal.SIGKILL)
        case ["raise"]:
            raise InjectedFault(f"a fault was armed at {name}")
        case ["stall", seconds]:
            return float(seconds)
    raise ValueError(f"{name}: expected 'kill', 'raise' or 'stall SECONDS', found '{order}'")
