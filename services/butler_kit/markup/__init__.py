"""Texts with markup: Markdown as a text with styled spans, and texts joined together (docs/adr/0102)."""

from butler_kit.markup.escaping import escaped
from butler_kit.markup.reading import MOST_CHARS, read
from butler_kit.markup.rich import Rich, Span, Style
from butler_kit.markup.together import BETWEEN, Words, said, said_by, together

__all__ = [
    "BETWEEN",
    "MOST_CHARS",
    "Rich",
    "Span",
    "Style",
    "Words",
    "escaped",
    "read",
    "said",
    "said_by",
    "together",
]
