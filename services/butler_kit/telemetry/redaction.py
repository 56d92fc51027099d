"""Keeps secrets and whole message bodies out of logs (MSG-13, architecture §6). Pure.

Invariant: what `redact` returns contains no text that `SECRET_VALUES` matches in its input, and no body longer
than `BODY_CHARS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from butler_kit.config.secrets import REDACTED, is_secret_key, without_secrets

__all__ = ["BODY_CHARS", "REDACTED", "TEXT_CHARS", "redact", "redact_text"]

BODY_CHARS: Final = 80
"""How much of a message's body a log line may show."""
TEXT_CHARS: Final = 4000
"""The longest string of any other key; a traceback fits."""
_MAX_DEPTH: Final = 6
_MAX_ITEMS: Final = 50
_BODY_KEYS: Final = frozenset(
    {
        "body", "caption", "content", "envelope", "html", "message", "message_text", "normalized_text",
        "payload", "prompt", "raw", "reply", "subject", "text", "update",
    }
)  # fmt: skip


def redact(value: Any, key: str = "", depth: int = 0) -> Any:
    """Return `value` fit for a log line: secrets replaced, bodies cut, nesting and length bounded."""
    if value is None or isinstance(value, bool):
        return value
    if key and is_secret_key(key):
        return REDACTED
    if isinstance(value, int | float):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        return f"<{len(value)} bytes>"
    if isinstance(value, str):
        return redact_text(value, BODY_CHARS if key in _BODY_KEYS else TEXT_CHARS)
    if isinstance(value, Mapping | list | tuple | set | frozenset):
        return _redact_many(value, key, depth)
    return redact_text(str(value), BODY_CHARS if key in _BODY_KEYS else TEXT_CHARS)


def redact_text(text: str, limit: int = TEXT_CHARS) -> str:
    """Replace every secret in `text`, then cut it to `limit` characters."""
    text = without_secrets(text)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit} more characters)"


def _redact_many(value: Any, key: str, depth: int) -> Any:
    if depth >= _MAX_DEPTH:
        return "…"
    if isinstance(value, Mapping):
        entries = list(value.items())[:_MAX_ITEMS]
        return {redact_text(str(name)): redact(item, str(name), depth + 1) for name, item in entries}
    return [redact(item, key, depth + 1) for item in list(value)[:_MAX_ITEMS]]
