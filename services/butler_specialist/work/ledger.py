"""PURE: a record as the arguments of a session's `record` call, and back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, time
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from butler_contracts.errors import ValidationFailed
from butler_specialist.store.model import RecordDraft

__all__ = ["ANSWER_SCHEMA", "RECORD_SCHEMA", "draft_of", "record_args"]

_TEXTS: Final = ("title", "currency", "unit", "party", "place", "code")
_NUMBERS: Final = ("amount", "quantity", "quantity_second")
_TEXT_CHARS: Final = 2_000
_WHOLE_CHARS: Final = 131_072
_TEXT: Final = {"type": "string", "minLength": 1, "maxLength": _TEXT_CHARS}
_NUMBER: Final = {"type": "string", "pattern": r"^-?[0-9]{1,15}(\.[0-9]{1,6})?$"}

RECORD_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["kind", "occurred_on", "text"],
    "additionalProperties": False,
    "properties": {
        "kind": {"type": "string", "pattern": "^[a-z][a-z_]{0,39}$"},
        "occurred_on": {"type": "string", "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
        "occurred_at": {"type": "string", "pattern": r"^[0-9]{2}:[0-9]{2}$"},
        "text": {"type": "string", "maxLength": _WHOLE_CHARS},
        "details": {"type": "object"},
        **dict.fromkeys(_TEXTS, _TEXT),
        **dict.fromkeys(_NUMBERS, _NUMBER),
    },
}
ANSWER_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["text"],
    "additionalProperties": False,
    "properties": {"text": {"type": "string", "minLength": 1, "maxLength": 65_536}},
}


def record_args(draft: RecordDraft) -> dict[str, Any]:
    """The arguments of a `record` call; what is not known is left out, what is too long ends with a mark."""
    args: dict[str, Any] = {
        "kind": draft.kind,
        "occurred_on": draft.occurred_on.isoformat(),
        "text": _cut(draft.text, _WHOLE_CHARS),
    }
    if draft.occurred_at is not None:
        args["occurred_at"] = draft.occurred_at.strftime("%H:%M")
    if draft.details:
        args["details"] = dict(draft.details)
    args |= {name: _cut(value, _TEXT_CHARS) for name in _TEXTS if (value := getattr(draft, name))}
    numbers = {name: value for name in _NUMBERS if (value := getattr(draft, name)) is not None}
    return args | {name: format(value, "f") for name, value in numbers.items()}


def draft_of(args: Mapping[str, Any]) -> RecordDraft:
    """The record that accepted arguments mean. Raises `ValidationFailed` for a day or time that is none."""
    try:
        at = args.get("occurred_at")
        return RecordDraft(
            kind=args["kind"],
            occurred_on=date.fromisoformat(args["occurred_on"]),
            text=args["text"],
            occurred_at=time.fromisoformat(at) if at is not None else None,
            details=dict(args.get("details", {})),
            **_texts(args),
            **_numbers(args),
        )
    except (ValueError, InvalidOperation) as error:
        raise ValidationFailed(f"record: {error}") from error


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _texts(args: Mapping[str, Any]) -> dict[str, Any]:
    return {name: args.get(name) for name in _TEXTS}


def _numbers(args: Mapping[str, Any]) -> dict[str, Any]:
    return {name: Decimal(args[name]) if name in args else None for name in _NUMBERS}
