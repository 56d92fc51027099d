"""Finds tools that put a message in front of a person, which are Messenger's alone (pure; SWB-40.1, D35)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

__all__ = ["channel_tools"]

CHANNELS: Final = frozenset(
    {"telegram", "email", "mail", "smtp", "sms", "chat", "slack", "discord", "whatsapp", "signal", "imessage"}
)
VERBS: Final = frozenset({"send", "reply", "react", "forward", "post", "deliver"})
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
"""Splits `telegram_send_message`, `email.reply-to-thread` and `sendTelegramMessage` into their words."""


def channel_tools(tools: Iterable[str]) -> tuple[str, ...]:
    """Return the names in `tools` with both a user channel and a delivering verb, sorted."""
    return tuple(sorted(name for name in tools if _delivers(name)))


def _delivers(name: str) -> bool:
    words = {word.lower() for word in _WORD.findall(name)}
    return bool(words & CHANNELS) and bool(words & VERBS)
