"""Binds `reached` and `reached_async` once, when the process starts: to nothing, or to the armed faults."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, Protocol

from butler_kit.faults.armed import ArmedFaults

__all__ = ["FAULTS_DIR", "bind", "reached", "reached_async"]

FAULTS_DIR: Final = "BUTLERS_FAULTS_DIR"


class Reached(Protocol):
    def __call__(self, name: str, *details: str) -> None: ...


class ReachedAsync(Protocol):
    async def __call__(self, name: str, *details: str) -> None: ...


def bind(directory: str | None) -> tuple[Reached, ReachedAsync]:
    """Return the functions for the two names: no-ops without a directory."""
    if not directory:
        return _nothing, _nothing_async
    armed = ArmedFaults(Path(directory))
    return armed.reached, armed.reached_async


def _nothing(name: str, *details: str) -> None:
    """Faults are off."""


async def _nothing_async(name: str, *details: str) -> None:
    """Faults are off."""


reached, reached_async = bind(os.environ.get(FAULTS_DIR))
