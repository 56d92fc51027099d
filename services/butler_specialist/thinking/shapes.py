"""What a record of each kind needs before a model may store it (pure): sums, values, days, persons.

Invariant: a record that a model asks for has the same shape as those that the profiles read themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from butler_contracts.errors import ValidationFailed
from butler_specialist.store.model import RecordDraft

__all__ = ["KEPT_BY_RULES_ALONE", "check_shape"]

KEPT_BY_RULES_ALONE: Final = frozenset({"list_removal", "reminder"})
"""Kinds not offered to a model: `record_forget` takes things off a list, and a record reminds nobody."""
_EARLIEST: Final = timedelta(days=130 * 365)
_LATEST: Final = timedelta(days=50 * 365)
_MOST: Final = Decimal(10) ** 12
_DECIMALS: Final = 6


@dataclass(frozen=True, slots=True)
class Shape:
    """The fields that a kind needs: all of `needs` and one of `one_of`.

    `happened`: its day may not be in the future.
    """

    needs: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()
    happened: bool = False


@dataclass(frozen=True, slots=True)
class Value:
    """How a measured value is stored: its units, if any, and its bounds."""

    units: tuple[str, ...]
    least: int
    most: int
    second: bool = False


_SUM: Final = ("amount", "currency")
_SHAPES: Final[Mapping[str, Shape]] = {
    "expense": Shape(_SUM, happened=True),
    "refund": Shape(_SUM),
    "income": Shape(_SUM),
    "bill": Shape(_SUM),
    "subscription": Shape(_SUM),
    "debt": Shape((*_SUM, "party")),
    "measurement": Shape(("code", "quantity"), happened=True),
    "medication": Shape(("title",)),
    "allergy": Shape(("title",)),
    "birthday": Shape(("party",)),
    "meeting": Shape(("party",)),
    "gift": Shape(("party",)),
    "contact": Shape(("party", "code")),
    "flight": Shape(one_of=("code", "place")),
    "train": Shape(one_of=("code", "place")),
    "bus": Shape(one_of=("code", "place")),
    "delay": Shape(one_of=("code", "place")),
    "stay": Shape(one_of=("title", "place")),
    "document": Shape(("title",)),
    "list_item": Shape(("title", "code")),
    "task": Shape(("title",)),
}
"""Kinds not listed here need only their day and words."""
_VALUES: Final[Mapping[str, Value]] = {
    "blood_pressure": Value(("mmHg",), 40, 300, second=True),
    "weight": Value(("kg", "lb"), 1, 700),
    "pulse": Value(("bpm",), 20, 300),
    "temperature": Value(("°C", "°F"), 30, 115),
    "glucose": Value(("mg/dl", "mmol/l"), 1, 900),
    "height": Value(("cm",), 20, 260),
    "sleep": Value(("h",), 0, 48),
    "steps": Value((), 0, 300_000),
    "water": Value(("l",), 0, 30),
    "running": Value(("km", "mi", "m"), 0, 99_999),
    "cycling": Value(("km", "mi", "m"), 0, 99_999),
    "swimming": Value(("km", "mi", "m"), 0, 99_999),
    "walking": Value(("km", "mi", "m"), 0, 99_999),
}


def check_shape(draft: RecordDraft, today: date) -> None:
    """Return if the record may be stored; else raise `ValidationFailed` in words that a model can act on."""
    shape = _SHAPES.get(draft.kind, Shape())
    for name in shape.needs:
        if getattr(draft, name) is None:
            raise ValidationFailed(f"{draft.kind}: {name} is missing")
    if shape.one_of and all(getattr(draft, name) is None for name in shape.one_of):
        raise ValidationFailed(f"{draft.kind}: one of {', '.join(shape.one_of)} is missing")
    _check_day(draft, shape, today)
    _check_numbers(draft)
    if draft.kind == "measurement":
        _check_value(draft)


def _check_day(draft: RecordDraft, shape: Shape, today: date) -> None:
    if not today - _EARLIEST <= draft.occurred_on <= today + _LATEST:
        raise ValidationFailed(f"{draft.kind}: {draft.occurred_on} is no day that a household speaks of")
    if shape.happened and draft.occurred_on > today:
        hint = "; what is to be paid is a bill" if draft.kind == "expense" else ""
        raise ValidationFailed(f"{draft.kind}: {draft.occurred_on} is to come, today is {today}{hint}")


def _check_numbers(draft: RecordDraft) -> None:
    for name in ("amount", "quantity", "quantity_second"):
        value = getattr(draft, name)
        if value is None:
            continue
        if not value.is_finite() or not 0 <= value < _MOST or round(value, _DECIMALS) != value:
            raise ValidationFailed(
                f"{draft.kind}: {name} is no number from 0 up with at most {_DECIMALS} decimals"
            )
    if draft.amount is not None and draft.amount == 0:
        raise ValidationFailed(f"{draft.kind}: amount is 0")


def _check_value(draft: RecordDraft) -> None:
    code, quantity = draft.code or "", draft.quantity or Decimal(0)
    value = _VALUES.get(code)
    if value is None:
        raise ValidationFailed(
            f"measurement: code is one of {', '.join(_VALUES)}; a note keeps anything else"
        )
    if value.units and draft.unit not in value.units:
        raise ValidationFailed(f"measurement: the unit of {code} is {' or '.join(value.units)}")
    if not value.least <= quantity <= value.most:
        raise ValidationFailed(f"measurement: {quantity} {draft.unit} is no {code}")
    second = draft.quantity_second
    if value.second and (second is None or second >= quantity):
        raise ValidationFailed(f"measurement: {code} has a quantity_second, which is the lower one")
    if not value.second and second is not None:
        raise ValidationFailed(f"measurement: {code} has no quantity_second")
