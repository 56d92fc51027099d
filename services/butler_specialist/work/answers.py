"""PURE: where a session's answer goes, and how (D19, D20, D22, MSG-6).

Invariant: the sender is only answered where the reply policy is `allow`; the same work always gives the same notify
requests, so a repeat is recognised by its content.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Any, Final, cast, get_args

from butler_contracts.context import RequestContext
from butler_contracts.errors import ErrorDetail
from butler_contracts.ingest import SourceChannel
from butler_contracts.language import Language
from butler_contracts.notify import DeliveryChannel, Format, NotifyDelivery, NotifyRequestV1
from butler_contracts.route import (
    RouteEnvelopeV1,
    RouteResponseContext,
    RouteResponseV1,
    RouteTiming,
)
from butler_contracts.text import plain_line
from butler_kit.markup import Words, said, together
from butler_specialist.locale import noop, say
from butler_specialist.store.model import (
    Abandoned,
    Outcome,
    Question,
    RecordChange,
    RecordDraft,
    RoutedWork,
    Telling,
)
from butler_specialist.work.tellings import reported

__all__ = ["ANSWERED_IN_RESULT", "abandoned_response", "failed", "succeeded", "terminal_response"]

ANSWERED_IN_RESULT: Final = frozenset({SourceChannel.API, SourceChannel.MCP})
"""Channels on which the answer is the result itself (D19)."""
_SUBJECT_CHARS: Final = 90
_MESSAGE_CHARS: Final = 16_000
_NAME_CHARS: Final = 60
_CUT: Final = noop("{answer} … (this answer is cut; what was noted is whole)")

_DELIVERED: Final[frozenset[str]] = frozenset(get_args(DeliveryChannel))
"""Channels on which Messenger can be asked to deliver."""
_WITH_SUBJECT: Final = frozenset({"email"})
_FROM: Final = {
    SourceChannel.EMAIL: noop("A message by e-mail from {who}"),
    SourceChannel.TELEGRAM: noop("A message on Telegram from {who}"),
    SourceChannel.API: noop("A message from {who}"),
    SourceChannel.MCP: noop("A message from {who}"),
}
_FROM_ANYWHERE: Final = noop("A message by {channel} from {who}")
_UNNAMED: Final = noop("{message} (not confirmed as one of your contacts)")
_NAMED: Final = noop("{message}, who goes by “{name}” (not confirmed as one of your contacts)")
_TO_ADD: Final = noop("To make them a member: {command} (on a cluster, the Secret of your contacts).")
_NO_PROOF: Final = noop("If they already are one, this mail did not prove that it is theirs.")
_NO_QUOTES: Final = str.maketrans("“”", "''")
_OWNER_CHANNELS: Final[tuple[DeliveryChannel, ...]] = ("telegram", "email")


def failed(error: ErrorDetail, *, tags: tuple[str, ...] = ()) -> Outcome:
    """Return the outcome of work that could not be done; Switchboard tells the sender (SWB-08)."""
    return Outcome(error=error, tags=tags)


def succeeded(
    envelope: RouteEnvelopeV1,
    *,
    answer: str,
    records: tuple[RecordDraft, ...],
    own_name: str,
    language: Language,
    sender: str | None = None,
    changes: tuple[RecordChange, ...] = (),
    question: Question | None = None,
    format: Format = "plain",
    urgent: bool = False,
) -> Outcome:
    """Return the outcome of a session: `answer`, in this format, goes where the request's reply policy allows.

    `language` is that of the answer, and of what the owner reads beside it. `sender` is the name of the contact who
    wrote; an `urgent` answer does not wait for others (docs/adr/0104).
    """
    context = envelope.request_context
    counts: dict[str, Any] = {"records": len(records)} | ({"changes": len(changes)} if changes else {})
    if question is not None and question.shown in (None, "open"):
        counts["asks"] = True
    kept = Outcome(result=counts, records=records, changes=changes, question=question)
    told = Words(_bounded(answer, language), format)
    if context.reply_policy == "none":
        return kept
    if context.reply_policy == "allow" and context.source_channel in ANSWERED_IN_RESULT:
        return replace(kept, result={**counts, "reply": said(*told)})
    if context.reply_policy == "allow" and context.source_channel in _DELIVERED:
        return replace(kept, notify=_reply(envelope, told, own_name, urgent=urgent))
    # An answer that may not or cannot go back to where the message came from goes to the owner.
    about = _about(context, sender, language)
    whole = _told(about, told, _how_to_add(context, language))
    first, second = (_to_owner(envelope, whole, own_name, channel, about) for channel in _OWNER_CHANNELS)
    return replace(kept, notify=first, fallback=second)


def terminal_response(work: RoutedWork) -> RouteResponseV1:
    """Return the `route_response.v1` of work whose outcome is known (SWB-15.3)."""
    result = dict(work.result or {})
    if work.booking and "reply" in result:
        result["reply"] = f"{result['reply']} {work.booking}"
    if work.tellings:
        result["told"] = [_outcome_of(one) for one in work.tellings]
        if "reply" in result:
            result["reply"] = f"{result['reply']}\n\n{reported(work.tellings)}"
    if work.notify_response is not None:
        result["notified"] = work.notify_response
    return RouteResponseV1(
        request_context=RouteResponseContext(request_id=work.request_id),
        subrequest_id=work.subrequest_id,
        status="ok" if work.error is None else "error",
        result=result if work.error is None else None,
        error=work.error,
        timing=RouteTiming(duration_ms=work.duration_ms),
    )


def _outcome_of(telling: Telling) -> dict[str, Any]:
    """Return what became of a message to somebody else, without its words."""
    return {"name": telling.name, **(telling.response or {})}


def abandoned_response(abandoned: Abandoned) -> RouteResponseV1:
    """Return the `route_response.v1` of work that nobody could do, without reading the envelope."""
    lasted = abandoned.outcome_at - abandoned.started_at
    return RouteResponseV1(
        request_context=RouteResponseContext(request_id=abandoned.request_id),
        subrequest_id=abandoned.subrequest_id,
        status="error",
        error=abandoned.error,
        timing=RouteTiming(duration_ms=max(0.0, lasted.total_seconds() * 1000)),
    )


def _reply(envelope: RouteEnvelopeV1, answer: Words, own_name: str, *, urgent: bool) -> NotifyRequestV1:
    context = envelope.request_context
    channel = cast(DeliveryChannel, context.source_channel.value)
    delivery = NotifyDelivery(
        intent="reply",
        channel=channel,
        message=answer.text,
        format=answer.format,
        urgency="high" if urgent else "normal",
        idempotency_key=_key(envelope),
    )
    return NotifyRequestV1(origin_butler=own_name, delivery=delivery, request_context=context)


def _to_owner(
    envelope: RouteEnvelopeV1, told: Words, own_name: str, channel: DeliveryChannel, about: str
) -> NotifyRequestV1:
    delivery = NotifyDelivery(
        intent="send",
        channel=channel,
        message=told.text,
        format=told.format,
        subject=plain_line(about, most=_SUBJECT_CHARS) if channel in _WITH_SUBJECT else None,
        idempotency_key=_key(envelope),
    )
    # The notify has the sender's name in its words.
    known = envelope.request_context.model_copy(update={"source_sender_name": None})
    return NotifyRequestV1(origin_butler=own_name, delivery=delivery, request_context=known)


def _told(about: str, answer: Words, how: str) -> Words:
    """Return the answer below its subject and above the hint; a plain answer starts on the subject's line."""
    if answer.format == "plain":
        return Words("\n".join(filter(None, (f"{about}: {answer.text}", how))))
    return together([Words(f"{about}:"), answer, *([Words(how)] if how else ())])


