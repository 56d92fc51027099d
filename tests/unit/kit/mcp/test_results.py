"""How a tool's answer is written and read (CNX-06.3, D36)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler_contracts.errors import OverloadRejected, ValidationFailed
from butler_kit.mcp.results import answer, data_of, error_answer, error_of, text_of


@dataclass
class Text:
    text: str


@dataclass
class Result:
    """A result as some client library hands it over."""

    data: Any = None
    structured_content: Any = None
    content: list[Any] = field(default_factory=list)


@pytest.mark.spec("CNX-06.3")
def test_data_comes_before_structured_content_before_text():
    text = [Text('{"from": "text"}')]
    assert data_of(Result({"from": "data"}, {"from": "structured"}, text)) == {"from": "data"}
    assert data_of(Result(None, {"from": "structured"}, text)) == {"from": "structured"}
    assert data_of(Result(None, None, text)) == {"from": "text"}


def test_a_value_that_is_no_object_is_wrapped():
    assert data_of(Result([1, 2])) == {"result": [1, 2]}
    assert data_of(Result(content=[Text("7")])) == {"result": 7}


def test_text_that_is_no_json_is_a_value_error():
    with pytest.raises(ValueError, match="Expecting value"):
        data_of(Result(content=[Text("all is well")]))


def test_blocks_without_text_are_passed_over():
    assert text_of(Result(content=[object(), Text("a"), Text("b")])) == "a\nb"


@settings(deadline=None)
@given(
    st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text()))
)
def test_what_a_handler_returns_is_what_a_client_reads(body):
    sent = answer(body)
    assert data_of(sent) == body
    assert json.loads(text_of(sent)) == body


def test_a_result_that_is_no_json_is_refused():
    with pytest.raises(ValueError, match="JSON compliant"):
        answer({"n": float("nan")})
    with pytest.raises(TypeError):
        answer({"n": object()})


def test_an_error_keeps_its_class_its_hint_and_its_details():
    sent = error_answer(OverloadRejected("full", retry_after_s=3, details={"tier": "default", "at": object}))
    assert sent.is_error
    read = error_of(sent)
    assert read is not None
    assert (read.error_class, read.message, read.retryable, read.retry_after_s) == (
        "overload_rejected",
        "full",
        True,
        3,
    )
    assert data_of(sent)["error"]["details"]["tier"] == "default"


def test_an_unknown_class_of_a_peer_is_internal_with_its_name_kept():
    read = error_of(Result({"error": {"class": "made_up", "message": "m", "retryable": False}}))
    assert read is not None
    assert (read.error_class, read.original_class) == ("internal_error", "made_up")


@pytest.mark.parametrize("text", ["boom", "[]", '{"error": "boom"}', '{"error": {}}', '{"ok": true}'])
def test_free_text_is_no_typed_error(text):
    assert error_of(Result(content=[Text(text)])) is None


def test_a_refusal_is_not_retryable():
    read = error_of(error_answer(ValidationFailed("no")))
    assert read is not None
    assert not read.retryable
