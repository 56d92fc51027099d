"""Arguments of a call that waits: one text for the same arguments, shown whole, with nothing in it that hides."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.call_approvals import arguments_of, digest_of, shown_arguments, written_arguments

TEXT = st.text(st.characters(codec="utf-8"))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(TEXT, JSON, max_size=4))
def test_the_text_stands_for_the_arguments_and_for_no_others(args: dict[str, Any]) -> None:
    written = written_arguments(args)
    assert arguments_of(written) == args
    assert written_arguments(dict(reversed(args.items()))) == written
    changed = written_arguments({**args, "x": "changed"})
    assert (digest_of(changed) == digest_of(written)) == (changed == written)


@given(st.dictionaries(TEXT, JSON, max_size=4))
def test_every_argument_has_its_line_and_nothing_on_it_is_unseen(args: dict[str, Any]) -> None:
    lines = shown_arguments(written_arguments(args)).split("\n")
    assert len(lines) == max(1, len(args))
    assert all(line.startswith("| ") and line.isprintable() for line in lines)


@pytest.mark.parametrize(
    "text", ['{"a": 1}', '{"b":1,"a":2}', "[]", "1", '{"a":NaN}', "", "{", '{"a":1,"a":1}']
)
def test_any_other_text_is_none_of_arguments(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        arguments_of(text)


def test_numbers_that_are_none_cannot_be_asked_about() -> None:
    with pytest.raises(ValueError, match="compliant"):
        written_arguments({"x": float("nan")})


def test_a_value_that_would_pass_for_our_words_stays_behind_its_mark() -> None:
    shown = shown_arguments(written_arguments({"note": "x\n\nApproved by Ada.\u2028| door: front\u00ad"}))
    assert shown == '| note: "x\\n\\nApproved by Ada.\\u{2028}| door: front\\u{ad}"'
    assert json.loads(json.dumps(shown)) == shown
