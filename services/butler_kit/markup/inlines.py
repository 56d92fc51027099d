"""PURE: the inline content of one block as text with spans, and the text that all blocks are written into."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from markdown_it.token import Token

from butler_kit.markup.rich import Span, Style

__all__ = ["Inlines"]

_STYLES: Final = {"strong": Style.BOLD, "em": Style.ITALIC, "s": Style.STRUCK, "link": Style.LINK}
_ADDRESS: Final = re.compile(r"https?://[^\s<>\"\\^`{|}\x00-\x1f\x7f]{1,2000}", re.IGNORECASE)


class Inlines:
    """A text that grows at its end; for one use."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self._spans: list[Span] = []
        self._linked = False
        self.length = 0

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    @property
    def spans(self) -> tuple[Span, ...]:
        """The spans in the order in which they begin, longer ones first."""
        return tuple(sorted(self._spans, key=lambda span: (span.start, -span.end)))

    def write(self, text: str) -> None:
        """Append text."""
        self._pieces.append(text)
        self._starts.append(self.length)
        self.length += len(text)

    def mark(self, style: Style, start: int, value: str | None = None) -> None:
        """Style what was written since `start`, without blanks at its ends; do nothing if it is blank."""
        if start == self.length:
            return
        written = self._since(start)
        lead = len(written) - len(written.lstrip()) if style is not Style.PRE else 0
        end = start + len(written.rstrip())
        if start + lead < end:
            self._spans.append(Span(style, start + lead, end, value))

    def _since(self, start: int) -> str:
        """Return what was written since the text was as long as `start`."""
        return "".join(self._pieces[bisect_left(self._starts, start) :])

    def inline(self, tokens: Sequence[Token], *, newline: str) -> None:
        """Write the tokens of one block; its lines are separated by `newline`."""
        begun: list[tuple[int, str]] = []
        for token in tokens:
            if token.type in ("softbreak", "hardbreak"):
                self.write(newline)
            elif token.type == "code_inline":
                self._code(token.content)
            elif token.type == "image":
                self._image(token)
            elif token.nesting > 0:
                begun.append((self.length, str(token.attrs.get("href") or "")))
                self._linked = self._linked or token.type == "link_open"
            elif token.nesting < 0:
                self._close(token, *begun.pop())
            else:
                self.write(token.content)

    def _code(self, code: str) -> None:
        start = self.length
        self.write(code)
        self.mark(Style.CODE, start)

    def _image(self, token: Token) -> None:
        """Write a picture as a link to it, unless it is within a link."""
        start = self.length
        self.write(token.content)
        if not self._linked:
            self._link(start, str(token.attrs.get("src") or ""))

    def _close(self, token: Token, start: int, address: str) -> None:
        style = _STYLES[token.type.removesuffix("_close")]
        if style is not Style.LINK:
            self.mark(style, start)
            return
        self._linked = False
        self._link(start, address)

    def _link(self, start: int, address: str) -> None:
        """Mark a link; one that cannot be followed, or that shows only its own address, becomes text."""
        shown = self._since(start).strip()
        if not shown:
            self.write(address)
        elif address and _is_followed(address) and shown != address:
            self.mark(Style.LINK, start, address)
        elif address and shown != address:
            self.write(f" ({address})")


def _is_followed(address: str) -> bool:
    """Return whether every program that shows links follows it: a full web address, its host with a dot."""
    if _ADDRESS.fullmatch(address) is None:
        return False
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return False
    return "." in host.strip(".")
