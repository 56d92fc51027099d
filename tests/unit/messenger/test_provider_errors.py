"""Provider errors as outcomes: only a refusal or a connection never made proves that nothing was sent (D41)."""

from __future__ import annotations

import aiohttp
import aiosmtplib
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
from butler_kit.botapi import NeverReached, ServerFault
from butler_messenger.delivery.channels import smtp_errors, telegram_errors
from butler_messenger.delivery.outcomes import Ambiguous, Deferred, Refused, Throttled, Unreachable


def caused(error: TelegramError, cause: Exception) -> TelegramError:
    error.__cause__ = cause
    return error


def test_telegram_that_was_never_reached_has_sent_nothing() -> None:
    error = caused(NeverReached("ClientConnectorError: [Errno 111] refused"), aiohttp.ClientError("x"))
    outcome = telegram_errors.outcome_of(error)
    assert isinstance(outcome, Unreachable)
    assert outcome.failure.retryable
    assert outcome.failure.error_class is ErrorClass.TARGET_UNAVAILABLE
    assert "[Errno 111] refused" in outcome.failure.message


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_telegram_that_failed_on_the_call_may_have_sent(status: int) -> None:
    outcome = telegram_errors.outcome_of(ServerFault(status))
    assert isinstance(outcome, Ambiguous)
    assert str(status) in outcome.failure.message


@pytest.mark.parametrize(
    "cause",
    [aiohttp.ServerDisconnectedError(), aiohttp.ClientPayloadError("x"), aiohttp.SocketTimeoutError()],
)
def test_telegram_that_broke_off_after_the_request_may_have_sent(cause: Exception) -> None:
    assert isinstance(telegram_errors.outcome_of(caused(NetworkError("x"), cause)), Ambiguous)
    assert isinstance(telegram_errors.outcome_of(caused(TimedOut(), cause)), Ambiguous)


def test_a_gateways_answer_that_is_not_telegrams_proves_nothing() -> None:
    error = caused(NetworkError("Bad Gateway"), TelegramError("Invalid server response"))
    assert isinstance(telegram_errors.outcome_of(error), Ambiguous)


@pytest.mark.spec("MSG-6.5", "MSG-9")
def test_telegrams_own_refusals_are_classified() -> None:
    def failure(error: TelegramError):
        outcome = telegram_errors.outcome_of(error)
        assert isinstance(outcome, Refused)
        return outcome.failure.error_class, outcome.failure.retryable

    assert failure(BadRequest("chat not found")) == (ErrorClass.VALIDATION_ERROR, False)
    assert failure(Forbidden("bot was blocked")) == (ErrorClass.TARGET_UNAVAILABLE, False)
    assert failure(NetworkError("Request Entity Too Large")) == (ErrorClass.TARGET_UNAVAILABLE, True)
    assert telegram_errors.outcome_of(RetryAfter(17)) == Throttled(17.0)


def test_an_unknown_token_is_refused_without_repeating_it() -> None:
    outcome = telegram_errors.outcome_of(InvalidToken("The token `4711:secret` was rejected"))
    assert isinstance(outcome, Refused)
    assert "4711" not in outcome.failure.message


def smtp(error: Exception, *, stage: smtp_errors.Stage = "talking"):
    return smtp_errors.outcome_of(error, stage=stage)


@pytest.mark.spec("MSG-6.5")
def test_an_smtp_answer_is_proof_by_its_code_at_any_stage() -> None:
    later, never = (
        smtp(aiosmtplib.SMTPDataError(451, "later"), stage="content"),
        smtp(aiosmtplib.SMTPRecipientRefused(550, "no such user", "x@example.org")),
    )
    assert isinstance(later, Deferred)
    assert later.failure.error_class is ErrorClass.TARGET_UNAVAILABLE
    assert later.failure.retryable
    assert isinstance(never, Refused)
    assert never.failure.error_class is ErrorClass.VALIDATION_ERROR
    assert not never.failure.retryable


