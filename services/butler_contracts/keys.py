"""Keys that make repeats harmless: dedupe, fingerprints, delivery idempotency, subrequest and mail ids.

Pure and stable: the same input gives the same key in every process and release. Hashed fields are
length-prefixed, so no two different inputs are written the same way
(CNX-03, SWB-12, MSG-7, MSR-04.1, D7, D8, D12, D45).
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal
from uuid import UUID, uuid5

from butler_contracts.errors import ValidationFailed
from butler_contracts.ingest import IngestEnvelopeV1

PLACEHOLDER_EVENT_IDS: Final = frozenset({"placeholder", "unknown", "none", ""})
BUCKET_OVERLAP: Final = timedelta(minutes=5)
"""How long into an hour the previous hour's bucket is checked as well (D8)."""
_DOMAIN: Final = re.compile(r"^(?=.{1,253}$)[a-z0-9](-*[a-z0-9])*(\.[a-z0-9](-*[a-z0-9])*)*$")

_OWN_MESSAGE_ID: Final = re.compile(r"^<butlers\.[0-9a-f]{40}@[^<>@\s]+>$")

Strategy = Literal["idempotency_key", "external_event_id", "content_hash"]


@dataclass(frozen=True)
class DedupeKey:
    """The key to admit under, and the one of the hour before when that must be looked at too (D8)."""

    key: str
    strategy: Strategy
    previous_bucket_key: str | None = None


def dedupe_key(envelope: IngestEnvelopeV1) -> DedupeKey:
    """The dedupe identity of an event: explicit key, else event id, else content hash by hour (CNX-03).

    The hour is that of `event.observed_at` in UTC, which a connector keeps when it reads an event again.
    """
    source, event = envelope.source, envelope.event
    endpoint = f"{source.channel}:{source.endpoint_identity}"
    if envelope.control.idempotency_key is not None:
        return DedupeKey(f"idem:{endpoint}:{envelope.control.idempotency_key}", "idempotency_key")
    if event.external_event_id.strip().casefold() not in PLACEHOLDER_EVENT_IDS:
        scope = f"{source.channel}:{source.provider}:{source.endpoint_identity}"
        return DedupeKey(f"event:{scope}:{event.external_event_id}", "external_event_id")
    observed = event.observed_at.astimezone(UTC)
    hour = observed.replace(minute=0, second=0, microsecond=0)
    near_the_edge = observed - hour < BUCKET_OVERLAP
    previous = _hash_key(envelope, hour - timedelta(hours=1)) if near_the_edge else None
    return DedupeKey(_hash_key(envelope, hour), "content_hash", previous)


def _hash_key(envelope: IngestEnvelopeV1, hour: datetime) -> str:
    source, sender = envelope.source, envelope.sender.identity
    content = _sha256(f"{envelope.payload.normalized_text}:{sender}")
    return f"hash:{source.channel}:{source.endpoint_identity}:{sender}:{hour:%Y%m%d%H}:{content[:16]}"


def payload_fingerprint(envelope: IngestEnvelopeV1) -> str:
    """What was said, by whom and in which thread, as 64 hex digits; same key, other print: a conflict (D7).

    Left out is what may differ on a second reading: `raw`, `observed_at`, storage references, tracing.
    """
    parts: list[str | None] = [
        envelope.sender.identity,
        envelope.event.external_thread_id,
        envelope.payload.normalized_text,
    ]
    for attachment in envelope.payload.attachments:
        parts += [attachment.media_type, str(attachment.size_bytes), attachment.filename]
    return _digest("payload", parts)


def delivery_key(
    *,
    request_id: UUID | None,
    origin_butler: str,
    intent: str,
    channel: str,
    target_identity: str,
    content: str,
    subject: str | None = None,
    idempotency_key: str | None = None,
    attachments: Sequence[tuple[str, str]] = (),
) -> str:
    """The idempotency key of a delivery, as 64 hex digits (MSG-7, MSR-04.1, D45).

    `content` is the message, or the emoji of a reaction. Identity fields count without case and outer
    blanks; content and subject count in NFC without outer blanks, with their case. A caller's
    `idempotency_key` is one more field when there is a `request_id`; without a request it is required
    and, with the origin, is the whole key. `attachments` are digest and name of each file, wherever it is fetched from.

    Raises `ValidationFailed` when neither is given.
    """
    if request_id is None:
        if idempotency_key is None or not idempotency_key.strip():
            raise ValidationFailed(
                "delivery.idempotency_key: is missing; expected one, for the delivery belongs to no request"
            )
        return _digest("delivery-by-caller", [_identity(origin_butler), idempotency_key.strip()])
    return _digest(
        "delivery",
        [
            str(request_id),
            _identity(origin_butler),
            _identity(intent),
            _identity(channel),
            _identity(target_identity),
            _sha256(_content(content)),
            None if subject is None else _sha256(_content(subject)),
            None if idempotency_key is None else idempotency_key.strip(),
            *(part for digest, name in attachments for part in (digest, _content(name))),
        ],
    )


def subrequest_id(request_id: UUID, segment_id: str, target: str, attempt: int) -> UUID:
    """The id of one attempt at one branch; the same branch and attempt always has the same one (D12)."""
    return uuid5(request_id, _joined(["subrequest", segment_id, target, str(attempt)]))


def message_id_for(delivery_key: str, domain: str) -> str:
    """The RFC 5322 Message-ID of a delivery, so that a resend is recognised as the same mail (D41).

    Raises `ValidationFailed` for a domain that is not a host name (an international one in its xn-- form is).
    """
    host = domain.strip().lower().rstrip(".")
    if not _DOMAIN.match(host):
        raise ValidationFailed("message-id domain: is not a host name; expected one such as example.org")
    return f"<butlers.{_digest('message-id', [delivery_key])[:40]}@{host}>"


def is_own_message_id(value: str) -> bool:
    """Whether a Message-ID is one that `message_id_for` makes: the mail is our own, come back (D23)."""
    return _OWN_MESSAGE_ID.match(value.strip()) is not None


def _identity(value: str) -> str:
    return unicodedata.normalize("NFC", value.strip().lower())


def _content(value: str) -> str:
    return unicodedata.normalize("NFC", value).strip()


def _joined(parts: list[str | None]) -> str:
    return "".join("-;" if part is None else f"{len(part)}:{part};" for part in parts)


def _digest(purpose: str, parts: list[str | None]) -> str:
    return _sha256(_joined([purpose, *parts]))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
