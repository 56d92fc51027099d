"""An accepted message as it is read back (frozen models; pure)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from pydantic import TypeAdapter

from butler_contracts.base import Timestamp
from butler_contracts.context import RequestContext
from butler_contracts.ingest import SourceChannel
from butler_contracts.text import plain_line
from butler_switchboard.ingress.moment import worth_telling

__all__ = ["InboxMessage"]

SUBJECT_MAX: Final = 200
SENDER_NAME_MAX: Final = 64
_MOMENT: Final[TypeAdapter[datetime]] = TypeAdapter(Timestamp)


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
    ended_by: str | None = None
    """The class of the error that it ended with."""
    reroutes: int = 0
    """How often an operator has given a part of it to another butler."""

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
    def pressed(self) -> str | None:
        """The reference of the button that was pressed; anybody may have made it up."""
        reference = self.envelope["event"].get("pressed")
        return reference if isinstance(reference, str) else None

    @property
    def in_reply_to(self) -> str | None:
        """The provider's id of the message that this one replies to."""
        replied = self.envelope["event"].get("in_reply_to")
        return replied if isinstance(replied, str) else None

    @property
    def context_of_work(self) -> RequestContext:
        """The context for the butlers that work on it: with the message's own time, and a stranger's own name.

        Both are read from the stored envelope, not kept in the stored context: another release reads these rows too.
        """
        observed_at = _MOMENT.validate_python(self.envelope["event"]["observed_at"])
        moment = worth_telling(observed_at, self.context.received_at)
        name = self._sender_name if self.context.sender_class == "other" else None
        return _told(self.context, observed_at=moment, source_sender_name=name)

    @property
    def context_of_answer(self) -> RequestContext:
        """The context for Messenger: with the subject of a mail, to keep the answer in its conversation."""
        mail = self.context.source_channel is SourceChannel.EMAIL
        subject = plain_line(self.subject or "", most=SUBJECT_MAX) if mail else ""
        return _told(self.context, source_subject=subject or None)

    @property
    def _sender_name(self) -> str | None:
        name = (self.envelope.get("sender") or {}).get("display_name")
        return (plain_line(name, most=SENDER_NAME_MAX) or None) if isinstance(name, str) else None

    @property
    def attachments(self) -> list[dict[str, Any]]:
        return list(self.envelope["payload"].get("attachments") or [])


def _told(context: RequestContext, **told: Any) -> RequestContext:
    known = {name: value for name, value in told.items() if value is not None}
    return context.model_copy(update=known) if known else context
