"""The form of a record: its fields are those which it has, and what was changed is told from what it was shown with."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import pytest

from butler_contracts.errors import ValidationFailed
from butler_contracts.record_orders import TEXT_MAX
from butler_dashboard.acting.forms import delivery_call, delivery_letter_calls, record_call
from butler_dashboard.pages.record_form import fields_of, shown_values, typed_in
from butler_dashboard.reads.record_models import RecordSummary
from butler_dashboard.web.surroundings import BODY_MAX_BYTES

OWN = UUID("019ca8d9-0b40-7000-8000-000000000001")
FORM = {"reason": "told by phone", "order": "o", "version": "3"}


def record(**more: Any) -> RecordSummary:
    nothing = dict.fromkeys(RecordSummary.model_fields)
    known = {
        "butler": "general", "record_id": OWN, "request_id": OWN, "kind": "appointment", "text": "Dentist\nfor Leo",
        "occurred_on": date(2026, 11, 27), "occurred_at": time(15, 30), "channel": "telegram",
        "sender_identity": "1001", "sender_class": "household", "recorded_at": datetime(2026, 11, 22, tzinfo=UTC),
        "version": 1,
    }  # fmt: skip
    return RecordSummary(**{**nothing, **known, **more})


def sent(shown: RecordSummary, **typed: str) -> dict[str, str]:
    """What a browser sends: lines end its way, and an empty field is not there."""
    fields = {field.name: field.value for field in fields_of(shown)} | typed
    lines = {f"v.{name}": value.replace("\n", "\r\n") for name, value in fields.items() if value}
    return {**lines, "was": shown_values(shown)}


def test_a_form_asks_for_what_the_record_has() -> None:
    assert [field.name for field in fields_of(record())] == ["text", "occurred_on", "occurred_at"]
    bill = record(kind="bill", occurred_at=None, amount=Decimal("84.50"), currency="EUR")
    shown = {field.name: (field.value, field.input) for field in fields_of(bill)}
    assert shown["amount"] == ("84.50", "decimal")
    assert "occurred_at" not in shown


def test_only_what_was_changed_is_sent_whatever_happened_to_the_record_meanwhile() -> None:
    assert typed_in(record(), sent(record())) == {}
    assert typed_in(record(), sent(record(), occurred_at="")) == {"occurred_at": ""}
    form = sent(record(), text="Dentist for Mara")
    moved = record(occurred_on=date(2026, 12, 1), version=2)
    assert typed_in(moved, form) == {"text": "Dentist for Mara"}


def test_the_longest_words_that_can_be_edited_fit_into_a_request_in_any_script() -> None:
    for letter in ("a", "я", "😀"):
        longest = record(text=letter * TEXT_MAX)
        assert len(urlencode(sent(longest, occurred_at="16:00"))) < BODY_MAX_BYTES
        assert typed_in(longest, sent(longest, occurred_at="16:00")) == {"occurred_at": "16:00"}


def test_longer_words_are_not_offered_and_the_rest_can_be_changed() -> None:
    long = record(text="x" * (TEXT_MAX + 1))
    assert [field.name for field in fields_of(long)] == ["occurred_on", "occurred_at"]
    assert typed_in(long, sent(long, occurred_at="16:00")) == {"occurred_at": "16:00"}


@pytest.mark.parametrize("was", ["", "no json", "[]", "[" * 100_000])
def test_a_form_that_does_not_say_what_it_was_shown_with_means_all_that_it_says(was: str) -> None:
    form = {**sent(record()), "was": was}
    assert typed_in(record(), form).keys() == {"text", "occurred_on", "occurred_at"}


def test_an_order_names_the_version_and_is_one_for_a_form() -> None:
    tool, told = record_call("edit", "general", OWN, FORM, {"text": "x"})
    assert (tool, told["version"], told["values"]) == ("record.edit", 3, {"text": "x"})
    assert told["idempotency_key"] == "dashboard:o:edit"
    for wrong in ({"version": "x"}, {"version": ""}, {"version": "1" * 40}, {"reason": " "}):
        with pytest.raises(ValidationFailed):
            record_call("edit", "general", OWN, {**FORM, **wrong}, {})


def test_an_answer_that_may_have_arrived_is_sent_again_only_when_that_is_ticked() -> None:
    assert "resend_uncertain" not in _told("replay", FORM)
    assert "resend_uncertain" not in _told("replay-all", {**FORM, "twice": "yes"})
    assert _told("replay", {**FORM, "twice": "yes"})["resend_uncertain"] is True
    assert "resend_uncertain" not in _told("discard", {**FORM, "twice": "yes"})


def _told(verb, form):
    [(tool, told)] = delivery_letter_calls(verb, [OWN], form)
    assert tool == f"delivery_letter.{verb.removesuffix('-all')}"
    return told


def test_a_delivery_without_a_dead_letter_is_named_by_its_own_id():
    tool, told = delivery_call("replay", OWN, {**FORM, "twice": "yes"})
    assert tool == "delivery_letter.replay"
    assert (told["delivery_id"], told["resend_uncertain"]) == (str(OWN), True)
    assert "dead_letter_id" not in told
