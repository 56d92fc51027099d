"""What `make demo` prints of a message: where it went, and what people were answered."""

from __future__ import annotations

from datetime import UTC, datetime

from examples.demo.report import REPLY_CHARS, line
from examples.demo.sending import Sent
from examples.demo.watching import Finished
from tests.support.messages import load_examples


def finished(*replies: str, notes: tuple[str, ...] = ()) -> Finished:
    message = next(one for one in load_examples() if one.channel == "telegram")
    sent = Sent(message, "key", None, datetime(2026, 11, 21, 12, tzinfo=UTC))
    return Finished(sent, "r", "parsed", "Paid 12 EUR for bread", ("finance",), replies, notes, 0.4)


def test_each_answer_stands_below_its_message() -> None:
    first, answer, note = line(finished("[finance] Noted:\n12.00 EUR", notes=("A stranger wrote.",))).split(
        "\n"
    )
    assert "Paid 12 EUR for bread" in first
    assert answer.strip() == "↳ [finance] Noted: 12.00 EUR"
    assert note.strip() == "↳ to the owner: A stranger wrote."


def test_a_long_answer_is_cut_to_one_line() -> None:
    _, answer = line(finished("word " * 100)).split("\n")
    assert answer.endswith("…")
    assert len(answer.strip()) <= REPLY_CHARS + 2


def test_a_message_without_an_answer_is_one_line() -> None:
    assert "nobody told" in line(finished())
    assert "\n" not in line(finished())
