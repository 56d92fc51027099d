"""A language's means of finding signals: who can be meant, what undoes a statement, and phrases (pure).

A phrase is a pattern in which WHO stands for a person, KIN for a person named by their relation to the writer, OWNS
for a person with a possessive s, REST for a few words, VALUE for words with a number, and HEAD for the beginning of a
statement.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from butler_switchboard.extraction.signals import SignalType

__all__ = ["Language", "Phrase", "language_of"]

_LETTER: Final = r"[^\W\d_]"
_CAPITAL: Final = "A-ZÀ-ÖØ-ÞŒŠŽ"
_REST: Final = r"[^,;:!?.\n]{1,60}"
_VALUE: Final = r"(?=[^,;:!?\n]{0,40}\d)(?:(?! (?:and|und|et|y) )[^,;:!?\n]){1,40}"
_HEAD: Final = r"(?:^|(?<=[,;:] )|(?<=\n)"


@dataclass(frozen=True, slots=True)
class Phrase:
    type: SignalType
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Language:
    """`undoes` matches whatever makes a sentence state nothing: a denial, a condition, a wish."""

    undoes: re.Pattern[str]
    phrases: tuple[Phrase, ...]


def language_of(
    *,
    kin: str,
    no_names: str,
    joins: Sequence[str],
    undoes: str,
    phrases: Mapping[SignalType, Sequence[str]],
) -> Language:
    """Build a language.

    `kin` matches people named by relation, `no_names` are capitalised words that name nobody, and `joins` are words
    after which a statement may begin.
    """
    name = rf"(?!(?:{no_names})\b)[{_CAPITAL}]{_LETTER}+(?:-[{_CAPITAL}]{_LETTER}+)?"
    related = rf"(?P<kin>{kin}(?: {name})?)"
    parts = {
        "WHO": rf"(?:{related}|(?P<name>{name}(?: {name})?))",
        "KIN": related,
        "OWNS": rf"(?P<name>(?!(?:{no_names})\b)[{_CAPITAL}]{_LETTER}+?)s",
        "REST": _REST,
        "VALUE": _VALUE,
        "HEAD": _HEAD + "".join(rf"|(?<=\b{join} )" for join in joins) + ")",
    }
    made = [Phrase(kind, _made(one, parts)) for kind, several in phrases.items() for one in several]
    return Language(re.compile(undoes, re.IGNORECASE), tuple(made))


def _made(phrase: str, parts: Mapping[str, str]) -> re.Pattern[str]:
    return re.compile(re.sub("HEAD|WHO|KIN|OWNS|REST|VALUE", lambda found: parts[found.group()], phrase))
