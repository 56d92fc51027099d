"""PURE: mails as the inbox tools return them. Text by others stands between two lines with a fresh boundary.

Invariant: bounded, and no word of a mail is outside the fence, except its Message-ID, which has no blanks.
"""

from __future__ import annotations

from datetime import UTC
from typing import Any, Final

from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.text import plain_line
from butler_kit.mail.headers import decoded, header_map, own_message_id, sender_of
from butler_kit.mail.mime import parse_mail
from butler_kit.mail.session import MailSize
from butler_kit.runtime.fence import fence
from butler_kit.sources.bounds import clip

__all__ = ["found_view", "read_view", "reference"]

_LINE_CHARS: Final = 300
_FILES_MAX: Final = 20


def reference(uid_validity: int, uid: int) -> str:
    """Return the name of a mail across calls."""
    return f"{uid_validity}/{uid}"


def found_view(mail: MailSize, header: bytes, *, uid_validity: int, boundary: str) -> dict[str, Any]:
    """Return a list entry for a mail: arrival, size, sender and subject."""
    headers = header_map(parse_mail(header))
    sender, name = sender_of(headers)
    subject = decoded(next(iter(headers.get("subject", [])), ""))
    return {
        **_placed(mail, uid_validity),
        "message_id": own_message_id(headers),
        "content": fence("\n".join(_head(sender, name, subject)), boundary=boundary),
    }


def read_view(
    mail: MailSize, envelope: IngestEnvelopeV1, *, uid_validity: int, max_chars: int, boundary: str
) -> dict[str, Any]:
    """Return a mail: its text with quotations, cut to `max_chars`, and its attachments by name."""
    raw, files = envelope.payload.raw or {}, envelope.payload.attachments
    text = str(raw.get("text", ""))
    head = _head(envelope.sender.identity, envelope.sender.display_name, str(raw.get("subject", "")))
    shown = [
        plain_line(
            f"Attachment: {one.filename or ''} ({one.media_type}, {one.size_bytes} bytes)", most=_LINE_CHARS
        )
        for one in files[:_FILES_MAX]
    ]
    content = "\n".join([*head, *shown, "", clip(text, max_chars) if len(text) > max_chars else text])
    return {
        **_placed(mail, uid_validity),
        "message_id": envelope.event.external_message_id,
        "written_at": envelope.event.observed_at.astimezone(UTC).isoformat(),
        "attachments": len(files),
        "is_cut": len(text) > max_chars or "read_bytes" in raw,
        "content": fence(content, boundary=boundary),
    }


def _placed(mail: MailSize, uid_validity: int) -> dict[str, Any]:
    return {
        "message": reference(uid_validity, mail.uid),
        "received_at": mail.internal_date.astimezone(UTC).isoformat(),
        "size_bytes": mail.size_bytes,
    }


def _head(sender: str, name: str | None, subject: str) -> list[str]:
    written = f"{name} <{sender}>" if name else sender
    return [
        plain_line(f"From: {written}", most=_LINE_CHARS),
        plain_line(f"Subject: {subject}", most=_LINE_CHARS),
    ]
