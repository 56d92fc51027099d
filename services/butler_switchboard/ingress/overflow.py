"""What happens when every queue is full (pure; SWB-14.1, D5).

One full tier is never a reason to refuse: the row is durable and the scanner brings it back (SWB-06.4). Only when all
three are full is the answer decided, and it is decided *before* the durable write, so that nothing accepted is dropped.
"""

from __future__ import annotations

from enum import StrEnum

from butler_contracts.ingest import PolicyTier

__all__ = ["Overflow", "OverflowPolicy", "on_overflow"]

RETRY_AFTER_S = 5.0
"""Long enough for workers to take a queue's worth of work, short enough for a person who waits at a webhook."""


class OverflowPolicy(StrEnum):
    SHED = "shed"
    DEFER = "defer"
    REJECT = "reject"


class Overflow(StrEnum):
    ACCEPT = "accept"
    DEFER = "defer"
    REJECT = "reject"


def on_overflow(policy: OverflowPolicy, tier: PolicyTier, *, all_full: bool) -> Overflow:
    """`accept` while any tier has room; then high priority is deferred, interactive fails fast, the rest by policy.

    `shed` and `reject` refuse the default tier too; `defer` keeps it durably for the scanner.
    """
    if not all_full:
        return Overflow.ACCEPT
    if tier is PolicyTier.HIGH_PRIORITY:
        return Overflow.DEFER
    if tier is PolicyTier.INTERACTIVE:
        return Overflow.REJECT
    return Overflow.DEFER if policy is OverflowPolicy.DEFER else Overflow.REJECT
