"""`butlers records`: what the specialists tell, narrowed as a person says it."""

from __future__ import annotations

from typing import Any

import pytest

from butler_cli.client.records import LOOKED_AT, Wanted, find_record, names_of, search
from butler_cli.errors import UserError
from butler_cli.output.lists.records import row_of
from butler_cli.verbs.record_orders import _check
from butler_resources.kinds import parse_contacts

NAMES = names_of(
    parse_contacts(
        '- name: Ada Example\n  role: owner\n  identifiers: [{type: telegram, value: "1001"}, '
        "{type: email, value: Ada@example.org}]\n",
        where="",
    ).root
)


def record(text: str, minute: int, **more: Any) -> dict[str, Any]:
    at = f"2026-11-22T10:{minute:02}:00Z"
    return {
        "text": text,
        "recorded_at": at,
        "source_channel": "telegram",
        "sender": "1001",
        "state": "kept",
        **more,
    }


class Specialist:
    """What it holds, and what it was asked."""

    def __init__(self, *records: dict[str, Any]) -> None:
        self.records = list(records)
        self.asked: dict[str, object] = {}

    def __call__(self, path: str, **query: object) -> dict[str, Any]:
        self.asked = {"path": path, **query}
        return {"records": self.records}


FINANCE = Specialist(
    record("Paid the plumber 90 EUR", 1, party="Plumber Bob"),
    record("Paid 5 EUR for bread", 4, source_channel="email", sender="ada@example.org"),
    record("Paid 7 EUR for salt", 5, state="withdrawn"),
)
GENERAL = Specialist(record("the plumber comes on Monday", 3, sender="1002"))
ASK = {"finance": FINANCE, "general": GENERAL}


def texts(**wanted: Any) -> list[str]:
    return [str(entry["text"])[:12] for entry in search(ASK, NAMES, Wanted(**wanted)).records]


def test_the_last_learned_comes_first_whoever_keeps_it_and_what_was_taken_back_is_left_out() -> None:
    assert texts() == ["Paid 5 EUR f", "the plumber ", "Paid the plu"]
    assert texts(withdrawn=True)[0] == "Paid 7 EUR f"
    assert texts(limit=1) == ["Paid 5 EUR f"]


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        ({"text": ("PLUMBER",)}, 2),
        ({"text": ("plumber", "paid")}, 1),
        ({"text": ("bob",)}, 1),
        ({"person": "ada"}, 2),
        ({"person": "Ada Example"}, 2),
        ({"person": "1002"}, 1),
        ({"person": "Exam"}, 0),
        ({"person": "Ada", "text": ("Monday",)}, 0),
    ],
)
def test_words_and_persons_narrow(wanted: dict[str, Any], count: int) -> None:
    assert len(texts(**wanted)) == count


def test_one_person_has_one_name_over_all_channels() -> None:
    found = search({"finance": FINANCE}, NAMES, Wanted())
    assert {entry["person"] for entry in found.records} == {"Ada Example"}
    assert {entry["butler"] for entry in found.records} == {"finance"}


def test_kind_and_time_are_left_to_the_specialist_and_what_was_not_looked_at_is_said() -> None:
    full = Specialist(*[record("x", 1)] * LOOKED_AT)
    found = search(
        {"full": full, "general": GENERAL}, NAMES, Wanted(kind="expense", since="2026-11-01T00:00:00Z")
    )
    assert full.asked == {
        "path": "/records", "kind": "expense", "since": "2026-11-01T00:00:00Z", "limit": LOOKED_AT,
    }  # fmt: skip
    assert found.older == ("full",)


def test_a_row_says_the_sum_or_what_was_measured_and_the_records_own_id() -> None:
    paid = record("Paid 90 EUR", 1, amount="90", currency="EUR", record_id="r1", request_id="q1")
    assert row_of(paid)[5:] == ("90.00 EUR", "kept", "r1")
    pressure = record("128 over 82", 1, quantity="128.0", quantity_second="82", unit="mmHg")
    assert row_of(pressure)[5] == "128/82 mmHg"
    assert row_of(record("a note", 1))[5] is None


def test_a_private_record_is_listed_as_one_and_its_values_are_not_edited_unread() -> None:
    private = record("", 1, record_id="r1", kind="measurement")
    assert row_of(private)[4] == "(private)"
    with pytest.raises(UserError, match="it is private; whoever told it can change it"):
        _check(private, {"quantity": "70"})
    _check(private, {})


def test_a_record_is_found_by_the_beginning_of_its_id_whoever_keeps_it() -> None:
    one = record("x", 1, record_id="b54c69df-9648-51d4-ad08-aee97653fece")
    other = record("y", 1, record_id="b54c69df-0000-51d4-ad08-aee97653fece", state="withdrawn")
    ask = {"finance": Specialist(one), "general": Specialist(other)}
    assert find_record(ask, "b54c69df96")["butler"] == "finance"
    assert find_record(ask, str(other["record_id"]))["text"] == "y"
    for typed, said in (
        ("b54c69df", "begins the ids of 2 records"),
        ("0000000000", "none of the newest"),
        ("bread", "no id"),
    ):
        with pytest.raises(UserError, match=said):
            find_record(ask, typed)
