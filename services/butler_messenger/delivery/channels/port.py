"""The interface that the worker needs of a channel, independent of any provider.

Invariant: an adapter awaits `mark()` immediately before the irreversible step, never earlier and never without a
provider call right after it (D41).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol
from uuid import UUID

from butler_contracts.notify import Format
from butler_kit.markup import Rich, read
from butler_messenger.delivery.decisions import Evidence
from butler_messenger.delivery.outcomes import ProviderOutcome

__all__ = ["Button", "Channel", "Enclosed", "Mark", "Outgoing", "upload_s"]

Mark = Callable[[], Awaitable[None]]
_SLOWEST_UPLOAD: Final = 100_000
"""Bytes per second of the slowest connection for files; anything slower looks like a lost answer."""


@dataclass(frozen=True, slots=True)
class Button:
    """Its label, and the reference that comes back when it is pressed."""

    label: str
    reference: str


@dataclass(frozen=True, slots=True)
class Enclosed:
    """A file of a delivery: its `content` once fetched, or the text that stands `instead` of it."""

    name: str
    media_type: str
    size_bytes: int
    content: bytes | None = None
    instead: str | None = None


def upload_s(files: Iterable[Enclosed]) -> float:
    """Return how much longer a call with these files may take than one with a text."""
    return sum(len(one.content) for one in files if one.content is not None) / _SLOWEST_UPLOAD


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One delivery as a provider needs it: `target` is resolved, `reply_to` is the provider's own message id."""

    delivery_id: UUID
    idempotency_key: str
    origin_butler: str
    intent: str
    target: str
    message: str
    format: Format = "plain"
    subject: str | None = None
    reply_to: str | None = None
    references: tuple[str, ...] = ()
    emoji: str | None = None
    topic: str | None = None
    """The topic of a Telegram forum that contains the answered message."""
    buttons: tuple[Button, ...] = ()
    """Answers offered with the message, on a channel that has buttons."""
    unsubscribe_token: UUID | None = None
    """The token with which the recipient of an unsolicited mail can unsubscribe."""
    files: tuple[Enclosed, ...] = ()
    marked: bool = True
    """Whether a chat's text says which butler speaks; a mail's subject always does."""

    def with_file(self, number: int, **changes: Any) -> Outgoing:
        """Return a copy with one of its files fetched, or replaced by the text that stands instead."""
        files = list(self.files)
        files[number] = replace(files[number], **changes)
        return replace(self, files=tuple(files))

    @property
    def said(self) -> Rich:
        """The message, with its markup if its format has any."""
        return read(self.message) if self.format == "markdown" else Rich(self.message)


class Channel(Protocol):
    """A provider behind one identity scope."""

    name: str
    keeps_records: bool
    """Whether `evidence` can tell anything."""
    autofile: bool
    """Whether the account itself files what it sends, so that a missing record proves a missing send."""
    carries_files: bool
    """Whether files can go out with a message here."""

    def tool_for(self, outgoing: Outgoing) -> str:
        """Return the channel tool that carries out this delivery (MSG-5, MSR-02.1)."""
        ...

    def part_count(self, outgoing: Outgoing) -> int:
        """Return how many provider calls this delivery takes; always the same for the same content."""
        ...

    def enclosed(self, outgoing: Outgoing, part: int) -> tuple[int, ...]:
        """Return the numbers of the files that provider call `part` carries, including those left out."""
        ...

    async def send(self, outgoing: Outgoing, *, part: int, mark: Mark) -> ProviderOutcome:
        """Make provider call number `part` (from 0); never raises for anything a provider does."""
        ...

    async def evidence(self, outgoing: Outgoing) -> Evidence:
        """Return what the provider's own records say about an earlier call; `none` if it keeps none."""
        ...

    async def records_problem(self) -> str | None:
        """Return in words why `evidence` would fail now; None if it would not, or if no records are kept."""
        ...

    def record_id(self, outgoing: Outgoing) -> str:
        """Return the id under which the provider's own records would have it."""
        ...

    async def aclose(self) -> None: ...
