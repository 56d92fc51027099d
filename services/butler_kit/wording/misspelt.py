"""Misspelt words of danger: one letter missing, one too many, or two swapped (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from butler_kit.wording.folding import words

__all__ = ["mended"]

_MEANT: Final = words(
    "unconscious unresponsive breathing breathe bleeding swallowed choking overdose ambulance seizure collapsed suicide"
    " unconscious drowning poisoned bewusstlos verschluckt ohnmachtig schlaganfall herzinfarkt vergiftet selbstmord"
    " krankenwagen erstickt inconscient respirer etouffe suicider overdose ambulancia inconsciente desmayado"
    " atragantado sobredosis incendio infarto convulsiones"
)
_KNOWN: Final = words(
    "breath breathed choosing breeding inconscients collapse collapses incendios infartos ahogado respire respires"
)
"""Real words that are close to one of these."""
_WORD: Final = re.compile(r"(?<![^\W\d_])[^\W\d_]{6,15}(?![^\W\d_])")


def mended(folded: str) -> str:
    """Return the folded text with these words corrected."""
    return _WORD.sub(lambda found: _meant(found.group()), folded)


@lru_cache(maxsize=4096)
def _meant(word: str) -> str:
    if word in _MEANT or word in _KNOWN:
        return word
    if word in _SHORTENED:
        return _SHORTENED[word]
    others = (*_without_one(word), *_swapped(word))
    return next((other for other in others if other in _MEANT), word)


def _without_one(word: str) -> Iterator[str]:
    return (word[:place] + word[place + 1 :] for place in range(1, len(word)))


def _swapped(word: str) -> Iterator[str]:
    pairs = range(len(word) - 1)
    return (word[:place] + word[place + 1] + word[place] + word[place + 2 :] for place in pairs)


_SHORTENED: Final = {
    short: word for word in sorted(_MEANT) for short in _without_one(word) if short not in _MEANT
}
