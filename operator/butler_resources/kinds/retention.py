"""The block `retention` of `Butler`: how long Switchboard keeps what it has (SWB-02.2, D9, D55)."""

from __future__ import annotations

from typing import Final

from butler_resources.kinds.base import ResourceModel
from butler_resources.kinds.settings import setting

__all__ = ["Retention"]

TEN_YEARS: Final = 3_650


class Retention(ResourceModel):
    """Days that data lives; older data is dropped on schedule."""

    keep_inbox: bool | None = setting(
        "true keeps messages for good, whatever inboxDays says (SWB-02.2).", default=False
    )
    inbox_days: int | None = setting("Days that messages are kept.", default=31, ge=1, le=TEN_YEARS)
    dedupe_days: int | None = setting(
        "Days in which a message that comes again is known (D9).", default=45, ge=1, le=TEN_YEARS
    )
    session_days: int | None = setting(
        "Days that sessions of the runtime are kept.", default=90, ge=1, le=TEN_YEARS
    )
    history_days: int | None = setting(
        "Days that the routing log, notifications and the audit are kept.", default=365, ge=1, le=TEN_YEARS
    )
    dead_letter_days: int | None = setting("Days that a dead letter is kept.", default=90, ge=1, le=TEN_YEARS)
    dead_letter_max: int | None = setting(
        "Dead letters kept at most; the oldest go first.", default=10_000, ge=1, le=1_000_000
    )
