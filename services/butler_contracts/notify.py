"""`notify.v1` and `notify_response.v1`: what a butler wants said, and what became of it (MSG-6, D19, D20)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from butler_contracts.actions import ACTIONS_MAX, ActionV1
from butler_contracts.attachments import ATTACHMENTS_MAX, NAME_MAX, TOGETHER_MAX, AttachmentV1, together
from butler_contracts.base import (
    UUID7,
    StrictModel,
    TolerantModel,
    VersionedRequest,
    VersionedResponse,
    rule_broken,
)
from butler_contracts.context import RequestContext
from butler_contracts.errors import ErrorDetail, SharedErrorDetail
from butler_contracts.text import STORABLE, ButlerName, Identity, Line

NOTIFY_V1: Final = "notify.v1"
NOTIFY_RESPONSE_V1: Final = "notify_response.v1"
MESSAGE_MAX: Final = 65_536

Intent = Literal["send", "reply", "react"]
DeliveryChannel = Literal["telegram", "email", "sms", "chat"]
Urgency = Literal["low", "normal", "high"]
Format = Literal["plain", "markdown"]
DeliveryState = Literal[
    "queued", "sent", "pending_approval", "pending_missing_identifier", "uncertain", "failed"
]
THREADED_CHANNELS: Final = frozenset({"telegram", "chat"})
"""Channels on which a reply can only be addressed by its thread."""


class NotifyDelivery(StrictModel):
    """What to say to whom; the target is resolved by Messenger (MSG-6.1, MSG-6.2).

    `actions` are answers that a channel with buttons offers with the message; the others leave them out. `urgency` says
    whether it waits for the end of a person's quiet hours, where nobody asked for it: high does not. `format` says
    whether `message` is what the person reads, or Markdown that says it. `attachments` are files that go out with it;
    what cannot be fetched as it was announced is named in a sentence instead (ADR 0103).
    """

    intent: Intent
    channel: DeliveryChannel
    message: Annotated[str, Field(max_length=MESSAGE_MAX), STORABLE] | None = None
    recipient: Identity | None = None
    subject: Line | None = None
    contact_id: Identity | None = None
    idempotency_key: Identity | None = None
    emoji: Annotated[str, Field(min_length=1, max_length=16), STORABLE] | None = None
    # Left out where there are none; who is of the release before refuses them and is told the same without.
    actions: Annotated[tuple[ActionV1, ...], Field(max_length=ACTIONS_MAX)] = Field(
        default=(), exclude_if=lambda value: not value
    )
    urgency: Urgency = Field(default="normal", exclude_if=lambda value: value == "normal")
    format: Format = Field(default="plain", exclude_if=lambda value: value == "plain")
    attachments: Annotated[tuple[AttachmentV1, ...], Field(max_length=ATTACHMENTS_MAX)] = Field(
        default=(), exclude_if=lambda value: not value
    )

    @field_validator("channel", mode="before")
    @classmethod
    def _answers_to_api_are_results(cls, value: Any) -> Any:
        if value in ("api", "mcp"):
            expected = "telegram, email, sms or chat; an answer to api or mcp is route_response.result.reply"
            raise rule_broken("", f"'{value}' has no delivery", expected)
        return value

    @model_validator(mode="after")
    def _content_goes_with_the_intent(self) -> Self:
        if self.intent == "react":
            return self._check_reaction()
        if self.message is None or not self.message.strip():
            raise rule_broken("message", f"is empty for intent '{self.intent}'", "text that the person reads")
        if self.emoji is not None:
            raise rule_broken("emoji", f"is present for intent '{self.intent}'", "null: only 'react' has one")
        if len({action.id for action in self.actions}) != len(self.actions):
            raise rule_broken("actions", "has an id twice", "an id of its own for each")
        if (size := together(self.attachments)) > TOGETHER_MAX:
            problem = f"are {size:,} bytes together"
            raise rule_broken("attachments", problem, f"{TOGETHER_MAX:,} at most")
        return self

    def _check_reaction(self) -> Self:
        if self.emoji is None:
            raise rule_broken("emoji", "is missing for intent 'react'", "the emoji to set")
        if self.channel != "telegram":
            raise rule_broken("channel", f"'{self.channel}' has no reactions", "telegram")
        if self.actions:
            raise rule_broken("actions", "is present for intent 'react'", "none: a reaction has no buttons")
        if self.attachments:
            raise rule_broken("attachments", "is present for intent 'react'", "none: a reaction has no files")
        return self


class NotifyRequestV1(VersionedRequest):
    """One wish to tell a person something (MSG-6.1)."""

    schema_version: Literal["notify.v1"] = NOTIFY_V1
    origin_butler: ButlerName
    delivery: NotifyDelivery
    request_context: RequestContext | None = None

    @model_validator(mode="after")
    def _an_answer_knows_its_question(self) -> Self:
        intent, channel, context = self.delivery.intent, self.delivery.channel, self.request_context
        if intent == "send":
            return self
        if context is None:
            raise rule_broken(
                "request_context", f"is missing for intent '{intent}'", "the context it answers"
            )
        if context.source_channel != channel:
            problem = f"'{channel}' cannot answer what came by '{context.source_channel}'"
            raise rule_broken("delivery.channel", problem, f"'{context.source_channel}', or intent 'send'")
        if channel in THREADED_CHANNELS and context.source_thread_identity is None:
            problem = f"is missing for intent '{intent}' on {channel}"
            raise rule_broken("request_context.source_thread_identity", problem, "the chat it goes to")
        return self


LATER: Final[Mapping[str, Any]] = {"actions": (), "urgency": "normal", "format": "plain"}
"""Fields of a delivery that an earlier release refuses, and what they are where it is not told of them.

