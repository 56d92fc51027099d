"""Recognition of secrets by the name of their key and by their value, for configuration checks and redaction.

Invariant: pure; nothing here ever returns or stores a secret that it finds.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

__all__ = [
    "REDACTED",
    "SECRET_VALUES",
    "is_secret_key",
    "looks_like_secret",
    "may_hold_secret",
    "without_secrets",
]

_SECRET_KEY: Final = re.compile(
    r"token|passw(or)?d|passphrase|secret|api[_-]?key|private[_-]?key|signing[_-]?key|credential"
    r"|authorization|cookie|bearer",
    re.IGNORECASE,
)
_HARMLESS_KEY: Final = re.compile(
    r"(_env|_file|_path|_id|_ids|_count|_total|_ms|_s|_url|_ref|tokens)$", re.IGNORECASE
)

SECRET_VALUES: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("bearer token", re.compile(r"(?i)\b(?:bearer|basic)[ \t]+[\w\-.~+/]{8,}=*")),
    ("JSON web token", re.compile(r"\beyJ[\w-]{4,4096}+\.[\w-]*(?:\.[\w-]*)?")),
    ("Telegram bot token", re.compile(r"(?<!\d)\d+:[\w-]{30,}")),
    ("password in a URL", re.compile(r"""(?<=://)[^\s/@:"']{0,1024}:[^\s"'<>]{0,1024}(?=@)""")),
    (
        "password in a setting",
        re.compile(
            r"""(?i)\b(?:password|passwd|pwd|secret|api_?key|access_token)\s*[=:]\s*["']?[^\s"',;&]+"""
        ),
    ),
    (
        "private key",
        re.compile(
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL
        ),
    ),
)
"""The name of each kind, and the pattern of the text that must not be shown; the search takes linear time."""


REDACTED: Final = "[redacted]"
_SEPARATOR: Final = re.compile(r"[ \t.:=]")


def may_hold_secret(value: str) -> bool:
    """Return whether a text is worth a search: any kind of secret has a blank, dot, colon or equals sign."""
    return _SEPARATOR.search(value) is not None


@lru_cache(maxsize=1_000)
def is_secret_key(key: str) -> bool:
    """Say whether a key's name promises a secret itself, not a reference (`token`, not `token_env`)."""
    return bool(_SECRET_KEY.search(key)) and not _HARMLESS_KEY.search(key)


def looks_like_secret(value: str) -> str | None:
    """Return what kind of secret a text contains, or None."""
    return next((kind for kind, pattern in SECRET_VALUES if pattern.search(value)), None)


def without_secrets(text: str) -> str:
    """Return the text with `REDACTED` in place of every secret."""
    if may_hold_secret(text):
        for _, pattern in SECRET_VALUES:
            text = pattern.sub(REDACTED, text)
    return text
