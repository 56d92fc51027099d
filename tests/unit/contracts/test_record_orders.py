"""What a person may type into the fields of a record, and what is said of the rest."""

from __future__ import annotations

from datetime import date, time
from decimal import Decimal

import pytest

from butler_contracts.record_orders import FieldProblems, editable, read_values

BILL = frozenset({"text", "title", "occurred_on", "amount", "currency", "party"})


@pytest.mark.parametrize(
    ("name", "typed", "kept"),
    [
        ("amount", "66", Decimal(66)),
        ("amount", " 66,50 ", Decimal("66.50")),
        ("amount", "0.125", Decimal("0.125")),
        ("amount", "1500", Decimal(1500)),
        ("occurred_on", "2026-11-27", date(2026, 11, 27)),
        ("currency", "chf", "CHF"),
        ("text", " Paid the bill\n", "Paid the bill"),
    ],
)
def test_a_value_is_kept_as_it_is_meant(name: str, typed: str, kept: object) -> None:
    assert read_values("bill", BILL, {name: typed}) == {name: kept}


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("amount", "a lot", "expected a number"),
        ("amount", "1.234,50", "expected a number"),
        ("amount", "1,500", "without separators of thousands"),
        ("amount", "1.500", "without separators of thousands"),
        ("amount", "-3", "from 0"),
        ("amount", "NaN", "expected a number"),
        ("amount", "1e30", "from 0"),
        ("amount", "٣", "expected a number"),
        ("amount", "", "cannot be empty"),
        ("occurred_on", "27.11.2026", "expected a day"),
        ("occurred_on", "9999-01-01", "expected a year"),
        ("currency", "XYZ", "expected a currency"),
        ("text", "  ", "cannot be empty"),
        ("title", "x" * 201, "at most 200"),
        ("text", "a\x00b", "NUL"),
        ("occurred_at", "15:30", "no such field"),
        ("quantity", "3", "no such field"),
        ("contact_id", "3", "no such field"),
    ],
)
def test_what_cannot_be_kept_is_said_of_its_field(name: str, typed: str, said: str) -> None:
    with pytest.raises(FieldProblems) as found:
        read_values("bill", BILL, {name: typed, "party": "Lidl"})
    assert list(found.value.fields) == [name]
    assert said in found.value.fields[name]


def test_an_hour_may_be_added_where_one_makes_sense_and_taken_away() -> None:
    has = frozenset({"text", "occurred_on", "occurred_at"})
    assert "occurred_at" in editable("appointment", frozenset({"text", "occurred_on"}))
    assert read_values("appointment", has, {"occurred_at": "15:30"}) == {"occurred_at": time(15, 30)}
    assert read_values("appointment", has, {"occurred_at": ""}) == {"occurred_at": None}


def test_what_a_butler_finds_its_records_by_is_no_field() -> None:
    measured = frozenset({"text", "occurred_on", "quantity", "unit", "code"})
    assert editable("measurement", measured) == ("text", "occurred_on", "occurred_at", "quantity")
    assert "code" not in editable("list_item", frozenset({"text", "title", "code"}))
