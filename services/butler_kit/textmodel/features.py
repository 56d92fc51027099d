"""Turn a text into hashed features: words, their classes, pairs, character n-grams, tone, length (no dependency).

Invariant: the same text gives the same features on every machine (CRC-32, no salted hash), because the
weights that ship with the package were fitted on exactly these.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from zlib import crc32

from butler_kit.textmodel.entities import MOST_CHARS, entities
from butler_kit.textmodel.lexicon import classes_of

__all__ = [
    "BUCKETS",
    "MARKS",
    "MAX_TOKENS",
    "Feature",
    "features",
    "features_of_pairs",
    "fold",
    "fold_as_long",
    "pair",
    "tokens",
    "word_features",
]

BUCKETS = 1 << 16
MAX_TOKENS = 200
"""Words looked at per text; a long mail says what it is about before that, and the bound limits the latency."""

_SHAPE = "x{}x"
_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]{1,3})?")
_PAIR_VALUE = 0.7
_GRAM_VALUE = 0.35
_CLASS_VALUE = 1.2
MARKS = (("?", "xaskedx"), ("!", "xcalledx"))
_OPENING_VALUE = 0.7
_LONGEST = 6
_START = re.compile(r"[.!?:;\n•*>–-]\s*$")

Feature = tuple[int, float]


@lru_cache(maxsize=8192)
def fold(word: str) -> str:
    """`word` in lower case, compatibility form, without accents."""
    decomposed = unicodedata.normalize("NFKD", word.casefold().replace("’", "'"))
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def fold_as_long(text: str) -> str:
    """Return the text folded character by character, so that positions in both are the same."""
    return "".join((fold(character) or character)[0] for character in text)


def tokens(text: str, *, limit: int = MAX_TOKENS) -> list[tuple[str, bool]]:
    """The folded words of `text` in order, each with whether it looks like a name (a capital inside a sentence).

    Shapes (amounts, dates, flights …) become class tokens such as `xmoneyx`; a question or exclamation mark anywhere
    adds `xaskedx` or `xcalledx` at the end.
    """
    found: list[tuple[str, bool]] = []
    position = 0
    for entity in entities(text[:MOST_CHARS]):
        _words(text, position, entity.start, found)
        found.append((_SHAPE.format(entity.kind), False))
        position = entity.end
        if len(found) >= limit:
            return found[:limit]
    _words(text, position, min(len(text), MOST_CHARS), found)
    marks = [(token, False) for mark, token in MARKS if mark in text[:MOST_CHARS]]
    return [*found[:limit], *marks] if found else []


def _words(text: str, start: int, end: int, found: list[tuple[str, bool]]) -> None:
    for match in _WORD.finditer(text, start, end):
        word = match.group()
        initial = (
            match.start() == 0 or _START.search(text, max(0, match.start() - 4), match.start()) is not None
        )
        named = word[0].isupper() and not initial and len(word) > 1 and not word.isupper()
        found.append((fold(word), named))


@lru_cache(maxsize=8192)
def word_features(word: str) -> tuple[Feature, ...]:
    """The features of one folded word: itself, what it names, and the character n-grams inside its borders."""
    found = [(crc32(b"w" + word.encode("utf-8", "replace")) % BUCKETS, 1.0)]
    found.extend((crc32(b"l" + name.encode()) % BUCKETS, _CLASS_VALUE) for name in classes_of(word))
    if len(word) > 3 and not word.startswith("x"):
        padded = f"<{word[:24]}>"
        for size in (4, 5):
            for start in range(len(padded) - size + 1):
                gram = padded[start : start + size]
                found.append((crc32(b"c" + gram.encode("utf-8", "replace")) % BUCKETS, _GRAM_VALUE))
    return tuple(found)


def pair(left: str, right: str) -> int:
    """The bucket of two neighbouring words."""
    return crc32(b"p" + f"{left} {right}".encode("utf-8", "replace")) % BUCKETS


def features_of_pairs(found: list[tuple[str, bool]]) -> list[Feature]:
    """The features of neighbouring words, of the first one and of their number; a name counts as `xcapx`."""
    result: list[Feature] = []
    previous = "^"
    if found:
        opening = "xcapx" if found[0][1] else found[0][0]
        result.append((crc32(b"f" + opening.encode("utf-8", "replace")) % BUCKETS, _OPENING_VALUE))
        size = min(_LONGEST, len(found).bit_length())
        result.append((crc32(b"n%d" % size) % BUCKETS, _OPENING_VALUE))
    for word, named in found:
        shown = "xcapx" if named else word
        result.append((pair(previous, shown), _PAIR_VALUE))
        if named:
            result.append((crc32(b"wxcapx") % BUCKETS, _PAIR_VALUE))
        previous = shown
    result.append((pair(previous, "$"), _PAIR_VALUE))
    return result


def features(found: list[tuple[str, bool]]) -> list[Feature]:
    """All features of a token list."""
    return [feature for word, _ in found for feature in word_features(word)] + features_of_pairs(found)
