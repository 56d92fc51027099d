"""How early people are reminded of what comes up, unless somebody said otherwise (pure)."""

from __future__ import annotations

from typing import Final

__all__ = ["DEFAULT_LEADS"]

DEFAULT_LEADS: Final = (1,)
"""Days before."""
