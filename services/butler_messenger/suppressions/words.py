"""PURE: the texts about suppressed recipients: to the refused sender, and to the owner in their language."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from butler_contracts.language import Language
from butler_messenger.approvals.words import moment_text, recipient_of
from butler_messenger.delivery.records import Row
from butler_messenger.locale import say

__all__ = ["digest_subject", "digest_text", "note_key", "note_text", "refusal_text", "subject_of"]

_KEY: Final = "suppression:"


def refusal_text(channel: str, row: Row) -> str:
    """Return the text for the refused sender; `row` is the suppression."""
    since, own_id = moment_text(row["created_at"]), row["suppression_id"]
    return (
        f"the recipient is suppressed on {channel} since {since} ({row['reason']}: {row['evidence']}); nothing is sent "
        f"there unasked until an operator ends that: butlers suppressions end {own_id}"
    )


def note_key(suppression_id: UUID) -> str:
    """The idempotency key of the note to the owner."""
    return f"{_KEY}{suppression_id}"


def subject_of(language: Language) -> str:
    """Return the subject of the note to the owner."""
    return say(language, "An address is not written to any more")


def note_text(language: Language, row: Row) -> str:
    """Return the note: who is not reached and why, and the command that ends it; `row` is the suppression."""
    recipient = recipient_of(language, row["person"], row["channel"], row["target_identity"])
    end = say(
        language,
        "When it is to be written to again: {command}",
        command=f"butlers suppressions end {row['suppression_id']}",
    )
    if row["reason"] == "bounced":
        head = say(
            language,
            "A message of {butler} to {recipient} came back ({evidence}). Nothing more is sent there unasked.",
            butler=row["origin_butler"],
            recipient=recipient,
            evidence=row["evidence"],
        )
    elif row["reason"] == "unsubscribed":
        head = say(
            language,
            "{recipient} unsubscribed, in answer to a mail of {butler}. Nothing more is sent there unasked.",
            butler=row["origin_butler"],
            recipient=recipient,
        )
    else:
        head = say(
            language,
            "{butler} wanted to write to {recipient}. Nothing is sent there unasked since {moment} ({evidence}).",
            butler=row["origin_butler"],
            recipient=recipient,
            moment=moment_text(row["created_at"]),
            evidence=row["evidence"],
        )
    return f"{head}\n{end}"


def digest_subject(language: Language, total: int) -> str:
    """Return the subject of a mail about many suppressions."""
    return say(language, "{number} more addresses are not written to any more", number=total)


def digest_text(language: Language, lines: Sequence[str], *, total: int, since: datetime) -> str:
    """Return one message for many: a line for each of the first, and the command that lists them all."""
    told = [
        say(
            language,
            "{number} more addresses are not written to any more since {time} UTC. All of them: {command}",
            number=total,
            time=f"{since:%H:%M}",
            command="butlers suppressions",
        )
    ]
    return "\n".join([*told, *(f"- {line}" for line in lines)])
