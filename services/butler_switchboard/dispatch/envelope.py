"""Builds the `route.v1` envelope of one branch (pure; SWB-15.2, SWB-23.3, SWB-01.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from butler_contracts.errors import ValidationFailed
from butler_contracts.former import SupersedesV1
from butler_contracts.ingest import IngestAttachment
from butler_contracts.notify import LATER, without
from butler_contracts.people import PeopleV1
from butler_contracts.replied import RepliedV1
from butler_contracts.route import (
    PartResultV1,
    RouteContextV1,
    RouteEnvelopeV1,
    RouteInputV1,
    RouteLimitsV1,
    SegmentV1,
    SubrequestV1,
    TargetV1,
)
from butler_contracts.stored import stored
from butler_kit.runtime import RulesFamily
from butler_switchboard.dispatch.clocks import Timeouts, queue_wait_s
from butler_switchboard.dispatch.invitations import invitation_for
from butler_switchboard.dispatch.model import Plan, RequestState, Subroute
from butler_switchboard.dispatch.presses import pressed_action
from butler_switchboard.dispatch.reports import delivery_report
from butler_switchboard.dispatch.together import together_of
from butler_switchboard.dispatch.unsubscribing import unsubscription
from butler_switchboard.dispatch.withdrawing import planned_target
from butler_switchboard.routing.own_words import quotes

__all__ = ["route_envelope", "without_unknown"]


def _notify_without(field: str, envelope: RouteEnvelopeV1) -> RouteEnvelopeV1:
    """Return the envelope without a field of the notify's delivery."""
    inner = envelope.input.context
    if inner is None or inner.notify_request is None:
        return envelope
    inner = inner.model_copy(update={"notify_request": without(inner.notify_request, [field])})
    return envelope.model_copy(update={"input": envelope.input.model_copy(update={"context": inner})})


_WITHOUT: Final[dict[str, Callable[[RouteEnvelopeV1], RouteEnvelopeV1]]] = {
    "request_context.observed_at": RouteEnvelopeV1.undated,
    "request_context.source_subject": RouteEnvelopeV1.unheaded,
    "request_context.source_sender_name": RouteEnvelopeV1.unnamed,
    "input.context.people": RouteEnvelopeV1.unpeopled,
    "input.context.replied": RouteEnvelopeV1.unreplied,
    "input.context.together.of": RouteEnvelopeV1.alone,
    "input.context.results": RouteEnvelopeV1.without_results,
    "input.context.rewritten": RouteEnvelopeV1.unmarked,
    "input.context.invitation": RouteEnvelopeV1.uninvited,
    "input.context.lineage.alone": RouteEnvelopeV1.among_others,
    **{f"input.context.notify_request.delivery.{name}": partial(_notify_without, name) for name in LATER},
}
"""The fields that earlier releases do not know, and the envelope without each."""
_EDIT: Final = "input.context.supersedes"
_PRESS: Final = "input.context.pressed"
_NO_PRESSES: Final = "it does not know yet what was pressed; nothing was changed"
_NO_EDITS: Final = "it cannot change yet what it made of the message before the edit; that stays as it was"


def route_envelope(
    state: RequestState,
    plan: Plan,
    subroute: Subroute,
    timeouts: Timeouts,
    *,
    people: PeopleV1 | None = None,
    results: Sequence[PartResultV1] = (),
) -> RouteEnvelopeV1:
    """Return the envelope: the root context with time and a stranger's name, the branch's own prompt, its clocks.

    `people` are the household's if the message is a member's; `results` are those of the parts it waited for.
    """
    target = planned_target(state, plan, subroute)
    context = state.message.context_of_work
    written = unsubscription(state.message)
    inner = RouteContextV1(
        attachments=tuple(stored(IngestAttachment, item) for item in state.message.attachments),
        people=people,
        supersedes=stored(SupersedesV1, target.supersedes) if target.supersedes else None,
        pressed=written.action if written is not None else pressed_action(state.message),
        replied=stored(RepliedV1, target.replied) if target.replied else None,
        together=together_of(state, plan, subroute),
        results=tuple(results),
        rewritten=True if _is_rewritten(state, plan, target.prompt) else None,
        report=delivery_report(state.message),
        invitation=invitation_for(state, plan, subroute),
    )
    return RouteEnvelopeV1(
        request_context=context,
        subrequest=SubrequestV1(
            subrequest_id=subroute.subrequest_id,
            segment_id=subroute.segment_id,
            fanout_mode=plan.fanout_mode.value,
            attempt=subroute.attempt,
        ),
        target=TargetV1(butler=subroute.target),
        input=RouteInputV1(
            prompt=target.prompt,
            segment=stored(SegmentV1, target.segment) if target.segment else None,
            context=inner if inner != RouteContextV1() else None,
        ),
        limits=RouteLimitsV1(
            max_queue_wait_s=timeouts.queue_wait_s
            or queue_wait_s(context.source_channel, context.policy_tier),
            route_timeout_s=timeouts.run_s,
        ),
        trace_context=context.trace_context,
    )


def _is_rewritten(state: RequestState, plan: Plan, prompt: str) -> bool:
    """Return whether a model put anything into the prompt that the message does not say, or not there."""
    modelled = plan.decided_by == "runtime" and plan.family != RulesFamily.name
    return modelled and not quotes(prompt, state.message.subject, state.message.text)


def without_unknown(envelope: RouteEnvelopeV1, refusal: ValidationFailed) -> RouteEnvelopeV1 | None:
    """Return the envelope without the fields that the target refused as unknown; None for another refusal.

    Raises `ValidationFailed` for an edit, or a press, that the target would take for one more message.
    """
    if f"{_PRESS}: is not a known field" in refusal.message:
        raise ValidationFailed(_NO_PRESSES) from refusal
    if f"{_EDIT}: is not a known field" in refusal.message:
        raise ValidationFailed(_NO_EDITS) from refusal
    left = envelope
    for path, reduced in _WITHOUT.items():
        if f"{path}: is not a known field" in refusal.message:
            left = reduced(left)
    return None if left == envelope else left
