"""The states of a delivery (MSG-12, D19, D41).

Invariant: a terminal state is never left, except `uncertain`, which evidence or an operator resolves.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

__all__ = ["TERMINAL", "Status"]


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
