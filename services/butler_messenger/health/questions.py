"""PURE: the queries about a notify before it is sent, and about budgets, queue and figures (MSR-10)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator

from butler_contracts.base import Timestamp, rule_broken
from butler_contracts.errors import ValidationFailed
from butler_contracts.notify import DeliveryChannel

__all__ = ["GroupBy", "LimitsQuestion", "NotifyQuestion", "QueueQuestion", "StatsQuestion"]

GroupBy = Literal["channel", "intent", "origin_butler", "outcome", "error_class"]
USUAL_WINDOW: Final = timedelta(days=1)
LONGEST_WINDOW: Final = timedelta(days=31)
"""Bounded, since the counts are read row by row."""


class _Question(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class NotifyQuestion(_Question):
    """A `notify.v1`, or the `route.v1` that would bring it, which is then checked as a call of the asker's own."""

    notify_request: dict[str, Any] | None = None
    envelope: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if (self.notify_request is None) == (self.envelope is None):
            raise rule_broken(
                "", "names not exactly one", "notify_request (notify.v1) or envelope (route.v1)"
            )
        return self


class LimitsQuestion(_Question):
    """Budgets of one account, or all."""

    channel: DeliveryChannel | None = None
    identity_scope: Literal["bot"] | None = None


class QueueQuestion(_Question):
    """What waits for one channel, or all."""

    channel: DeliveryChannel | None = None


class StatsQuestion(_Question):
    """Deliveries that were asked for from `since` until before `until` (RFC 3339), by default of the last day."""

    since: Timestamp | None = None
    until: Timestamp | None = None
    group_by: GroupBy | None = None

    def window(self, now: datetime) -> tuple[datetime, datetime]:
        """Return both ends. Raises `ValidationFailed` if it is empty or longer than `LONGEST_WINDOW`."""
        until = self.until or (now if self.since is None else min(now, self.since + LONGEST_WINDOW))
        since = self.since or until - USUAL_WINDOW
        if not timedelta(0) < until - since <= LONGEST_WINDOW:
            raise ValidationFailed(
                f"since is not before until, or by more than {LONGEST_WINDOW.days} days; ask for a shorter window"
            )
        return since, until
