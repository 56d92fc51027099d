"""What strangers write about themselves is one harmless line."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.text import plain_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Marc\r\nBcc: x@y.example", "Marc Bcc: x@y.example"),
        ("Ma\u202erc\u2066 Weber\ufeff", "Marc Weber"),
        ("a\u2028b\x85c\x00\x1b[31m", "a b c[31m"),
        ("👩\u200d👧 Zoë", "👩\u200d👧 Zoë"),
        (" \u202e\n", ""),
    ],
)
def test_what_steers_a_line_or_its_direction_is_left_out(text: str, line: str) -> None:
    assert plain_line(text, most=100).replace("\N{REPLACEMENT CHARACTER}", "") == line


@given(st.text(max_size=400), st.integers(2, 80))
def test_any_text_is_one_bounded_line(text: str, most: int) -> None:
    line = plain_line(text, most=most)
    assert len(line) <= most
    assert line == " ".join(line.split())
    kinds = {unicodedata.category(char) for char in line if char not in "\u200c\u200d"}
    assert not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}
