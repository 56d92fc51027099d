"""Provider errors as outcomes: only an answer or a connection never made proves that nothing was sent (D41)."""

from __future__ import annotations

import aiosmtplib
import httpx
import pytest
from telegram.error import (
    BadRequest,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from butler_contracts.errors import ErrorClass
from butler_messenger.delivery.channels import smtp_errors, telegram_errors
from butler_messenger.delivery.outcomes import Ambiguous, Refused, Throttled


def caused(error: TelegramError, cause: Exception) -> TelegramError:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "cause", [httpx.ConnectError("x"), httpx.ConnectTimeout("x"), httpx.PoolTimeout("x")]
)
def test_telegram_that_was_never_reached_has_sent_nothing(cause: Exception) -> None:
    for error in (caused(NetworkError("x"), cause), caused(TimedOut(), cause)):
        outcome = telegram_errors.outcome_of(error)
        assert isinstance(outcome, Refused)
        assert outcome.failure.retryable


@pytest.mark.parametrize(
    "cause", [httpx.ReadError("x"), httpx.RemoteProtocolError("x"), httpx.ReadTimeout("x")]
)
def test_telegram_that_broke_off_after_the_request_may_have_sent(cause: Exception) -> None:
    assert isinstance(telegram_errors.outcome_of(caused(NetworkError("x"), cause)), Ambiguous)
    assert isinstance(telegram_errors.outcome_of(caused(TimedOut(), cause)), Ambiguous)


def test_a_gateways_answer_that_is_not_telegrams_proves_nothing() -> None:
    error = caused(NetworkError("Bad Gateway"), TelegramError("Invalid server response"))
    assert isinstance(telegram_errors.outcome_of(error), Ambiguous)


@pytest.mark.spec("MSG-6.5")
def test_telegrams_own_refusals_are_classified() -> None:
    def failure(error: TelegramError):
        outcome = telegram_errors.outcome_of(error)
        assert isinstance(outcome, Refused)
        return outcome.failure.error_class, outcome.failure.retryable

    assert failure(BadRequest("chat not found")) == (ErrorClass.VALIDATION_ERROR, False)
    assert failure(Forbidden("bot was blocked")) == (ErrorClass.TARGET_UNAVAILABLE, False)
    assert failure(NetworkError("Internal Server Error")) == (ErrorClass.TARGET_UNAVAILABLE, True)
    assert telegram_errors.outcome_of(RetryAfter(17)) == Throttled(17.0)


def test_an_unknown_token_is_refused_without_repeating_it() -> None:
    outcome = telegram_errors.outcome_of(InvalidToken("The token `4711:secret` was rejected"))
    assert isinstance(outcome, Refused)
    assert "4711" not in outcome.failure.message


def smtp(error: Exception, *, data_sent: bool = False):
    return smtp_errors.outcome_of(error, data_sent=data_sent)


@pytest.mark.spec("MSG-6.5")
def test_an_smtp_answer_is_proof_by_its_code_at_any_stage() -> None:
    later, never = (
        smtp(aiosmtplib.SMTPDataError(451, "later"), data_sent=True),
        smtp(aiosmtplib.SMTPRecipientRefused(550, "no such user", "x@example.org")),
    )
    assert isinstance(later, Refused)
    assert later.failure.error_class is ErrorClass.TARGET_UNAVAILABLE
    assert later.failure.retryable
    assert isinstance(never, Refused)
    assert never.failure.error_class is ErrorClass.VALIDATION_ERROR
    assert not never.failure.retryable


def test_a_refused_password_is_not_tried_again() -> None:
    outcome = smtp(aiosmtplib.SMTPAuthenticationError(535, "no"))
    assert isinstance(outcome, Refused)
    assert not outcome.failure.retryable


@pytest.mark.parametrize(
    ("error", "error_class"),
    [
        (aiosmtplib.SMTPServerDisconnected("gone"), ErrorClass.TARGET_UNAVAILABLE),
        (aiosmtplib.SMTPReadTimeoutError("late"), ErrorClass.TIMEOUT),
        (OSError("reset"), ErrorClass.TARGET_UNAVAILABLE),
    ],
)
def test_a_broken_smtp_dialogue_is_ambiguous_only_after_the_content(
    error: Exception, error_class: ErrorClass
) -> None:
    before, after = smtp(error), smtp(error, data_sent=True)
    assert isinstance(before, Refused)
    assert before.failure.retryable
    assert before.failure.error_class is error_class
    assert isinstance(after, Ambiguous)
    assert after.failure.error_class is error_class
