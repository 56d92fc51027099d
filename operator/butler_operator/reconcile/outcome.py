"""How one reconcile ended. An outage is neither: it is raised, and tried again with backoff."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Outcome", "done", "requeue"]


@dataclass(frozen=True)
class Outcome:
    """`requeue_after_s` is None when only a change (or the resync) has to bring the key back."""

    requeue_after_s: float | None = None
    reason: str = ""


def done() -> Outcome:
    """Nothing is left to do until something changes."""
    return Outcome()


def requeue(after_s: float, reason: str) -> Outcome:
    """Look again after `after_s` seconds, because of `reason`: what is waited for sends no event."""
    return Outcome(requeue_after_s=after_s, reason=reason)
