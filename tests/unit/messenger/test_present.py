"""Who speaks, in the subject of a mail (MSG-6.3)."""

from __future__ import annotations

import pytest

from butler_messenger.delivery.present import marked_subject


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