`attachments` is none of them: a message would arrive without its files and without a word of them. It is refused.
"""


def unknown_in(refusal: str) -> tuple[str, ...]:
    """Which of `LATER` a refusal names as unknown to whoever wrote it."""
    return tuple(name for name in LATER if f"delivery.{name}: is not a known field" in refusal)


def without(request: NotifyRequestV1, fields: Collection[str]) -> NotifyRequestV1:
    """The same without these of `LATER`, as an earlier release reads it."""
    left = {name: LATER[name] for name in fields}
    return request.model_copy(update={"delivery": request.delivery.model_copy(update=left)})


class NotifyResponseContext(TolerantModel):
    """Echo of the request that the delivery belongs to (MSG-6.4)."""

    request_id: UUID7


def _as_tuple(value: Any) -> Any:
    """The response is no JSON any more when its parts are read (`_say_when_to_come_back`)."""
    return tuple(value) if isinstance(value, list) else value


class NotAttachedV1(TolerantModel):
    """A file that did not go out with its message, whose reader was told so in its place."""

    name: Annotated[str, Field(max_length=NAME_MAX), STORABLE]
    error: SharedErrorDetail


class NotifyDeliveryOutcome(TolerantModel):
    """The delivery as Messenger keeps it; `state` says how far it came (D19).

    Once it is sent, `message_identity` is what a reply to it points at, and `thread_identity` the chat that it is in,
    in the words of the channel's connector; a mail's is its Message-ID, which is in no chat. `not_attached` are files
    that a sent delivery went out without, and why.
    """

    channel: DeliveryChannel
    delivery_id: Identity
    state: DeliveryState
    message_identity: Identity | None = Field(default=None, exclude_if=lambda value: value is None)
    thread_identity: Identity | None = Field(default=None, exclude_if=lambda value: value is None)
    not_attached: Annotated[
        tuple[NotAttachedV1, ...], Field(max_length=ATTACHMENTS_MAX), BeforeValidator(_as_tuple)
    ] = Field(default=(), exclude_if=lambda value: not value)


class NotifyResponseV1(VersionedResponse):
    """What became of a notify (MSG-6.4)."""

    schema_version: Literal["notify_response.v1"] = NOTIFY_RESPONSE_V1
    request_context: NotifyResponseContext | None = None
    status: Literal["ok", "error"]
    delivery: NotifyDeliveryOutcome | None = None
    error: SharedErrorDetail | None = None
    # The same as the error's `retry_after_s`, by the name that the specification gives it (MSR-05.1).
    retry_after_seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = Field(
        default=None, exclude_if=lambda value: value is None
    )

    @model_validator(mode="before")
    @classmethod
    def _say_when_to_come_back(cls, data: Any) -> Any:
        error = data.get("error") if isinstance(data, dict) else None
        if isinstance(error, ErrorDetail):
            return {"retry_after_seconds": error.retry_after_s, **data}
        return (
            {"retry_after_seconds": error.get("retry_after_s"), **data} if isinstance(error, dict) else data
        )

    @model_validator(mode="after")
    def _status_goes_with_its_part(self) -> Self:
        if self.status == "ok" and self.delivery is None:
            raise rule_broken("delivery", "is missing in status 'ok'", "channel, delivery_id and state")
        if self.status == "ok" and self.error is not None:
            raise rule_broken("error", "is present in status 'ok'", "null")
        if self.status == "error" and self.error is None:
            raise rule_broken("error", "is missing in status 'error'", "class, message and retryable")
        return self
