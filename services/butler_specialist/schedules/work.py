"""PURE: a due schedule as routed work without a sender (ADR 0097).

Invariant: its ids follow from butler, schedule and moment, so that queueing it a second time queues nothing.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID, uuid5

from butler_contracts.context import RequestContext
from butler_contracts.ingest import SourceChannel
from butler_contracts.route import (
    RouteEnvelopeV1,
    RouteInputV1,
    RouteLimitsV1,
    SubrequestV1,
    TargetV1,
)
from butler_kit.time import uuid7_of
from butler_specialist.schedules.decide import Due, Entry
from butler_specialist.store.scheduled import Scheduled

__all__ = ["SEGMENT", "queued"]

SEGMENT: Final = "schedule"


def queued(
    own_name: str, entry: Entry, due: Due, *, session_s: float
) -> tuple[tuple[RouteEnvelopeV1, Scheduled], ...]:
    """Return the report of what was missed, then the run; a session of it may last `session_s`."""
    moments = [(due.missed.last, due.missed.count)] if due.missed is not None else []
    moments += [(due.run, 1)] if due.run is not None else []
    return tuple(
        (
            _envelope(own_name, entry, at, session_s),
            Scheduled(entry.name, at, at + entry.grace, entry.to, count, entry.urgency),
        )
        for at, count in moments
    )


def _envelope(own_name: str, entry: Entry, due_at: datetime, session_s: float) -> RouteEnvelopeV1:
    source = f"schedule:{entry.name}"
    request_id = uuid7_of(due_at, f"{own_name}:{source}")
    return RouteEnvelopeV1(
        request_context=RequestContext(
            request_id=request_id,
            received_at=due_at,
            source_channel=SourceChannel.MCP,
            source_endpoint_identity=own_name,
            source_sender_identity=source,
        ),
        subrequest=SubrequestV1(subrequest_id=_subrequest_id(request_id), segment_id=SEGMENT),
        target=TargetV1(butler=own_name),
        input=RouteInputV1(prompt=entry.prompt),
        limits=RouteLimitsV1(route_timeout_s=session_s),
    )


def _subrequest_id(request_id: UUID) -> UUID:
    return uuid5(request_id, SEGMENT)
