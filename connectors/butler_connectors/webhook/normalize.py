"""Turns a post into an `ingest.v1` envelope (CNX-01.1, CNX-03.1, SWB-12.3). Pure.

Invariant: a refusal names the field and what was expected, before anything is submitted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from pydantic import Field

from butler_contracts.base import StrictModel
from butler_contracts.errors import ValidationFailed
from butler_contracts.ingest import NORMALIZED_TEXT_MAX, IngestEnvelopeV1
from butler_contracts.parse import parse
from butler_contracts.text import STORABLE, Identity, text_fault

__all__ = ["Post", "Submission", "envelope_of", "read_key", "read_post"]

_KEY_MAX: Final = 256


class Post(StrictModel):
    """The body of `POST /v1/messages`."""

    text: Annotated[str, Field(min_length=1, max_length=NORMALIZED_TEXT_MAX), STORABLE]
    sender: Identity
    thread: Identity | None = None
    tier: Literal["default", "interactive", "high_priority"] = "default"


@dataclass(frozen=True)
class Submission:
    """A post with its submitter, its key, and the id generated for it on arrival."""

    post: Post
    submitter: str
    key: str | None
    post_id: UUID

    @property
    def repeat_key(self) -> str:
        """The key under which a repeat of this post is the same message."""
        return self.key or str(self.post_id)


def read_post(body: bytes) -> Post:
    """Read a body strictly; raises `ContractViolation` naming every problem."""
    post = parse(Post, body)
    if not post.text.strip():
        raise ValidationFailed("text: is empty; expected at least one visible character")
    return post


def read_key(value: str | None) -> str | None:
    """Return the `Idempotency-Key` header; `ValidationFailed` if it is invalid."""
    if value is None:
        return None
    key = value.strip()
    if not 0 < len(key) <= _KEY_MAX or not key.isprintable() or text_fault(key):
        raise ValidationFailed(f"Idempotency-Key: expected 1 to {_KEY_MAX} visible characters")
    return key


def envelope_of(
    submission: Submission, *, endpoint_identity: str, tier: Callable[[str], str], now: datetime
) -> IngestEnvelopeV1:
    """Return the envelope; submitters' keys never collide, and without a key each post is its own (D89)."""
    post = submission.post
    raw: dict[str, Any] = {"text": post.text, "sender": post.sender, "submitter": submission.submitter}
    if post.thread is not None:
        raw["thread"] = post.thread
    return parse(
        IngestEnvelopeV1,
        {
            "schema_version": "ingest.v1",
            "source": {"channel": "api", "provider": "internal", "endpoint_identity": endpoint_identity},
            "event": {
                "external_event_id": f"{submission.submitter}:{submission.post_id}",
                "external_thread_id": post.thread,
                "observed_at": now.isoformat(),
            },
            "sender": {"identity": post.sender},
            "payload": {"raw": raw, "normalized_text": post.text},
            "control": {
                "idempotency_key": f"{submission.submitter}:{submission.repeat_key}",
                "policy_tier": tier(post.tier),
            },
        },
    )
