"""One HTTP exchange with the Bot API, told apart where python-telegram-bot tells its errors apart too little.

A 5xx and a 429 are recognised by their status, whatever their body says; its own error classes keep no status.
"""

from __future__ import annotations

import json
from typing import Any, Final

from telegram.error import RetryAfter, TelegramError
from telegram.request import HTTPXRequest

__all__ = ["BotRequest", "ServerFault"]

_PAUSE_S: Final = 30
"""When a provider asks to slow down without saying for how long."""
_PAUSE_MAX_S: Final = 86_400


class ServerFault(TelegramError):
    """The Bot API, or what stands before it, answered with a 5xx: whether it did what was asked is unknown."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status


class BotRequest(HTTPXRequest):
    """python-telegram-bot's HTTP client with `ServerFault`, and `RetryAfter` for every 429."""

    async def do_request(self, *args: Any, **kwargs: Any) -> tuple[int, bytes]:
        status, payload = await super().do_request(*args, **kwargs)
        if status >= 500:
            raise ServerFault(status)
        if status == 429:
            raise RetryAfter(_asked_pause_s(payload))
        return status, payload


def _asked_pause_s(payload: bytes) -> int:
    try:
        asked = float(json.loads(payload)["parameters"]["retry_after"])
        return min(max(int(asked), 1), _PAUSE_MAX_S)
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return _PAUSE_S
