"""Makes any provider's text and JSON fit an envelope: cut with a mark, cleaned, never refused for size (D15).

Pure. Invariant: what `fit_raw` returns passes the contract's `RawPayload`; what `clip` returns passes
`STORABLE` and is at most `limit` long.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final

from butler_contracts.bounded_json import INT_MAX, INT_MIN, RAW_MAX_BYTES, json_size
from butler_contracts.ingest import NORMALIZED_TEXT_MAX
from butler_contracts.text import IDENTITY_MAX, storable

__all__ = ["CUT_MARK", "clip", "fit_raw", "identity_of", "normalized_text"]

CUT_MARK: Final = "\n[… cut]"
_DEPTH: Final = 32
_NODES: Final = 20_000
_STRING_STEPS: Final = (200_000, 60_000, 12_000, 2_000, 200)
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")


def clip(text: str, limit: int, *, mark: str = CUT_MARK) -> str:
    """The storable text, cut to `limit` characters with a mark at its end."""
    if len(text) <= limit:
        return storable(text)
    return storable(text[: limit - len(mark)]) + mark


def normalized_text(text: str, *, otherwise: str) -> str:
    """The text of an envelope; `otherwise` describes a message that has none (D14)."""
    stripped = text.strip()
    return clip(stripped if storable(stripped).strip() else otherwise, NORMALIZED_TEXT_MAX)


def identity_of(value: str) -> str | None:
    """The value on one line without control characters; None when it is empty or longer than an identity."""
    line = _CONTROL.sub(" ", value[: IDENTITY_MAX * 4]).strip()
    return line if 0 < len(line) <= IDENTITY_MAX and len(value) <= IDENTITY_MAX * 4 else None


def fit_raw(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy that fits an envelope: long strings are cut step by step until it is small enough."""
    for limit in _STRING_STEPS:
        copy = _Cleaner(limit).clean(payload, 0)
        if json_size(copy) <= RAW_MAX_BYTES:
            return copy if isinstance(copy, dict) else {"value": copy}
    return {"cut": "the payload was too large to keep", "keys": [str(key)[:60] for key in list(copy)[:100]]}


class _Cleaner:
    """Copies JSON within bounds of length, depth and number of values."""

    def __init__(self, string_limit: int) -> None:
        self._limit = string_limit
        self._nodes = 0

    def clean(self, value: Any, depth: int) -> Any:
        self._nodes += 1
        if isinstance(value, str):
            return clip(value, self._limit)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            return value if INT_MIN <= value <= INT_MAX else "[a number of more than 64 bits]"
        if isinstance(value, float):
            return value if math.isfinite(value) else None
        if isinstance(value, Mapping | list | tuple):
            return self._many(value, depth)
        return f"[{type(value).__name__}]"

    def _many(self, value: Mapping[Any, Any] | list[Any] | tuple[Any, ...], depth: int) -> Any:
        if depth >= _DEPTH:
            return "[… nested too deeply]"
        if isinstance(value, Mapping):
            kept: dict[str, Any] = {}
            for key, item in value.items():
                if self._nodes > _NODES:
                    break
                kept[clip(str(key), 200, mark="…")] = self.clean(item, depth + 1)
            return kept
        items: list[Any] = []
        for item in value:
            if self._nodes > _NODES:
                break
            items.append(self.clean(item, depth + 1))
        return items
