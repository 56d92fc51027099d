"""Markdown as a text and its spans (docs/adr/0102).

Invariants: the same Markdown always gives the same text; every word of it is in the text, and lines stay lines; what
is no markup stays as it is written. A text that the parser fails on counts as plain as a whole.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from butler_kit.markup.blocks import Blocks
from butler_kit.markup.grammar import grammar
from butler_kit.markup.rich import Rich
from butler_kit.telemetry import get_logger

__all__ = ["MOST_CHARS", "read"]

_log = get_logger(__name__)

MOST_CHARS: Final = 16_384
"""Longer texts are not parsed, so that no text can keep a process busy for long."""
_READER: Final = grammar()


@lru_cache(maxsize=32)
def read(markdown: str) -> Rich:
    """Return the text without its marks, and their spans; never empty where the Markdown is not."""
    if len(markdown) > MOST_CHARS:
        return Rich(markdown)
    try:
        found = Blocks().read(_READER.parse(markdown))
    except Exception as problem:
        # A text must reach its recipient even if a defect breaks its markup.
        _log.error("markup_unreadable", problem=type(problem).__name__)
        return Rich(markdown)
    return found if found.text.strip() else Rich(markdown)
