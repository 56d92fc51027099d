"""PURE: parsing of a refused call's body (https://core.telegram.org/bots/api#making-requests).

The answer may come from any proxy before the Bot API, so any bytes are accepted and nothing raises.
"""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any, Final
from warnings import catch_warnings, simplefilter

from telegram.error import RetryAfter

__all__ = ["as_documented", "asked_pause_s", "pause_of"]

_PAUSE_MAX_S: Final = 86_400
_DESCRIPTION_CHARS: Final = 1000


def asked_pause_s(payload: bytes, header: str | None = None) -> int | None:
    """Return the seconds the peer asks to wait, at least 1: the body's parameter, else `Retry-After`."""
    parameters = _object(payload).get("parameters")
    said = parameters.get("retry_after") if isinstance(parameters, dict) else None
    return next((seconds for seconds in map(_pause, (said, header)) if seconds is not None), None)


def as_documented(payload: bytes) -> bytes:
    """Return a refusal's description and parameters; nothing for a body that is no object.

    python-telegram-bot logs what it cannot read, and trusts the rest to be of the right types.
    """
    found = _object(payload)
    if not found:
        return b""
    kept: dict[str, Any] = {"ok": False}
    if isinstance(said := found.get("description"), str):
        kept["description"] = said[:_DESCRIPTION_CHARS]
    if isinstance(parameters := found.get("parameters"), dict):
        kept["parameters"] = {
            name: parameters[name]
            for name in ("migrate_to_chat_id", "retry_after")
            if type(parameters.get(name)) is int
        }
    return json.dumps(kept).encode()


def pause_of(error: RetryAfter) -> float:
    """Return the pause that a rate-limit refusal asks for, in seconds."""
    with catch_warnings():  # the library announces that this will become a timedelta; both are read
        simplefilter("ignore")
        pause = error.retry_after
    return pause.total_seconds() if isinstance(pause, timedelta) else float(pause)


def _object(payload: bytes) -> dict[str, Any]:
    try:
        found = json.loads(payload)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _pause(said: object) -> int | None:
    try:
        return min(max(int(float(said)), 1), _PAUSE_MAX_S)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
