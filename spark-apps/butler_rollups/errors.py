"""Why a roll-up ended early, each with its exit code (interfaces: 2 arguments, 3 pruned, 4 lock, 5 data, 1 other)."""

from __future__ import annotations

from typing import Final

from butler_contracts.errors import InternalFailure, OverloadRejected, ValidationFailed

__all__ = ["BadArguments", "DataCheckFailed", "LockHeld", "SourcePruned", "exit_code_of"]


class BadArguments(ValidationFailed):
    """What was asked for makes no sense."""


class SourcePruned(ValidationFailed):
    """What the window would be computed from is gone, wholly or in part; the stored rows stay as they are."""


class LockHeld(OverloadRejected):
    """Another run of the same job is publishing."""


class DataCheckFailed(InternalFailure):
    """What was computed, or what it is computed from, is not complete or contradicts itself; nothing was published."""


_CODES: Final[tuple[tuple[type[Exception], int], ...]] = (
    (BadArguments, 2),
    (SourcePruned, 3),
    (LockHeld, 4),
    (DataCheckFailed, 5),
)


def exit_code_of(error: Exception) -> int:
    """The exit code of `butlers-rollups` for this error."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), 1)
