"""A delivery as it is stored, and what its state means to the requester (MSG-6.4, MSG-12, D19)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Protocol, Self, cast
from uuid import UUID

from butler_contracts.errors import ErrorClass, ErrorDetail
from butler_contracts.notify import (
    DeliveryChannel,
    DeliveryState,
    NotAttachedV1,
    NotifyDeliveryOutcome,
    NotifyResponseContext,
    NotifyResponseV1,
)
from butler_contracts.stored import stored
from butler_messenger.attachments.decisions import Without
from butler_messenger.delivery.outcomes import Failure
from butler_messenger.delivery.states import TERMINAL, Status

__all__ = ["Delivery", "Row", "notify_response"]

_STATES: Final[Mapping[Status, DeliveryState]] = {
    Status.PENDING: "queued",
    Status.IN_PROGRESS: "queued",
    Status.SENT: "sent",
    Status.FAILED: "failed",
    Status.DEAD_LETTERED: "failed",
    Status.UNCERTAIN: "uncertain",
    Status.PENDING_APPROVAL: "pending_approval",
    Status.PENDING_MISSING_IDENTIFIER: "pending_missing_identifier",
}


@dataclass(frozen=True, slots=True)
class _Origin:
    """The part of the requesting route that is kept with a delivery."""

    request_id: UUID | None = None
    trace_context: dict[str, str] = field(default_factory=dict)
    unmarked: bool = False


class Row(Protocol):
    """A database row by column name."""

    def __getitem__(self, key: str, /) -> Any: ...

    def keys(self) -> Iterable[str]: ...


@dataclass(frozen=True, slots=True)
class Delivery:
    """One row of `delivery_requests`; `request_id` is the household's request, `route_request_id` the route's."""

    delivery_id: UUID
    idempotency_key: str
    request_id: UUID | None
    route_request_id: UUID | None
    subrequest_id: UUID | None
    origin_butler: str
    intent: str
    channel: str
    identity_scope: str
    target_identity: str | None
    thread_identity: str | None
    reply_to: str | None
    notify_request: Mapping[str, Any]
    trace_context: Mapping[str, str]
    status: Status
    attempts_used: int
    provider_delivery_id: str | None
    failure: Failure | None
    created_at: datetime
    expires_at: datetime
    first_attempt_at: datetime | None
    terminal_at: datetime | None
    report_attempts: int
    topic: str | None = None
    collected: bool = False
    """Whether it waits for, or was part of, a digest."""
    quiet_until: datetime | None = None
    """Until when it waits for the end of quiet hours."""
    report_due: bool = False
    """Whether the end still has to be reported to Switchboard."""
    unsubscribe_token: UUID | None = None
    """The token that an unsolicited mail carries to its recipient (docs/adr/0086)."""
    not_attached: Mapping[int, Without] = field(default_factory=dict)
    """The files left out, by number (docs/adr/0103)."""
    marked: bool = True
    """Whether its text says which butler speaks (docs/adr/0126)."""

    @classmethod
    def from_row(cls, row: Row) -> Self:
        """Read a row that has the columns of `delivery_requests`. Raises `Unreadable`."""
        route = stored(_Origin, row["route_context"] or {})
        return cls(
            delivery_id=row["delivery_id"],
            idempotency_key=row["idempotency_key"],
            request_id=row["request_id"],
            route_request_id=route.request_id,
            subrequest_id=row["subrequest_id"],
            origin_butler=row["origin_butler"],
            intent=row["intent"],
            channel=row["channel"],
            identity_scope=row["identity_scope"],
            target_identity=row["target_identity"],
            thread_identity=row["thread_identity"],
            reply_to=row["reply_to"],
            notify_request=row["notify_request"],
            trace_context=route.trace_context,
            status=stored(Status, row["status"]),
            attempts_used=row["attempts_used"],
            provider_delivery_id=row["provider_delivery_id"],
            failure=_failure(row),
            created_at=row["created_at"],
            expires_at=row["expires_at"],
            first_attempt_at=row["first_attempt_at"],
            terminal_at=row["terminal_at"],
            report_attempts=row["report_attempts"],
            topic=row["topic"],
            collected=row["collected_at"] is not None,
            quiet_until=row["quiet_until"],
            report_due=row["report_due_at"] is not None,
            unsubscribe_token=row["unsubscribe_token"],
            not_attached=_without(row["not_attached"] or {}),
            marked=not route.unmarked,
        )

    @property
    def terminal(self) -> bool:
        return self.status in TERMINAL


def _without(files: Mapping[str, Any]) -> dict[int, Without]:
    return {int(number): stored(Without, one) for number, one in files.items()}


def _failure(row: Row) -> Failure | None:
    if row["error_class"] is None:
        return None
    return Failure(stored(ErrorClass, row["error_class"]), row["error_message"], row["error_retryable"])


def notify_response(delivery: Delivery) -> NotifyResponseV1:
    """The `notify_response.v1` of a delivery as it stands: `error` once it failed for good.

    `delivery_id` is Messenger's own, so it is the same before and after the provider's answer (MSG-6.4). An
    uncertain delivery is `ok` with that state: an error would invite others to say the same thing again (D41).
    """
    failed = delivery.status in (Status.FAILED, Status.DEAD_LETTERED)
    request_id = delivery.request_id
    return NotifyResponseV1(
        request_context=NotifyResponseContext(request_id=request_id) if request_id is not None else None,
        status="error" if failed else "ok",
        delivery=NotifyDeliveryOutcome(
            channel=cast(DeliveryChannel, delivery.channel),
            delivery_id=str(delivery.delivery_id),
            state=_STATES[delivery.status],
            **_place(delivery),
            not_attached=tuple(_not_attached(delivery)),
        ),
        error=_detail(delivery) if failed else None,
    )


def _place(delivery: Delivery) -> dict[str, str]:
    """Return where a sent delivery is, named as by the channel's connector (Telegram: `chat:message`)."""
    named = delivery.provider_delivery_id
    if delivery.status is not Status.SENT or named is None or delivery.intent == "react":
        return {}
    chat, _, message = named.rpartition(":")
    if delivery.channel == "telegram" and chat:
        return {"message_identity": message, "thread_identity": chat}
    return {"message_identity": named}


def _not_attached(delivery: Delivery) -> Iterator[NotAttachedV1]:
    """Yield the files left out of a sent message; for any other nothing is certain yet."""
    if delivery.status is not Status.SENT:
        return
    files = delivery.notify_request["delivery"].get("attachments") or ()
    for number, one in sorted(delivery.not_attached.items()):
        if number < len(files):
            error = {"class": one.error_class.value, "message": one.message, "retryable": False}
            yield NotAttachedV1(name=files[number]["name"], error=ErrorDetail.model_validate(error))


def _detail(delivery: Delivery) -> ErrorDetail:
    """Return the error; never retryable, since asking again under its key gives the same answer (MSG-7)."""
    failure = delivery.failure
    error_class = failure.error_class if failure is not None else ErrorClass.INTERNAL_ERROR
    message = failure.message if failure is not None else f"the delivery ended {delivery.status}"
    return ErrorDetail.model_validate({"class": error_class.value, "message": message, "retryable": False})
