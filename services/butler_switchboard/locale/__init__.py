"""What Switchboard itself says to a member in their language; the catalogues beside it are made by `make texts`."""

from __future__ import annotations

from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.catalogues import catalogue_of

__all__ = ["DOMAIN", "noop", "say"]

DOMAIN: Final = "said"


def say(language: Language, text: str, /, **fields: object) -> str:
    """The text in that language, its places filled."""
    return catalogue_of(__package__, DOMAIN, language).gettext(text).format(**fields)


def noop(text: str) -> str:
    """Marks a text that is translated where it is said."""
    return text
