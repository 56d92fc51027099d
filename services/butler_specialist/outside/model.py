"""What is known of tools outside: what a server lists, what is offered, a call and how far it came (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

__all__ = ["CallState", "Called", "Hand", "Listed", "Offer", "Said", "ServerFault"]


class CallState(StrEnum):
    """How far a call came, as it is kept."""

    BEGUN = "begun"
    """It was about to be sent; nothing came back. It may have been done."""
    RETURNED = "returned"
    """The server answered."""
    FAILED = "failed"
    """The server answered that it did not do it."""
    UNSENT = "unsent"
    """It never left this process."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A tool as its server lists it: nothing of it is believed."""

    tool: str
    description: str
    schema: Mapping[str, Any]
    reads_only: bool
    destructive: bool = True
    """As MCP has it where a server says nothing."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool as a model is offered it. `description` is the server's own text, bounded."""

    server: str
    tool: str
    name: str
    description: str
    schema: Mapping[str, Any]
    read_only: bool
    waits: bool = False
    """Whether somebody has to approve of each call."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a server answered to a call; `left_out` names what is no text."""

    text: str
    left_out: tuple[str, ...] = ()
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Hand:
    """For which work a session calls, and under which lease."""

    request_id: UUID
    segment_id: str
    subrequest_id: UUID
    lease_id: UUID


@dataclass(frozen=True, slots=True)
class Called:
    """A call as it was kept; `shown` are its arguments, bounded and redacted."""

    server: str
    tool: str
    shown: str
    state: CallState


class ServerFault(Exception):
    """A server cannot be used; `words` say why and what to do, and hold nothing that it said.

    `sent` is False where a call certainly never reached it, and None where it answered that it does not take it.
    """

    def __init__(self, words: str, *, sent: bool | None = False) -> None:
        super().__init__(words)
        self.words = words
        self.sent = sent
