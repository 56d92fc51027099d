"""The conversations: complete, and a mistake in one is named as its author wrote it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.useful.loading import EXAMPLES, load_set

HOUSEHOLD = """
now: 2027-04-15T16:00
timezone: Europe/Berlin
people:
  ada: {name: Ada Example, role: owner, telegram: 1, email: ada@example.org}
"""


def loaded(place: Path, messages: str, **fields: str):
    """A set of one conversation, with these messages."""
    folder = place / "home"
    folder.mkdir()
    (folder / "household.yaml").write_text(HOUSEHOLD)
    more = "".join(f"\n  {name}: {value}" for name, value in ({"by": "ada"} | fields).items())
    text = f"theme: money\nconversations:\n- id: petrol{more}\n  messages:\n"
    (folder / "money.yaml").write_text(text + messages)
    return load_set(folder)


@pytest.mark.parametrize(
    ("name", "messages"), [("seen", 139), ("strangers", 704), ("fresh", 172), ("unseen", 356)]
)
def test_every_message_can_be_judged(name: str, messages: int) -> None:
    home = load_set(EXAMPLES / name)
    assert home.messages == messages
    assert home.now.utcoffset() is not None


def test_what_is_practised_can_be_judged_too() -> None:
    assert load_set(EXAMPLES / "practice").messages


def test_the_unseen_speak_all_four_languages() -> None:
    home = load_set(EXAMPLES / "unseen")
    spoken = [
        message.language or talk.language for _, talk in home.conversations for message in talk.messages
    ]
    assert all(spoken.count(language) >= 40 for language in ("en", "de", "fr", "es"))


def test_wanted_days_lie_about_the_day_of_the_set() -> None:
    """A day of another year than meant would make every right answer a wrong fact."""
    for name in ("seen", "practice", "strangers", "unseen"):
        home = load_set(EXAMPLES / name)
        days = [
            day
            for _, talk in home.conversations
            for message in talk.messages
            for wanted in message.kept
            for day in wanted.day
        ]
        assert days
        assert all(-30 < (day - home.now.date()).days < 300 for day in days)


MISTAKES = {
    "- say: hello": r"petrol, messages, 1: nothing to judge it by; expected kept, answer, owner",
    "- {kept: [{amount: 5}]}": r"petrol, messages, 1: nothing is said",
    "- {say: hi, anwser: yes}": r"petrol, messages, 1, anwser: Extra inputs are not permitted",
    "- {say: hi, answer: '('}": r"petrol, messages, 1, answer, 1: '\(' is no regular expression",
    "- {say: hi, kept: [{time: 20:00}]}": r"kept, 1, time: expected \"HH:MM\" in quotes",
    "- {say: hi, kept: [{reminder: true}]}": r"kept, 1: a wanted fact says at least one of amount, day",
    "- {say: hi, answer: x, edit: 1}": r"petrol: message 1: edit: 1 is no earlier message",
    "- {say: hi, answer: x, by: eve}": r"home/money.yaml: petrol, message 1: by: 'eve' is nobody of ada",
}


@pytest.mark.parametrize("message", MISTAKES)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, message: str) -> None:
    with pytest.raises(ValueError, match=MISTAKES[message]) as refused:
        loaded(tmp_path, f"  {message}\n")
    assert re.match("home/money.yaml: ", str(refused.value))


def test_a_conversation_is_named_once(tmp_path: Path) -> None:
    again = "  - {say: hi, answer: x}\n- {id: petrol, by: ada, messages: [{say: hi, answer: x}]}\n"
    with pytest.raises(ValueError, match="money/petrol: the id is used twice"):
        loaded(tmp_path, again)


def test_by_mail_and_over_http_strangers_may_write(tmp_path: Path) -> None:
    home = loaded(tmp_path, "  - {say: hi, owner: x}\n", by="eve@example.net", via="mail")
    assert home.messages == 1
