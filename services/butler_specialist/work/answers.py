"""PURE: to whom a session's answer goes, and how (D19, D20, D22, MSG-6).

Invariant: the sender is only answered where the reply policy says `allow`; the same work always gives the same
notifies, so a repeat is known by its content.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, cast, get_args

from butler_contracts.context import RequestContext
from butler_contracts.errors import ErrorDetail
from butler_contracts.ingest import SourceChannel
from butler_contracts.notify import DeliveryChannel, Format, NotifyDelivery, NotifyRequestV1
from butler_contracts.route import (
    RouteEnvelopeV1,
    RouteResponseContext,
    RouteResponseV1,
    RouteTiming,
)
from butler_contracts.text import plain_line
from butler_kit.markup import Words, said, together
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
"""Channels whose answer is the result itself (D19)."""
_SUBJECT_CHARS: Final = 90
_MESSAGE_CHARS: Final = 16_000
_CUT: Final = " … (this answer is cut; what was noted is whole)"

_DELIVERED: Final[frozenset[str]] = frozenset(get_args(DeliveryChannel))
"""Channels on which Messenger may be asked to speak."""
_WITH_SUBJECT: Final = frozenset({"email"})
_BY: Final = {
    SourceChannel.EMAIL: "by e-mail ",
    SourceChannel.TELEGRAM: "on Telegram ",
    SourceChannel.API: "",
    SourceChannel.MCP: "",
}
_NO_QUOTES: Final = str.maketrans("“”", "''")
_OWNER_CHANNELS: Final[tuple[DeliveryChannel, ...]] = ("telegram", "email")


def failed(error: ErrorDetail, *, tags: tuple[str, ...] = ()) -> Outcome:
    """The outcome of work that could not be done; Switchboard tells the sender (SWB-08)."""
    return Outcome(error=error, tags=tags)


def succeeded(
    envelope: RouteEnvelopeV1,
    *,
    answer: str,
    records: tuple[RecordDraft, ...],
    own_name: str,
    sender: str | None = None,
    changes: tuple[RecordChange, ...] = (),
    question: Question | None = None,
    format: Format = "plain",
    urgent: bool = False,
) -> Outcome:
    """The outcome of a session: `answer`, of this format, goes where the reply policy of the request lets it.

    `sender` is the name of the contact who wrote; an `urgent` answer waits for no other (docs/adr/0104).
    """
    context = envelope.request_context
    counts = {"records": len(records)} | ({"changes": len(changes)} if changes else {})
    kept = Outcome(result=counts, records=records, changes=changes, question=question)
    told = Words(_bounded(answer), format)
    if context.reply_policy == "none":
        return kept
    if context.reply_policy == "allow" and context.source_channel in ANSWERED_IN_RESULT:
        return replace(kept, result={**counts, "reply": said(*told)})
    if context.reply_policy == "allow" and context.source_channel in _DELIVERED:
        return replace(kept, notify=_reply(envelope, told, own_name, urgent=urgent))
    # What nobody may or can answer where it came from is told to the owner.
    first, second = (_to_owner(envelope, told, own_name, channel, sender) for channel in _OWNER_CHANNELS)
    return replace(kept, notify=first, fallback=second)


def terminal_response(work: RoutedWork) -> RouteResponseV1:
    """The `route_response.v1` of work whose outcome is known (SWB-15.3)."""
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
    """Of somebody who was told something: what became of it, and not the words."""
    return {"name": telling.name, **(telling.response or {})}


def abandoned_response(abandoned: Abandoned) -> RouteResponseV1:
    """The `route_response.v1` of work that nobody could do, made of what needs no reading of it."""
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
    envelope: RouteEnvelopeV1, answer: Words, own_name: str, channel: DeliveryChannel, sender: str | None
) -> NotifyRequestV1:
    context = envelope.request_context
    about = _about(context, sender)
    told = _told(about, answer, _how_to_add(context))
    delivery = NotifyDelivery(
        intent="send",
        channel=channel,
        message=told.text,
        format=told.format,
        subject=plain_line(about, most=_SUBJECT_CHARS) if channel in _WITH_SUBJECT else None,
        idempotency_key=_key(envelope),
    )
    known = context.model_copy(update={"source_sender_name": None})  # the notify has it in its words
    return NotifyRequestV1(origin_butler=own_name, delivery=delivery, request_context=known)


def _told(about: str, answer: Words, how: str) -> Words:
    """The answer, below what it is about and above what else can be done; one that is plain begins in the same line."""
    if answer.format == "plain":
        return Words("\n".join(filter(None, (f"{about}: {answer.text}", how))))
    return together([Words(f"{about}:"), answer, *([Words(how)] if how else ())])


def _about(context: RequestContext, sender: str | None) -> str:
    channel = context.source_channel
    by = _BY.get(channel, f"by {channel} ")
    who = context.source_sender_identity
    if context.sender_class == "household":
        return f"A message {by}from {sender or who}"
    name = context.source_sender_name
    called = f", who goes by “{name.translate(_NO_QUOTES)}”" if name else ""
    return f"A message {by}from {who}{called} (not confirmed as one of your contacts)"


def _how_to_add(context: RequestContext) -> str:
    """What the owner does to have a stranger answered; a mail may be in the name of a contact and prove nothing."""
    channel = context.source_channel
    if context.sender_class == "household" or context.automatic or channel not in _OWNER_CHANNELS:
        return ""
    proof = " (if it is there, this mail did not prove that it is theirs)" if channel == "email" else ""
    return f"To make them a member, add {channel} {context.source_sender_identity} to your contacts{proof}."


def _bounded(answer: str) -> str:
    if len(answer) <= _MESSAGE_CHARS:
        return answer
    return f"{answer[: _MESSAGE_CHARS - len(_CUT)].rstrip()}{_CUT}"


def _key(envelope: RouteEnvelopeV1) -> str:
    """One answer for a segment, whichever attempt gives it."""
    return f"answer:{envelope.subrequest.segment_id}"[:512]
