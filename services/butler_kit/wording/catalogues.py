"""The texts of a package in the languages of the household: English in the code, the others in its catalogues.

`make texts` collects the texts of the code and compiles the catalogues (ADR 0032).
"""

from __future__ import annotations

from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib import resources

__all__ = ["catalogue_of"]


@cache
def catalogue_of(package: str, domain: str, language: str) -> NullTranslations:
    """Return the catalogue in `package`; its `gettext` returns the English text of what it lacks."""
    if language == "en":
        return NullTranslations()
    catalogue = resources.files(package).joinpath(language, "LC_MESSAGES", f"{domain}.mo")
    with catalogue.open("rb") as compiled:
        return GNUTranslations(compiled)
