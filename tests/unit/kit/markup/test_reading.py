"""Markdown as a text and what stands out in it; what is no markup stays as it is written (ADR 0102)."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given

from butler_kit.markup import MOST_CHARS, Rich, Span, escaped, read, reading
from tests.support.markdown_texts import ADDRESS, MARKDOWN


def shown(markdown: str) -> tuple[str, list[tuple[str, str]]]:
    """The text, and what stands out in it how."""
    rich = read(markdown)
    return rich.text, [(span.style.value, rich.text[span.start : span.end]) for span in rich.spans]


@pytest.mark.parametrize(
    ("markdown", "text", "spans"),
    [
        ("**Sum:** 12 €", "Sum: 12 €", [("bold", "Sum:")]),
        ("*so* and _so_", "so and so", [("italic", "so"), ("italic", "so")]),
        ("***both***", "both", [("bold", "both"), ("italic", "both")]),
        ("~~old~~ `co_de`", "old co_de", [("struck", "old"), ("code", "co_de")]),
        ("## On *today*", "On today", [("bold", "On today"), ("italic", "today")]),
        (f"[the page]({ADDRESS})", "the page", [("link", "the page")]),
        ("> **q**\n> r\n\ns", "q\nr\n\ns", [("quote", "q\nr"), ("bold", "q")]),
        ("```python\nx = '*a*'\n  y\n```\nz", "x = '*a*'\n  y\nz", [("pre", "x = '*a*'\n  y")]),
        ("* a\n* **b**\n  1. c\n     d", "• a\n• b\n  1. c\n     d", [("bold", "b")]),
        ("这是**重要**的", "这是重要的", [("bold", "重要")]),
        ("**שלום** 👋", "שלום 👋", [("bold", "שלום")]),
        ("one  \ntwo\\\nthree", "one\ntwo\nthree", []),
        ("\\*as it is\\*", "*as it is*", []),
    ],
)
def test_what_models_write_stands_out_and_its_marks_are_gone(
    markdown: str, text: str, spans: list[tuple[str, str]]
) -> None:
    assert shown(markdown) == (text, spans)


@pytest.mark.parametrize(
    "written",
    [
        "2*3*4 = 24, 2**3**2 = 512",
        "snake_case_name and __init__.py, f(*args, **kwargs)",
        "https://example.org/_foo_/a_b*c*d?x=~~1~~ and https://example.org/-_a_-.",
        "see (https://example.org/a_(b)_c_d).",
        "example.org/_a_/b, /srv/*/x/*/y, C:\\new\\x",
        "** not closed, *nor this, `nor that, ~~nor ~this~",
        'he wrote "*" and "*", not [*] or (*)',
        "---",
        "***",
        "#7 is no heading, nor is this: # 7",
        "+ 3 days\n- 5 degrees\n3. May\n2) two",
        "Ada <ada_b@example.org> wrote <b>&amp;</b> <https://example.org/_a_>",
        "[x] done [ ] open [a]: b ![ ](",
        "[go](javascript:alert(1))",
        "```\nno end, *nor* more",
        ">",
        "#",
        "- \n- x",
        "a\n---\nb\n===\nc",
    ],
)
def test_what_is_no_markup_stays_as_it_is_written(written: str) -> None:
    text, spans = shown(written)
    assert (text.replace("•", "*"), spans) == (written, [])


def test_what_a_program_would_not_follow_is_shown_and_a_name_that_is_its_address_is_told_once() -> None:
    assert shown("[mail](mailto:a@example.org)")[0] == "mail (mailto:a@example.org)"
    assert shown("[box](http://nas:5000/x)")[0] == "box (http://nas:5000/x)"
    assert shown(f"[{ADDRESS}]({ADDRESS}) []({ADDRESS})") == (f"{ADDRESS} {ADDRESS}", [])
    assert shown(f"[![cat]({ADDRESS})](https://example.org/cat)") == ("cat", [("link", "cat")])


def test_where_nothing_stands_out_links_have_their_addresses_and_quotes_their_mark() -> None:
    rich = read(f"# Today\n> **Ben:** see [it]({ADDRESS})\n> soon\n\n- `x`")
    assert rich.plain == f"Today\n> Ben: see it ({ADDRESS})\n> soon\n\n- x"


@given(MARKDOWN)
def test_spans_lie_in_the_text_and_in_or_outside_of_each_other(markdown: str) -> None:
    rich = read(markdown)
    assert bool(rich.text.strip()) == bool(markdown.strip())
    assert list(rich.spans) == sorted(rich.spans, key=lambda span: (span.start, -span.end))
    for span in rich.spans:
        assert 0 <= span.start < span.end <= len(rich.text)
        assert rich.text[span.start : span.end].strip()
    for one, other in combinations(rich.spans, 2):
        assert _apart(one, other) or _in(one, other) or _in(other, one)


def _apart(one: Span, other: Span) -> bool:
    return one.end <= other.start or other.end <= one.start


def _in(one: Span, other: Span) -> bool:
    return other.start <= one.start and one.end <= other.end


@given(MARKDOWN.filter(lambda text: "![" not in text))
def test_no_word_of_any_text_is_lost_or_added(markdown: str) -> None:
    assert _words(read(markdown).plain) == _words(markdown)


def _words(text: str) -> str:
    return "".join(char for char in text if char.isalnum())


@given(MARKDOWN)
def test_a_plain_text_as_markdown_says_just_that_text(plain: str) -> None:
    rich = read(escaped(plain))
    assert rich.spans == ()
    assert "".join(rich.text.split()) == "".join(plain.replace("\0", "\ufffd").split())


def test_of_a_very_long_text_no_markup_is_read() -> None:
    long = "**a** " * (MOST_CHARS // 6 + 1)
    assert read(long) == Rich(long)


def test_a_text_that_the_reader_fails_at_is_as_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: str) -> None:
        raise IndexError("a defect")

    monkeypatch.setattr(reading._READER, "parse", fails)
    assert read("**never read before**") == Rich("**never read before**")
