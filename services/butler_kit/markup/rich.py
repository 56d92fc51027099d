"""PURE: a text with styled spans.

Invariant: the text is complete without its spans; a span only says how a part of it looks, or where it leads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Rich", "Span", "Style"]


class Style(StrEnum):
    """The style of a part of a text."""

    BOLD = "bold"
    ITALIC = "italic"
    STRUCK = "struck"
    CODE = "code"
    PRE = "pre"
    """Lines of code; the span's value is their language, where one is named."""
    LINK = "link"
    """The span's value is the http or https address that it leads to."""
    QUOTE = "quote"


@dataclass(frozen=True, slots=True)
class Span:
    """`start` and `end` are half-open and count characters of the text."""

    style: Style
    start: int
    end: int
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Rich:
    """Spans are in the order in which they begin, the longer ones first; any two lie in or outside of each other."""

    text: str
    spans: tuple[Span, ...] = ()

    @property
    def plain(self) -> str:
        """The text without styles: links followed by their addresses, quotes with their mark."""
        return "".join(_with_quotes(_with_links(self.text, self.spans), self.spans))


def _with_links(text: str, spans: Sequence[Span]) -> list[str]:
    """Return the characters of the text, the last one of each link followed by its address."""
    chars = list(text)
    for span in spans:
        if span.style is Style.LINK:
            chars[span.end - 1] += f" ({span.value})"
    return chars


def _with_quotes(chars: Sequence[str], spans: Sequence[Span]) -> Iterator[str]:
    quotes = [span for span in spans if span.style is Style.QUOTE]
    begins = {span.start for span in quotes}
    quoted = {index for span in quotes for index in range(span.start, span.end)}
    for index, char in enumerate(chars):
        if index in begins:
            yield "> "
        yield f"{char}> " if char == "\n" and index in quoted else char
