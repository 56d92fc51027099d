"""Which errors from below the command line are already written for a person, and their text."""

from __future__ import annotations

import sys
from typing import Final

__all__ = ["readable"]

_SPEAKING: Final = (
    ("butler_resources.kinds", "ManifestError"),
    ("butler_cli.local.postgres", "LocalPostgresError"),
    ("butler_contracts.errors", "ButlerError"),
    ("butler_kit.auth", "KeyFileError"),
)


def readable(error: Exception) -> str | None:
    """Return the text of an error that says what to do, or None for what must be a defect of ours.

    A raised error's class is already imported, so nothing is imported to recognise it.
    """
    kinds = [getattr(sys.modules.get(module), name, None) for module, name in _SPEAKING]
    if any(isinstance(kind, type) and isinstance(error, kind) for kind in kinds):
        return str(error)
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}; check that this user may use it"
    return None
