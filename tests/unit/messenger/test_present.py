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


def test_a_long_text_is_cut_at_a_paragraph_and_every_part_says_who_speaks() -> None:
    first, second = telegram_parts("health", "a" * 3000 + "\n\n" + "b" * 2000)
    assert first == "[health] " + "a" * 3000
    assert second == "[health] " + "b" * 2000


@pytest.mark.spec("MSG-6.3")
@given(st.text(min_size=1, max_size=12_000), st.integers(64, 512))
def test_parts_fit_the_limit_and_lose_no_word(text: str, limit: int) -> None:
    parts = telegram_parts("general", text, limit=limit)
    assert all(0 < units(part) <= limit and part.startswith("[general]") for part in parts)
    said = "".join("".join(part.removeprefix("[general]").split()) for part in parts)
    assert said == "".join(text.strip().removeprefix("[general]").split())


def test_emoji_count_twice_as_telegram_counts_them() -> None:
    parts = telegram_parts("general", "😀" * TELEGRAM_LIMIT)
    assert all(units(part) <= TELEGRAM_LIMIT for part in parts)
    assert "".join(part.removeprefix("[general] ") for part in parts) == "😀" * TELEGRAM_LIMIT
