"""The words of answers in the writer's language: English in the code, German, French and Spanish in catalogues.

`make texts` collects what the code says and compiles the catalogues (ADR 0032).
"""

from __future__ import annotations

from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib import resources
from typing import Final

from butler_specialist.understanding.language import Language

__all__ = ["DOMAIN", "noop", "texts_in"]

DOMAIN: Final = "answers"


@cache
def texts_in(language: Language) -> NullTranslations:
    """The catalogue; its `gettext` gives back the English of what it lacks."""
    if language == "en":
        return NullTranslations()
    catalogue = resources.files(__package__).joinpath(language, "LC_MESSAGES", f"{DOMAIN}.mo")
    with catalogue.open("rb") as compiled:
        return GNUTranslations(compiled)


def noop(text: str) -> str:
    """Marks a text that is translated where it is said."""
    return text
