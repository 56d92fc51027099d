"""Common purchases in four languages, so that "shoes" finds "Schuhe" (pure); the words are in `goods.txt`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Final

from butler_specialist.understanding.folding import fold

__all__ = ["pattern_of"]

_INSIDE_WORDS: Final = 5
"""Of so many letters a word is also found inside another one: "schuhe" in "Winterschuhe"."""


@cache
def _same() -> Mapping[str, frozenset[str]]:
    """Every word with those that mean the same."""
    text = resources.files("butler_specialist.profiles.finance").joinpath("goods.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    groups = [frozenset(word.strip() for word in line.split(",")) for line in lines]
    return {word: group for group in groups for word in group}


@cache
def pattern_of(subject: str) -> re.Pattern[str]:
    """What a folded text has in it that is about `subject`: its own words anywhere, a translation as a word."""
    own = fold(subject)
    others = sorted(_same().get(own, frozenset()) - {own})
    translated = (
        re.escape(word) if len(word) >= _INSIDE_WORDS else rf"\b{re.escape(word)}\b" for word in others
    )
    return re.compile("|".join([re.escape(own), *translated]))
