"""The quick way through `parse` takes only what the careful way would take, and keeps it the same."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from butler_contracts.bounded_json import DEPTH_MAX, checked_copy, has_no_fault
from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.parse import _plain_document, parse_keeping_document
from tests.support.switchboard import telegram

text = st.text(st.characters(codec=None, categories=["L", "N", "Z", "Cc", "Cs"]), max_size=8)
leaf = st.one_of(
    st.none(),
    st.booleans(),
    text,
    st.integers(),
    st.floats(),
    st.sampled_from([2**64, -(2**63) - 1, 2**64 - 1]),
)
tree = st.recursive(
    leaf,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(text, inner, max_size=4)),
    max_leaves=12,
)


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"a": value}
    return value


@given(value=st.dictionaries(text, tree, max_size=4))
@example(value={"a": "\x00"})
@example(value={"\ud800": 1})
@example(value={"a": ["\\u0000"]})
@example(value={"a": float("nan")})
@example(value={"a": 2**64})
@example(value=nested(DEPTH_MAX + 1))
def test_what_goes_the_quick_way_is_what_the_careful_way_makes_of_it(value: dict[str, Any]) -> None:
    document = _plain_document(value)
    if document is None:
        return
    plain, fault = checked_copy(value)
    assert fault is None
    assert json.loads(document) == plain == value


def test_an_ordinary_message_goes_the_quick_way() -> None:
    assert _plain_document(telegram(1, "Grüße aus Köln 🚂").to_wire()) is not None


def test_a_key_that_is_not_text_and_a_foreign_value_go_the_careful_way() -> None:
    assert not has_no_fault({1: "a"})
    assert not has_no_fault({"a": object()})
    assert not has_no_fault({"a": {"b": ("tuple",)}})


def test_the_document_is_kept_as_it_was_sent() -> None:
    sent = telegram(1).to_wire()
    sent["event"]["observed_at"] = "2026-03-01T10:30:00+01:00"
    del sent["payload"]["attachments"]
    _, document = parse_keeping_document(IngestEnvelopeV1, sent)
    assert json.loads(document) == sent
