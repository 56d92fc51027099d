"""Requests in any state, for tests of what is decided about them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from butler_contracts.context import RequestContext
from butler_contracts.errors import ErrorClass, ErrorDetail
from butler_contracts.ingest import SourceChannel
from butler_contracts.keys import subrequest_id
from butler_kit.time import new_uuid7, uuid7_timestamp
from butler_switchboard.dispatch.model import Plan, PlannedTarget, RequestState, Subroute, SubrouteState
from butler_switchboard.ingress.message import InboxMessage

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
REQUEST = new_uuid7(NOW)


def context(channel: str = "telegram", *, reply_policy: str = "allow", **more: Any) -> RequestContext:
    return RequestContext(
        request_id=REQUEST,
        received_at=uuid7_timestamp(REQUEST),
        source_channel=SourceChannel(channel),
        source_endpoint_identity="telegram:bot:example",
        source_sender_identity="1001",
        source_thread_identity="1001",
        source_message_identity="5",
        reply_policy=reply_policy,
        sender_class="household" if reply_policy == "allow" else "other",
        **more,
    )


def message(
    *,
    finished: datetime | None = None,
    state: str = "accepted",
    text: str = "pay the gas bill and book the flight",
    **more: Any,
) -> InboxMessage:
    return InboxMessage(
        request_id=REQUEST,
        context=context(**more),
        text=text,
        envelope={"event": {"observed_at": NOW.isoformat()}, "payload": {"raw": {}, "attachments": []}},
        external_event_id="5",
        supersedes=None,
        lifecycle_state=state,
        final_state_at=finished,
    )


def plan(*butlers: str, **more: Any) -> Plan:
    targets = tuple(
        PlannedTarget(position=n, segment_id=f"s{n}", butler=name, prompt=f"for {name}")
        for n, name in enumerate(butlers, start=1)
    )
    return Plan(
        request_id=REQUEST,
        targets=targets,
        family="rules",
        model_version="m1",
        prompt_version="p1",
        decided_by="runtime",
        confidence=0.9,
        fallback=False,
        reason="routed",
        **more,
    )


def error(error_class: str = "internal_error", *, retryable: bool = False) -> ErrorDetail:
    return ErrorDetail(
        error_class=ErrorClass(error_class), message=f"it says {error_class}", retryable=retryable
    )


def branch(position: int, target: str, state: str = "pending", *, attempt: int = 1, **more: Any) -> Subroute:
    segment = f"s{position}"
    return Subroute(
        subrequest_id=subrequest_id(REQUEST, segment, target, attempt),
        segment_id=segment,
        target=target,
        attempt=attempt,
        position=position,
        state=SubrouteState(state),
        **more,
    )


def request(committed: Plan | None, *branches: Subroute, **more: Any) -> RequestState:
    return RequestState(message=message(**more), plan=committed, subroutes=branches)


def seconds(count: float) -> timedelta:
    return timedelta(seconds=count)
