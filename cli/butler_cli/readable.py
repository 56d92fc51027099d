"""Which errors of the parts below the command line already speak to the person, and what they say."""

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
    """The text of an error that says what to do, or None for what must be a defect of ours.

    An error's class was imported before it was raised, so nothing is imported to know it.
    """
    kinds = [getattr(sys.modules.get(module), name, None) for module, name in _SPEAKING]
    if any(isinstance(kind, type) and isinstance(error, kind) for kind in kinds):
        return str(error)
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}; check that this user may use it"
    return None
