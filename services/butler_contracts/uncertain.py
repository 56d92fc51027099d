"""Work that may have been done: the word by which butlers, traces and what people are told share it (D61; pure)."""

from __future__ import annotations

from typing import Final

from butler_contracts.errors import ErrorDetail

__all__ = ["UNCERTAIN", "is_uncertain"]

UNCERTAIN: Final = "uncertain"
"""The `original_class` of the error."""


def is_uncertain(error: ErrorDetail | None) -> bool:
    """Whether the error says that something outside may have been done: its message is whole, and says what."""
    return error is not None and error.original_class == UNCERTAIN
