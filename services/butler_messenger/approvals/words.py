"""PURE: what an approver reads (MSR-03). The text that is to be sent stands in it as it is, cut where it is long."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

from butler_contracts.actions import ActionV1, Verdict, VerdictPressed
from butler_contracts.questions import question_mark

__all__ = [
    "HOW",
    "NOT_YOURS",
    "UNKNOWN",
    "answer_text",
    "ask_key",
    "ask_text",
    "asked_of",
    "offered",
    "preview_of",
    "recipient_of",
    "subject_of",
]

HOW: Final = (
    'I read nothing but the first line of your answer, and nothing was changed: write "yes" or "no" there, and '
    "nothing else."
)
NOT_YOURS: Final = "This was asked of somebody else; nothing was changed."
UNKNOWN: Final = "I do not know this question any more; nothing was changed."
_SUBJECT: Final = "A message waits for your approval"
_BY_MAIL: Final = 'Or answer this mail: "yes" or "no" alone in its first line decides.'
_PREVIEW_CHARS: Final = 2_000
_KEY: Final = "approval"
_LABELS: Final[dict[Verdict, str]] = {"approve": "Approve", "deny": "Deny"}


def ask_key(delivery_id: UUID, contact_id: UUID) -> str:
    """The idempotency key of the message that asks one approver about one delivery."""
    return f"{_KEY}:{delivery_id}:{contact_id}"


def asked_of(key: str) -> tuple[UUID, UUID] | None:
    """The delivery and the approver of `ask_key`; None for any other key."""
    kind, _, ids = key.partition(":")
    delivery_id, _, contact_id = ids.partition(":")
    try:
        return (UUID(delivery_id), UUID(contact_id)) if kind == _KEY else None
    except ValueError:
        return None


def offered(question_id: UUID) -> tuple[ActionV1, ...]:
    """What may be pressed under the question of this id."""
    return tuple(
        ActionV1(id=VerdictPressed(verdict, question_id).action, label=label)
        for verdict, label in _LABELS.items()
    )


def subject_of(question_id: UUID) -> str:
    """The subject of the mail that asks, and of what is answered to an answer: it names the question."""
    return f"{_SUBJECT} {question_mark(question_id)}"


def answer_text(verdict: Verdict, recipient: str) -> str:
    """What who decided reads."""
    if verdict == "approve":
        return f"Approved: it is sent to {recipient}."
    return f"Denied: it is not sent to {recipient}."


def recipient_of(person: str | None, channel: str, identity: str | None) -> str:
    """Whom it is for: the person where one is known, and the address."""
    where = f"{identity} on {channel}" if identity else channel
    return f"{person} ({where})" if person else where


def ask_text(
    *,
    origin: str,
    recipient: str,
    subject: str | None,
    message: str,
    expires_at: datetime,
    delivery_id: UUID,
    by_mail: bool,
) -> str:
    """Who wants to say what to whom, until when it waits, and how to decide; `by_mail` is how the question goes."""
    about = f"Subject: {subject}\n" if subject else ""
    return (
        f"{origin} wants to write to {recipient}:\n\n{about}{preview_of(message, _PREVIEW_CHARS)}\n\n"
        f"It is not sent unless somebody approves before {expires_at:%Y-%m-%d %H:%M} UTC: "
        f"butlers approve {delivery_id} or butlers deny {delivery_id}" + (f"\n{_BY_MAIL}" if by_mail else "")
    )


def preview_of(text: str, most: int) -> str:
    """The text, or its first characters and how many more there are."""
    left = len(text) - most
    return text if left <= 0 else f"{text[:most]}… ({left} more characters)"
