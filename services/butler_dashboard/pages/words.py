"""The project's states, classes and kinds in everyday words, and the tone of each (pure)."""

from __future__ import annotations

from typing import Final

__all__ = [
    "failure",
    "intent_word",
    "not_delivered",
    "part_word",
    "state_tone",
    "state_word",
    "suppression_word",
    "type_word",
]

_TONES: Final = {
    "good": ("online", "healthy", "active", "parsed", "sent", "completed", "ok", "replayed"),
    "warn": (
        "stale",
        "degraded",
        "uncertain",
        "cost_capped",
        "pending_approval",
        "pending_missing_identifier",
        "throttled",
        "cancelled",
    ),
    "bad": ("offline", "error", "errored", "failed", "bounced", "dead_lettered", "quarantined", "open"),
    "info": ("accepted", "pending", "in_progress", "in_provider_call", "started"),
}
_TONE: Final = {state: tone for tone, states in _TONES.items() for state in states}
_WORDS: Final = {
    "accepted": "under way",
    "parsed": "done",
    "errored": "failed",
    "force_completed": "declared done",
    "pending": "waiting",
    "in_progress": "sending",
    "in_provider_call": "sending",
    "bounced": "came back",
    "dead_lettered": "dead letter",
    "pending_approval": "needs approval",
    "pending_missing_identifier": "no address",
    "cost_capped": "at its cost cap",
    "skipped": "not asked",
    "ok": "done",
}
_TYPES: Final = {
    "telegram_bot": "Telegram bot",
    "imap": "Mailbox (IMAP)",
    "gmail": "Gmail",
    "webhook": "Webhook",
    "telegram": "Telegram",
    "email": "E-mail",
    "api": "HTTP",
    "mcp": "MCP",
}
_INTENTS: Final = {"reply": "answer", "send": "message", "react": "reaction"}
_PARTS: Final = {"switchboard": "Switchboard", "messenger": "Messenger", "operator": "An operator"}
_SUPPRESSIONS: Final = {
    "bounced": "a message came back",
    "complained": "they complained",
    "unsubscribed": "they unsubscribed",
    "operator": "somebody said so",
}
_FAILURES: Final = {
    "classification_error": "it could not be told who should take it",
    "validation_error": "it cannot be worked with as it is",
    "routing_error": "there was nobody to give it to",
    "target_unavailable": "not reachable",
    "timeout": "no answer in time",
    "overload_rejected": "too much to do at the moment",
    "internal_error": "something broke on our side",
}


def state_word(state: str) -> str:
    """Return a state in everyday words."""
    return _WORDS.get(state, state.replace("_", " "))


def state_tone(state: str) -> str:
    """Return good, warn, bad, info or dim."""
    return _TONE.get(state, "dim")


def type_word(kind: str) -> str:
    """Return the name of a connector type or a channel."""
    return _TYPES.get(kind, kind.replace("_", " "))


def intent_word(intent: str) -> str:
    """Return what a delivery is to its recipient."""
    return _INTENTS.get(intent, intent.replace("_", " "))


def part_word(name: str) -> str:
    """Return a part of the household as the start of a sentence; butlers and people keep their names."""
    return _PARTS.get(name, name)


def suppression_word(reason: str) -> str:
    """Return the reason of a suppression in words."""
    return _SUPPRESSIONS.get(reason, reason.replace("_", " "))


def failure(error_class: str | None, message: str | None) -> str:
    """Return an error's class in words, followed by its message."""
    name = error_class or "internal_error"
    said = _FAILURES.get(name, name.replace("_", " "))
    return f"{said}: {message}" if message else said


def not_delivered(status: str, error_class: str | None, message: str | None) -> str:
    """Return why a delivery is not known to have arrived; an uncertain one was sent, and may have arrived."""
    if status == "uncertain":
        return f"it may have arrived: {message}" if message else "it may have arrived"
    return failure(error_class, message)
