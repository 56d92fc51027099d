"""The outcome of one reconcile. An outage has none: it is raised, and retried with backoff."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Outcome", "done", "requeue"]


@dataclass(frozen=True)
class Outcome:
    """`requeue_after_s` is None if only a change (or the resync) brings the key back."""

    requeue_after_s: float | None = None
    reason: str = ""


def done() -> Outcome:
    """Nothing is left to do until something changes."""
    return Outcome()


def requeue(after_s: float, reason: str) -> Outcome:
    """Reconcile again after `after_s` seconds, because of `reason`: what it waits for sends no event."""
    return Outcome(requeue_after_s=after_s, reason=reason)
