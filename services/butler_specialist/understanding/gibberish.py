"""Recognises random keystrokes (pure). Only what no language writes counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Final

from butler_kit.wording.folding import fold

__all__ = ["is_gibberish"]

_MOST_WORDS: Final = 5
_TOP: Final = ("qwertyuiop", "qwertzuiop", "azertyuiop")
_LOWER: Final = ("asdfghjkl", "qsdfghjklm", "zxcvbnm", "yxcvbnm", "wxcvbn")


def _runs(rows: Sequence[str], length: int) -> frozenset[str]:
    both = chain(rows, (row[::-1] for row in rows))
    return frozenset(row[at : at + length] for row in both for at in range(len(row) - length + 1))


_KEYS: Final = tuple(sorted(_runs(_LOWER, 4) | _runs(_TOP, 5)))
"""Neighbouring keys that no word has.

Five in the top row, since "wert" is a word and "property" has another.
"""
_NO_VOWEL: Final = re.compile(r"[b-df-hj-np-tv-xz]{5,}")
_REPEATED: Final = re.compile(r"(.)\1{3,}|(?:asd|jkl|qwe|dfg|fgh|ghj){2,}f?|([^\W\d_]{1,2})\2{3,}")


def is_gibberish(spoken: Sequence[str]) -> bool:
    """Return whether none of the few words is a word. One in capitals or with a digit may be a code."""
    return 0 < len(spoken) <= _MOST_WORDS and all(_is_none(word) for word in spoken)


def _is_none(word: str) -> bool:
    if not word.isalpha() or (word.isupper() and len(word) < 12):
        return False
    said = fold(word)
    return (
        any(run in said for run in _KEYS)
        or _NO_VOWEL.fullmatch(said) is not None
        or _REPEATED.fullmatch(said) is not None
    )
