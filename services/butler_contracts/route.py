"""`route.v1` and `route_response.v1`: how work reaches a butler, and its answer (SWB-05, 15, 23.3, D1, D17)."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self
from uuid import UUID

from pydantic import Field, ValidationError, field_validator, model_validator

from butler_contracts.actions import ActionId
from butler_contracts.base import (
    UUID7,
    StrictModel,
    TolerantModel,
    VersionedRequest,
    VersionedResponse,
    rule_broken,
)
from butler_contracts.bounded_json import ResultObject, TraceContext
from butler_contracts.claims import claims_in
from butler_contracts.context import RequestContext
from butler_contracts.delivery_report import DeliveryReportV1
from butler_contracts.errors import ErrorDetail, SharedErrorDetail
from butler_contracts.former import SupersedesV1
from butler_contracts.ingest import IngestAttachment
from butler_contracts.invitation import InvitationV1
from butler_contracts.notify import NotifyRequestV1, NotifyResponseV1
from butler_contracts.people import PeopleV1
from butler_contracts.problems import problems_of
from butler_contracts.replied import RepliedV1
from butler_contracts.text import STORABLE, ButlerName, Identity

ROUTE_V1: Final = "route.v1"
ROUTE_RESPONSE_V1: Final = "route_response.v1"
PROMPT_MAX: Final = 131_072
RESULTS_MAX: Final = 16
ANSWER_MAX: Final = 1_000
QUEUE_WAIT_INTERACTIVE_S: Final = 900.0
QUEUE_WAIT_OTHER_S: Final = 86_400.0
"""The queue clock of D17: past it the target itself answers overload_rejected."""

Seconds = Annotated[float, Field(gt=0, le=7 * 86_400, allow_inf_nan=False)]
Span = tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]]


class RouteCaller(StrictModel):
    """Who calls, for the log; authority comes from the token alone, and this must equal it (D1)."""

    endpoint_identity: Identity


class SubrequestV1(StrictModel):
    """One branch of a request's plan (SWB-01.4, D12)."""

    subrequest_id: UUID
    segment_id: Identity
    fanout_mode: Literal["parallel", "ordered", "conditional"] = "parallel"
    attempt: Annotated[int, Field(ge=1, le=1_000)] = 1


class TargetV1(StrictModel):
    """The butler that is to work."""

    butler: ButlerName
    tool: Literal["route.execute"] = "route.execute"


class SegmentV1(StrictModel):
    """Which part of the message this branch is about, at least one way (SWB-03.2); spans are half-open."""

    sentence_spans: Annotated[tuple[Span, ...], Field(max_length=64)] = ()
    char_ranges: Annotated[tuple[Span, ...], Field(max_length=64)] = ()
    rationale: Annotated[str, Field(max_length=2_000), STORABLE] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        for name in ("sentence_spans", "char_ranges"):
            for index, (start, end) in enumerate(getattr(self, name)):
                if start >= end:
                    raise rule_broken(f"{name}[{index}]", f"runs from {start} to {end}", "start before end")
        if not self.sentence_spans and not self.char_ranges and not self.rationale:
            raise rule_broken("", "says nothing", "sentence_spans, char_ranges or a rationale")
        return self


class LineageV1(StrictModel):
    """Whose wish this is, as Switchboard authenticated it (D19).

    `alone` says that it answers a message that went to no other butler (ADR 0126).
    """

    origin_butler: ButlerName
    # Of such an answer alone; a Messenger of the release before refuses it, and marks the answer as it always did.
    alone: Literal[True] | None = Field(default=None, exclude_if=lambda value: value is None)


class TogetherV1(StrictModel):
    """Of a question that several butlers are asked one after another: how many had an answer before, whether more come.

    Who has nothing says nothing, but for the last where nobody had an answer. It is for all that is to come, or `of`
    what was told, or `of` the memory of the sender, which is asked for or to be forgotten.
    """

    answered: Annotated[int, Field(ge=0, le=64)]
    last: bool
    # Of a question about what was told; a butler of the release before refuses it, and answers for itself alone.
    of: Literal["told", "memory"] | None = Field(default=None, exclude_if=lambda value: value is None)


