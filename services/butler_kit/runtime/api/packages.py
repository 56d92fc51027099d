"""The packages that asking a model over HTTP takes: whether they are here, and how they come."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

__all__ = ["HOW_THEY_COME", "are_installed"]

HOW_THEY_COME: Final = "`make llm` in the project's folder installs them; an image of pods has to have them"


def are_installed() -> bool:
    """Looked for and not loaded: that takes a second or more."""
    return find_spec("pydantic_ai") is not None
