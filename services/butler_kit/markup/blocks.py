"""PURE: a Markdown parser's tokens as a text of lines, with its spans in order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from markdown_it.token import Token

from butler_kit.markup.inlines import Inlines
from butler_kit.markup.rich import Rich, Style

__all__ = ["Blocks"]

_LANGUAGE: Final = re.compile(r"[A-Za-z0-9_+#.-]{1,32}")


@dataclass(slots=True)
class _Item:
    """An item of a list; its mark is written before its first line."""

    mark: str
    token: Token
    written: bool = False

    @property
    def width(self) -> int:
        """The indentation of its lines: its mark and a blank."""
        return len(self.mark) + 1


@dataclass(slots=True)
class Blocks:
    """Writes one text; it is for one use."""

    _out: Inlines = field(default_factory=Inlines)
    _line: int = 0
    """The line of the source up to which the text is written."""
    _items: list[_Item] = field(default_factory=list)
    _quotes: list[int] = field(default_factory=list)
    _heading: str | None = None

    def read(self, tokens: Sequence[Token]) -> Rich:
        """Return the text of a parser's tokens."""
        for token in tokens:
            self._take(token)
        return Rich(self._out.text, self._out.spans)

    def _take(self, token: Token) -> None:
        match token.type:
            case "inline":
                self._inline(token)
            case "heading_open":
                self._heading = token.markup
            case "heading_close":
                self._heading = None
            case "fence":
                self._fence(token)
            case "list_item_open":
                mark = f"{token.info}{token.markup}" if token.info else token.markup
                self._items.append(_Item("•" if mark == "*" else mark, token))
            case "list_item_close":
                self._end_item()
            case "blockquote_open":
                self._quotes.append(self._out.length)
            case "blockquote_close":
                self._end_quote()
            case _:
                pass

    def _inline(self, token: Token) -> None:
        self._begin(token)
        start = self._out.length
        self._out.inline(token.children or (), newline=f"\n{' ' * sum(item.width for item in self._items)}")
        if self._heading is not None and start == self._out.length:
            self._out.write(self._heading)
        elif self._heading is not None:
            self._out.mark(Style.BOLD, start)

    def _fence(self, token: Token) -> None:
        """Write a code block; one that is empty or has no end stays as it was written."""
        begin, end = token.map or (0, 0)
        code = token.content.removesuffix("\n")
        self._begin(token)
        start = self._out.length
        if not code.strip() or end - begin < len(code.split("\n")) + 2:
            self._out.write(f"{token.markup}{token.info}\n{token.content}".rstrip("\n"))
            return
        self._out.write(code)
        language = _LANGUAGE.fullmatch(token.info.strip())
        self._out.mark(Style.PRE, start, language[0] if language else None)

    def _begin(self, token: Token) -> None:
        """Move as many lines down as in the source, then write the marks of the items that begin here."""
        begin, end = token.map or (self._line, self._line)
        if self._out.length:
            self._out.write("\n" * max(1, begin - self._line + 1))
        for item in self._items:
            self._out.write(" " * item.width if item.written else f"{item.mark} ")
            item.written = True
        self._line = end

    def _end_item(self) -> None:
        """End an item; an empty one is written as its mark."""
        if not self._items[-1].written:
            self._begin(self._items[-1].token)
        self._items.pop()

    def _end_quote(self) -> None:
        """End a quote; an empty one is written as its mark, a nested one belongs to the outer one."""
        start = self._quotes.pop()
        if start == self._out.length:
            self._out.write("\n>" if start else ">")
        elif not self._quotes:
            self._out.mark(Style.QUOTE, start)
