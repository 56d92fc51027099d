"""What a model may say to each tool: closed JSON Schemas, every text and list of them bounded (pure)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

__all__ = [
    "ANSWER",
    "ASK",
    "FIELDS",
    "FORGET",
    "MOST_FOUND",
    "NOTHING",
    "NOTIFY",
    "add_schema",
    "search_schema",
    "update_schema",
]

MOST_FOUND: Final = 30
"""Records that one search shows."""
_NAME: Final = {"type": "string", "maxLength": 300}
_DAY: Final = {"type": "string", "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "description": "YYYY-MM-DD"}
_HOUR: Final = {"type": "string", "pattern": r"^[0-9]{2}:[0-9]{2}$", "description": "HH:MM, local"}
_NUMBER: Final = {
    "anyOf": [
        {"type": "number"},
        {"type": "string", "pattern": r"^-?[0-9]{1,12}(\.[0-9]{1,6})?$"},
    ]
}
_ID: Final = {
    "type": "string",
    "minLength": 36,
    "maxLength": 36,
    "description": "the id of a record that was found",
}

FIELDS: Final[Mapping[str, Any]] = {
    "occurred_on": {**_DAY, "description": "the day the fact is about, YYYY-MM-DD; without it today"},
    "occurred_at": _HOUR,
    "done_on": {**_DAY, "description": "the day on which a task was done or a bill paid"},
    "title": {**_NAME, "description": "what it is, in a few words of the message"},
    "amount": {**_NUMBER, "description": "a sum, with a point for decimals"},
    "currency": {
        "type": "string",
        "pattern": "^[A-Z]{3}$",
        "description": "ISO 4217; without it the household's",
    },
    "quantity": _NUMBER,
    "quantity_second": _NUMBER,
    "unit": {"type": "string", "minLength": 1, "maxLength": 20},
    "party": {**_NAME, "description": "the person or firm it is about; not the writer"},
    "place": _NAME,
    "code": {**_NAME, "description": "flight or booking number, list name, kind of measurement"},
    "to": {**_NAME, "description": "where a journey goes"},
    "arrives": _HOUR,
    "until": {**_DAY, "description": "the last day"},
    "booking": {**_NAME, "description": "booking code"},
}
"""What a record may say besides its kind."""


def _object(required: Sequence[str], properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(required),
        "additionalProperties": False,
        "properties": dict(properties),
    }


def add_schema(kinds: Sequence[str]) -> Mapping[str, Any]:
    """Of `record_add`."""
    words = {"type": "string", "minLength": 1, "maxLength": 2_000}
    quote = {**words, "description": "the words of the message that say it, exactly"}
    return _object(["kind", "quote"], {"kind": {"enum": list(kinds)}, "quote": quote, **FIELDS})


def search_schema(kinds: Sequence[str]) -> Mapping[str, Any]:
    """Of `record_search`."""
    word = {"type": "string", "minLength": 1, "maxLength": 80}
    return _object(
        [],
        {
            "kinds": {"type": "array", "items": {"enum": list(kinds)}, "maxItems": len(kinds)},
            "words": {
                "type": "array",
                "items": word,
                "maxItems": 8,
                "description": "records with any of them",
            },
            "since": {**_DAY, "description": "first day, YYYY-MM-DD"},
            "until": {**_DAY, "description": "last day, YYYY-MM-DD"},
        },
    )


def update_schema() -> Mapping[str, Any]:
    """Of `record_update`; what its fields mean is said where they are added."""
    return _object(["id"], {"id": _ID, **{name: _unexplained(field) for name, field in FIELDS.items()}})


def _unexplained(field: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in field.items() if name != "description"}


FORGET: Final = _object(["id"], {"id": _ID})
_WORDS: Final = {"type": "string", "minLength": 1, "maxLength": 4_000, "pattern": r"\S"}
ANSWER: Final = _object(["text"], {"text": _WORDS})
NOTHING: Final = _object([], {})
NOTIFY: Final = _object(
    ["person", "quote"],
    {
        "person": {**_NAME, "description": "as the message names them"},
        "quote": {
            "type": "string",
            "minLength": 1,
            "maxLength": 2_000,
            "description": "what to tell them, exactly",
        },
    },
)
ASK: Final = _object(["question"], {"question": {**_WORDS, "maxLength": 500}})
