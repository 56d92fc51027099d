"""PURE: a held call: as its session requested it, and its progress since."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from butler_contracts.call_approvals import arguments_of
from butler_contracts.context import RequestContext
from butler_contracts.language import Language
from butler_specialist.outside.model import Called, CallState
from butler_specialist.remind.reach import Reach

__all__ = ["MOST_HELD", "Decided", "HeldCall", "Outcome", "Verdict", "Wish"]

MOST_HELD: Final = 5
"""The most calls per message that can wait for approval."""


class Verdict(StrEnum):
    """The result of asking for an approval."""

    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"
    REFUSED = "refused"
    """Nobody can be asked: Switchboard or Messenger does not take the question."""


class Outcome(StrEnum):
    """The stored result of an approved call."""

    RETURNED = "returned"
    FAILED = "failed"
    """The server answered that it did not do it."""
    UNSENT = "unsent"
    """The server was not reached."""
    UNKNOWN = "unknown"
    """It was about to be sent; nothing came back, or the process died. It may have been done."""
    LATE = "late"
    """It was approved too long ago to be made."""
    FORBIDDEN = "forbidden"
    """The manifest does not allow it any more."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A call that a session requested.

    `arguments` is their one exact text, `shown` is what a person reads.
    """

    call_id: UUID
    session_id: UUID
    server: str
    tool: str
    read_only: bool
    arguments: str
    shown: str

    @property
    def called(self) -> Called:
        """The call as it is reported."""
        return Called(self.server, self.tool, self.shown, CallState.UNSENT)


@dataclass(frozen=True, slots=True)
class Decided:
    """A verdict and its author; `ago_s` is how long ago it was given."""

    verdict: Verdict
    by: str | None = None
    ago_s: float = 0.0


@dataclass(frozen=True, slots=True)
class HeldCall:
    """A stored call.

    `now` is the database's clock when it was read, `reach` is the sender's other address.
    """

    wish: Wish
    request_id: UUID
    context: RequestContext
    reach: Reach | None
    language: Language
    held_at: datetime
    now: datetime
    verdict: Verdict | None = None
    decided_by: str | None = None
    decided_at: datetime | None = None
    begun_at: datetime | None = None
    outcome: Outcome | None = None
    outcome_at: datetime | None = None
    said: str | None = None
    ended_at: datetime | None = None

    @property
    def args(self) -> dict[str, object]:
        """The arguments to call with, from the approved text."""
        return dict(arguments_of(self.wish.arguments))
