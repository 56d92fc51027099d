"""PURE: an SMTP failure as an outcome, by reply code (RFC 5321 §4.2) and by how far the dialogue had come."""

from __future__ import annotations

from typing import Final

import aiosmtplib

from butler_contracts.errors import ErrorClass
from butler_messenger.delivery.outcomes import Ambiguous, Failure, ProviderOutcome, Refused

__all__ = ["outcome_of"]

_TEXT_LIMIT: Final = 300


def outcome_of(error: Exception, *, data_sent: bool) -> ProviderOutcome:
    """Translate; `data_sent` says that the content had gone out, after which only a reply code is proof."""
    if isinstance(error, aiosmtplib.SMTPRecipientsRefused):
        error = error.recipients[0]
    if isinstance(error, aiosmtplib.SMTPResponseException):
        return Refused(_by_code(error))
    timed_out = isinstance(error, TimeoutError | aiosmtplib.SMTPTimeoutError)
    error_class = ErrorClass.TIMEOUT if timed_out else ErrorClass.TARGET_UNAVAILABLE
    kind = type(error).__name__
    if data_sent:
        text = f"the mail server's answer to the content was lost ({kind})"
        return Ambiguous(Failure(error_class, text, retryable=True))
    return Refused(Failure(error_class, f"the mail server cannot be reached ({kind})", retryable=True))


def _by_code(error: aiosmtplib.SMTPResponseException) -> Failure:
    said = f"{error.code} {error.message}"[:_TEXT_LIMIT]
    if isinstance(error, aiosmtplib.SMTPAuthenticationError) and error.code >= 500:
        text = f"the mail server refuses the account's password ({error.code})"
        return Failure(ErrorClass.TARGET_UNAVAILABLE, text, retryable=False)
    if 400 <= error.code < 500:
        return Failure(ErrorClass.TARGET_UNAVAILABLE, f"the mail server said: {said}", retryable=True)
    return Failure(ErrorClass.VALIDATION_ERROR, f"the mail server said: {said}", retryable=False)
