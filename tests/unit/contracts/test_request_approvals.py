"""What a plan holds, in words for an operator, and the one text that is asked about (ADR 0124)."""

from __future__ import annotations

from typing import Any

import pytest

from butler_contracts.call_approvals import shown_text, written_arguments
from butler_contracts.request_approvals import held_in_words, request_in, written_request

HELD: dict[str, Any] = {"targets": [{"butler": "finance"}], "owner": "Mara"}
ASKED = {**HELD, "asked": ["Mara", "Ben"], "until": "2026-11-24T12:00:00+00:00"}


@pytest.mark.parametrize(
    ("held", "words"),
    [
        (HELD, "finance does not get it before Mara is asked"),
        (ASKED, "finance gets it when Mara, Ben agrees, until 2026-11-24T12:00:00+00:00"),
        ({**ASKED, "word": "approved", "said_by": "Ben"}, "Ben agreed to it for finance"),
        ({**ASKED, "word": "denied", "said_by": "Ben"}, "Ben did not agree to it for finance"),
        ({**ASKED, "word": "expired"}, "Mara, Ben did not say in time whether finance may have it"),
        (
            {**ASKED, "word": "withdrawn"},
            "it was changed or taken back before anybody agreed to it for finance",
        ),
        ({**HELD, "word": "unasked"}, "nobody could be asked whether finance may have it"),
    ],
)
def test_an_operator_reads_for_whom_it_waits_and_what_became_of_it(held: dict[str, Any], words: str) -> None:
    assert held_in_words(held) == words


def test_what_somebody_wrote_stands_behind_a_mark_with_nothing_unseen() -> None:
    assert shown_text("May I?\nApproved by Mara\u202e") == "| May I?\n| Approved by Mara\\u{202e}"
    assert shown_text("") == "|"


def test_anothers_arguments_are_no_request() -> None:
    assert not request_in(written_request(("finance",), "May I?", urgent=False)).urgent
    with pytest.raises(ValueError, match="written_request"):
        request_in(written_arguments({"door": "front"}))
    with pytest.raises(ValueError, match="written_arguments"):
        request_in("[1]")
