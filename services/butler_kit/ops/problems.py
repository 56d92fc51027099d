"""Errors as answers: `{"error": {class, message, retryable, …}}`, without internal details."""

from __future__ import annotations

import math
from typing import Any, Final

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from butler_contracts.errors import (
    ButlerError,
    Conflict,
    ErrorClass,
    KeyReused,
    NotFound,
    TimedOut,
    ValidationFailed,
)
from butler_contracts.text import excerpt
from butler_kit.auth import Forbidden, Unauthenticated

__all__ = [
    "BodyTooLarge",
    "BodyTooSlow",
    "Problem",
    "WrongMediaType",
    "http_problem",
    "problem_response",
    "question_problem",
    "status_of",
]

_SHOWN_MAX: Final = 5


class BodyTooLarge(ValidationFailed):
    """A request's body is longer than is accepted here (HTTP 413)."""


class BodyTooSlow(TimedOut):
    """A request's body did not arrive in time (HTTP 408)."""


class WrongMediaType(ValidationFailed):
    """A request's body is not of the type that is accepted here (HTTP 415)."""


_BY_TYPE: Final[tuple[tuple[type[ButlerError], int], ...]] = (
    (Unauthenticated, 401),
    (Forbidden, 403),
    (NotFound, 404),
    (BodyTooSlow, 408),
    (Conflict, 409),
    (BodyTooLarge, 413),
    (WrongMediaType, 415),
    (KeyReused, 422),
)
_BY_CLASS: Final = {
    ErrorClass.VALIDATION_ERROR: 400,
    ErrorClass.TARGET_UNAVAILABLE: 503,
    ErrorClass.OVERLOAD_REJECTED: 503,
    ErrorClass.TIMEOUT: 504,
}


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, populate_by_name=True)


class ProblemDetail(_Model):
    """What was wrong; `retry_after_s` in seconds."""

    error_class: ErrorClass = Field(alias="class")
    message: str
    retryable: bool
    retry_after_s: float | None = None
    details: dict[str, Any] | None = None


class Problem(_Model):
    """What every refusal looks like."""

    error: ProblemDetail


def status_of(error: ButlerError) -> int:
    """Return the HTTP status of an error of ours."""
    named = (status for kind, status in _BY_TYPE if isinstance(error, kind))
    return next(named, _BY_CLASS.get(error.error_class, 500))


def problem_response(error: ButlerError) -> Response:
    """Return an error of ours as an answer."""
    status = status_of(error)
    headers = {}
    if error.retry_after_s is not None:
        headers["Retry-After"] = str(max(1, math.ceil(error.retry_after_s)))
    if status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="butlers"'
    return JSONResponse(error.to_wire(), status_code=status, headers=headers)


def question_problem(error: RequestValidationError) -> ButlerError:
    """Return the error for a bad request: its wrong fields, with what is expected of each."""
    found = list(error.errors())
    said = "; ".join(_said(item) for item in found[:_SHOWN_MAX])
    more = f"; and {len(found) - _SHOWN_MAX} more" if len(found) > _SHOWN_MAX else ""
    return ValidationFailed(f"{said}{more}")


def http_problem(error: HTTPException) -> Response:
    """Return the answer for an unknown path or method."""
    said = {404: "there is no such path", 405: "this path takes no such method"}
    message = said.get(error.status_code, "the request cannot be answered")
    wire = ValidationFailed(message).to_wire()
    return JSONResponse(wire, status_code=error.status_code, headers=dict(error.headers or {}))


def _said(item: dict[str, Any]) -> str:
    path = excerpt(".".join(str(part) for part in item["loc"][1:]) or str(item["loc"][0]))
    if item["type"] == "extra_forbidden":
        return f"{path}: is not a filter of this list"
    if item["type"] == "missing":
        return f"{path}: is missing; expected a JSON object"
    if item["type"] == "uuid_parsing":
        return f"{path}: '{excerpt(item.get('input'))}' is not a UUID"
    context = item.get("ctx") or {}
    if "expected" in context and "problem" in context:
        return f"{path}: {context['problem']}; expected {context['expected']}"
    return f"{path}: is '{excerpt(item.get('input'))}'; {excerpt(item['msg'], limit=200)}"
