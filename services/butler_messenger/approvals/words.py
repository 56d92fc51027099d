"""PURE: the texts for approvers, in their language (MSR-03); the text to be sent is quoted as it is, cut if long.

The commands in them are the same in each language, and so are the reasons kept with a verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from butler_contracts.actions import ActionV1, Verdict, VerdictPressed
from butler_contracts.language import Language
from butler_contracts.questions import question_mark
from butler_messenger.delivery.records import Row
from butler_messenger.locale import noop, say

__all__ = [
    "HOW",
    "NOT_YOURS",
    "UNKNOWN",
    "answer_text",
    "ask_key",
    "ask_text",
    "asked_of",
    "decided_text",
    "digest_subject",
    "digest_text",
    "moment_text",
    "offered",
    "preview_of",
    "question_keys",
    "recipient_of",
    "subject_of",
]

HOW: Final = noop(
    'I read nothing but the first line of your answer, and nothing was changed: write "yes" or "no" there, and '
    "nothing else."
)
NOT_YOURS: Final = noop("This was asked of somebody else; nothing was changed.")
UNKNOWN: Final = noop("I do not know this question any more; nothing was changed.")
_PREVIEW_CHARS: Final = 2_000
_KEY: Final = "approval"
_LABELS: Final[dict[Verdict, str]] = {"approve": noop("Approve"), "deny": noop("Deny")}


def ask_key(delivery_id: UUID, contact_id: UUID) -> str:
    """The idempotency key of the message that asks one approver about one delivery."""
    return f"{question_keys(delivery_id)}{contact_id}"


def question_keys(approval_id: UUID) -> str:
    """The beginning of the keys of all messages that ask about one approval."""
    return f"{_KEY}:{approval_id}:"


def asked_of(key: str) -> tuple[UUID, UUID] | None:
    """The delivery and the approver of `ask_key`; None for any other key."""
    kind, _, ids = key.partition(":")
    delivery_id, _, contact_id = ids.partition(":")
    try:
        return (UUID(delivery_id), UUID(contact_id)) if kind == _KEY else None
    except ValueError:
        return None


def offered(language: Language, question_id: UUID) -> tuple[ActionV1, ...]:
    """Return the buttons under the question with this id."""
    return tuple(
        ActionV1(id=VerdictPressed(verdict, question_id).action, label=say(language, label))
        for verdict, label in _LABELS.items()
    )


def subject_of(language: Language, question_id: UUID) -> str:
    """Return the subject of the mail that asks, and of the reply to its answer; it names the question."""
    asks = say(language, "A message waits for your approval")
    return f"{asks} {question_mark(question_id)}"


def answer_text(language: Language, verdict: Verdict, row: Row) -> str:
    """Return the text for the person who decided; `row` is the approval, with what became of the delivery since."""
    recipient = recipient_of(language, row["person"], row["channel"], row["target_identity"])
    if verdict == "deny":
        return say(language, "Denied: it is not sent to {recipient}.", recipient=recipient)
    if row["status"] == "failed":
        return say(
            language,
            "Approved, but it is not sent to {recipient}: {reason}",
            recipient=recipient,
            reason=row["error_message"],
        )
    if row["status"] == "pending" and row["quiet_until"] is not None:
        moment = moment_text(row["quiet_until"])
        return say(
            language, "Approved: it is sent to {recipient} at {moment}.", recipient=recipient, moment=moment
        )
    return say(language, "Approved: it is sent to {recipient}.", recipient=recipient)


def decided_text(language: Language, row: Row) -> str:
    """Return the text for a person who decides too late; `row` is the approval."""
    if row["decision"] in (None, "expired"):
        return say(
            language,
            "Nothing was changed: its time was over at {moment}.",
            moment=moment_text(row["expires_at"]),
        )
    approved = noop("Nothing was changed: it was approved by {name} at {moment} ({reason}).")
    denied = noop("Nothing was changed: it was denied by {name} at {moment} ({reason}).")
    text = approved if row["decision"] == "approved" else denied
    return say(
        language,
        text,
        name=row["decided_by"],
        moment=moment_text(row["decided_at"]),
        reason=row["reason"],
    )


def recipient_of(language: Language, person: str | None, channel: str, identity: str | None) -> str:
    """Return the recipient as text: the person, if known, and the address."""
    where = (
        say(language, "{address} on {channel}", address=identity, channel=channel) if identity else channel
    )
    return f"{person} ({where})" if person else where


def ask_text(
    language: Language,
    *,
    origin: str,
    recipient: str,
    subject: str | None,
    message: str,
    expires_at: datetime,
    delivery_id: UUID,
    by_mail: bool,
    files: Sequence[str] = (),
) -> str:
    """Return the question: who says what to whom, the `files` (a line each), the deadline, and how to decide.

    `by_mail` tells whether the question goes by mail.
    """
    head = say(language, "{butler} wants to write to {recipient}:", butler=origin, recipient=recipient)
    about = say(language, "Subject: {subject}", subject=subject) + "\n" if subject else ""
    how = say(
        language,
        "It is not sent unless somebody approves before {moment}: {approve} or {deny}",
        moment=moment_text(expires_at),
        approve=f"butlers approve {delivery_id}",
        deny=f"butlers deny {delivery_id}",
    )
    if by_mail:
        how += "\n" + say(language, 'Or answer this mail: "yes" or "no" alone in its first line decides.')
    whole = "\n".join((preview_of(message, _PREVIEW_CHARS, language), *files))
    return f"{head}\n\n{about}{whole}\n\n{how}"


def digest_subject(language: Language, total: int) -> str:
    """Return the subject of a mail about many questions."""
    return say(language, "{number} more messages for your approval", number=total)


def digest_text(language: Language, lines: Sequence[tuple[str, str]], *, total: int, since: datetime) -> str:
    """Return one message for many questions: a line for each, with its key, and where to decide them."""
    head = noop(
        "{number} more messages wait for an approval since {time} UTC. They have no buttons here: decide on the page "
        "{page} or with the commands."
    )
    told = [say(language, head, number=total, time=f"{since:%H:%M}", page="/approvals")]
    told += [f"- {line} butlers approve {key.split(':')[1]}" for key, line in lines]
    if total > len(lines):
        left = total - len(lines)
        told.append(say(language, "and {number} more: {command}", number=left, command="butlers approvals"))
    return "\n".join(told)


def preview_of(text: str, most: int, language: Language = "en") -> str:
    """The text, or its first characters and how many more there are."""
    left = len(text) - most
    if left <= 0:
        return text
    return say(language, "{text}… ({number} more characters)", text=text[:most], number=left)


def moment_text(moment: datetime) -> str:
    """Return a moment as written in sentences."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"
