"""The block `retention` of `Butler`: how long Switchboard keeps what it has (SWB-02.2, D9, D55)."""

from __future__ import annotations

from typing import Final

from butler_resources.kinds.base import ResourceModel
from butler_resources.kinds.settings import setting

__all__ = ["Retention"]

TEN_YEARS: Final = 3_650


class Retention(ResourceModel):
    """Days to keep data. Older data is dropped on schedule."""

    keep_inbox: bool | None = setting(
        "true keeps messages forever, regardless of inboxDays (SWB-02.2).", default=False
    )
    inbox_days: int | None = setting("Days to keep messages.", default=31, ge=1, le=TEN_YEARS)
    dedupe_days: int | None = setting(
        "Days for which a repeated message is recognised. One whose first copy is kept always is (D9).",
        default=45,
        ge=1,
        le=TEN_YEARS,
    )
    session_days: int | None = setting(
        "Days to keep sessions of the runtime.", default=90, ge=1, le=TEN_YEARS
    )
    history_days: int | None = setting(
        "Days to keep the routing log, notifications and the audit log.", default=365, ge=1, le=TEN_YEARS
    )
    dead_letter_days: int | None = setting("Days to keep a dead letter.", default=90, ge=1, le=TEN_YEARS)
    dead_letter_max: int | None = setting(
        "Maximum number of dead letters. The oldest are removed first.", default=10_000, ge=1, le=1_000_000
    )
