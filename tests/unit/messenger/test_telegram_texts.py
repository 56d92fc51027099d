"""A text as the messages that Telegram takes of it: parts, and what stands out in each (MSG-6.3, ADR 0102)."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from telegram import MessageEntity

from butler_kit.markup import Rich, read
from butler_messenger.delivery.channels.telegram_texts import TELEGRAM_LIMIT, Part
from butler_messenger.delivery.channels.telegram_texts import telegram_parts as parts_of
from tests.support.markdown_texts import MARKDOWN


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def telegram_parts(origin: str, text: str, *, limit: int = TELEGRAM_LIMIT) -> tuple[str, ...]:
    """The parts of a plain text."""
    parts = parts_of(origin, Rich(text), limit=limit)
    assert all(part.entities == () for part in parts)
    return tuple(part.text for part in parts)


def test_a_text_says_who_speaks_once() -> None:
    assert telegram_parts("finance", "  12 euro\n") == ("[finance] 12 euro",)
    assert telegram_parts("finance", "[finance] 12 euro") == ("[finance] 12 euro",)


def test_a_text_without_a_mark_has_none_however_its_writer_began_it() -> None:
    assert texts_without("12 euro") == texts_without("[finance] 12 euro") == ("12 euro",)
    assert texts_without("a" * 5000) == ("(1/2) " + "a" * 4090, "(2/2) " + "a" * 910)


def test_what_telegram_would_strip_stands_behind_a_mark_all_the_same() -> None:
    """A message that begins with a blank begins elsewhere for Telegram, and its entities lie beside their words."""
    assert texts_without("[finance]") == ("[finance]",)
    [block] = parts_of("finance", read("```\n  x\n```"), marked=False)
    assert (block.text, shown(block)) == ("[finance]\n  x", [("pre", "  x")])
    [bold] = parts_of("finance", read("**12** euro"), marked=False)
    assert (bold.text, shown(bold)) == ("12 euro", [("bold", "12")])


def texts_without(text: str) -> tuple[str, ...]:
    return tuple(part.text for part in parts_of("finance", Rich(text), marked=False))


def said_by(parts: tuple[str, ...], origin: str = "general") -> list[str]:
    """The texts of numbered parts; each opens with the mark and says which of how many it is."""
    opening = [f"[{origin}] ({number}/{len(parts)}) " for number in range(1, len(parts) + 1)]
    assert [part[: len(told)] for part, told in zip(parts, opening, strict=True)] == opening
    return [part[len(told) :] for part, told in zip(parts, opening, strict=True)]


def test_a_long_text_is_cut_at_a_paragraph_and_every_part_says_who_speaks_and_which_it_is() -> None:
    assert telegram_parts("health", "a" * 3000 + "\n\n" + "b" * 2000) == (
        "[health] (1/2) " + "a" * 3000,
        "[health] (2/2) " + "b" * 2000,
    )
    assert telegram_parts("health", "a" * 4087) == ("[health] " + "a" * 4087,)


def test_a_link_a_word_and_a_sum_stay_whole_wherever_the_end_of_a_message_falls() -> None:
    link = "https://example.org/" + "x" * 2500
    assert said_by(telegram_parts("general", f"{'see ' * 500}{link} {'and ' * 100}")) == [
        ("see " * 500).strip(),
        f"{link} {'and ' * 100}".strip(),
    ]
    for ahead in range(60, 85):
        first, *_ = said_by(telegram_parts("general", f"{'y' * ahead} 12\u00a0€ {'more ' * 9}", limit=100))
        assert first.split(" ")[-1] in ("y" * ahead, "12\u00a0€", "more")


def test_a_character_as_a_person_sees_it_stays_whole_where_one_word_is_longer_than_a_message() -> None:
    for character in ("👨\u200d👩\u200d👧", "e\u0301", "👍\U0001f3fd", "❤\ufe0f", "🇩🇪"):
        for ahead in range(12):
            text = "x" * ahead + character * 60
            said = said_by(telegram_parts("general", text, limit=100))
            assert "".join(said) == text
            assert all(one.removeprefix("x" * ahead).replace(character, "") == "" for one in said)


@pytest.mark.spec("MSG-6.3")
@given(st.text(min_size=1, max_size=12_000), st.integers(64, 512))
def test_parts_fit_the_limit_and_lose_no_word(text: str, limit: int) -> None:
    parts = telegram_parts("general", text, limit=limit)
    assert all(0 < units(part) <= limit and part.startswith("[general]") for part in parts)
    texts = said_by(parts) if len(parts) > 1 else [parts[0].removeprefix("[general]")]
    said = "".join("".join(one.split()) for one in texts)
    assert said == "".join(text.strip().removeprefix("[general]").split())


def test_emoji_count_twice_as_telegram_counts_them() -> None:
    parts = telegram_parts("general", "😀" * TELEGRAM_LIMIT)
    assert all(units(part) <= TELEGRAM_LIMIT for part in parts)
    assert "".join(said_by(parts)) == "😀" * TELEGRAM_LIMIT


def test_a_text_of_very_many_parts_numbers_them_all_within_the_limit() -> None:
    parts = telegram_parts("general", "word " * 2000, limit=64)
    assert len(parts) > 200
    assert all(units(part) <= 64 for part in parts)
    assert " ".join(said_by(parts)) == ("word " * 2000).strip()


def shown(part: Part) -> list[tuple[str, str]]:
    """What stands out in a part, and how, cut out of its UTF-16 as Telegram does it."""
    wire = part.text.encode("utf-16-le")
    return [
        (entity.type, wire[2 * entity.offset : 2 * (entity.offset + entity.length)].decode("utf-16-le"))
        for entity in part.entities
    ]


def test_what_stands_out_is_counted_in_utf_16_behind_the_mark() -> None:
    [part] = parts_of("home", read("👋 **Sum 😀** for *Ben*: `x`, [page](https://example.org/q)"))
    assert part.text == "[home] 👋 Sum 😀 for Ben: x, page"
    assert shown(part) == [("bold", "Sum 😀"), ("italic", "Ben"), ("code", "x"), ("text_link", "page")]
    assert part.entities[-1].url == "https://example.org/q"


def test_code_stands_alone_a_link_holds_none_and_a_quote_holds_all() -> None:
    [part] = parts_of("home", read("**bold `code` bold** [a `b`](https://example.org/q)"))
    assert shown(part) == [("bold", "bold"), ("code", "code"), ("bold", "bold"), ("text_link", "a b")]
    [part] = parts_of("home", read("> a **b** `c`\n> > d"))
    assert shown(part) == [("blockquote", "a b c\nd"), ("bold", "b"), ("code", "c")]
    assert part.text == "[home]\na b c\nd"


def test_a_block_of_code_begins_below_the_mark_and_names_its_language() -> None:
    [part] = parts_of("home", read("```python\n  x\n```"))
    assert (part.text, shown(part)) == ("[home]\n  x", [("pre", "  x")])
    assert part.entities[0].language == "python"


def test_a_cut_falls_before_what_stands_out_not_within() -> None:
    for ahead in range(10, 60):
        parts = parts_of("home", read(f"{'x ' * ahead}**{'bold ' * 9}end** {'y ' * 20}"), limit=100)
        assert [text for part in parts for _, text in shown(part)] == ["bold " * 9 + "end"]


def test_what_is_longer_than_a_message_stands_out_in_each_of_its_parts() -> None:
    parts = parts_of("home", read(f"[{'go ' * 40}](https://example.org/q)"), limit=100)
    assert len(parts) == 2
    assert [entity.url for part in parts for entity in part.entities] == ["https://example.org/q"] * 2
    assert " ".join(text for part in parts for _, text in shown(part)) == ("go " * 40).strip()


def test_lines_of_code_keep_their_blanks_where_it_is_cut() -> None:
    code = "\n".join(f"    line {number}" for number in range(20))
    parts = parts_of("home", read(f"```\n{code}\n```"), limit=100)
    assert len(parts) > 2
    assert "\n".join(text for part in parts for _, text in shown(part)) == code


@pytest.mark.spec("MSG-6.3")
@given(st.lists(MARKDOWN, max_size=12).map(" ".join), st.integers(64, 400))
def test_any_markdown_is_parts_that_telegram_takes_and_that_say_all_of_it(markdown: str, limit: int) -> None:
    said = read(markdown or "x")
    parts = parts_of("general", said, limit=limit)
    assert all(0 < units(part.text) <= limit for part in parts)
    assert parts_of("general", said, limit=limit) == parts
    for part in parts:
        assert all(text.strip() for _, text in shown(part))
        assert 0 <= len(part.entities) <= 100
        for one, other in combinations(part.entities, 2):
            assert _nests(one, other) or _nests(other, one)
    texts = tuple(part.text.replace("[general]\n", "[general] ").replace(")\n", ") ", 1) for part in parts)
    heads = [f"[general] ({number}/{len(parts)})" for number in range(1, len(parts) + 1)]
    heads = heads if len(parts) > 1 else ["[general]"]
    whole = "".join(text.removeprefix(head) for text, head in zip(texts, heads, strict=True))
    assert "".join(whole.split()) == "".join(said.text.split())


def _nests(one: MessageEntity, other: MessageEntity) -> bool:
    """Whether `other` is behind `one`, or in it where it may be (Bot API, formatting options)."""
    end = one.offset + one.length
    if end <= other.offset:
        return True
    inside = one.offset <= other.offset and other.offset + other.length <= end
    code = {one.type, other.type} & {"code", "pre"}
    return inside and one.type != other.type and (one.type == "blockquote" or not code)


def test_what_stands_out_beyond_what_telegram_shows_is_plain_and_there() -> None:
    [part] = parts_of("home", read("**a** b " * 150))
    assert len(part.entities) == 100
    assert part.text.removeprefix("[home] ").split() == ["a", "b"] * 150
