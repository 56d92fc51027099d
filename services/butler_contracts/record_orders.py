"""PURE: what an operator orders of a record: withdraw it, edit it, undo its last change (ADR 0042).

Values travel as they were typed. Whoever shows a form and the butler that keeps the record read them by the same rules,
so that what is wrong is said beside its field, and nothing gets past the form.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from pydantic import Field

from butler_contracts.base import StrictModel
from butler_contracts.currencies import known_currency
from butler_contracts.errors import ValidationFailed
from butler_contracts.text import STORABLE, text_fault

__all__ = [
    "EDITABLE",
    "RECORD_TOOLS",
    "TEXT_MAX",
    "UNDO_HOURS",
    "FieldProblems",
    "RecordOrder",
    "RecordVerb",
    "editable",
    "read_values",
    "tool_of",
]

RecordVerb = Literal["withdraw", "edit", "undo"]
VERBS: Final[tuple[RecordVerb, ...]] = ("withdraw", "edit", "undo")
UNDO_HOURS: Final = 24
"""How long a change can be undone."""
EDITABLE: Final = (
    "text", "title", "occurred_on", "occurred_at", "amount", "currency", "quantity", "quantity_second", "unit",
    "party", "place", "code",
)  # fmt: skip
"""In the order in which a form asks for them."""
_ALWAYS: Final = frozenset({"text", "occurred_on"})
_CLEARABLE: Final = frozenset({"occurred_at", "place"})
_UNTIMED: Final = frozenset(
    {"expense", "bill", "subscription", "refund", "income", "debt", "birthday", "allergy", "list_item",
     "list_removal", "contact", "gift"}
)  # fmt: skip
"""Kinds that a day is enough for; of any other an hour may be added."""
_KEYS: Final = frozenset(
    {("measurement", "code"), ("measurement", "unit"), ("list_item", "code"), ("list_removal", "code")}
)
"""What a butler finds its records by: of which measure, on which list."""
TEXT_MAX: Final = 4_000
"""The most letters of words that an edit may give. What a message told may be longer."""
_LONGEST: Final = {"text": TEXT_MAX}
_LINE: Final = 200
_YEARS: Final = range(1900, 2101)
_THOUSANDS: Final = re.compile(r"\+?[1-9]\d{0,2}[.,]\d{3}", re.ASCII)
"""A sum that one reader takes for thousands and another for one with three decimals."""
_NO_NUMBER: Final = "expected a number such as 66.50, without separators of thousands"
_LARGEST: Final = Decimal(10) ** 12
_DECIMALS: Final = 6


def tool_of(verb: RecordVerb) -> str:
    """The tool of Switchboard, and of the butler that keeps the record."""
    return f"record.{verb}"


RECORD_TOOLS: Final = tuple(tool_of(verb) for verb in VERBS)
Typed = Annotated[str, Field(max_length=TEXT_MAX), STORABLE]


class RecordOrder(StrictModel):
    """Which record, as it stood at `version` when it was looked at; `values` of an edit, by the names of fields."""

    record_id: UUID
    version: Annotated[int, Field(ge=1)]
    values: Annotated[dict[str, Typed], Field(default_factory=dict, max_length=len(EDITABLE))]


class FieldProblems(ValidationFailed):
    """Values that cannot be used; `fields` says what is wrong with each."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{name}: {problem}" for name, problem in fields.items()))
        self.fields = dict(fields)


def editable(kind: str, has: Collection[str]) -> tuple[str, ...]:
    """The fields of a record of `kind` that can be changed: those which it `has`, and an hour where one makes sense."""
    return tuple(
        name
        for name in EDITABLE
        if (kind, name) not in _KEYS
        and (name in _ALWAYS or name in has or (name == "occurred_at" and kind not in _UNTIMED))
    )


def read_values(kind: str, has: Collection[str], typed: Mapping[str, str]) -> dict[str, Any]:
    """The typed values as they are kept; empty is None where a field may be. Raises `FieldProblems`."""
    known, values, wrong = editable(kind, has), dict[str, Any](), dict[str, str]()
    for name, text in typed.items():
        try:
            if name not in known:
                raise _Wrong("this record has no such field")
            values[name] = _read(name, text.strip())
        except _Wrong as problem:
            wrong[name] = str(problem)
    if wrong:
        raise FieldProblems(wrong)
    return values


class _Wrong(ValueError):
    """What is wrong with one value, as a person reads it."""


def _read(name: str, text: str) -> Any:
    if not text:
        if name in _CLEARABLE:
            return None
        raise _Wrong("this cannot be empty")
    if name == "occurred_on":
        return _day(text)
    if name == "occurred_at":
        return _hour(text)
    if name == "amount" and _THOUSANDS.fullmatch(text):
        raise _Wrong(_NO_NUMBER)
    if name in ("amount", "quantity", "quantity_second"):
        return _number(text)
    if name == "currency":
        return _currency(text)
    return _words(text, most=_LONGEST.get(name, _LINE))


def _day(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise _Wrong("expected a day such as 2026-11-27") from None
    if day.year not in _YEARS:
        raise _Wrong(f"expected a year from {_YEARS[0]} to {_YEARS[-1]}")
    return day


def _hour(text: str) -> time:
    for form in ("%H:%M", "%H:%M:%S"):
        try:
            return datetime.strptime(text, form).time()
        except ValueError:
            continue
    raise _Wrong("expected an hour such as 15:30")


def _number(text: str) -> Decimal:
    plain = text.replace(",", ".") if text.count(",") + text.count(".") == 1 else text
    try:
        number = Decimal(plain) if plain.isascii() else None
    except InvalidOperation:
        number = None
    if number is None or not number.is_finite():
        raise _Wrong(_NO_NUMBER)
    exponent = number.as_tuple().exponent
    if not 0 <= number < _LARGEST or (isinstance(exponent, int) and exponent < -_DECIMALS):
        raise _Wrong("expected a number from 0 to below a trillion, with at most six decimals")
    return number


def _currency(text: str) -> str:
    try:
        return known_currency(text.upper())
    except ValueError:
        raise _Wrong("expected a currency such as EUR") from None


def _words(text: str, *, most: int) -> str:
    fault = text_fault(text)
    if fault is not None:
        raise _Wrong(fault)
    if len(text) > most:
        raise _Wrong(f"expected at most {most:,} characters")
    return text
