"""Models of outside tools: what a server lists, what is offered, a call and its progress (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

__all__ = ["CallState", "Called", "Hand", "Listed", "Offer", "Said", "ServerFault"]


class CallState(StrEnum):
    """The stored progress of a call."""

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
    """A tool as its server lists it; none of it is trusted."""

    tool: str
    description: str
    schema: Mapping[str, Any]
    reads_only: bool
    destructive: bool = True
    """MCP's default if a server says nothing."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool as offered to a model; `description` is the server's own text, bounded."""

    server: str
    tool: str
    name: str
    description: str
    schema: Mapping[str, Any]
    read_only: bool
    waits: bool = False
    """Whether somebody has to approve each call."""


@dataclass(frozen=True, slots=True)
class Said:
    """A server's answer to a call; `left_out` names the parts that are not text."""

    text: str
    left_out: tuple[str, ...] = ()
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Hand:
    """The work for which a session makes calls, and its lease."""

    request_id: UUID
    segment_id: str
    subrequest_id: UUID
    lease_id: UUID


@dataclass(frozen=True, slots=True)
class Called:
    """A stored call; `shown` are its arguments, bounded and redacted."""

    server: str
    tool: str
    shown: str
    state: CallState


class ServerFault(Exception):
    """A server cannot be used; `words` say why and what to do, and contain nothing that it said.

    `sent` is False if a call certainly never reached it, and None if it answered that it does not accept the call.
    """

    def __init__(self, words: str, *, sent: bool | None = False) -> None:
        super().__init__(words)
        self.words = words
        self.sent = sent
