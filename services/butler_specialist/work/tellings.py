"""PURE: messages passed on to other members: as a session's call, as a request to Messenger, and in the answer.

Invariant: the same work always gives the same requests and the same answer, so a repeat is recognised by its key
and content.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import ValidationFailed
from butler_contracts.language import Language
from butler_contracts.notify import NotifyDelivery, NotifyRequestV1
from butler_contracts.text import plain_line
from butler_kit.markup import Words, together
from butler_kit.wording.language import language_of
from butler_specialist.locale import noop, say
from butler_specialist.people.neighbours import Neighbour
from butler_specialist.store.model import RoutedWork, Telling, TellingDraft

__all__ = [
    "ASIDE_SCHEMA",
    "MOST_TELLINGS",
    "TELL_SCHEMA",
    "aside_of",
    "reported",
    "tell_args",
    "tell_of",
    "tellings_of",
    "with_report",
    "with_words",
]

MOST_TELLINGS: Final = 3
"""The most people that one message may pass something on to."""
_WORDS: Final = 2_000
_SUBJECT_CHARS: Final = 90
TELL_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["contact_id", "words"],
    "additionalProperties": False,
    "properties": {
        "contact_id": {"type": "string", "format": "uuid"},
        "words": {"type": "string", "minLength": 1, "maxLength": _WORDS},
    },
}


ASIDE_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["text"],
    "additionalProperties": False,
    "properties": {"text": {"type": "string", "minLength": 1, "maxLength": 65_536}},
}
_ASIDE_CHARS: Final = 16_000
_TOLD_APART: Final = noop("I have told you in our own chat.")
_ASK_APART: Final = noop("Ask me in our own chat.")


def tell_args(telling: TellingDraft) -> dict[str, Any]:
    """Return the arguments of a `tell` call."""
    return {"contact_id": str(telling.contact_id), "words": telling.words}


def tell_of(args: Mapping[str, Any]) -> TellingDraft:
    """Return the telling of accepted arguments. Raises `ValidationFailed`."""
    try:
        return TellingDraft(UUID(args["contact_id"]), args["words"])
    except ValueError as error:
        raise ValidationFailed(f"tell: {error}") from error


def tellings_of(
    work: RoutedWork,
    drafts: Sequence[TellingDraft],
    others: Sequence[Neighbour],
    *,
    own_name: str,
    usual: Language,
) -> tuple[Telling, ...]:
    """Return the tellings, each in its recipient's language.

    Raises `ValidationFailed` for one who may not be told.
    """
    if len(drafts) > MOST_TELLINGS:
        raise ValidationFailed(f"tell: {len(drafts)} people; at most {MOST_TELLINGS}")
    known = {one.contact_id: one for one in others}
    language = language_of(work.envelope.input.prompt, usual)
    found = []
    for number, draft in enumerate(drafts):
        to = known.get(draft.contact_id)
        if to is None:
            raise ValidationFailed(f"tell: {draft.contact_id} may not be told anything")
        delivery = _delivery(work, number, draft.words, to)
        request = NotifyRequestV1(origin_butler=own_name, delivery=delivery)
        found.append(Telling(to.name, draft.words, language, request))
    return tuple(found)


def aside_of(work: RoutedWork, text: str, me: Neighbour | None, *, own_name: str) -> tuple[Telling, ...]:
    """Return the message to the sender in their own chat that is not said in the group.

    Urgent, for they wait.
    """
    if not text or me is None or me.channel is None:
        return ()
    delivery = NotifyDelivery(
        intent="send",
        channel=me.channel,
        message=text[:_ASIDE_CHARS],
        contact_id=str(me.contact_id),
        subject=plain_line(text, most=_SUBJECT_CHARS) if me.channel == "email" else None,
        idempotency_key=f"aside:{work.request_id}:{work.envelope.subrequest.segment_id}"[:512],
        urgency="high",
    )
    request = NotifyRequestV1(origin_butler=own_name, delivery=delivery)
    return (Telling(me.name, "", language_of(work.envelope.input.prompt, me.language), request, aside=True),)


def _delivery(work: RoutedWork, number: int, words: str, to: Neighbour) -> NotifyDelivery:
    if to.channel is None or work.contact_name is None:
        raise ValidationFailed(f"tell: {to.contact_id} cannot be told anything")
    said = say(to.language, "{name} lets you know: {words}", name=work.contact_name, words=f"“{words}”")
    return NotifyDelivery(
        intent="send",
        channel=to.channel,
        message=said,
        contact_id=str(to.contact_id),
        subject=plain_line(said, most=_SUBJECT_CHARS) if to.channel == "email" else None,
        idempotency_key=f"telling:{work.request_id}:{work.envelope.subrequest.segment_id}:{number}"[:512],
    )


def reported(tellings: Sequence[Telling]) -> str:
    """Return what the sender reads about who was told and who was not; empty where there are none."""
    return "\n".join(_line(telling) for telling in tellings)


def with_report(request: NotifyRequestV1, tellings: Sequence[Telling]) -> NotifyRequestV1:
    """Return the answer with the outcome of the tellings."""
    return with_words(request, reported(tellings)) if tellings else request


def with_words(request: NotifyRequestV1, more: str) -> NotifyRequestV1:
    """Return the answer with plain words below it, in its own format where that can hold both."""
    delivery = request.delivery
    told = together([Words(delivery.message or "", delivery.format), Words(more)])
    changed = delivery.model_copy(update={"message": told.text, "format": told.format})
    return request.model_copy(update={"delivery": changed})


def _line(telling: Telling) -> str:
    if telling.aside:
        return say(telling.language, _TOLD_APART if _reached_now(telling) else _ASK_APART)
    said = {"name": telling.name, "words": f"“{telling.words}”"}
    if _reached(telling):
        return say(telling.language, "Told {name}: {words}", **said)
    return say(telling.language, "{name} could not be told this: {words}", **said)


def _reached(telling: Telling) -> bool:
    response = telling.response or {}
    return response.get("status") == "ok" and response.get("state") != "pending_missing_identifier"


def _reached_now(telling: Telling) -> bool:
    """Return whether it was delivered and waits for nobody's approval."""
    return _reached(telling) and (telling.response or {}).get("state") != "pending_approval"
