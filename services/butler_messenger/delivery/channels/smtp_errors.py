"""PURE: an SMTP failure as an outcome, by reply code (RFC 5321 §4.2) and by how far the dialogue had come."""

from __future__ import annotations

from typing import Final, Literal

import aiosmtplib

from butler_contracts.errors import ErrorClass
from butler_kit.tls import distrust
from butler_messenger.delivery.outcomes import (
    ACCOUNT_REFUSED,
    Ambiguous,
    Deferred,
    Failure,
    ProviderOutcome,
    Refused,
    Unreachable,
)

__all__ = ["Stage", "outcome_of"]

Stage = Literal["connecting", "talking", "content"]
_TEXT_LIMIT: Final = 300


def outcome_of(error: Exception, *, stage: Stage) -> ProviderOutcome:
    """Translate; once the `content` has gone out only a reply code is proof, before a connection nothing was tried."""
    if isinstance(error, aiosmtplib.SMTPRecipientsRefused):
        error = error.recipients[0]
    if isinstance(error, aiosmtplib.SMTPResponseException):
        return _by_code(error)
    timed_out = isinstance(error, TimeoutError | aiosmtplib.SMTPTimeoutError)
    error_class = ErrorClass.TIMEOUT if timed_out else ErrorClass.TARGET_UNAVAILABLE
    kind = type(error).__name__
    if stage == "content":
        text = f"the mail server's answer to the content {'did not come in time' if timed_out else 'was lost'} ({kind})"
        return Ambiguous(Failure(error_class, text, retryable=True))
    said = distrust(error) or " ".join(str(error).split())[:_TEXT_LIMIT]
    failure = Failure(error_class, f"the mail server cannot be reached ({kind}: {said})", retryable=True)
    return Unreachable(failure) if stage == "connecting" else Refused(failure, answered=False)


def _by_code(error: aiosmtplib.SMTPResponseException) -> ProviderOutcome:
    said = f"{error.code} {error.message}"[:_TEXT_LIMIT]
    if isinstance(error, aiosmtplib.SMTPAuthenticationError) and error.code >= 500:
        text = f"the mail server refuses the account's password ({error.code})"
        return Refused(Failure(ErrorClass.TARGET_UNAVAILABLE, text, retryable=False), ACCOUNT_REFUSED)
    text = f"the mail server said: {said}"
    if 400 <= error.code < 500:
        return Deferred(
            Failure(ErrorClass.TARGET_UNAVAILABLE, f"{text}: it is to be tried later", retryable=True)
        )
    return Refused(Failure(ErrorClass.VALIDATION_ERROR, text, retryable=False))
