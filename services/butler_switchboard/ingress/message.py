"""An accepted message as it is read back (frozen models; pure)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from butler_contracts.context import RequestContext

__all__ = ["InboxMessage", "SupersededMessage"]


@dataclass(frozen=True)
class InboxMessage:
    """An accepted message as it is stored; `envelope` is the whole `ingest.v1` document."""

    request_id: UUID
    context: RequestContext
    text: str
    envelope: dict[str, Any]
    external_event_id: str
    supersedes: str | None
    lifecycle_state: str
    final_state_at: datetime | None

    @property
    def subject(self) -> str | None:
        """A mail's subject line, when the connector kept one."""
        subject = (self.envelope["payload"].get("raw") or {}).get("subject")
        return subject if isinstance(subject, str) else None

    @property
    def backfill_job_id(self) -> UUID | None:
        """The backfill job that read it from history."""
        job_id = self.envelope["control"].get("backfill_job_id")
        return UUID(job_id) if isinstance(job_id, str) else None

    @property
    def attachments(self) -> list[dict[str, Any]]:
        return list(self.envelope["payload"].get("attachments") or [])


@dataclass(frozen=True)
class SupersededMessage:
    """The first message that an edit names."""

    request_id: UUID
    lifecycle_state: str
    finished: bool
