"""The events that a source hands to the runner, each already decided upon. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from butler_contracts.ingest import IngestEnvelopeV1

__all__ = ["Malformed", "Skipped", "SourceEvent"]


@dataclass(frozen=True)
class Skipped:
    """Not submitted on purpose (tier 3, or not a message); counted under `reason` (D10, D15)."""

    reason: str


@dataclass(frozen=True)
class Malformed:
    """Cannot be put into an envelope: refused for good, spooled under `reason` (D15)."""

    reason: str
    message: str


@dataclass(frozen=True)
class SourceEvent:
    """One event: `cursor` is the checkpoint once this event and every earlier one are settled."""

    event_id: str
    cursor: str
    thread: str | None
    content: IngestEnvelopeV1 | Skipped | Malformed
