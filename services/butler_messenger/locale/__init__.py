"""What Messenger itself says to an approver in their language; the catalogues beside it are made by `make texts`."""

from __future__ import annotations

from typing import Final

from butler_contracts.language import LANGUAGES, Language
from butler_kit.wording.catalogues import catalogue_of

__all__ = ["DOMAIN", "known_language", "noop", "say"]

DOMAIN: Final = "messages"


def say(language: Language, text: str, /, **fields: object) -> str:
    """The text in that language, its places filled."""
    return catalogue_of(__package__, DOMAIN, language).gettext(text).format(**fields)


def known_language(value: str | None, otherwise: Language) -> Language:
    """The language that `value` names."""
    return next((one for one in LANGUAGES if one == value), otherwise)


def noop(text: str) -> str:
    """Marks a text that is translated where it is said."""
    return text
