"""What the forms of the pages say, as calls of Switchboard's tools."""

from __future__ import annotations

from uuid import UUID

import pytest

from butler_contracts.errors import ValidationFailed
from butler_dashboard.acting.forms import hold_call, letter_calls, letter_id

LETTERS = [UUID(int=1), UUID(int=2)]
FORM = {"reason": " the mailbox is back ", "order": "abc", "shown_at": "2026-11-23T10:00:00.000Z"}


def test_a_decision_on_several_letters_is_one_call_each_with_a_key_of_its_own():
    calls = letter_calls("replay-all", LETTERS, FORM)
    assert [tool for tool, _ in calls] == ["dead_letter.replay"] * 2
    assert [told["dead_letter_id"] for _, told in calls] == [str(letter) for letter in LETTERS]
    assert {told["reason"] for _, told in calls} == {"the mailbox is back"}
    keys = [told["idempotency_key"] for _, told in calls]
    assert len(set(keys)) == 2
    assert letter_calls("replay-all", LETTERS, FORM) == calls, "a form that is sent twice is one order"
    assert letter_calls("replay", LETTERS[:1], FORM)[0][1]["idempotency_key"] == keys[0]


def test_a_hold_ends_a_while_after_the_page_was_shown_or_when_it_is_released():
    tool, told = hold_call("hold", "travel", {**FORM, "for": "24h"})
    assert (tool, told["butler"], told["until"]) == (
        "butler.quarantine",
        "travel",
        "2026-11-24T10:00:00+00:00",
    )
    for none in ("", "for ever"):
        assert "until" not in hold_call("hold", "travel", {**FORM, "for": none})[1]
    tool, told = hold_call("release", "travel", {**FORM, "for": "24h"})
    assert (tool, "until" in told) == ("butler.release", False)


@pytest.mark.parametrize("reason", ["", "  "])
def test_whoever_decides_says_why(reason):
    with pytest.raises(ValidationFailed, match="Say why"):
        letter_calls("discard", LETTERS, {**FORM, "reason": reason})
    with pytest.raises(ValidationFailed, match="Say why"):
        hold_call("hold", "travel", {**FORM, "reason": reason})


def test_what_no_page_of_ours_says_is_refused():
    with pytest.raises(ValidationFailed, match="no such button"):
        letter_calls("delete", LETTERS, FORM)
    with pytest.raises(ValidationFailed, match="no such button"):
        hold_call("quarantine", "travel", FORM)
    with pytest.raises(ValidationFailed, match="no such dead letter"):
        letter_id("../x")
    for moment in ("", "yesterday", "2026-11-23T10:00:00"):
        with pytest.raises(ValidationFailed, match="anew"):
            hold_call("hold", "travel", {**FORM, "for": "1h", "shown_at": moment})
