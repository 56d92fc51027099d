"""The block `buffer` of `Butler`: size and pace of the queue between taking work and doing it (SWB-06, SWB-07)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from butler_resources.kinds.base import ResourceModel
from butler_resources.kinds.settings import setting

__all__ = ["Buffer", "BufferTiers", "TierBacklog", "UrgentBacklog"]


Overflow = Literal["reject", "defer", "shed"]


class UrgentBacklog(ResourceModel):
    """Backlog limit of tier high_priority. Messages over it are deferred, never rejected (D79)."""

    max_backlog: int | None = setting(
        "Maximum number of unfinished messages of the tier.", default=10_000, ge=1, le=1_000_000
    )


class TierBacklog(ResourceModel):
    """Backlog limit of one tier, and what happens to messages over it (SWB-14.1, D79)."""

    max_backlog: int | None = setting(
        "Maximum number of unfinished messages of the tier.",
        default="10000, of tier interactive 1000",
        ge=1,
        le=1_000_000,
    )
    overflow: Overflow | None = setting(
        "Action over the limit. reject: refuse with a retry hint. defer: accept, but slow the sender down. shed: "
        "accept, and drop the oldest message of tier default.",
        default="buffer.overflow",
    )


class BufferTiers(ResourceModel):
    """Backlog limits by tier, for tiers with other than the default limits."""

    default: TierBacklog | None = Field(default=None, description="Messages of tier default.")
    interactive: TierBacklog | None = Field(default=None, description="Messages of tier interactive.")
    high_priority: UrgentBacklog | None = Field(default=None, description="Messages of tier high_priority.")


class Buffer(ResourceModel):
    """Size and pace of a butler's queue. All entries are in the database, regardless of these limits (SWB-24.3)."""

    queue_capacity: int | None = setting(
        "Maximum number of messages per tier kept in memory.", default=100, ge=1, le=100_000
    )
    worker_count: int | None = setting(
        "Switchboard only: number of messages routed at the same time.", default=3, ge=1, le=64
    )
    scanner_interval_seconds: float | None = setting(
        "Seconds between scans for work that is not in memory.",
        default="30, of a specialist 10",
        ge=0.1,
        le=3600,
    )
    scanner_grace_seconds: float | None = setting(
        "Minimum age in seconds of work that a scan picks up.", default="10, of a specialist 5", ge=0, le=3600
    )
    scanner_batch_size: int | None = setting(
        "Maximum number of entries that one scan picks up.", default=50, ge=1, le=1000
    )
    max_consecutive_same_tier: int | None = setting(
        "Maximum number of consecutive messages of one tier before a lower tier is served.",
        default=10,
        ge=1,
        le=1000,
    )
    overflow: Overflow | None = setting(
        "Switchboard only: action over a tier's maxBacklog, unless the tier sets its own. Messages of tier "
        "high_priority are deferred, never rejected (SWB-14.1, D79).",
        default="reject",
    )
    tiers: BufferTiers | None = Field(default=None, description="Switchboard only: backlog limits by tier.")
    work_capacity: int | None = setting(
        "Specialists only: maximum number of unfinished parts of messages. Further ones are refused.",
        default=10_000,
        ge=1,
        le=1_000_000,
    )
