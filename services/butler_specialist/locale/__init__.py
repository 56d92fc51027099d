"""The words of answers in the writer's language: English in the code, German, French and Spanish in catalogues.

`make texts` collects what the code says and compiles the catalogues (ADR 0032).
"""

from __future__ import annotations

from collections.abc import Sequence
from gettext import NullTranslations
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.catalogues import catalogue_of

__all__ = ["DOMAIN", "Counted", "count", "counted", "joined", "noop", "say", "texts_in"]

DOMAIN: Final = "answers"
Counted = tuple[str, str]
"""A text of one, and of another number."""


def texts_in(language: Language) -> NullTranslations:
    """The catalogue; its `gettext` gives back the English of what it lacks."""
    return catalogue_of(__package__, DOMAIN, language)


def say(language: Language, text: str, /, **fields: object) -> str:
    """The text in that language, its places filled."""
    return texts_in(language).gettext(text).format(**fields)


def count(language: Language, one: str, many: str, number: int, /, **fields: object) -> str:
    """The text for so many, `{number}` filled: `1 note`, `3 notes`."""
    return texts_in(language).ngettext(one, many, number).format(number=number, **fields)


def joined(parts: Sequence[str], language: Language = "en") -> str:
    """`a, b and c`."""
    if len(parts) < 2:
        return "".join(parts)
    return say(language, "{some} and {last}", some=", ".join(parts[:-1]), last=parts[-1])


def counted(one: str, many: str) -> Counted:
    """Marks a text of a number that is translated where it is said."""
    return one, many


def noop(text: str) -> str:
    """Marks a text that is translated where it is said."""
    return text
