"""The block `eligibility` of `Butler`: what its manifest says about taking part in routing (D4, D30)."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from butler_resources.kinds.base import Moment, ResourceModel, ShortText

__all__ = ["Eligibility", "Quarantine"]


class Quarantine(ResourceModel):
    """A quarantine set in the manifest. Only editing the manifest removes it (D4, D30)."""

    reason: ShortText = Field(description="Reason in a few words, shown to everyone who asks.")
    until: Moment | None = Field(
        default=None, description="End of the quarantine, in RFC 3339 with an offset."
    )

    def holds(self, now: datetime) -> bool:
        """Whether the hold is in force at `now`."""
        return self.until is None or now < self.until


class Eligibility(ResourceModel):
    """Participation in routing, as set by the manifest."""

    quarantine: Quarantine | None = Field(
        default=None, description="Excludes the butler from routing while this block is present."
    )
