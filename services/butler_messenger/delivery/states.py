"""The states of a delivery and which may follow which (MSG-12, D19, D41).

Invariant: a terminal state is never left, but for `uncertain`, which evidence or an operator resolves.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

__all__ = ["TERMINAL", "Status", "can_follow"]


class Status(StrEnum):
    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    SENT = "sent"
    FAILED = "failed"
    UNCERTAIN = "uncertain"
    DEAD_LETTERED = "dead_lettered"
    PENDING_APPROVAL = "pending_approval"
    PENDING_MISSING_IDENTIFIER = "pending_missing_identifier"


TERMINAL: Final = frozenset({Status.SENT, Status.FAILED, Status.UNCERTAIN, Status.DEAD_LETTERED})
"""Nothing more happens by itself; `uncertain` waits for evidence or an operator."""

_NEXT: Final[dict[Status, frozenset[Status]]] = {
    Status.PENDING: frozenset({Status.IN_PROGRESS, Status.FAILED, Status.DEAD_LETTERED}),
    Status.IN_PROGRESS: frozenset(
        {Status.PENDING, Status.SENT, Status.FAILED, Status.UNCERTAIN, Status.DEAD_LETTERED}
    ),
    Status.SENT: frozenset(),
    Status.FAILED: frozenset(),
    Status.UNCERTAIN: frozenset({Status.SENT, Status.PENDING, Status.FAILED}),
    Status.DEAD_LETTERED: frozenset(),
    Status.PENDING_APPROVAL: frozenset({Status.PENDING, Status.FAILED}),
    Status.PENDING_MISSING_IDENTIFIER: frozenset({Status.PENDING, Status.FAILED}),
}


def can_follow(current: Status, following: Status) -> bool:
    """Whether `following` is a legal next state of `current`."""
    return following in _NEXT[current]
