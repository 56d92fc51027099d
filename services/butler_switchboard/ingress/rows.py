"""The row that admission writes, and the database's answer to it (immutable, between the stages)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

__all__ = ["AdmissionRow", "Admitted", "column_arrays"]


class AdmissionRow(NamedTuple):
    """One message on its way into the inbox; the fields are in the order of `admit_batch`'s parameters."""

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
    backfill_job_id: UUID | None = None

    @property
    def source(self) -> str:
        """The source that takes turns with others: the endpoint of its channel, as in `inbox_work.source`."""
        return f"{self.channel}:{self.endpoint_identity}"

    @property
    def size_bytes(self) -> int:
        """The approximate size that the row adds to a batch: its three large columns."""
        return len(self.raw_json) + len(self.context_json) + len(self.text)


class Admitted(NamedTuple):
    """`request_id` is the canonical one: of an earlier submission when `duplicate`; `conflict` = other content (D7)."""

    request_id: UUID
    duplicate: bool
    conflict: bool = False


def column_arrays(rows: Sequence[AdmissionRow]) -> list[tuple[object, ...]]:
    """Return the rows as one array per column, as the batch statement takes them."""
    return list(zip(*rows, strict=True))
