"""Builds the `route.v1` envelope of one branch (pure; SWB-15.2, SWB-23.3, SWB-01.4)."""

from __future__ import annotations

from typing import Final

from butler_contracts.errors import ValidationFailed
from butler_contracts.ingest import IngestAttachment
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

__all__ = ["moment_is_unknown", "route_envelope"]

_UNKNOWN_MOMENT: Final = "request_context.observed_at: is not a known field"
"""How the release before refuses it."""


def route_envelope(
    state: RequestState, plan: Plan, subroute: Subroute, timeouts: Timeouts
) -> RouteEnvelopeV1:
    """The envelope to send: the root context with the message's moment, the branch's own prompt, its clocks."""
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
            context=RouteContextV1(attachments=attachments) if attachments else None,
        ),
        limits=RouteLimitsV1(
            max_queue_wait_s=queue_wait_s(context.source_channel, context.policy_tier),
            route_timeout_s=timeouts.run_s,
        ),
        trace_context=context.trace_context,
    )


def moment_is_unknown(envelope: RouteEnvelopeV1, refusal: ValidationFailed) -> bool:
    """Whether the target refused the envelope only because it does not know `observed_at` yet."""
    return envelope.request_context.observed_at is not None and _UNKNOWN_MOMENT in refusal.message
