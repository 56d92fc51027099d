"""Read lists out of the ops API's answers; anything unexpected is reported, not passed on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from butler_cli.errors import UserError

__all__ = ["entries_of"]


def entries_of(document: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the list of objects under `key`. Raises `UserError` if the answer has no such list."""
    entries = document.get(key)
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise UserError(
            f"the answer holds no list of {key}; "
            "does the household run another version than this command? Update one of them"
        )
    return entries
