"""The block `eligibility` of `Butler`: what its manifest says about taking part in routing (D4, D30)."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from butler_resources.kinds.base import Moment, ResourceModel, ShortText

__all__ = ["Eligibility", "Quarantine"]


class Quarantine(ResourceModel):
    """A hold written in the manifest, removed only by editing the manifest (D4, D30)."""

    reason: ShortText = Field(description="Why, in a few words; shown to everyone who asks.")
    until: Moment | None = Field(default=None, description="End of the hold, RFC 3339 with an offset.")

    def holds(self, now: datetime) -> bool:
        """Whether the hold is in force at `now`."""
        return self.until is None or now < self.until


class Eligibility(ResourceModel):
    """What the manifest says about taking part in routing."""

    quarantine: Quarantine | None = Field(
        default=None, description="Keeps the butler out of routing for as long as this block is here."
    )
