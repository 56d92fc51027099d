"""What a butler has for one member on one day: Switchboard asks each for the digest of the day (ADR 0058)."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from pydantic import Field

from butler_contracts.base import StrictModel, Timestamp, TolerantModel
from butler_contracts.language import Language

__all__ = ["DAY_TOOL", "DayAsked", "DayTold"]

DAY_TOOL: Final = "day.read"


class DayAsked(StrictModel):
    """The day of the moment `at`, as it is for this member; a guest is only told what is theirs."""

    contact_id: UUID
    at: Timestamp
    language: Language
    guest: bool = Field(default=False, exclude_if=lambda value: not value)


class DayTold(TolerantModel):
    """`text` is empty where there is nothing; the others are in that language.

    `heading` leads what all of them have; `left_out` says of `{names}` that they could not be asked.
    """

    heading: str
    left_out: str
    text: str
