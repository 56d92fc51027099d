"""PURE: the topics that are limited, and their texts (D22, D64, docs/adr/0021).

Invariant: a text by somebody outside the household, or of an answer to somebody else, is never longer than a line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from butler_contracts.language import Language
from butler_contracts.notify import NotifyRequestV1
from butler_messenger.approvals import words as approvals
from butler_messenger.suppressions import words as suppressions

__all__ = [
    "APPROVALS",
    "NAMED",
    "STRANGERS",
    "SUPPRESSIONS",
    "UNCERTAIN",
    "Bounds",
    "Collected",
    "digest_subject",
    "digest_text",
    "topic_of",
    "uncertain_key",
    "uncertain_text",
]

STRANGERS: Final = "strangers"
UNCERTAIN: Final = "uncertain"
APPROVALS: Final = "approvals"
SUPPRESSIONS: Final = "suppressions"
NAMED: Final = 20
"""How many messages of a digest are listed one by one; the others are counted."""
_LINE_CHARS: Final = 100
_UNCERTAIN_KEY: Final = "uncertain:"


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many messages of a topic go to a person at once within a window of `window_s` seconds."""

    at_once: int
    window_s: float


@dataclass(frozen=True, slots=True)
class Collected:
    """One message in a digest."""

    origin_butler: str
    request_id: UUID | None
    idempotency_key: str
    created_at: datetime
    message: str


def topic_of(notify: NotifyRequestV1) -> str | None:
    """Return `strangers` for a notify about a message that is not answered; None if it is not limited."""
    context = notify.request_context
    told = notify.delivery.intent == "send" and context is not None and context.reply_policy != "allow"
    return STRANGERS if told else None


def uncertain_key(delivery_id: UUID) -> str:
    """The idempotency key of the note about an uncertain delivery."""
    return f"{_UNCERTAIN_KEY}{delivery_id}"


def uncertain_text(
    *, origin: str, channel: str, person: str | None, delivery_id: UUID, problem: str | None
) -> str:
    """Return the text for the owner: whose answer to whom may be lost, why, and two commands to settle it."""
    to = f"to {person} on {channel}" if person else f"on {channel}"
    return (
        f"A message of {origin} {to} may not have arrived: {_line(problem or 'nobody knows', 300)}\n"
        f"If it is not there, send it again: {_again(str(delivery_id))}\n"
        f'If it is there: butlers discard {delivery_id} --reason "it arrived"'
    )


def digest_subject(topic: str, total: int, language: Language = "en") -> str:
    """Return the subject of a digest by mail; `language` is the reader's, not used for every topic yet."""
    if topic == APPROVALS:
        return approvals.digest_subject(language, total)
    if topic == SUPPRESSIONS:
        return suppressions.digest_subject(language, total)
    return f"{total} more {'uncertain messages' if topic == UNCERTAIN else 'messages from outside'}"


def digest_text(
    topic: str,
    named: Sequence[Collected],
    *,
    by_origin: Mapping[str, int],
    since: datetime,
    language: Language = "en",
) -> str:
    """Return one message for many: how many, of whom, and a line for each of the first."""
    total = sum(by_origin.values())
    if topic == APPROVALS:
        asked = [(one.idempotency_key, _line(one.message.splitlines()[0])) for one in named]
        return approvals.digest_text(language, asked, total=total, since=since)
    if topic == SUPPRESSIONS:
        told = [_line(one.message.splitlines()[0], 300) for one in named]
        return suppressions.digest_text(language, told, total=total, since=since)
    uncertain = topic == UNCERTAIN
    what = "messages may not have arrived" if uncertain else "messages came from outside the household"
    lines = [f"{total} more {what} since {since:%H:%M} UTC."]
    if not uncertain:
        counts = ", ".join(f"{butler} {many}" for butler, many in sorted(by_origin.items()))
        lines[0] += f" They were for {counts}."
    lines += [_named(topic, one) for one in named]
    if total > len(named):
        lines.append(f"and {total - len(named)} more: butlers {_where(topic, since)}")
    return "\n".join(lines)


def _named(topic: str, one: Collected) -> str:
    if topic == UNCERTAIN:
        own_id = one.idempotency_key.removeprefix(_UNCERTAIN_KEY)
        return f"- {_line(one.message.splitlines()[0])} {_again(own_id)}"
    return f"- {one.origin_butler}: {_line(one.message)} (request {one.request_id})"


def _where(topic: str, since: datetime) -> str:
    if topic == UNCERTAIN:
        return "deliveries --status uncertain"
    return f"deliveries --since {since:%Y-%m-%dT%H:%M:%SZ}"


def _again(delivery_id: str) -> str:
    return f'butlers replay {delivery_id} --reason "it is not there" --resend-uncertain'


def _line(text: str, most: int = _LINE_CHARS) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"
