"""PURE: what fetching a file can end in, and how long a store that is away holds a message up (ADR 0103)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from butler_contracts.errors import ErrorClass

__all__ = ["Away", "Fetched", "Got", "Kind", "Never", "Without", "class_of", "next_look_s"]

Kind = Literal["changed", "gone", "refused", "away", "channel"]
"""Why a file does not go out; `away` and `channel` are no word of its store's."""

REPLY_PATIENCE_S: Final = 60.0
"""Somebody waits for it: as long as for a butler that does not answer (docs/adr/0022)."""
_BEFORE_THE_END: Final = timedelta(seconds=60)
"""So long before a message expires it goes without what is still away."""


@dataclass(frozen=True, slots=True)
class Got:
    """The file, as it was announced."""

    content: bytes


@dataclass(frozen=True, slots=True)
class Never:
    """It will not come: `why` completes "bill.pdf is not attached: "."""

    kind: Kind
    why: str


@dataclass(frozen=True, slots=True)
class Away:
    """Its store is not there, or not yet ready: later may work."""

    why: str


Fetched = Got | Never | Away


@dataclass(frozen=True, slots=True)
class Without:
    """A file that a message goes without: the error of whoever sent it, and what its reader reads instead."""

    error_class: ErrorClass
    message: str
    instead: str

    def to_json(self) -> dict[str, Any]:
        """As `delivery_requests.not_attached` keeps it, by the file's number."""
        return {"error_class": self.error_class.value, "message": self.message, "instead": self.instead}


def class_of(kind: Kind) -> ErrorClass:
    """What is wrong with the file is the asker's; that its store is away is nobody's here."""
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
    """Seconds until a store that is away is asked again; None where the message goes without the file.

    `away_since` is when it was found away first for this message, None for just now.
    """
    patience = timedelta(seconds=min(patience_s, REPLY_PATIENCE_S) if intent == "reply" else patience_s)
    end = min((away_since or now) + patience, expires_at - _BEFORE_THE_END)
    left_s = (end - now).total_seconds()
    return min(delay_s, left_s) if left_s > 0 else None
