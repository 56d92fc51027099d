"""PURE: an identifier as a channel compares it (D45): trimmed, lower case, checked for its form on demand."""

from __future__ import annotations

import re
from typing import Final

from butler_contracts.addresses import comparable_address
from butler_contracts.errors import ValidationFailed

__all__ = ["chat_of_thread", "deliverable_identity", "normalised_identity"]

_CHAT: Final = re.compile(r"-?[0-9]{1,20}|@[a-z][a-z0-9_]{3,31}")
_ADDRESS: Final = re.compile(
    r"[a-z0-9.!#$%&'*+/=?^_`{|}~\u00a1-\U0010ffff-]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?"
)
"""The domain takes DNS letters, the local part others too (RFC 6531); unprintable ones are refused later."""

_EXPECTED: Final = {
    "telegram": (_CHAT, "a chat id such as 123456789, or @name"),
    "email": (_ADDRESS, "an address such as name@example.org"),
}


def normalised_identity(channel: str, value: str) -> str:
    """The form in which identifiers are stored and compared."""
    return comparable_address(value) if channel == "email" else value.strip().lower()


def chat_of_thread(channel: str, thread: str) -> str:
    """Return the chat of a thread; a topic of a Telegram forum is written `<chat>:<topic>`."""
    return thread.partition(":")[0] if channel == "telegram" else thread


def deliverable_identity(channel: str, value: str) -> str:
    """Like `normalised_identity`, but raise `ValidationFailed` if the channel cannot deliver to the value."""
    plain = normalised_identity(channel, value)
    pattern, expected = _EXPECTED[channel]
    if pattern.fullmatch(plain) is None or not plain.isprintable():
        raise ValidationFailed(f"the recipient is not one of channel {channel}; expected {expected}")
    return plain
