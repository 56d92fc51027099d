"""Folds a text for matching: lower case, no accents, straight quotes; every character keeps its place (pure)."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = ["fold", "unaccented", "unstretched", "words"]

_STRETCHED = re.compile(r"([^\W\d_])\1{2,}")
_SAME = {"’": "'", "‘": "'", "`": "'", "–": "-", "—": "-", "‑": "-", "−": "-"}


def fold(text: str) -> str:
    """The folded text, exactly as long as `text`, so that a match's span is a span of the original."""
    if text.isascii():
        return text.lower().replace("`", "'")
    return "".join(_fold_char(char) for char in text)


def unaccented(text: str) -> str:
    """The text without accents, its capitals kept; as long as `text`."""
    return "".join(
        folded.upper() if char.isupper() else folded for char, folded in zip(text, fold(text), strict=True)
    )


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    plain = _SAME.get(char)
    if plain is not None:
        return plain
    if unicodedata.category(char) == "Zs":
        return " "
    cyrillic = "\u0400" <= char <= "\u04ff"
    lowered = char.lower() if cyrillic else unicodedata.normalize("NFD", char)[0].lower()
    return lowered if len(lowered) == 1 else char


def words(text: str) -> frozenset[str]:
    """The words of a list that is written as a text."""
    return frozenset(text.split())


def unstretched(word: str) -> str:
    """A folded word without letters that are drawn out: "hey" of "heyyyy"."""
    return _STRETCHED.sub(r"\1", word)
