"""Folds a text for matching: lower case, no accents, straight quotes; every character keeps its place (pure)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

__all__ = ["fold", "one_of", "unaccented", "unstretched", "words"]

_STRETCHED = re.compile(r"([^\W\d_])\1{2,}")
_SAME = {"’": "'", "‘": "'", "`": "'", "–": "-", "—": "-", "‑": "-", "−": "-"}
_MOST_KEPT = 4_096


def _folded(char: str) -> str:
    plain = _SAME.get(char)
    if plain is not None:
        return plain
    if unicodedata.category(char) == "Zs":
        return " "
    cyrillic = "\u0400" <= char <= "\u04ff"
    lowered = char.lower() if cyrillic else unicodedata.normalize("NFD", char)[0].lower()
    return lowered if len(lowered) == 1 else char


class _Folding(dict[int, str]):
    """A table for `str.translate` that caches the characters it is asked for first, up to a limit."""

    def __init__(self, letter: Callable[[str], str]) -> None:
        super().__init__()
        self._letter = letter

    def __missing__(self, code: int) -> str:
        letter = self._letter(chr(code))
        if len(self) < _MOST_KEPT:
            self[code] = letter
        return letter


def _unaccented(char: str) -> str:
    return _folded(char).upper() if char.isupper() else _folded(char)


_FOLDED = _Folding(_folded)
_UNACCENTED = _Folding(_unaccented)


def fold(text: str) -> str:
    """Return the folded text, exactly as long as `text`, so that a match's span is a span of the original."""
    if text.isascii():
        return text.lower().replace("`", "'")
    return text.translate(_FOLDED)


def unaccented(text: str) -> str:
    """Return the text without accents, its capitals kept; as long as `text`."""
    return text.replace("`", "'") if text.isascii() else text.translate(_UNACCENTED)


def words(text: str) -> frozenset[str]:
    """Return the words of a list that is written as a text."""
    return frozenset(text.split())


def one_of(said: Iterable[str]) -> str:
    """Return a pattern for any of these texts, longest first; the same in every process, even for a set."""
    return "|".join(sorted(map(re.escape, said), key=lambda pattern: (-len(pattern), pattern)))


def unstretched(word: str) -> str:
    """Return a folded word without drawn-out letters: "hey" for "heyyyy"."""
    return _STRETCHED.sub(r"\1", word)
