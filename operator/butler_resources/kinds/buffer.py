"""The block `buffer` of `Butler`: size and pace of the queue between taking work and doing it (SWB-06, SWB-07)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from butler_resources.kinds.base import ResourceModel
from butler_resources.kinds.settings import setting

__all__ = ["Buffer", "BufferTiers", "TierBacklog", "UrgentBacklog"]


Overflow = Literal["reject", "defer", "shed"]


class UrgentBacklog(ResourceModel):
    """How much of tier high_priority may wait; past it a message is put off, never refused (D79)."""

    max_backlog: int | None = setting(
        "Unfinished messages of the tier at most.", default=10_000, ge=1, le=1_000_000
    )


class TierBacklog(ResourceModel):
    """How much of one tier may wait, and what happens past that (SWB-14.1, D79)."""

    max_backlog: int | None = setting(
        "Unfinished messages of the tier at most.",
        default="10000, of tier interactive 1000",
        ge=1,
        le=1_000_000,
    )
    overflow: Overflow | None = setting(
        "What happens past it: reject refuses with a hint, defer puts off, shed ends the oldest of tier default.",
        default="buffer.overflow",
    )


class BufferTiers(ResourceModel):
    """One block for each tier that is not to be bounded as by default."""

    default: TierBacklog | None = Field(default=None, description="Messages of tier default.")
    interactive: TierBacklog | None = Field(default=None, description="Messages of tier interactive.")
    high_priority: UrgentBacklog | None = Field(default=None, description="Messages of tier high_priority.")


class Buffer(ResourceModel):
    """Size and pace of a butler's queue; its rows are in the database, whatever fits here (SWB-24.3)."""

    queue_capacity: int | None = setting(
        "Messages of each tier kept in memory.", default=100, ge=1, le=100_000
    )
    worker_count: int | None = setting(
        "Switchboard only: messages that are routed at the same time.", default=3, ge=1, le=64
    )
    scanner_interval_seconds: float | None = setting(
        "Seconds between scans for work that was left behind.",
        default="30, of a specialist 10",
        ge=0.1,
        le=3600,
    )
    scanner_grace_seconds: float | None = setting(
        "Age in seconds from which a scan picks work up.", default="10, of a specialist 5", ge=0, le=3600
    )
    scanner_batch_size: int | None = setting(
        "Rows that one scan picks up at most.", default=50, ge=1, le=1000
    )
    max_consecutive_same_tier: int | None = setting(
        "Messages of one tier in a row before a lower tier gets its turn.", default=10, ge=1, le=1000
    )
    overflow: Overflow | None = setting(
        "Switchboard only: what happens past a tier's maxBacklog, where the tier says nothing else; high_priority is "
        "put off, never refused (SWB-14.1, D79).",
        default="reject",
    )
    tiers: BufferTiers | None = Field(
        default=None, description="Switchboard only: how much of each tier may wait."
    )
    work_capacity: int | None = setting(
        "Specialists only: unfinished parts of messages that may wait; further ones are refused.",
        default=10_000,
        ge=1,
        le=1_000_000,
    )