def _about(context: RequestContext, sender: str | None, language: Language) -> str:
    who = context.source_sender_identity
    household = context.sender_class == "household"
    text = _FROM.get(context.source_channel, _FROM_ANYWHERE)
    by = (sender or who) if household else who
    message = say(language, text, who=by, channel=context.source_channel.value)
    if household:
        return message
    name = context.source_sender_name
    if not name:
        return say(language, _UNNAMED, message=message)
    return say(language, _NAMED, message=message, name=name.translate(_NO_QUOTES))


def _how_to_add(context: RequestContext, language: Language) -> str:
    """Return how the owner lets a stranger be answered; a mail may use a contact's name and prove nothing."""
    channel = context.source_channel
    if context.sender_class == "household" or context.automatic or channel not in _OWNER_CHANNELS:
        return ""
    name, who = _as_a_name(context.source_sender_name or ""), context.source_sender_identity
    command = shlex.join(("butlers", "contacts", "add", name, f"--{channel.value}", who))
    proof = say(language, _NO_PROOF) if channel is SourceChannel.EMAIL else ""
    return f"{say(language, _TO_ADD, command=command)} {proof}".strip()


def _as_a_name(said: str) -> str:
    """Return the name a stranger goes by as one word of a command, without any sign that means something there."""
    letters = "".join(char if char.isalnum() or char in " .-" else " " for char in said)
    return " ".join(letters.split())[:_NAME_CHARS].strip(" .-") or "NAME"


def _bounded(answer: str, language: Language) -> str:
    if len(answer) <= _MESSAGE_CHARS:
        return answer
    room = _MESSAGE_CHARS - len(say(language, _CUT, answer=""))
    return say(language, _CUT, answer=answer[:room].rstrip())


def _key(envelope: RouteEnvelopeV1) -> str:
    """Return the idempotency key: one answer per segment, whichever attempt gives it."""
    return f"answer:{envelope.subrequest.segment_id}"[:512]
