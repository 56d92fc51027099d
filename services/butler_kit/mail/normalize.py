"""Conversion of a mail into an `ingest.v1` envelope, or a reason why not (CNX-01.1, D10, D14, D15, SWB-12.2). Pure.

Invariant: any bytes yield an event; nothing is raised, and the same mail always gives the same envelope.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from butler_contracts.ingest import ATTACHMENT_BYTES_MAX, IngestEnvelopeV1
from butler_contracts.parse import ContractViolation, parse
from butler_contracts.unsubscribing import unsubscribe_written
from butler_kit.mail.headers import decoded, header_map, message_ids, own_message_id, sender_of
from butler_kit.mail.invitations import invitation_of
from butler_kit.mail.mime import MailContent, Part, parse_mail, read_content
from butler_kit.mail.moment import written_at
from butler_kit.mail.outline import Outline, leaves
from butler_kit.mail.replies import own_part
from butler_kit.mail.reports import report_of
from butler_kit.sources.bounds import CUT_MARK, clip, fit_raw, identity_of, normalized_text
from butler_kit.sources.events import Malformed, Skipped
from butler_kit.sources.senders import SenderLists

__all__ = ["FetchedMail", "MailSource", "NormalisedMail", "normalise"]

PLACEHOLDER: Final = "unknown"
"""Replaces a missing Message-ID: then the mail's content decides (CNX-03.3)."""


@dataclass(frozen=True)
class FetchedMail:
    """A mail as the server gave it: `content` may be only its beginning, of `size_bytes` in all.

    A large one is assembled from its text parts: then `outline` is the mail and `read_bytes` the bytes read.
    """

    uid: int
    uid_validity: int
    internal_date: datetime
    size_bytes: int
    content: bytes
    outline: Outline | None = None
    read_bytes: int = 0
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class MailSource:
    """What the connector knows about its own mailbox."""

    endpoint_identity: str
    mailbox: str = "INBOX"
    policy_tier: str = "default"
    senders: SenderLists = SenderLists()  # noqa: RUF009


@dataclass(frozen=True)
class NormalisedMail:
    """The result for a mail, with its id and its thread for the record and the order."""

    event_id: str
    thread: str | None
    content: IngestEnvelopeV1 | Skipped | Malformed


@dataclass(frozen=True)
class _Read:
    """What was read of a mail besides its text: a delivery report, an invitation, when it was written."""

    report: dict[str, Any] | None
    invitation: dict[str, Any] | None
    written_at: datetime


def normalise(mail: FetchedMail, source: MailSource) -> NormalisedMail:
    """Return the envelope of a mail."""
    message = mail.outline or parse_mail(mail.content)
    headers = header_map(message)
    own_id = own_message_id(headers)
    event_id = own_id or f"uid {mail.uid} of {mail.uid_validity}"
    thread = _thread(headers, own_id)
    sender, _ = sender_of(headers)
    subject = decoded(next(iter(headers.get("subject", [])), ""))
    report = report_of(message)
    reason = source.senders.skip_reason(sender)
    # Reports and unsubscriptions concern a mail of ours, whoever sends them, and reach no butler.
    if reason is not None and report is None and unsubscribe_written(subject) is None:
        return NormalisedMail(event_id, thread, Skipped(reason))
    try:
        content = read_content(message)
        if mail.outline is None and len(mail.content) < mail.size_bytes:
            content.text = f"{content.text.removesuffix(CUT_MARK)}{CUT_MARK}"
        written = written_at(headers, arrived_at=mail.internal_date)
        invitation = invitation_of(message, written_at=written, has_words=bool(content.text.strip()))
        read = _Read(report=report, invitation=invitation, written_at=written)
        document = _document(mail, source, headers, content, subject=subject, read=read)
        return NormalisedMail(event_id, thread, parse(IngestEnvelopeV1, document))
    except ContractViolation as error:
        return NormalisedMail(event_id, thread, Malformed("malformed_mail", str(error)))


