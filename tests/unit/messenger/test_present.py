"""How an answer looks on its channel (MSG-6.3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_messenger.delivery.present import TELEGRAM_LIMIT, marked_subject, marked_text, telegram_parts


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def test_a_text_says_who_speaks_once() -> None:
    assert marked_text("finance", "  12 euro\n") == "[finance] 12 euro"
    assert marked_text("finance", "[finance] 12 euro") == "[finance] 12 euro"


def test_a_subject_says_who_speaks_once_and_a_reply_is_a_reply_once() -> None:
    assert marked_subject("finance", "Invoice", reply=False) == "[finance] Invoice"
    assert marked_subject("finance", "RE: Re: Invoice", reply=True) == "Re: [finance] Invoice"
    assert marked_subject("finance", "Re: [finance] Invoice", reply=True) == "Re: [finance] Invoice"


@pytest.mark.parametrize(
    "subject", ["AW: Re: Plumber", "Re[2]: Plumber", "Sv: Plumber", "Antw : Plumber", "RE:Plumber"]
)
def test_a_reply_is_one_reply_whatever_the_program_that_wrote_the_mail(subject: str) -> None:
    assert marked_subject("finance", subject, reply=True) == "Re: [finance] Plumber"


def test_a_mark_far_behind_does_not_count_and_an_answer_without_a_subject_has_one() -> None:
    far = marked_subject("finance", "x" * 300 + "[finance]", reply=True)
    assert far.startswith("Re: [finance] xxx")
    assert marked_subject("finance", " ", reply=True) == "Re: [finance] Your message"


def test_a_subject_is_one_line_and_never_missing() -> None:
    assert (
        marked_subject("finance", "a\r\nBcc: x@example.org", reply=False) == "[finance] a Bcc: x@example.org"
    )
    assert "[finance]" in marked_subject("finance", None, reply=False)
    assert len(marked_subject("finance", "x" * 5000, reply=True)) <= 204


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
