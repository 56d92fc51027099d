"""What may fail while a butler is away longer than a chat waits (D77): the one rule of every load. Pure.

Invariant: with nobody named as away, every message that failed is a loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

__all__ = ["WAITS", "Absence", "Failure", "losses_of"]

WAITS = timedelta(seconds=60)
"""The longest that a message in a chat waits for its butler."""


@dataclass(frozen=True)
class Absence:
    """A butler that the scenario keeps away, and how many messages may be told so at most."""

    butler: str
    since: datetime
    until: datetime
    at_most: int

    def explains(self, failure: Failure) -> bool:
        """Whether a chat's message failed for want of this butler, at a time at which it could."""
        return (
            failure.in_chat
            and failure.error_class == "target_unavailable"
            and set(failure.targets) == {self.butler}
            and self.since <= failure.ended_at <= self.until + WAITS
        )


@dataclass(frozen=True)
class Failure:
    """A message whose request did not end well; `targets` are those of its branches that failed."""

    message: str
    in_chat: bool
    error_class: str | None
    targets: tuple[str, ...]
    ended_at: datetime


def losses_of(failures: Sequence[Failure], absences: Sequence[Absence] = ()) -> list[str]:
    """The failures that no absence explains, and each absence that would have to explain too many."""
    unexplained = [one for one in failures if not any(away.explains(one) for away in absences)]
    losses = [
        f"{one.message} ended with {one.error_class} of {', '.join(one.targets) or 'nobody'}"
        for one in unexplained
    ]
    for away in absences:
        told = sum(away.explains(one) for one in failures)
        if told > away.at_most:
            losses.append(
                f"{told} messages were told that {away.butler} is away, where {away.at_most} may be"
            )
    return losses
