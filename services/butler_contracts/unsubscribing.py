"""PURE: what names a mail of ours in the mail that a `List-Unsubscribe` of it makes (RFC 2369, ADR 0086).

Invariant: a token is chance and nothing else, and only the mail itself carries it: whoever has it got that mail.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from butler_contracts.actions import id_of, short_id

__all__ = ["UnsubscribeWritten", "unsubscribe_of", "unsubscribe_subject", "unsubscribe_written"]

_SHORT: Final = r"[A-Za-z0-9_-]{22}"
_SUBJECT: Final = re.compile(rf"\s*(?i:unsubscribe)\s+({_SHORT})\s*")
_ACTION: Final = re.compile(rf"unsubscribe\.({_SHORT})")


def unsubscribe_subject(token: UUID) -> str:
    """The subject of the mail by which somebody unsubscribes."""
    return f"unsubscribe {short_id(token)}"


@dataclass(frozen=True, slots=True)
class UnsubscribeWritten:
    """Whoever got the mail of this token wants none that they did not ask for."""

    token: UUID

    @property
    def action(self) -> str:
        """The id of the action under which it is routed, as a press is under that of its button."""
        return f"unsubscribe.{short_id(self.token)}"


def unsubscribe_written(subject: str) -> UnsubscribeWritten | None:
    """What a mail of this subject is; None for one that is nothing but a mail."""
    return _read(_SUBJECT, subject)


def unsubscribe_of(action: str) -> UnsubscribeWritten | None:
    """What `UnsubscribeWritten.action` stands for; None for any other action."""
    return _read(_ACTION, action)


def _read(pattern: re.Pattern[str], text: str) -> UnsubscribeWritten | None:
    found = pattern.fullmatch(text)
    token = id_of(found[1]) if found is not None else None
    return UnsubscribeWritten(token) if token is not None else None
