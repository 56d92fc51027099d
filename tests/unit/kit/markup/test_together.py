"""Texts of both formats put together; each says what it says alone (ADR 0102)."""

from __future__ import annotations

from hypothesis import given

from butler_kit.markup import Words, read, said, said_by, together
from tests.support.markdown_texts import MARKDOWN


def test_words_of_a_person_below_a_models_answer_stay_as_they_were_said() -> None:
    told = together([Words("**Noted.**", "markdown"), Words("Told Ben: “2 *3* and snake_case, - x”")])
    assert told.format == "markdown"
    rich = read(told.text)
    assert rich.text == "Noted.\n\nTold Ben: “2 *3* and snake_case, - x”"
    assert [rich.text[span.start : span.end] for span in rich.spans] == ["Noted."]


def test_plain_texts_are_plain_together_and_code_without_an_end_takes_nothing_in() -> None:
    assert together([Words("a *b*"), Words("c")]) == Words("a *b*\n\nc")
    told = together([Words("```\ncode", "markdown"), Words("Told Ben: *x*")])
    assert told == Words("```\ncode\n\nTold Ben: *x*")


def test_a_stored_delivery_is_read_by_its_format() -> None:
    assert said_by({"message": "**a**", "format": "markdown"}) == "a"
    assert said_by({"message": "**a**"}) == "**a**"
    assert said_by({"emoji": "👍"}) == ""


@given(MARKDOWN, MARKDOWN)
def test_together_they_say_what_each_says(markdown: str, plain: str) -> None:
    told = together([Words(markdown, "markdown"), Words(plain)])
    assert _blind(said(*told)) == _blind(said(markdown, "markdown") + plain.replace("\0", "\ufffd"))


def _blind(text: str) -> str:
    return "".join(text.replace("\0", "\ufffd").split())
