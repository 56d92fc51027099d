"""Errors that end a roll-up, with exit codes (interfaces: 2 arguments, 3 pruned, 4 lock, 5 data, 1 other)."""

from __future__ import annotations

from typing import Final

from butler_contracts.errors import InternalFailure, OverloadRejected, ValidationFailed

__all__ = ["BadArguments", "DataCheckFailed", "LockHeld", "SourcePruned", "exit_code_of"]


class BadArguments(ValidationFailed):
    """The arguments make no sense."""


class SourcePruned(ValidationFailed):
    """The source of the window is gone, wholly or in part; the stored rows stay as they are."""


class LockHeld(OverloadRejected):
    """Another run of the same job is publishing."""


class DataCheckFailed(InternalFailure):
    """The result or its source is incomplete or contradicts itself; nothing was published."""


_CODES: Final[tuple[tuple[type[Exception], int], ...]] = (
    (BadArguments, 2),
    (SourcePruned, 3),
    (LockHeld, 4),
    (DataCheckFailed, 5),
)


def exit_code_of(error: Exception) -> int:
    """Return the exit code of `butlers-rollups` for this error."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), 1)
