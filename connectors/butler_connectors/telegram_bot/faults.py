"""PURE: why a poll gave no updates, in the terms of the connector's states and metrics (CNX-08.1)."""

from __future__ import annotations

from typing import Final, Literal

import aiohttp

from butler_kit.botapi import NeverReached, ServerFault, error, pause_of
from butler_kit.sources.faults import SourceFault

__all__ = ["BadAnswer", "PollFault", "fault_of"]

_CHARS: Final = 200
FaultKind = Literal[
    "http_error", "rate_limited", "unauthorized", "conflict", "timeout", "connection_error", "bad_answer"
]


class PollFault(SourceFault):
    """A poll that gave no updates, for the reason `kind`."""

    def __init__(self, kind: FaultKind, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message, kind=kind, retry_after_s=retry_after_s)


_WHERE: Final = "the Secret of spec.telegramBot.tokenSecretRef (TELEGRAM_BOT_TOKEN)"
"""Where a person corrects the token: in the manifest, or the variable of a connector that runs by itself."""


class BadAnswer(error.TelegramError):
    """The answer is not what the Bot API documents; the message says what is missing."""


def fault_of(failure: error.TelegramError) -> PollFault:
    """Translate; the token, which an InvalidToken's text may carry, is never repeated."""
    said = " ".join(failure.message.split())[:_CHARS]
    if isinstance(failure, BadAnswer):
        return PollFault("bad_answer", said)
    if isinstance(failure, error.RetryAfter):
        return PollFault(
            "rate_limited", "the Bot API asks to slow down (HTTP 429)", retry_after_s=pause_of(failure)
        )
    if isinstance(failure, error.InvalidToken):
        return PollFault("unauthorized", f"the Bot API refuses the bot's token; check {_WHERE}")
    if isinstance(failure, error.Conflict):
        return PollFault("conflict", f"another process polls this bot, or a webhook is set ({said}); stop it")
    if isinstance(failure, ServerFault):
        return PollFault("http_error", f"the Bot API failed ({said})", retry_after_s=failure.retry_after_s)
    return _of_connection(failure, said)


def _of_connection(failure: error.TelegramError, said: str) -> PollFault:
    cause = failure.__cause__
    if isinstance(cause, TimeoutError):
        return PollFault("timeout", "the Bot API did not answer in time")
    if isinstance(cause, aiohttp.InvalidURL):
        return PollFault("connection_error", "TELEGRAM_API_BASE_URL or the token makes no valid URL")
    if isinstance(failure, NeverReached) or isinstance(cause, aiohttp.ClientError | OSError):
        return PollFault("connection_error", f"the Bot API cannot be reached ({said})")
    return PollFault("http_error", f"the Bot API failed ({said})")
