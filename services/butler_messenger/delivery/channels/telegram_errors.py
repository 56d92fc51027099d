"""PURE: a python-telegram-bot error as an outcome (MSG-9, D41, D43).

An answer of the Bot API (`ok: false`) proves that nothing was sent; so does a connection that was never made.
Everything else that breaks after the request went out is ambiguous.
"""

from __future__ import annotations

import warnings
from datetime import timedelta
from typing import Final

import httpx
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from butler_contracts.errors import ErrorClass
from butler_messenger.delivery.outcomes import Ambiguous, Failure, ProviderOutcome, Refused, Throttled

__all__ = ["is_refused_glyph", "outcome_of"]

_NEVER_SENT: Final = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
)
_REFUSED_GLYPH: Final = "reaction_invalid"


def is_refused_glyph(error: TelegramError) -> bool:
    """Whether the Bot API refuses this emoji as a reaction for bots (D21)."""
    return isinstance(error, BadRequest) and _REFUSED_GLYPH in error.message.lower()


def outcome_of(error: TelegramError) -> ProviderOutcome:
    """Translate; the token, which an InvalidToken's text may carry, is never repeated."""
    if isinstance(error, RetryAfter):
        return Throttled(_seconds(error))
    if isinstance(error, InvalidToken):
        return _refused(
            ErrorClass.TARGET_UNAVAILABLE, "Telegram does not know the bot's token", retryable=False
        )
    if isinstance(error, Forbidden):
        return _refused(ErrorClass.TARGET_UNAVAILABLE, f"Telegram: {error.message}", retryable=False)
    if isinstance(error, ChatMigrated):
        text = f"the chat became the supergroup {error.new_chat_id}: correct the recipient"
        return _refused(ErrorClass.VALIDATION_ERROR, text, retryable=False)
    if isinstance(error, Conflict):
        return _refused(ErrorClass.TARGET_UNAVAILABLE, f"Telegram: {error.message}", retryable=True)
    if isinstance(error, BadRequest):  # a subclass of NetworkError
        return _refused(ErrorClass.VALIDATION_ERROR, f"Telegram: {error.message}", retryable=False)
    return _network(error)


def _network(error: TelegramError) -> ProviderOutcome:
    cause = error.__cause__
    if isinstance(error, TimedOut):
        failure = Failure(ErrorClass.TIMEOUT, "Telegram did not answer in time", retryable=True)
        return Refused(failure) if isinstance(cause, _NEVER_SENT) else Ambiguous(failure)
    if isinstance(cause, _NEVER_SENT):
        text = f"Telegram cannot be reached ({type(cause).__name__})"
        return _refused(ErrorClass.TARGET_UNAVAILABLE, text, retryable=True)
    if cause is None:  # the Bot API's own answer with a 5xx
        return _refused(ErrorClass.TARGET_UNAVAILABLE, f"Telegram: {error.message}", retryable=True)
    text = f"the connection to Telegram broke after the request was sent ({type(cause).__name__})"
    return Ambiguous(Failure(ErrorClass.TARGET_UNAVAILABLE, text, retryable=True))


def _refused(error_class: ErrorClass, message: str, *, retryable: bool) -> Refused:
    return Refused(Failure(error_class, message, retryable))


def _seconds(error: RetryAfter) -> float:
    with warnings.catch_warnings():  # the library announces that this will become a timedelta; both are read
        warnings.simplefilter("ignore")
        pause = error.retry_after
    return pause.total_seconds() if isinstance(pause, timedelta) else float(pause)