class PartResultV1(StrictModel):
    """How a part of the same message ended that came before this one, and the beginning of what its butler answered.

    The answer is data of somebody else's: no instruction, and nothing that the writer told.
    """

    butler: ButlerName
    ended: Literal["ok", "error"]
    answer: Annotated[str, Field(min_length=1, max_length=ANSWER_MAX), STORABLE] | None = None


class RouteContextV1(StrictModel):
    """What the target may need besides the prompt (MSG-4.1)."""

    notify_request: NotifyRequestV1 | None = None
    lineage: LineageV1 | None = None
    attachments: Annotated[tuple[IngestAttachment, ...], Field(max_length=100)] = ()
    # Left out when there is nothing to say; a butler of the release before refuses it and is sent the work without.
    people: PeopleV1 | None = Field(default=None, exclude_if=lambda value: value is None)
    # Of an edit alone; a butler of the release before refuses it, and is not sent the edit as if it were a new message.
    supersedes: SupersedesV1 | None = Field(default=None, exclude_if=lambda value: value is None)
    # Of a press alone, the action that this butler offered; as for an edit.
    pressed: ActionId | None = Field(default=None, exclude_if=lambda value: value is None)
    # Of a reply alone; a butler of the release before refuses it, and takes the reply for a message like any other.
    replied: RepliedV1 | None = Field(default=None, exclude_if=lambda value: value is None)
    # Of a question to all; a butler of the release before refuses it, and is not asked what it would keep as a note.
    together: TogetherV1 | None = Field(default=None, exclude_if=lambda value: value is None)
    # Of a part that waited for others; a butler of the release before refuses it, and is sent the part without.
    results: Annotated[tuple[PartResultV1, ...], Field(max_length=RESULTS_MAX)] = Field(
        default=(), exclude_if=lambda value: not value
    )
    # Of a prompt that a model worded; a butler of the release before refuses it, and does the work as it always did.
    rewritten: Literal[True] | None = Field(default=None, exclude_if=lambda value: value is None)
    # Of a mail server's report alone, which goes to Messenger; one of the release before refuses it and loses nothing.
    report: DeliveryReportV1 | None = Field(default=None, exclude_if=lambda value: value is None)
    # Of a mail with an invitation alone; a butler of the release before refuses it, and reads the words of the mail.
    invitation: InvitationV1 | None = Field(default=None, exclude_if=lambda value: value is None)


class RouteInputV1(StrictModel):
    """The work: a self-contained prompt, and which segment of the message it covers."""

    prompt: Annotated[str, Field(min_length=1, max_length=PROMPT_MAX), STORABLE]
    segment: SegmentV1 | None = None
    context: RouteContextV1 | None = None


class RouteLimitsV1(StrictModel):
    """How long it may wait, how long it may run, what the target must be able to do (D17, SWB-35.1)."""

    max_queue_wait_s: Seconds = QUEUE_WAIT_INTERACTIVE_S
    route_timeout_s: Seconds = 120.0
    required_capability: Identity | None = None


