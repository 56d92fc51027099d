"""PURE: a chat as SVG, for pages of the documentation."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from textwrap import wrap
from typing import Final

__all__ = ["chat"]

_WIDTH: Final = 560
_LINE: Final = 20
_PAD: Final = 12
_PER_LETTER: Final = 7.4
"""Of the 14 pixels high letters, wide ones included, so that no line leaves its bubble."""
_MOST_LETTERS: Final = 52
_FONT: Final = "font-family='system-ui, Segoe UI, Roboto, Noto Sans, sans-serif' font-size='14'"


def chat(title: str, said: Sequence[tuple[str, str]]) -> str:
    """Draw questions on the right and answers on the left, in turns."""
    drawn: list[str] = []
    top = _PAD
    for question, answer in said:
        for text, mine in ((question, True), (answer, False)):
            bubble, top = _bubble(text, top, mine=mine)
            drawn.append(bubble)
        top += _PAD
    return _svg(title, top, drawn)


def _bubble(text: str, top: int, *, mine: bool) -> tuple[str, int]:
    """Return it, and where the next one begins."""
    lines = [part for line in text.splitlines() for part in (wrap(line, _MOST_LETTERS) or [""])]
    width = max(len(line) for line in lines) * _PER_LETTER + 2 * _PAD
    height = _LINE * len(lines) + _PAD
    left = _WIDTH - _PAD - width if mine else _PAD
    ground = "#d6f0dd" if mine else "#ffffff"
    words = "".join(
        f"<tspan x='{left + _PAD:g}' y='{top + _LINE * (number + 1) - 1}'>{escape(line)}</tspan>"
        for number, line in enumerate(lines)
    )
    box = f"<rect x='{left:g}' y='{top}' width='{width:g}' height='{height}' rx='10' fill='{ground}'/>"
    return f"{box}<text fill='#1c2226' {_FONT}>{words}</text>", top + height + 6


def _svg(title: str, height: int, drawn: Sequence[str]) -> str:
    body = "\n".join(drawn)
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_WIDTH} {height}' width='{_WIDTH}' role='img'>\n"
        f"<title>{escape(title)}</title>\n"
        f"<rect width='{_WIDTH}' height='{height}' rx='12' fill='#e7ece9'/>\n{body}\n</svg>\n"
    )
