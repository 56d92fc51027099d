"""PURE: an SMTP failure as an outcome, by reply code (RFC 5321 §4.2) and by the stage of the dialogue."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final, Literal

import aiosmtplib

from butler_contracts.errors import ErrorClass
from butler_contracts.text import plain_line
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
_MAILBOX_CODES: Final = frozenset({550, 551, 553})
"""Codes of a mailbox (RFC 5321 §4.2.3) without enhanced code; 552 is a full one, 554 a refused dialogue."""
_TOO_LARGE: Final = 552
"""Too large for the server or for the mailbox (RFC 1870 §6.1)."""
_ENHANCED: Final = re.compile(r"\s*(5\.\d{1,3}\.\d{1,3})(?!\d)")
_ADDRESS_CODES: Final = frozenset({"5.1.0", "5.1.1", "5.1.2", "5.1.3", "5.1.4", "5.1.6", "5.1.10", "5.2.1"})
"""Codes of a bad address (RFC 3463 §3.2, RFC 7505) or a closed mailbox; 5.1.7 and 5.1.8 are about us."""
_NOT_THE_ADDRESS: Final = re.compile(
    r"\b(sender|relay|authenticat|polic|spam|block|blacklist|denied)", re.IGNORECASE
)
"""Servers also refuse a recipient for a fault of ours, and say so only in words."""


def outcome_of(error: Exception, *, stage: Stage, files: tuple[int, ...] = ()) -> ProviderOutcome:
    """Translate; once the `content` was sent only a reply code is proof, and without a connection nothing was tried.

    `files` are those of the mail, which may be accepted without them if its size or content is refused for good.
    """
    if isinstance(error, aiosmtplib.SMTPRecipientsRefused):
        error = error.recipients[0]
    if isinstance(error, aiosmtplib.SMTPResponseException):
        outcome = _by_code(error)
        of_files = error.code == _TOO_LARGE or stage == "content"
        return replace(outcome, files=files) if of_files and isinstance(outcome, Refused) else outcome
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
    failure = Failure(ErrorClass.VALIDATION_ERROR, text, retryable=False)
    return Refused(
        failure, no_such_recipient=plain_line(said, most=_TEXT_LIMIT) if _is_of_the_address(error) else None
    )


def _is_of_the_address(error: aiosmtplib.SMTPResponseException) -> bool:
    """Return whether it says that the address reaches nobody, and not policy or a fault of ours."""
    if not isinstance(error, aiosmtplib.SMTPRecipientRefused):
        return False
    if _NOT_THE_ADDRESS.search(error.message.replace(error.recipient, "")):
        return False
    enhanced = _ENHANCED.match(error.message)
    return enhanced[1] in _ADDRESS_CODES if enhanced is not None else error.code in _MAILBOX_CODES