class RouteEnvelopeV1(VersionedRequest):
    """One subrequest to one butler (SWB-23.3)."""

    schema_version: Literal["route.v1"] = ROUTE_V1
    request_context: RequestContext
    caller: RouteCaller | None = None
    subrequest: SubrequestV1
    target: TargetV1
    input: RouteInputV1
    limits: RouteLimitsV1 = Field(default_factory=RouteLimitsV1)
    trace_context: TraceContext = Field(default_factory=dict)

    @property
    def people(self) -> PeopleV1 | None:
        """The household's people, where the target is told of them."""
        return self.input.context.people if self.input.context is not None else None

    @property
    def supersedes(self) -> SupersedesV1 | None:
        """What of its former versions the target has, where the message is an edit."""
        return self.input.context.supersedes if self.input.context is not None else None

    @property
    def pressed(self) -> str | None:
        """Which action of its own the target is told of, where the message is a press."""
        return self.input.context.pressed if self.input.context is not None else None

    @property
    def replied(self) -> RepliedV1 | None:
        """Which word of its own the target is told that the message replies to."""
        return self.input.context.replied if self.input.context is not None else None

    @property
    def together(self) -> TogetherV1 | None:
        """Who was asked the same before, where several butlers are asked."""
        return self.input.context.together if self.input.context is not None else None

    @property
    def results(self) -> tuple[PartResultV1, ...]:
        """What the parts of the same message came to that this one waited for."""
        return self.input.context.results if self.input.context is not None else ()

    @property
    def rewritten(self) -> bool:
        """Whether the prompt says anything that the writer's message does not."""
        return self.input.context is not None and self.input.context.rewritten is not None

    @property
    def report(self) -> DeliveryReportV1 | None:
        """What a mail server says became of a mail, where that is the message."""
        return self.input.context.report if self.input.context is not None else None

    @property
    def invitation(self) -> InvitationV1 | None:
        """The invitation that came with a mail, where that is the work."""
        return self.input.context.invitation if self.input.context is not None else None

    def undated(self) -> RouteEnvelopeV1:
        """The same without the message's own moment, as earlier releases read it."""
        context = self.request_context.model_copy(update={"observed_at": None})
        return self.model_copy(update={"request_context": context})

    def unnamed(self) -> RouteEnvelopeV1:
        """The same without the sender's own name for themselves, as the release before reads it."""
        context = self.request_context.model_copy(update={"source_sender_name": None})
        return self.model_copy(update={"request_context": context})

    def unheaded(self) -> RouteEnvelopeV1:
        """The same without the subject of the answered mail, here and in the notify, as the release before reads it."""
        context, inner = self.request_context.model_copy(update={"source_subject": None}), self.input.context
        left = self.model_copy(update={"request_context": context})
        if inner is None or inner.notify_request is None or inner.notify_request.request_context is None:
            return left
        asked = inner.notify_request.request_context.model_copy(update={"source_subject": None})
        notify = inner.notify_request.model_copy(update={"request_context": asked})
        inner = inner.model_copy(update={"notify_request": notify})
        return left.model_copy(update={"input": self.input.model_copy(update={"context": inner})})

    def unreplied(self) -> RouteEnvelopeV1:
        """The same without what is replied to, as the release before reads it."""
        return self._without_inner("replied")

    def unpeopled(self) -> RouteEnvelopeV1:
        """The same without the household's people, as the release before reads it."""
        return self._without_inner("people")

    def alone(self) -> RouteEnvelopeV1:
        """The same as if nobody else was asked, as the release before reads it."""
        return self._without_inner("together")

    def without_results(self) -> RouteEnvelopeV1:
        """The same without what other parts came to, as the release before reads it."""
        return self._without_inner("results")

    def unmarked(self) -> RouteEnvelopeV1:
        """The same without whose words the prompt is, as the release before reads it."""
        return self._without_inner("rewritten")

    def among_others(self) -> RouteEnvelopeV1:
        """The same as if other butlers could answer too, as the release before reads it."""
        inner = self.input.context
        if inner is None or inner.lineage is None or inner.lineage.alone is None:
            return self
        context = inner.model_copy(update={"lineage": inner.lineage.model_copy(update={"alone": None})})
        return self.model_copy(update={"input": self.input.model_copy(update={"context": context})})

    def uninvited(self) -> RouteEnvelopeV1:
        """The same without the invitation, as the release before reads it."""
        return self._without_inner("invitation")

    def _without_inner(self, name: str) -> RouteEnvelopeV1:
        inner, nothing = self.input.context, RouteContextV1.model_fields[name].default
        if inner is None or getattr(inner, name) == nothing:
            return self
        context = inner.model_copy(update={name: nothing})
        left = None if context == RouteContextV1() else context
        return self.model_copy(update={"input": self.input.model_copy(update={"context": left})})