def test_a_mail_servers_words_in_another_encoding_are_stored_as_far_as_they_can_be_read() -> None:
    outcome = smtp(aiosmtplib.SMTPDataError(451, "4.7.1 r\udce9essayez\x00"), stage="content")
    assert isinstance(outcome, Deferred)
    assert "451 4.7.1 r\N{REPLACEMENT CHARACTER}essayez\N{REPLACEMENT CHARACTER}" in outcome.failure.message


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
    before, after = smtp(error), smtp(error, stage="content")
    assert isinstance(before, Refused)
    assert before.failure.retryable
    assert before.failure.error_class is error_class
    assert isinstance(after, Ambiguous)
    assert after.failure.error_class is error_class


@pytest.mark.parametrize(
    "error",
    [
        aiosmtplib.SMTPConnectError("Error connecting to mail.example.org"),
        aiosmtplib.SMTPConnectTimeoutError("late"),
        OSError("Name or service not known"),
    ],
)
def test_a_mail_server_that_was_never_reached_was_given_no_mail(error: Exception) -> None:
    outcome = smtp(error, stage="connecting")
    assert isinstance(outcome, Unreachable)
    assert outcome.failure.retryable
    assert str(error) in outcome.failure.message


def test_a_mail_server_that_refuses_the_connection_in_words_has_been_reached() -> None:
    outcome = smtp(aiosmtplib.SMTPConnectResponseError(421, "too many connections"), stage="connecting")
    assert isinstance(outcome, Deferred)
    assert outcome.failure.retryable


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (550, "5.1.1 <x@example.org>: Recipient address rejected: User unknown"),
        (550, "5.1.10 RESOLVER.ADR.RecipientNotFound"),
        (550, "5.1.1 The account does not exist.\n5.1.1 Please check for typing errors."),
        (554, "5.1.2 bad destination system address"),
        (550, "5.2.1 the account is disabled"),
        (550, "no such user"),
        (551, "user not local"),
        (553, "mailbox name not allowed"),
        (550, "5.1.1 <sender-policy@example.org>: no such user"),
    ],
)
def test_that_there_is_no_such_address_is_told_from_other_refusals(code: int, said: str) -> None:
    outcome = smtp(aiosmtplib.SMTPRecipientRefused(code, said, _address_in(said)))
    assert isinstance(outcome, Refused)
    assert outcome.no_such_recipient == " ".join(f"{code} {said}".split())


@pytest.mark.parametrize(
    "error",
    [
        aiosmtplib.SMTPRecipientRefused(550, "5.7.1 delivery not authorised", "x@example.org"),
        aiosmtplib.SMTPRecipientRefused(550, "5.4.1 access denied", "x@example.org"),
        aiosmtplib.SMTPRecipientRefused(550, "5.1.8 sender's domain not found", "x@example.org"),
        aiosmtplib.SMTPRecipientRefused(550, "5.1.0 <home@a.b>: Sender address rejected", "x@example.org"),
        aiosmtplib.SMTPRecipientRefused(550, "relay not permitted", "x@example.org"),
        aiosmtplib.SMTPRecipientRefused(550, "blocked for spam", "x@example.org"),
        aiosmtplib.SMTPRecipientRefused(552, "5.2.2 mailbox full", "x@example.org"),
        aiosmtplib.SMTPRecipientRefused(554, "no", "x@example.org"),
        aiosmtplib.SMTPSenderRefused(550, "5.1.1 no such user", "home@butlers.test"),
        aiosmtplib.SMTPDataError(550, "no"),
    ],
)
def test_policy_and_what_is_wrong_with_us_say_nothing_of_the_address(
    error: aiosmtplib.SMTPResponseException,
) -> None:
    outcome = smtp(error)
    assert isinstance(outcome, Refused)
    assert outcome.no_such_recipient is None


def _address_in(said: str) -> str:
    return said[said.find("<") + 1 : said.find(">")] if "<" in said else "x@example.org"


@pytest.mark.parametrize("code", [451, 550])
def test_what_a_mail_server_says_in_latin_1_can_be_stored(code: int) -> None:
    error = aiosmtplib.SMTPDataError(code, b"r\xe9essayez".decode("utf-8", "surrogateescape"))
    outcome = smtp_errors.outcome_of(error, stage="content")
    assert isinstance(outcome, Deferred | Refused)
    assert "r\N{REPLACEMENT CHARACTER}essayez" in outcome.failure.message
