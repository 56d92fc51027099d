"""The languages that people are understood and answered in, by their ISO 639-1 codes."""

from __future__ import annotations

from typing import Final, Literal

__all__ = ["LANGUAGES", "Language"]

Language = Literal["en", "de", "fr", "es"]
LANGUAGES: Final[tuple[Language, ...]] = ("en", "de", "fr", "es")
