"""PURE: patterns of LIKE from what a person typed."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["anywhere"]

_SIGNS: Final = re.compile(r"[\\%_]")
_LITERALLY: Final = r"\\\g<0>"


def anywhere(words: str | None) -> str | None:
    """What has the words somewhere; their own signs mean themselves. None for none."""
    return f"%{_SIGNS.sub(_LITERALLY, words)}%" if words else None
