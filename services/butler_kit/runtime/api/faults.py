"""What keeps a model from answering, as kinds that conditions, traces and metrics share, and in words (pure).

Invariant: no text of a peer is in the words: an answer may repeat what it was sent, key included.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from butler_kit.runtime.family import RuntimeUnavailable, SessionMisled

__all__ = ["FaultKind", "ModelFault", "ModelMisled", "fault_of_status", "is_over", "pause_before"]

_FIRST_PAUSE_S: Final = 0.25
_FOR_AN_ANSWER_S: Final = 0.5
"""Less than that is not worth another question."""
_PASSES_IN_S: Final = 120.0


class FaultKind(StrEnum):
    """Why a model cannot be had."""

    NOT_INSTALLED = "not_installed"
    PROGRAM_FAILED = "program_failed"
    NO_KEY = "no_key"
    UNAUTHORIZED = "unauthorized"
    MODEL_NOT_FOUND = "model_not_found"
    RATE_LIMITED = "rate_limited"
    UNREACHABLE = "unreachable"
    NO_ANSWER = "no_answer"
    SERVER_ERROR = "server_error"
    UNREADABLE = "unreadable"
    REFUSED = "refused"

    @property
    def of_endpoint(self) -> bool:
        """Whether another model at the same address would fare no better."""
        return self in _OF_ENDPOINT

    @property
    def billed(self) -> bool:
        """Whether the model may have worked on the question all the same, so that it has to be paid for."""
        return self in _BILLED

    @property
    def passing(self) -> bool:
        """Whether the same question may be answered a moment later."""
        return self in _PASSING


_OF_ENDPOINT: Final = frozenset(
    {
        FaultKind.NOT_INSTALLED,
        FaultKind.PROGRAM_FAILED,
        FaultKind.NO_KEY,
        FaultKind.UNAUTHORIZED,
        FaultKind.UNREACHABLE,
    }
)
_BILLED: Final = frozenset({FaultKind.NO_ANSWER, FaultKind.UNREADABLE, FaultKind.PROGRAM_FAILED})
_PASSING: Final = frozenset(
    {FaultKind.RATE_LIMITED, FaultKind.UNREACHABLE, FaultKind.SERVER_ERROR, FaultKind.UNREADABLE}
)
_PASS_BY_THEMSELVES: Final = frozenset(kind.value for kind in (*_PASSING, FaultKind.NO_ANSWER))


class ModelFault(RuntimeUnavailable):
    """The model cannot be had; `kind` says why. It is retryable where a later session may have it."""

    def __init__(self, kind: FaultKind, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(
            message,
            retryable=kind.passing or kind is FaultKind.NO_ANSWER,
            retry_after_s=retry_after_s,
            details={"original_class": kind.value},
        )
        self.kind = kind
        self.lasting = kind not in (FaultKind.UNREADABLE, FaultKind.REFUSED)


class ModelMisled(SessionMisled):
    """The model answers and does not do what it is there for; another family is not asked instead."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message, details={"original_class": kind})
        self.kind = kind


def fault_of_status(
    status: int, *, host: str, model: str, retry_after_s: float | None, named_in: str = "spec.runtime"
) -> ModelFault:
    """The fault in an HTTP status of 400 and more; `named_in` is the manifest's block that names the model."""
    if status in (401, 403):
        return ModelFault(
            FaultKind.UNAUTHORIZED,
            f"{host} refuses the key (HTTP {status}); correct the secret of {named_in}.apiKeySecretRef",
        )
    if status == 404:
        text = f"{host} has no model {model} (HTTP 404); check {named_in}.model and baseUrl"
        return ModelFault(FaultKind.MODEL_NOT_FOUND, text)
    if status in (408, 425, 429):
        text = f"{host} asks for a pause (HTTP {status})"
        return ModelFault(FaultKind.RATE_LIMITED, text, retry_after_s=retry_after_s)
    if status >= 500:
        text = f"{host} fails (HTTP {status})"
        return ModelFault(FaultKind.SERVER_ERROR, text, retry_after_s=retry_after_s)
    return ModelFault(FaultKind.REFUSED, f"{host} refuses the question for model {model} (HTTP {status})")


def is_over(kind: str, *, quiet_s: float) -> bool:
    """Tell whether a fault of this kind, last met `quiet_s` seconds ago, has passed by itself."""
    return kind in _PASS_BY_THEMSELVES and quiet_s >= _PASSES_IN_S


def pause_before(fault: ModelFault, *, attempt: int, attempts: int, left_s: float) -> float | None:
    """Seconds until the same question is asked again after `attempt`; None: not again in the time that is left."""
    if not fault.kind.passing or attempt >= attempts:
        return None
    pause_s = max(fault.retry_after_s or 0.0, _FIRST_PAUSE_S * 2 ** (attempt - 1))
    return pause_s if pause_s + _FOR_AN_ANSWER_S <= left_s else None
