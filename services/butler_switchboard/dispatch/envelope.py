"""Builds the `route.v1` envelope of one branch (pure; SWB-15.2, SWB-23.3, SWB-01.4)."""

from __future__ import annotations

from typing import Final

from butler_contracts.errors import ValidationFailed
from butler_contracts.ingest import IngestAttachment
from butler_contracts.people import PeopleV1
from butler_contracts.route import (
    RouteContextV1,
    RouteEnvelopeV1,
    RouteInputV1,
    RouteLimitsV1,
    SegmentV1,
    SubrequestV1,
    TargetV1,
)
from butler_contracts.stored import stored
from butler_switchboard.dispatch.clocks import Timeouts, queue_wait_s
from butler_switchboard.dispatch.model import Plan, RequestState, Subroute

__all__ = ["route_envelope", "without_unknown"]

_UNKNOWN_MOMENT: Final = "request_context.observed_at: is not a known field"
_UNKNOWN_PEOPLE: Final = "input.context.people: is not a known field"
"""How earlier releases refuse them."""


def route_envelope(
    state: RequestState, plan: Plan, subroute: Subroute, timeouts: Timeouts, *, people: PeopleV1 | None = None
) -> RouteEnvelopeV1:
    """The envelope to send: the root context with the message's moment, the branch's own prompt, its clocks.

    `people` are the household's, where the message is a member's.
    """
    target = plan.target_at(subroute.position)
    context = state.message.dated_context
    attachments = tuple(stored(IngestAttachment, item) for item in state.message.attachments)
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
            context=RouteContextV1(attachments=attachments, people=people) if attachments or people else None,
        ),
        limits=RouteLimitsV1(
            max_queue_wait_s=queue_wait_s(context.source_channel, context.policy_tier),
            route_timeout_s=timeouts.run_s,
        ),
        trace_context=context.trace_context,
    )


def without_unknown(envelope: RouteEnvelopeV1, refusal: ValidationFailed) -> RouteEnvelopeV1 | None:
    """What is left to send to a target that refused fields which it does not know yet; None for another refusal."""
    left = envelope
    if _UNKNOWN_MOMENT in refusal.message:
        left = left.undated()
    if _UNKNOWN_PEOPLE in refusal.message:
        left = left.unpeopled()
    return None if left == envelope else left
