"""PURE: converts a reminder, and the stop of one, to and from the arguments of a session's call."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from butler_contracts.errors import ValidationFailed
from butler_specialist.remind.rule import canonical_rule, first_occurrence
from butler_specialist.store.reminder_model import ReminderDraft, ReminderStop

__all__ = ["REMIND_SCHEMA", "STOP_SCHEMA", "reminder_args", "reminder_of", "stop_args", "stop_of"]

_TEXT_CHARS: Final = 2_000
_LONGEST_GRACE_S: Final = 7 * 86_400

REMIND_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["text", "due_at", "zone", "grace_s", "source", "language"],
    "additionalProperties": False,
    "properties": {
        "text": {"type": "string", "minLength": 1, "maxLength": _TEXT_CHARS},
        "due_at": {"type": "string", "maxLength": 40},
        "zone": {"type": "string", "minLength": 1, "maxLength": 64},
        "rule": {"type": "string", "minLength": 1, "maxLength": 200},
        "grace_s": {"type": "integer", "minimum": 0, "maximum": _LONGEST_GRACE_S},
        "source": {"enum": ["asked", "record"]},
        "language": {"enum": ["en", "de", "fr", "es"]},
        "can_wait": {"type": "boolean"},
        "elapses": {"type": "boolean"},
    },
}
STOP_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["reminder_id"],
    "additionalProperties": False,
    "properties": {"reminder_id": {"type": "string", "minLength": 36, "maxLength": 36}},
}


def reminder_args(draft: ReminderDraft) -> dict[str, Any]:
    """Return the arguments of a `remind` call; a text that is too long ends with a mark."""
    text = draft.text
    args: dict[str, Any] = {
        "text": text if len(text) <= _TEXT_CHARS else f"{text[: _TEXT_CHARS - 1].rstrip()}…",
        "due_at": draft.due_at.astimezone(UTC).isoformat(),
        "zone": draft.zone,
        "grace_s": int(draft.grace.total_seconds()),
        "source": draft.source,
        "language": draft.language,
        "can_wait": draft.can_wait,
        "elapses": draft.elapses,
    }
    return args | ({"rule": draft.rule} if draft.rule is not None else {})


def reminder_of(args: Mapping[str, Any]) -> ReminderDraft:
    """Return the reminder of accepted arguments, its rule in stored form. Raises `ValidationFailed`."""
    try:
        due_at, zone = datetime.fromisoformat(args["due_at"]), ZoneInfo(args["zone"])
    except (ValueError, ZoneInfoNotFoundError, OSError) as error:
        raise ValidationFailed(f"remind: {error}") from error
    if due_at.tzinfo is None:
        raise ValidationFailed("remind: due_at has no offset; expected UTC")
    rule = args.get("rule")
    return ReminderDraft(
        text=args["text"],
        due_at=due_at.astimezone(UTC),
        zone=args["zone"],
        rule=canonical_rule(rule, first_occurrence(due_at, zone), zone) if rule is not None else None,
        grace=timedelta(seconds=args["grace_s"]),
        source=args["source"],
        language=args["language"],
        can_wait=args.get("can_wait", False),
        elapses=args.get("elapses", False),
    )


def stop_args(stop: ReminderStop) -> dict[str, Any]:
    """Return the arguments of a `stop_reminder` call."""
    return {"reminder_id": str(stop.reminder_id)}


def stop_of(args: Mapping[str, Any]) -> ReminderStop:
    """Return the stop of accepted arguments. Raises `ValidationFailed`."""
    try:
        return ReminderStop(UUID(args["reminder_id"]))
    except ValueError as error:
        raise ValidationFailed(f"stop_reminder: {error}") from error
