"""Word classes from `lexicon.txt`, one more feature for the linear model (pure, read once).

Invariant: a word has the classes the file gives it, or those of its singular; the file is part of what the weights
were fitted on, so its digest is checked like the corpus'.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

__all__ = ["LEXICON_FILE", "classes_of", "lexicon"]

LEXICON_FILE = "lexicon.txt"
_PLURALS = ("s", "es", "n", "en", "e")


@lru_cache(maxsize=1)
def lexicon() -> dict[str, tuple[str, ...]]:
    """Return the classes by folded word."""
    known: dict[str, tuple[str, ...]] = {}
    text = resources.files(__package__).joinpath(LEXICON_FILE).read_text(encoding="utf-8")
    for line in text.splitlines():
        name, _, words = line.partition(": ")
        for word in [] if line.startswith("#") else words.split():
            known[word] = tuple(dict.fromkeys((*known.get(word, ()), name)))
    return known


def classes_of(word: str) -> tuple[str, ...]:
    """Return the classes of a folded word, looked up as it is and without a plural ending."""
    known = lexicon()
    if word in known:
        return known[word]
    for ending in _PLURALS:
        if word.endswith(ending) and len(word) - len(ending) >= 4 and word[: -len(ending)] in known:
            return known[word[: -len(ending)]]
    return ()
