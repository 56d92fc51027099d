"""PURE: the queries of the inbox tools; errors name the bad field."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from butler_contracts.text import STORABLE

__all__ = ["Place", "ReadQuestion", "RouteQuestion", "SearchQuestion", "place_of"]

RESULTS_MAX: Final = 50
_REFERENCE: Final = r"^[1-9][0-9]{0,9}/[1-9][0-9]{0,9}$"

Reference = Annotated[str, Field(pattern=_REFERENCE)]
"""Names one mail of the mailbox by UIDVALIDITY and UID, as a search returns it."""
Word = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$"), STORABLE]
Place = tuple[int, int]
"""UIDVALIDITY and UID."""


class _Question(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SearchQuestion(_Question):
    """Words that a mail has, whole or in part, whatever their case; newest mails first, older than `before`."""

    text: Word | None = None
    sender: Word | None = None
    subject: Word | None = None
    within_days: Annotated[int, Field(ge=1, le=366)] = 30
    limit: Annotated[int, Field(ge=1, le=RESULTS_MAX)] = 20
    before: Reference | None = None


class ReadQuestion(_Question):
    """Names one mail, and how much of its text is wanted at most."""

    message: Reference
    max_chars: Annotated[int, Field(ge=1, le=50_000)] = 20_000


class RouteQuestion(_Question):
    """Which mails are looked at: those that arrived within so many hours, oldest first, after `after`."""

    within_hours: Annotated[int, Field(ge=1, le=168)] = 24
    limit: Annotated[int, Field(ge=1, le=RESULTS_MAX)] = 20
    after: Reference | None = None


def place_of(reference: str) -> Place:
    """Return the two numbers of a reference."""
    validity, _, uid = reference.partition("/")
    return int(validity), int(uid)
