"""What the worker needs of a channel, and nothing of any provider.

Invariant: an adapter awaits `mark()` immediately before the step that cannot be taken back, never earlier and
never without a provider call right after it (D41).
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
"""Bytes a second of the slowest line that a file is sent over: what is slower looks like an answer that was lost."""


@dataclass(frozen=True, slots=True)
class Button:
    """What stands on it, and what comes back when it is pressed."""

    label: str
    reference: str


@dataclass(frozen=True, slots=True)
class Enclosed:
    """A file of a delivery: its `content` where it is fetched, or what is said `instead` where it does not come."""

    name: str
    media_type: str
    size_bytes: int
    content: bytes | None = None
    instead: str | None = None


def upload_s(files: Iterable[Enclosed]) -> float:
    """How much longer than a text a call may take that carries these files."""
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
    """The topic of a Telegram forum in which the answered message stands."""
    buttons: tuple[Button, ...] = ()
    """Answers that are offered with the message, on a channel that has buttons."""
    unsubscribe_token: UUID | None = None
    """By what whoever gets a mail that nobody asked for may want no more of them."""
    files: tuple[Enclosed, ...] = ()

    def with_file(self, number: int, **changes: Any) -> Outgoing:
        """The same with one of its files fetched, or replaced by what is said instead."""
        files = list(self.files)
        files[number] = replace(files[number], **changes)
        return replace(self, files=tuple(files))

    @property
    def said(self) -> Rich:
        """The message, with what stands out in it where it is of a format that says so."""
        return read(self.message) if self.format == "markdown" else Rich(self.message)


class Channel(Protocol):
    """A provider behind one identity scope."""

    name: str
    keeps_records: bool
    """Whether `evidence` can tell anything."""
    autofile: bool
    """Whether the account files what it sends by itself, so that a missing record proves a missing send."""
    carries_files: bool
    """Whether files can go out with a message here."""

    def tool_for(self, outgoing: Outgoing) -> str:
        """The channel tool that carries this delivery out (MSG-5, MSR-02.1)."""
        ...

    def part_count(self, outgoing: Outgoing) -> int:
        """How many provider calls this delivery takes; the same for the same content, always."""
        ...

    def enclosed(self, outgoing: Outgoing, part: int) -> tuple[int, ...]:
        """Which of its files provider call number `part` carries, by number, those left out among them."""
        ...

    async def send(self, outgoing: Outgoing, *, part: int, mark: Mark) -> ProviderOutcome:
        """Make provider call number `part` (from 0); never raises for what a provider can do."""
        ...

    async def evidence(self, outgoing: Outgoing) -> Evidence:
        """What the provider's own records say of an earlier call; `none` where it keeps none."""
        ...

    async def records_problem(self) -> str | None:
        """Why `evidence` could tell nothing now, in words; None when it could, or where nothing is kept."""
        ...

    def record_id(self, outgoing: Outgoing) -> str:
        """The id under which the provider's own records would have it."""
        ...

    async def aclose(self) -> None: ...