class RouteResponseContext(TolerantModel):
    """Echo of the request that was worked on."""

    request_id: UUID7


class RouteTiming(TolerantModel):
    """How long the target worked."""

    duration_ms: Annotated[float, Field(ge=0, allow_inf_nan=False)]


class RouteResponseV1(VersionedResponse):
    """`accepted` acknowledges; `ok` and `error` are terminal (SWB-15.3, D17)."""

    schema_version: Literal["route_response.v1"] = ROUTE_RESPONSE_V1
    request_context: RouteResponseContext
    subrequest_id: UUID
    status: Literal["accepted", "ok", "error"]
    result: ResultObject | None = None
    error: SharedErrorDetail | None = None
    timing: RouteTiming

    @field_validator("result")
    @classmethod
    def _a_notify_response_is_one(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        if value is not None and value.get("notify_response") is not None:
            try:
                NotifyResponseV1.model_validate(value["notify_response"])
            except ValidationError as error:
                first = problems_of(error)[0]
                raise rule_broken(f"notify_response.{first.path}", first.problem, first.expected) from None
        return value

    @field_validator("result")
    @classmethod
    def _claims_are_claims(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        try:
            claims_in(value or {})
        except ValidationError as error:
            first = problems_of(error)[0]
            raise rule_broken(_in_claims(first.path), first.problem, first.expected) from None
        return value

    @model_validator(mode="after")
    def _status_goes_with_its_part(self) -> Self:
        if self.status == "ok" and self.result is None:
            raise rule_broken("result", "is missing in status 'ok'", "an object")
        if self.status == "error" and self.error is None:
            raise rule_broken("error", "is missing in status 'error'", "class, message and retryable")
        if self.status != "error" and self.error is not None:
            raise rule_broken("error", f"is present in status '{self.status}'", "null")
        return self

    @property
    def terminal(self) -> bool:
        """Whether this ends the subrequest."""
        return self.status != "accepted"

    def notify_response(self) -> NotifyResponseV1 | None:
        """The `notify_response.v1` that Messenger wraps in its result (MSG-4.1)."""
        wrapped = (self.result or {}).get("notify_response")
        return NotifyResponseV1.model_validate(wrapped) if wrapped is not None else None


def _in_claims(path: str) -> str:
    return f"claims{path}" if path.startswith("[") else "claims"


def make_route_response(
    envelope: RouteEnvelopeV1,
    *,
    duration_ms: float,
    result: dict[str, Any] | None = None,
    error: ErrorDetail | None = None,
) -> RouteResponseV1:
    """Finish one subrequest: `error` when there is one (a `result` may help the diagnosis), else `ok`."""
    if error is None:
        return _answer(envelope, status="ok", result=result or {}, duration_ms=duration_ms)
    return _answer(envelope, status="error", result=result, error=error, duration_ms=duration_ms)


def make_route_response_accepted(envelope: RouteEnvelopeV1) -> RouteResponseV1:
    """Acknowledge one subrequest: it is durable here, the terminal answer follows (D17)."""
    return _answer(envelope, status="accepted")


def _answer(
    envelope: RouteEnvelopeV1,
    *,
    status: Literal["accepted", "ok", "error"],
    result: dict[str, Any] | None = None,
    error: ErrorDetail | None = None,
    duration_ms: float = 0.0,
) -> RouteResponseV1:
    return RouteResponseV1(
        request_context=RouteResponseContext(request_id=envelope.request_context.request_id),
        subrequest_id=envelope.subrequest.subrequest_id,
        status=status,
        result=result,
        error=error,
        timing=RouteTiming(duration_ms=duration_ms),
    )
