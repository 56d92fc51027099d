"""PURE: converts records, changes and questions to and from the arguments of a session's calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from typing import Any, Final, get_args
from uuid import UUID

from butler_contracts.claims import CLAIMS_MAX, ClaimV1, claims_in
from butler_contracts.errors import ValidationFailed
from butler_contracts.notify import Format
from butler_specialist.store.model import Question, RecordChange, RecordDraft, SaidAudience, Shown

__all__ = [
    "ANSWER_SCHEMA",
    "ASK_SCHEMA",
    "CHANGE_SCHEMA",
    "RECORD_SCHEMA",
    "SILENT_SCHEMA",
    "ask_args",
    "change_args",
    "change_from",
    "claims_args",
    "claims_from",
    "draft_of",
    "question_from",
    "record_args",
]

_TEXTS: Final = ("title", "currency", "unit", "party", "place", "code")
_NUMBERS: Final = ("amount", "quantity", "quantity_second")
_TEXT_CHARS: Final = 2_000
_WHOLE_CHARS: Final = 131_072
_MOST_SHARED: Final = 100
"""The most people a record can be shared with."""
_TEXT: Final = {"type": "string", "minLength": 1, "maxLength": _TEXT_CHARS}
_DAY: Final = {"type": "string", "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
_ID: Final = {"type": "string", "format": "uuid"}
_NUMBER: Final = {"type": "string", "pattern": r"^-?[0-9]{1,15}(\.[0-9]{1,6})?$"}

RECORD_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["kind", "occurred_on", "text"],
    "additionalProperties": False,
    "properties": {
        "kind": {"type": "string", "pattern": "^[a-z][a-z_]{0,39}$"},
        "occurred_on": _DAY,
        "done_on": _DAY,
        "occurred_at": {"type": "string", "pattern": r"^[0-9]{2}:[0-9]{2}$"},
        "text": {"type": "string", "maxLength": _WHOLE_CHARS},
        "details": {"type": "object"},
        "audience": {"enum": list(get_args(SaidAudience))},
        "shared_with": {"type": "array", "items": _TEXT, "maxItems": _MOST_SHARED},
        **dict.fromkeys(_TEXTS, _TEXT),
        **dict.fromkeys(_NUMBERS, _NUMBER),
    },
}
CHANGE_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["record_id", "version", "cause"],
    "additionalProperties": False,
    "properties": {
        "record_id": _ID,
        "version": {"type": "integer", "minimum": 1},
        "cause": {"type": "string", "pattern": "^[a-z][a-z_]{0,39}$"},
        "undoes": _ID,
        "whose": {"const": True},
        "after": RECORD_SCHEMA,
    },
}
ASK_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["text", "moment", "candidates"],
    "additionalProperties": False,
    "properties": {
        "text": _TEXT,
        "moment": {"type": "string", "format": "date-time"},
        "candidates": {"type": "array", "items": _ID, "maxItems": 20},
        "shown": {"enum": list(get_args(Shown))},
    },
}
_CLAIMS: Final[Mapping[str, Any]] = {
    "type": "array",
    "maxItems": CLAIMS_MAX,
    "items": ClaimV1.model_json_schema(),
}
ANSWER_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["text"],
    "additionalProperties": False,
    "properties": {
        "text": {"type": "string", "minLength": 1, "maxLength": 65_536},
        "format": {"enum": list(get_args(Format))},
        "claims": _CLAIMS,
    },
}
SILENT_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"claims": _CLAIMS},
}


def record_args(draft: RecordDraft) -> dict[str, Any]:
    """Return the arguments of a `record` call.

    Unknown values are left out, overlong texts end with a mark.
    """
    args: dict[str, Any] = {
        "kind": draft.kind,
        "occurred_on": draft.occurred_on.isoformat(),
        "text": _cut(draft.text, _WHOLE_CHARS),
    }
    if draft.occurred_at is not None:
        args["occurred_at"] = draft.occurred_at.strftime("%H:%M")
    if draft.done_on is not None:
        args["done_on"] = draft.done_on.isoformat()
    if draft.audience is not None:
        args["audience"] = draft.audience
    if draft.shared_with:
        args["shared_with"] = list(draft.shared_with)
    if draft.details:
        args["details"] = dict(draft.details)
    args |= {name: _cut(value, _TEXT_CHARS) for name in _TEXTS if (value := getattr(draft, name))}
    numbers = {name: value for name in _NUMBERS if (value := getattr(draft, name)) is not None}
    return args | {name: format(value, "f") for name, value in numbers.items()}


def draft_of(args: Mapping[str, Any]) -> RecordDraft:
    """Return the record of accepted arguments. Raises `ValidationFailed` for an invalid day or time."""
    try:
        at, done = args.get("occurred_at"), args.get("done_on")
        return RecordDraft(
            kind=args["kind"],
            occurred_on=date.fromisoformat(args["occurred_on"]),
            text=args["text"],
            occurred_at=time.fromisoformat(at) if at is not None else None,
            details=dict(args.get("details", {})),
            done_on=date.fromisoformat(done) if done is not None else None,
            audience=args.get("audience"),
            shared_with=tuple(args.get("shared_with", ())),
            **_texts(args),
            **_numbers(args),
        )
    except (ValueError, InvalidOperation) as error:
        raise ValidationFailed(f"record: {error}") from error


def change_args(change: RecordChange) -> dict[str, Any]:
    """Return the arguments of a `change` call."""
    args: dict[str, Any] = {
        "record_id": str(change.record_id),
        "version": change.version,
        "cause": change.cause,
    }
    if change.undoes is not None:
        args["undoes"] = str(change.undoes)
    if change.whose:
        args["whose"] = True
    return args if change.after is None else {**args, "after": record_args(change.after)}


def change_from(args: Mapping[str, Any]) -> RecordChange:
    """Return the change of accepted arguments. Raises `ValidationFailed`."""
    try:
        return RecordChange(
            record_id=UUID(args["record_id"]),
            version=args["version"],
            cause=args["cause"],
            after=draft_of(args["after"]) if "after" in args else None,
            undoes=UUID(args["undoes"]) if "undoes" in args else None,
            whose="whose" in args,
        )
    except ValueError as error:
        raise ValidationFailed(f"change: {error}") from error


def ask_args(question: Question) -> dict[str, Any]:
    """Return the arguments of an `ask` call."""
    return {
        "text": _cut(question.text, _TEXT_CHARS),
        "moment": question.moment.isoformat(),
        "candidates": [str(candidate) for candidate in question.candidates],
        **({"shown": question.shown} if question.shown else {}),
    }


def question_from(args: Mapping[str, Any]) -> Question:
    """Return the question of accepted arguments. Raises `ValidationFailed`."""
    try:
        candidates = tuple(UUID(candidate) for candidate in args["candidates"])
        moment = datetime.fromisoformat(args["moment"])
        return Question(args["text"], moment, candidates, args.get("shown"))
    except ValueError as error:
        raise ValidationFailed(f"ask: {error}") from error


def claims_args(claims: Sequence[ClaimV1]) -> dict[str, Any]:
    """Return the `claims` argument of a call that ends a session; empty where there are none."""
    return {"claims": [claim.model_dump(exclude_none=True) for claim in claims]} if claims else {}


def claims_from(args: Mapping[str, Any]) -> tuple[ClaimV1, ...]:
    """Return the claims of accepted arguments. Raises `ValidationFailed`."""
    try:
        return claims_in(dict(args))
    except ValueError as error:
        raise ValidationFailed(f"claims: {error}") from error


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _texts(args: Mapping[str, Any]) -> dict[str, Any]:
    return {name: args.get(name) for name in _TEXTS}


def _numbers(args: Mapping[str, Any]) -> dict[str, Any]:
    return {name: Decimal(args[name]) if name in args else None for name in _NUMBERS}
