"""PURE: a python-telegram-bot error as an outcome (MSG-9, D41, D43).

A refusal by the Bot API (a 4xx) proves that nothing was sent; so does a connection that was never made. A 5xx does
not: a restarting Bot API server returns it for calls that it has already passed on (docs/adr/0014). Everything else
that breaks after the request went out is ambiguous too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

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
from butler_kit.botapi import NeverReached, ServerFault, pause_of
from butler_messenger.delivery.outcomes import (
    ACCOUNT_REFUSED,
    Ambiguous,
    Failure,
    ProviderOutcome,
    Refused,
    Throttled,
    Unreachable,
)

__all__ = ["is_lost_topic", "is_refused_glyph", "of_a_file", "outcome_of"]

_REFUSED_GLYPH: Final = "reaction_invalid"
_LOST_TOPIC: Final = ("message thread not found", "topic_closed", "topic_deleted")
"""A topic that was deleted or closed, that is too old for a busy forum, or whose group has no topics any more."""
_REASON_CHARS: Final = 200


def is_refused_glyph(error: TelegramError) -> bool:
    """Whether the Bot API refuses this emoji as a reaction for bots (D21)."""
    return isinstance(error, BadRequest) and _REFUSED_GLYPH in error.message.lower()


def is_lost_topic(error: TelegramError) -> bool:
    """Whether the chat is there and takes messages, but not in this topic."""
    return isinstance(error, BadRequest) and any(words in error.message.lower() for words in _LOST_TOPIC)


def outcome_of(error: TelegramError) -> ProviderOutcome:
    """Translate; the token, which an InvalidToken's text may carry, is never repeated."""
    if isinstance(error, RetryAfter):
        return Throttled(pause_of(error))
    if isinstance(error, InvalidToken):
        text = "Telegram does not know the bot's token"
        return Refused(Failure(ErrorClass.TARGET_UNAVAILABLE, text, retryable=False), ACCOUNT_REFUSED)
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


def of_a_file(error: TelegramError, number: int) -> ProviderOutcome:
    """Like `outcome_of`; a call that is refused as such, or as too large, may be accepted without its file.

    Any other fault, of the chat for instance, shows up with the text that goes in its place.
    """
    outcome = outcome_of(error)
    if isinstance(error, BadRequest) and isinstance(outcome, Refused):
        return replace(outcome, files=(number,))
    return outcome


def _network(error: TelegramError) -> ProviderOutcome:
    cause = error.__cause__
    if isinstance(error, ServerFault):
        text = f"Telegram failed on the call ({error.message}); it may have sent the message all the same"
        return Ambiguous(Failure(ErrorClass.TARGET_UNAVAILABLE, text, retryable=True))
    if isinstance(error, NeverReached):
        text = f"Telegram cannot be reached ({_line(error.message)})"
        return Unreachable(Failure(ErrorClass.TARGET_UNAVAILABLE, text, retryable=True))
    if isinstance(error, TimedOut):
        return Ambiguous(Failure(ErrorClass.TIMEOUT, "Telegram did not answer in time", retryable=True))
    if cause is None:  # the Bot API's own answer with another 4xx
        return _refused(ErrorClass.TARGET_UNAVAILABLE, f"Telegram: {error.message}", retryable=True)
    text = f"the connection to Telegram broke after the request was sent ({type(cause).__name__})"
    return Ambiguous(Failure(ErrorClass.TARGET_UNAVAILABLE, text, retryable=True))


def _line(text: str) -> str:
    return " ".join(text.split())[:_REASON_CHARS]


def _refused(error_class: ErrorClass, message: str, *, retryable: bool) -> Refused:
    return Refused(Failure(error_class, message, retryable))
