"""PURE: the topics that are limited, and their texts (D22, D64, docs/adr/0021).

Invariant: a text by somebody outside the household, or of an answer to somebody else, is never longer than a line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from butler_contracts.actions import ActionV1, Remedy, RemedyPressed
from butler_contracts.language import Language
from butler_contracts.notify import NotifyRequestV1
from butler_messenger.approvals import words as approvals
from butler_messenger.locale import noop, say
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
    "remedies",
    "remedy_text",
    "topic_of",
    "uncertain_key",
    "uncertain_of",
    "uncertain_subject",
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
_LABELS: Final[dict[Remedy, str]] = {"resend": noop("Send it again"), "arrived": noop("It arrived")}


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


def uncertain_of(key: str) -> UUID | None:
    """The delivery of `uncertain_key`; None for any other key."""
    try:
        return UUID(key.removeprefix(_UNCERTAIN_KEY)) if key.startswith(_UNCERTAIN_KEY) else None
    except ValueError:
        return None


def remedies(language: Language, note_id: UUID) -> tuple[ActionV1, ...]:
    """Return the buttons under the note with this id."""
    return tuple(
        ActionV1(id=RemedyPressed(remedy, note_id).action, label=say(language, label))
        for remedy, label in _LABELS.items()
    )


def remedy_text(language: Language, remedy: Remedy) -> str:
    """Return the text for the owner who pressed."""
    sent, kept = noop("It is sent again."), noop("Noted: it arrived, and is not sent again.")
    said = sent if remedy == "resend" else kept
    return say(language, said)


def uncertain_subject(language: Language) -> str:
    """Return the subject of the note about an uncertain delivery."""
    return say(language, "A message may not have arrived")


def uncertain_text(
    language: Language,
    *,
    origin: str,
    channel: str,
    person: str | None,
    delivery_id: UUID,
    problem: str | None,
) -> str:
    """Return the text for the owner: whose answer to whom may be lost, why, and two commands to settle it."""
    head = (
        noop("A message of {butler} to {person} on {channel} may not have arrived: {problem}")
        if person
        else noop("A message of {butler} on {channel} may not have arrived: {problem}")
    )
    why = _line(problem, 300) if problem else say(language, "nobody knows why")
    told = [
        say(language, head, butler=origin, person=person, channel=channel, problem=why),
        say(language, "If it is not there, send it again: {command}", command=_again(str(delivery_id))),
        say(
            language,
            "If it is there: {command}",
            command=f'butlers discard {delivery_id} --reason "it arrived"',
        ),
    ]
    return "\n".join(told)


def digest_subject(topic: str, total: int, language: Language) -> str:
    """Return the subject of a digest by mail, in the reader's language."""
    if topic == APPROVALS:
        return approvals.digest_subject(language, total)
    if topic == SUPPRESSIONS:
        return suppressions.digest_subject(language, total)
    uncertain, outside = noop("{number} more uncertain messages"), noop("{number} more messages from outside")
    return say(language, uncertain if topic == UNCERTAIN else outside, number=total)


def digest_text(
    topic: str,
    named: Sequence[Collected],
    *,
    by_origin: Mapping[str, int],
    since: datetime,
    language: Language,
) -> str:
    """Return one message for many: how many, of whom, and a line for each of the first."""
    total = sum(by_origin.values())
    if topic == APPROVALS:
        asked = [(one.idempotency_key, _line(one.message.splitlines()[0])) for one in named]
        return approvals.digest_text(language, asked, total=total, since=since)
    if topic == SUPPRESSIONS:
        told = [_line(one.message.splitlines()[0], 300) for one in named]
        return suppressions.digest_text(language, told, total=total, since=since)
    lines = [_head(topic, language, by_origin, since), *(_named(topic, one, language) for one in named)]
    if total > len(named):
        left, where = total - len(named), f"butlers {_where(topic, since)}"
        lines.append(say(language, "and {number} more: {command}", number=left, command=where))
    return "\n".join(lines)


def _head(topic: str, language: Language, by_origin: Mapping[str, int], since: datetime) -> str:
    total, time = sum(by_origin.values()), f"{since:%H:%M}"
    if topic == UNCERTAIN:
        text = noop("{number} more messages may not have arrived since {time} UTC.")
        return say(language, text, number=total, time=time)
    return say(
        language,
        "{number} more messages came from outside the household since {time} UTC. They were for {counts}.",
        number=total,
        time=time,
        counts=", ".join(f"{butler} {many}" for butler, many in sorted(by_origin.items())),
    )


def _named(topic: str, one: Collected, language: Language) -> str:
    if topic == UNCERTAIN:
        own_id = one.idempotency_key.removeprefix(_UNCERTAIN_KEY)
        return f"- {_line(one.message.splitlines()[0])} {_again(own_id)}"
    request = say(language, "request {request}", request=one.request_id)
    return f"- {one.origin_butler}: {_line(one.message)} ({request})"


def _where(topic: str, since: datetime) -> str:
    if topic == UNCERTAIN:
        return "deliveries --status uncertain"
    return f"deliveries --since {since:%Y-%m-%dT%H:%M:%SZ}"


def _again(delivery_id: str) -> str:
    return f'butlers replay {delivery_id} --reason "it is not there" --resend-uncertain'


def _line(text: str, most: int = _LINE_CHARS) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"
