"""What a language gives to find signals by: who can be meant, what undoes a statement, and phrases (pure).

A phrase is a pattern in which WHO stands for somebody, KIN for somebody named by how they are related to the writer,
OWNS for somebody with the s of a possessive, REST for a few words, VALUE for words with a number, and HEAD for where a
statement begins.
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
    """`undoes` is what makes a sentence say nothing: a denial, a condition, a wish."""

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
    """`kin` is how somebody related is named, `no_names` are words with a capital that name nobody, `joins` words after
    which a statement may begin."""
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
