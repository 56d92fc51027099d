"""PURE: a request's timeline, from the provider's update to the provider's receipt."""

from __future__ import annotations

from collections.abc import Iterator

from butler_dashboard.reads.delivery_models import DeliveryDetail
from butler_dashboard.reads.request_models import (
    Notification,
    RequestLetter,
    RequestLife,
    Session,
    Subroute,
    TimelineEntry,
)

__all__ = ["timeline_of"]


def timeline_of(life: RequestLife) -> tuple[TimelineEntry, ...]:
    """Return every timed event of `life` in order; simultaneous ones keep their order along the path."""
    entries = [*_arrival(life), *(entry for session in life.sessions for entry in _session(session))]
    if life.plan is not None:
        targets = ", ".join(target.butler for target in life.plan.targets) or "nobody"
        held = f"; {life.plan.held}" if life.plan.held is not None else ""
        detail = f"{life.plan.decided_by}: {life.plan.reason}, to {targets}{held}"
        entries.append(
            TimelineEntry(at=life.plan.committed_at, part="routing", event="planned", detail=detail)
        )
    for subroute in life.subroutes:
        entries += _subroute(subroute)
    entries += [
        TimelineEntry(
            at=call.created_at,
            part="work",
            event="call_failed",
            subject=call.target_butler,
            detail=f"{call.error_class}: {call.error}",
        )
        for call in life.calls
        if not call.success
    ]
    for notification in life.notifications:
        entries += _notification(notification)
    for delivery in life.deliveries:
        entries += _delivery(delivery)
    for letter in life.dead_letters:
        entries += _letter(letter)
    entries += [
        TimelineEntry(
            at=entry.at,
            part="operation",
            event="audit",
            subject=entry.actor,
            detail=f"{entry.operation}: {entry.summary}",
        )
        for entry in life.audit
    ]
    if life.final_state_at is not None:
        entries.append(TimelineEntry(at=life.final_state_at, part="request", event=life.state))
    return tuple(sorted(entries, key=lambda entry: entry.at))


def _arrival(life: RequestLife) -> Iterator[TimelineEntry]:
    source = life.source
    if source.observed_at is not None:
        yield TimelineEntry(
            at=source.observed_at,
            part="provider",
            event="observed",
            subject=source.provider,
            detail=source.event_id,
        )
    yield TimelineEntry(
        at=life.received_at, part="request", event="accepted", subject=source.endpoint_identity
    )


def _session(session: Session) -> Iterator[TimelineEntry]:
    name = f"{session.kind} session"
    yield TimelineEntry(
        at=session.started_at, part="routing", event="session_started", subject=name, detail=session.family
    )
    if session.ended_at is not None:
        yield TimelineEntry(
            at=session.ended_at, part="routing", event="session_ended", subject=name, detail=session.status
        )


def _subroute(subroute: Subroute) -> Iterator[TimelineEntry]:
    part = f"part {subroute.segment_id}, attempt {subroute.attempt}"
    steps = (
        ("sent", subroute.first_sent_at, part),
        ("accepted_by_butler", subroute.accepted_at, part),
        ("started", subroute.started_at, part),
        (subroute.state, subroute.finished_at, subroute.error_message or part),
    )
    for event, at, detail in steps:
        if at is not None:
            yield TimelineEntry(at=at, part="work", event=event, subject=subroute.target, detail=detail)


def _notification(notification: Notification) -> Iterator[TimelineEntry]:
    what = f"{notification.intent} by {notification.channel} ({notification.purpose})"
    origin = notification.origin_butler
    yield TimelineEntry(
        at=notification.created_at, part="notify", event="notify", subject=origin, detail=what
    )


def _delivery(delivery: DeliveryDetail) -> Iterator[TimelineEntry]:
    whom = delivery.target_identity or delivery.channel
    what = f"{delivery.intent} by {delivery.channel}"
    yield TimelineEntry(at=delivery.created_at, part="delivery", event="admitted", subject=whom, detail=what)
    for attempt in delivery.attempts:
        if attempt.finished_at is not None:
            yield TimelineEntry(
                at=attempt.finished_at,
                part="delivery",
                event=f"attempt_{attempt.outcome}",
                subject=whom,
                detail=attempt.error_message or f"attempt {attempt.attempt}",
            )
    for receipt in delivery.receipts:
        yield TimelineEntry(
            at=receipt.received_at,
            part="receipt",
            event="receipt",
            subject=whom,
            detail=receipt.provider_delivery_id,
        )
    if delivery.terminal_at is not None:
        message = delivery.error.message if delivery.error else None
        yield TimelineEntry(
            at=delivery.terminal_at,
            part="delivery",
            event=f"delivery_{delivery.status}",
            subject=whom,
            detail=message,
        )


def _letter(letter: RequestLetter) -> Iterator[TimelineEntry]:
    name = str(letter.dead_letter_id)
    yield TimelineEntry(
        at=letter.created_at,
        part="operation",
        event="dead_lettered",
        subject=name,
        detail=letter.error_message,
    )
    if letter.closed_at is not None:
        yield TimelineEntry(
            at=letter.closed_at,
            part="operation",
            event=letter.state,
            subject=name,
            detail=f"{letter.closed_by}: {letter.closed_reason}",
        )
