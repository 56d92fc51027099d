"""What happens to a message whose tier's backlog is full (pure; SWB-14, D79).

A full lane in memory is never a reason to refuse: the row is durable and the scanner brings it back (SWB-06.4). The
bound is on the backlog, all unfinished rows of a tier. It is checked *before* the durable write, so that no accepted
message is dropped silently. A source that holds less than its share of the tier gets in when one that fills it does
not. While the service level is missed, tier default has less room, the other tiers as ever (docs/adr/0113).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from butler_contracts.ingest import PolicyTier

__all__ = ["LIMITS", "Load", "Overflow", "OverflowPolicy", "TierLimit", "on_overflow"]

RETRY_AFTER_S: Final = 5.0
"""Long enough for workers to take a queue's worth of work, short enough for a person who waits at a webhook."""

RETRY_WHILE_TIGHT_S: Final = 30.0
"""The same while the service level is missed, which no worker changes within seconds."""

HARD_LIMIT: Final = 2
"""Sources under their share may exceed the limit, up to this multiple of it."""


class OverflowPolicy(StrEnum):
    SHED = "shed"
    DEFER = "defer"
    REJECT = "reject"


class Overflow(StrEnum):
    """`defer`: kept, but its sender is slowed down; `shed`: kept, and the oldest in tier default goes.

    `tight`: refused as by `reject`, but only while the service level is missed.
    """

    ACCEPT = "accept"
    DEFER = "defer"
    SHED = "shed"
    REJECT = "reject"
    TIGHT = "tight"

    @property
    def refuses(self) -> bool:
        return self in (Overflow.REJECT, Overflow.TIGHT)


@dataclass(frozen=True)
class TierLimit:
    """How many unfinished messages a tier may have, and what happens past that."""

    max_backlog: int = 10_000
    policy: OverflowPolicy = OverflowPolicy.REJECT


LIMITS: Final[Mapping[PolicyTier, TierLimit]] = {
    PolicyTier.DEFAULT: TierLimit(),
    PolicyTier.INTERACTIVE: TierLimit(1_000),
    PolicyTier.HIGH_PRIORITY: TierLimit(policy=OverflowPolicy.DEFER),
}


@dataclass(frozen=True)
class Load:
    """Unfinished messages: in the tier, of the sender's source; the number of sources; what could be shed."""

    waiting: int
    own: int
    sources: int
    default: int


def on_overflow(tier: PolicyTier, limit: TierLimit, load: Load, *, share: float = 1.0) -> Overflow:
    """Decide about one more message; high priority is deferred, never refused.

    `share`: the part of its limit that tier default has, less than 1 while the service level is missed. What is over
    it is refused whatever the tier's policy: to shed for it would lose an older message.
    """
    if tier is PolicyTier.DEFAULT and share < 1 and _is_full(load, limit.max_backlog * share):
        return Overflow.TIGHT
    if load.waiting < limit.max_backlog:
        return Overflow.ACCEPT
    if tier is PolicyTier.HIGH_PRIORITY:
        return Overflow.DEFER
    if load.waiting >= HARD_LIMIT * limit.max_backlog:
        return Overflow.REJECT
    if not _is_full(load, limit.max_backlog):
        return Overflow.ACCEPT
    if limit.policy is OverflowPolicy.SHED:
        return Overflow.SHED if load.default > 0 else Overflow.REJECT
    return Overflow.DEFER if limit.policy is OverflowPolicy.DEFER else Overflow.REJECT


def _is_full(load: Load, most: float) -> bool:
    """Return whether `most` messages wait and the sender's source has its share of them."""
    return load.waiting >= most and load.own * load.sources >= most
