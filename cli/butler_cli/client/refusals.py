"""Turn a service's typed error into a line for the person at the command line. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from butler_cli.client.protocol import Hints
from butler_contracts.errors import ErrorClass, ErrorDetail

__all__ = ["Refusal", "refusal_of"]

_ADVICE: Final = {
    ErrorClass.TARGET_UNAVAILABLE: "try again in a moment; `{program} status` shows what is up",
    ErrorClass.TIMEOUT: "try again in a moment; `{program} status` shows what is up",
    ErrorClass.OVERLOAD_REJECTED: "it has too much to do; try again later",
    ErrorClass.INTERNAL_ERROR: "{log}",
}


@dataclass(frozen=True)
class Refusal:
    """An error as a service reported it: class, message, and when to retry."""

    error_class: ErrorClass
    message: str
    retry_after_s: float | None = None

    def line(self, hints: Hints) -> str:
        """Return one line: what was wrong and, if the message does not say so itself, what to do."""
        advice = _ADVICE.get(self.error_class)
        if advice is None:
            return self.message
        advice = advice.format(program=hints.program, log=hints.log)
        if self.retry_after_s is not None:
            advice = f"{advice} (it asks for {self.retry_after_s:g} s)"
        return f"{self.message}; {advice}"


def refusal_of(document: object) -> Refusal | None:
    """Return the error in `{"error": {class, message, …}}`, or None if the document holds none."""
    body = document.get("error") if isinstance(document, dict) else None
    if not isinstance(body, dict):
        return None
    try:
        detail = ErrorDetail.model_validate({"retryable": False, **body})
    except ValidationError:
        return None
    return of_detail(detail)


def of_detail(detail: ErrorDetail) -> Refusal:
    """Return the same for a typed error; line breaks become blanks."""
    return Refusal(detail.error_class, " ".join(detail.message.split()), detail.retry_after_s)