def _document(
    mail: FetchedMail,
    source: MailSource,
    headers: dict[str, list[str]],
    content: MailContent,
    *,
    subject: str,
    read: _Read,
) -> dict[str, Any]:
    own_id = own_message_id(headers)
    sender, display_name = sender_of(headers)
    raw: dict[str, Any] = {
        "headers": headers,
        "subject": subject,
        "text": content.text,
        "references": _references(headers),
        "content_digest": _digest(mail),
    }
    if read.report is not None:
        raw["delivery_report"] = read.report
    if read.invitation is not None:
        raw["invitation"] = read.invitation
    if mail.labels:
        raw["labels"] = list(mail.labels)
    read_bytes = len(mail.content) if mail.outline is None else mail.read_bytes
    if read_bytes < mail.size_bytes:
        raw["read_bytes"], raw["size_bytes"] = read_bytes, mail.size_bytes
    return {
        "schema_version": "ingest.v1",
        "source": {"channel": "email", "provider": "imap", "endpoint_identity": source.endpoint_identity},
        "event": {
            "external_event_id": own_id or PLACEHOLDER,
            "external_thread_id": _thread(headers, own_id),
            "external_message_id": own_id,
            "observed_at": read.written_at.isoformat(),
            "supersedes": next(iter(message_ids(headers, "supersedes")), None),
            "in_reply_to": next(iter(message_ids(headers, "in-reply-to")), None),
        },
        "sender": {"identity": sender, "display_name": display_name},
        "payload": {
            "raw": fit_raw(raw),
            "normalized_text": _text(subject, content, refers=bool(_references(headers))),
            "attachments": [_reference(part, mail, source) for part in content.attachments],
        },
        "control": {"policy_tier": source.policy_tier},
    }


def _digest(mail: FetchedMail) -> str:
    """Return a digest of the body's bytes, independent of the text: tells mails of one Message-ID apart."""
    if mail.outline is None:
        return hashlib.sha256(mail.content.partition(b"\r\n\r\n")[2]).hexdigest()
    digest = hashlib.sha256()
    for octets, content in leaves(mail.outline):
        digest.update(b"%d:%d:" % (octets, len(content)) + content)
    return digest.hexdigest()


def _text(subject: str, content: MailContent, *, refers: bool) -> str:
    """Return `Subject: …`, a blank line, and what the sender wrote now."""
    own = own_part(content.text, subject=subject, refers=refers).strip() or _described(content.attachments)
    return normalized_text(
        f"Subject: {subject}\n\n{own}" if subject else own, otherwise="[a mail without text]"
    )


def _described(attachments: list[Part]) -> str:
    return " ".join(f"[file {part.filename or part.media_type}]" for part in attachments[:10])


def _reference(part: Part, mail: FetchedMail, source: MailSource) -> dict[str, Any]:
    missing = mail.size_bytes - len(mail.content) if mail.outline is None else 0
    place = f"imap:{mail.uid_validity}/{mail.uid}/{part.number}"
    return {
        "media_type": part.media_type,
        "storage_ref": identity_of(f"{place}#{source.mailbox}") or place,
        # Of a mail that was read in part, the last attachment is the one cut short (base64: 3 of 4).
        "size_bytes": min(
            part.size_bytes + (max(missing, 0) * 3 // 4 if missing > 0 else 0), ATTACHMENT_BYTES_MAX
        ),
        "filename": None if part.filename is None else clip(part.filename, 255, mark="…"),
    }


def _references(headers: dict[str, list[str]]) -> list[str]:
    found = [*message_ids(headers, "references"), *message_ids(headers, "in-reply-to")]
    return list(dict.fromkeys(found))


def _thread(headers: dict[str, list[str]], own_id: str | None) -> str | None:
    """Return the first mail of the conversation, by References or In-Reply-To, never by subject (D26).

    A mail that supersedes another (RFC 4021) belongs to its conversation.
    """
    return next(iter([*_references(headers), *message_ids(headers, "supersedes")]), own_id)
