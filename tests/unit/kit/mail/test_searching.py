"""What is looked for in a mailbox goes out as words, never as a command."""

from __future__ import annotations

from datetime import date

import pytest

from butler_kit.mail.searching import Wanted, searches

DAY = date(2026, 3, 5)


@pytest.mark.parametrize(
    ("word", "sent"),
    [
        ("{5}", 'SINCE 05-Mar-2026 TEXT "{5}"'),
        ('") LOGOUT', 'SINCE 05-Mar-2026 TEXT "\\") LOGOUT"'),
        ("a\\", 'SINCE 05-Mar-2026 TEXT "a\\\\"'),
        ("(ALL)", 'SINCE 05-Mar-2026 TEXT "(ALL)"'),
        ("NIL", 'SINCE 05-Mar-2026 TEXT "NIL"'),
        ("*", 'SINCE 05-Mar-2026 TEXT "*"'),
    ],
)
def test_every_word_is_a_quoted_string(word: str, sent: str) -> None:
    assert list(searches(Wanted(DAY, text=word))) == [(sent, None)]


def test_words_in_ascii_are_one_search_and_every_other_one_of_its_own() -> None:
    wanted = Wanted(DAY, text="plumber", sender="ada@example.org", subject="Zürich")
    assert list(searches(wanted)) == [
        ('SINCE 05-Mar-2026 TEXT "plumber" FROM "ada@example.org"', None),
        (["SINCE", DAY, "SUBJECT", "Zürich"], "UTF-8"),
    ]


@pytest.mark.parametrize("word", ["a\r\nA1 LOGOUT", "a\x00", "Zürich\n"])
def test_control_characters_are_refused(word: str) -> None:
    with pytest.raises(ValueError, match="control"):
        list(searches(Wanted(DAY, subject=word)))
