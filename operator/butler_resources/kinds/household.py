"""The block `household` of the Switchboard: what holds for every butler of the household (D83)."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from butler_resources.kinds.base import Currency, ResourceModel, TimeZone

__all__ = ["UTC", "Household"]

UTC: Final = "UTC"


class Household(ResourceModel):
    """What a household's butlers have in common; a butler may have a `timezone` of its own."""

    timezone: TimeZone | None = Field(
        default=None,
        description="IANA time zone, such as Europe/Berlin, in which `today` and `this month` are understood. "
        "Default: UTC.",
    )
    currency: Currency | None = Field(
        default=None,
        description="ISO 4217 code, such as EUR, of a sum that is told without a currency. Default: none; such "
        "a sum is kept as a note.",
    )
