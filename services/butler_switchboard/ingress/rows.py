"""The row that admission writes, and what the database said of it (frozen models between the stages)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from uuid import UUID

__all__ = ["AdmissionRow", "Admitted", "column_arrays"]


@dataclass(frozen=True, slots=True)
class AdmissionRow:
    """One message on its way into the inbox; the fields stand in the order of `admit_batch`'s parameters."""

    request_id: UUID
    received_at: datetime
    dedupe_key: str
    previous_key: str | None
    fingerprint: str
    schema_version: str
    channel: str
    provider: str
    endpoint_identity: str
    sender_identity: str
    thread_identity: str | None
    external_event_id: str
    external_message_id: str | None
    supersedes: str | None
    policy_tier: str
    ingestion_tier: str
    sender_class: str
    reply_policy: str
    context_json: str
    raw_json: str
    text: str
    lifecycle_state: str
    delay_s: float

    @property
    def size_bytes(self) -> int:
        """What the row adds to a batch, near enough: its three large columns."""
        return len(self.raw_json) + len(self.context_json) + len(self.text)


@dataclass(frozen=True, slots=True)
class Admitted:
    """`request_id` is the canonical one: of an earlier submission when `duplicate`; `conflict` = other content (D7)."""

    request_id: UUID
    duplicate: bool
    conflict: bool = False


_COLUMNS = tuple(field.name for field in fields(AdmissionRow))


def column_arrays(rows: list[AdmissionRow]) -> list[list[object]]:
    """Rows turned into one array a column, as the batch statement takes them."""
    return [[getattr(row, name) for row in rows] for name in _COLUMNS]
