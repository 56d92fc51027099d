"""Formatting of outgoing text: `parse_mode` HTML of https://core.telegram.org/bots/api#html-style.

MarkdownV2 and Markdown are not offered: they are refused, and the refusal says that this server does so.
"""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from .errors import bad_request

_TYPES = {
    "b": "bold", "strong": "bold", "i": "italic", "em": "italic", "u": "underline", "ins": "underline",
    "s": "strikethrough", "strike": "strikethrough", "del": "strikethrough", "tg-spoiler": "spoiler",
    "code": "code", "pre": "pre", "a": "text_link", "blockquote": "blockquote",
}  # fmt: skip


def parse_text(text: str, parse_mode: str | None) -> tuple[str, list[dict[str, Any]]]:
    """The visible text and its entities (offsets and lengths in UTF-16 code units)."""
    if not parse_mode:
        return text, []
    mode = parse_mode.lower()
    if mode in {"markdown", "markdownv2"}:
        raise bad_request("this test server formats parse_mode HTML only")
    if mode != "html":
        raise bad_request("unsupported parse_mode")
    parser = _Html()
    parser.feed(text)
    parser.close()
    return parser.finish()


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


class _Html(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._text = ""
        self._open: list[tuple[str, int, dict[str, Any]]] = []
        self._entities: list[dict[str, Any]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TYPES:
            raise bad_request(f'can\'t parse entities: Unsupported start tag "{tag}"')
        extra = {"url": dict(attrs).get("href") or ""} if tag == "a" else {}
        self._open.append((tag, _units(self._text), extra))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1][0] != tag:
            raise bad_request(f'can\'t parse entities: Unmatched end tag "{tag}"')
        _, start, extra = self._open.pop()
        length = _units(self._text) - start
        if length:
            self._entities.append({"type": _TYPES[tag], "offset": start, "length": length, **extra})

    def handle_data(self, data: str) -> None:
        self._text += data

    def finish(self) -> tuple[str, list[dict[str, Any]]]:
        if self._open:
            unclosed = self._open[-1][0]
            raise bad_request(f"can't parse entities: Can't find end tag corresponding to \"{unclosed}\"")
        return self._text, sorted(self._entities, key=lambda entity: (entity["offset"], -entity["length"]))
