"""Where output goes: colours and the terminal's width on a terminal, plain and unbroken lines elsewhere.

Invariant: nothing that came from outside reaches the terminal as a control sequence; `NO_COLOR` is obeyed; a
document for scripts is the only thing on stdout.
"""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any, Final

import click
from rich.console import Console, RenderableType

__all__ = ["document_text", "line_of", "print_document", "screen", "show", "text_of"]

PLAIN_WIDTH: Final = 100_000
"""Nothing is wrapped or cut where a program may read it."""
_BLANKS: Final = re.compile(r"\s+")
_ACTING: Final = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Controls of ISO 6429 in eight bits, bidirectional controls (UAX 9), line separators, lone surrogates."""
_JOINER: Final = "\u200d"


def screen() -> Console:
    """Return a console on the current stdout."""
    terminal = sys.stdout.isatty()
    coloured = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Console(
        file=sys.stdout,
        force_terminal=terminal,
        color_system="auto" if coloured else None,
        width=None if terminal else PLAIN_WIDTH,
        highlight=False,
        markup=False,
        emoji=False,
    )


def show(*renderables: RenderableType, skip: int = 0) -> None:
    """Print for a person, without the first `skip` lines; off a terminal, without trailing blanks."""
    console = screen()
    with console.capture() as captured:
        for renderable in renderables:
            console.print(renderable)
    text = "".join(captured.get().splitlines(keepends=True)[skip:])
    if not console.is_terminal:
        text = "".join(f"{line.rstrip()}\n" for line in text.splitlines())
    click.echo(text, nl=False)


def print_document(document: Any) -> None:
    """Print one JSON document and nothing else."""
    click.echo(document_text(document, indent=1))


def document_text(document: Any, *, indent: int | None = None) -> str:
    """Return JSON in which characters that act on a terminal are escaped, as JSON itself does below 32."""
    text = json.dumps(document, indent=indent, ensure_ascii=False, default=str)
    return _ACTING.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def text_of(value: object) -> str:
    """Return a value as text that is safe on a terminal: line breaks stay, other controls become U+FFFD."""
    text = "" if value is None else str(value)
    return "".join(
        char if char.isprintable() or char in ("\n", _JOINER) else "\N{REPLACEMENT CHARACTER}"
        for char in text.replace("\r\n", "\n").replace("\t", " ")
    )


def line_of(value: object, *, limit: int = 0) -> str:
    """Return the same on one line; cut with an ellipsis beyond `limit` characters (0: never)."""
    line = _BLANKS.sub(" ", text_of(value)).strip()
    return f"{line[: limit - 1]}…" if limit and len(line) > limit else line
