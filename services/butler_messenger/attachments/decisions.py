"""PURE: the outcomes of fetching a file, and how long an unavailable store holds up a message (ADR 0103)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from butler_contracts.errors import ErrorClass

__all__ = ["Away", "Fetched", "Got", "Kind", "Never", "Without", "class_of", "next_look_s"]

Kind = Literal["changed", "gone", "refused", "away", "channel"]
"""Why a file is not sent; `away` and `channel` are not answers of its store."""

REPLY_PATIENCE_S: Final = 60.0
"""Somebody waits for a reply: the same time as for a butler that does not answer (docs/adr/0022)."""
_BEFORE_THE_END: Final = timedelta(seconds=60)
"""How long before its expiry a message is sent without the files that are still unavailable."""


@dataclass(frozen=True, slots=True)
class Got:
    """The file, as it was announced."""

    content: bytes


@dataclass(frozen=True, slots=True)
class Never:
    """The file will not come; `why` completes "bill.pdf is not attached: "."""

    kind: Kind
    why: str


@dataclass(frozen=True, slots=True)
class Away:
    """Its store is unavailable or not yet ready; a later try may work."""

    why: str


Fetched = Got | Never | Away


@dataclass(frozen=True, slots=True)
class Without:
    """A file left out of a message: the error for the sender, and the text that the reader gets instead."""

    error_class: ErrorClass
    message: str
    instead: str

    def to_json(self) -> dict[str, Any]:
        """Return the form kept in `delivery_requests.not_attached`, by the file's number."""
        return {"error_class": self.error_class.value, "message": self.message, "instead": self.instead}


def class_of(kind: Kind) -> ErrorClass:
    """Return the error class: a wrong file is the requester's fault, an unavailable store is not."""
    return ErrorClass.TARGET_UNAVAILABLE if kind == "away" else ErrorClass.VALIDATION_ERROR


def next_look_s(
    now: datetime,
    *,
    away_since: datetime | None,
    expires_at: datetime,
    intent: str,
    patience_s: float,
    delay_s: float,
) -> float | None:
    """Return the seconds until an unavailable store is tried again; None if the message goes without the file.

    `away_since` is when it was first found unavailable for this message, None for just now.
    """
    patience = timedelta(seconds=min(patience_s, REPLY_PATIENCE_S) if intent == "reply" else patience_s)
    end = min((away_since or now) + patience, expires_at - _BEFORE_THE_END)
    left_s = (end - now).total_seconds()
    return min(delay_s, left_s) if left_s > 0 else None
