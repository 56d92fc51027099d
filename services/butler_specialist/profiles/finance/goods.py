"""Common purchases in four languages, so that "shoes" finds "Schuhe" and "food" the bakery (pure).

The words are in `goods.txt`: a line of synonyms, or, after a colon, the words that belong to them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Final

from butler_kit.wording.folding import fold

__all__ = ["pattern_of"]

_INSIDE_WORDS: Final = 5
"""The length from which a word is also found inside another: "schuhe" in "Winterschuhe"."""


@cache
def _same() -> Mapping[str, frozenset[str]]:
    """Return every word with its synonyms."""
    text = resources.files("butler_specialist.profiles.finance").joinpath("goods.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    same = {word: group for line in lines if ":" not in line for group in (_words(line),) for word in group}
    for line in lines:
        called, colon, kinds = line.partition(":")
        if colon:
            named, wider = _words(called), (same.get(kind, {kind}) for kind in _words(kinds))
            same |= dict.fromkeys(named, named.union(*wider))
    return same


def _words(listed: str) -> frozenset[str]:
    return frozenset(word.strip() for word in listed.split(","))


@cache
def pattern_of(subject: str) -> re.Pattern[str]:
    """Return a pattern for folded text about `subject`: its own words anywhere, a translation as a word."""
    own = fold(subject)
    others = sorted(_same().get(own, frozenset()) - {own})
    translated = (
        re.escape(word) if len(word) >= _INSIDE_WORDS else rf"\b{re.escape(word)}\b" for word in others
    )
    return re.compile("|".join([re.escape(own), *translated]))
