"""Which errors of the parts below the command line already speak to the person, and what they say."""

from __future__ import annotations

__all__ = ["readable"]


def readable(error: Exception) -> str | None:
    """The text of an error that says what to do, or None for what must be a defect of ours."""
    from butler_cli.local.postgres import LocalPostgresError
    from butler_contracts.errors import ButlerError
    from butler_kit.auth import KeyFileError
    from butler_resources.kinds import ManifestError

    if isinstance(error, ManifestError | LocalPostgresError | ButlerError | KeyFileError):
        return str(error)
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}; check that this user may use it"
    return None
