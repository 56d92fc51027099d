"""The one error taxonomy of the message plane: seven classes, their exceptions, their wire form.

Invariant: whatever class a peer names, what we act on is one of the seven; a foreign name survives as
`original_class` for the operator and is never shown to a user (SWB-16.1, SWB-16.2, MSG-6.5, MSG-9).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Final

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from butler_contracts.base import TolerantModel
from butler_contracts.text import STORABLE, excerpt

ORIGINAL_CLASS_MAX: Final = 100
MESSAGE_MAX: Final = 2_000


class ErrorClass(StrEnum):
    """Every terminal failure is one of these (SWB-16.1)."""

    CLASSIFICATION_ERROR = "classification_error"
    VALIDATION_ERROR = "validation_error"
    ROUTING_ERROR = "routing_error"
    TARGET_UNAVAILABLE = "target_unavailable"
    TIMEOUT = "timeout"
    OVERLOAD_REJECTED = "overload_rejected"
    INTERNAL_ERROR = "internal_error"


SWITCHBOARD_ONLY: Final = frozenset({ErrorClass.CLASSIFICATION_ERROR, ErrorClass.ROUTING_ERROR})
SHARED_CLASSES: Final = frozenset(ErrorClass) - SWITCHBOARD_ONLY


@dataclass(frozen=True)
class NormalisedClass:
    """A class of ours, and the peer's own word for it when that was not one of ours."""

    error_class: ErrorClass
    original: str | None


def normalise_error_class(value: object, *, shared_only: bool = False) -> NormalisedClass:
    """Map any class a peer names to the taxonomy; `shared_only` for a downstream butler's word (SWB-16.2)."""
    allowed = SHARED_CLASSES if shared_only else frozenset(ErrorClass)
    if isinstance(value, str) and value in allowed:
        return NormalisedClass(ErrorClass(value), None)
    return NormalisedClass(ErrorClass.INTERNAL_ERROR, excerpt(value, limit=ORIGINAL_CLASS_MAX))


class ErrorDetail(TolerantModel):
    """The error part of a response: class, a message for a person, and whether trying again may help."""

    error_class: ErrorClass = Field(alias="class")
    message: Annotated[str, Field(min_length=1, max_length=MESSAGE_MAX), STORABLE]
    retryable: bool
    original_class: Annotated[str, Field(max_length=ORIGINAL_CLASS_MAX), STORABLE] | None = None
    retry_after_s: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _keep_the_foreign_class(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        key = "class" if "class" in data else "error_class"
        if not isinstance(data.get(key), str):
            return data
        normalised = normalise_error_class(data[key])
        read = {**data, key: normalised.error_class}
        if normalised.original is not None and not data.get("original_class"):
            read["original_class"] = normalised.original
        return read

    @field_validator("message", mode="before")
    @classmethod
    def _cut_a_long_message(cls, value: object, info: ValidationInfo) -> object:
        return (
            value[: MESSAGE_MAX - 1] + "…" if isinstance(value, str) and len(value) > MESSAGE_MAX else value
        )

    def shared(self) -> ErrorDetail:
        """The same error in a downstream butler's mouth: Switchboard's two classes become internal_error."""
        normalised = normalise_error_class(self.error_class.value, shared_only=True)
        if normalised.original is None:
            return self
        return self.model_copy(
            update={"error_class": normalised.error_class, "original_class": normalised.original}
        )


SharedErrorDetail = Annotated[ErrorDetail, AfterValidator(ErrorDetail.shared)]


class ButlerError(Exception):
    """A failure with its class; `message` is for the person who sees it, `details` are for the operator."""

    error_class: ClassVar[ErrorClass] = ErrorClass.INTERNAL_ERROR
    default_retryable: ClassVar[bool] = False

    def __init__(
        self,
        message: str,
        *,
        retryable: bool | None = None,
        retry_after_s: float | None = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.retryable = self.default_retryable if retryable is None else retryable
        self.retry_after_s = retry_after_s
        self.details: dict[str, Any] = details or {}

    def to_detail(self) -> ErrorDetail:
        """The error part of a response envelope; the operator's details are not in it."""
        original = self.details.get("original_class")
        return ErrorDetail.model_validate(
            {
                "class": self.error_class.value,
                "message": excerpt(self.message, limit=MESSAGE_MAX) or self.error_class.value,
                "retryable": self.retryable,
                "retry_after_s": self.retry_after_s,
                "original_class": excerpt(original, limit=ORIGINAL_CLASS_MAX) if original else None,
            }
        )

    def to_wire(self) -> dict[str, Any]:
        """A failed tool call as JSON: `{"error": {class, message, retryable, retry_after_s?, details?}}`."""
        detail = self.to_detail()
        body: dict[str, Any] = {
            "class": detail.error_class.value,
            "message": detail.message,
            "retryable": detail.retryable,
        }
        if detail.retry_after_s is not None:
            body["retry_after_s"] = detail.retry_after_s
        if self.details:
            body["details"] = self.details
        return {"error": body}

    @staticmethod
    def from_detail(detail: ErrorDetail) -> ButlerError:
        """The exception that says what a peer's error part says, in the subclass of its error class."""
        details = {"original_class": detail.original_class} if detail.original_class else None
        return _BY_CLASS[detail.error_class](
            detail.message, retryable=detail.retryable, retry_after_s=detail.retry_after_s, details=details
        )


class ValidationFailed(ButlerError):
    """The caller sent what cannot be accepted; sending it again changes nothing."""

    error_class = ErrorClass.VALIDATION_ERROR


class NotFound(ValidationFailed):
    """What is named is not there, or not for this caller."""


class Conflict(ValidationFailed):
    """What is asked for does not go with how things are now."""


class KeyReused(ValidationFailed):
    """The idempotency key belongs to another action (HTTP 422)."""


class TargetUnavailable(ButlerError):
    """The target or provider cannot be reached or throttles; later may work."""

    error_class = ErrorClass.TARGET_UNAVAILABLE
    default_retryable = True


class TimedOut(ButlerError):
    """A time budget ran out before an answer came."""

    error_class = ErrorClass.TIMEOUT
    default_retryable = True


class OverloadRejected(ButlerError):
    """A local bound is full; `retry_after_s` says when to come back."""

    error_class = ErrorClass.OVERLOAD_REJECTED
    default_retryable = True


class InternalFailure(ButlerError):
    """Something broke on our side that no caller can mend."""

    error_class = ErrorClass.INTERNAL_ERROR


class RoutingFailed(ButlerError):
    """Switchboard found no target that it may use."""

    error_class = ErrorClass.ROUTING_ERROR


class ClassificationFailed(ButlerError):
    """The classifier gave no usable answer."""

    error_class = ErrorClass.CLASSIFICATION_ERROR


_BY_CLASS: Final[dict[ErrorClass, type[ButlerError]]] = {
    kind.error_class: kind
    for kind in (
        ValidationFailed,
        TargetUnavailable,
        TimedOut,
        OverloadRejected,
        InternalFailure,
        RoutingFailed,
        ClassificationFailed,
    )
}
