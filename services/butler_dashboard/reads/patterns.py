"""PURE: LIKE patterns from what a person typed."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["anywhere"]

_SIGNS: Final = re.compile(r"[\\%_]")
_LITERALLY: Final = r"\\\g<0>"


def anywhere(words: str | None) -> str | None:
    """Return a pattern that matches `words` anywhere, wildcards in them escaped; None without words."""
    return f"%{_SIGNS.sub(_LITERALLY, words)}%" if words else None
