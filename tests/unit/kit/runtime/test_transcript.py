"""What is kept of the words of a session: without secrets, bounded, the instructions left out (D62)."""

from __future__ import annotations

from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_kit.config.secrets import SECRET_VALUES
from butler_kit.runtime.transcript import CUT, TEXT_BYTES, UNRECORDED, Recorder, Transcript

TOKEN = "123456789:" + "A" * 35


def test_what_was_read_and_what_was_written_are_kept_apart_and_in_order() -> None:
    person = uuid4()
    recorder = Recorder(person)
    recorder.asked("The message: pay the bill")
    recorder.wrote("I look it up.")
    recorder.told("record_search", "found: 1")
    recorder.wrote("Done.")
    assert recorder.transcript() == Transcript(
        "The message: pay the bill\n\nrecord_search:\nfound: 1", "I look it up.\n\nDone.", person
    )


def test_a_model_that_only_calls_wrote_nothing() -> None:
    recorder = Recorder()
    recorder.asked("hello")
    recorder.wrote("")
    recorder.wrote(" \n")
    assert recorder.transcript() == Transcript("hello", "")


def test_of_a_session_in_which_no_model_was_asked_nothing_is_kept() -> None:
    assert Recorder().transcript() is None


def test_where_nobody_wants_it_nothing_is_kept() -> None:
    UNRECORDED.asked("hello")
    UNRECORDED.told("say", "x")
    UNRECORDED.wrote("x")
    assert UNRECORDED.transcript() is None


def test_a_second_model_reads_the_same_message_which_is_kept_once() -> None:
    recorder = Recorder()
    recorder.asked("hello")
    recorder.wrote("I am the first.")
    recorder.asked("hello")
    recorder.wrote("I am the second.")
    assert recorder.transcript() == Transcript("hello", "I am the first.\n\nI am the second.")


def test_a_secret_is_kept_nowhere() -> None:
    recorder = Recorder()
    recorder.asked(f"my bot is {TOKEN}, tell nobody")
    recorder.told("lamps.list", f"Authorization: Bearer {'b' * 20}")
    recorder.wrote(f"I will not say {TOKEN}.")
    kept = recorder.transcript()
    assert kept is not None
    assert kept.prompt == "my bot is [redacted], tell nobody\n\nlamps.list:\nAuthorization: [redacted]"
    assert kept.output == "I will not say [redacted]."


def test_a_text_is_cut_with_a_mark_and_nothing_follows_it() -> None:
    recorder = Recorder()
    recorder.asked("ä" * TEXT_BYTES)
    recorder.told("say", "more")
    recorder.wrote("x" * (TEXT_BYTES - len(CUT.encode())))
    kept = recorder.transcript()
    assert kept is not None
    assert kept.prompt.endswith(f"ä{CUT}")
    assert TEXT_BYTES - 1 <= len(kept.prompt.encode()) <= TEXT_BYTES
    assert kept.output.count("x") == len(kept.output), "what just fits is not cut"


def test_a_secret_that_the_cut_would_have_halved_is_not_kept_in_part() -> None:
    recorder = Recorder()
    recorder.asked("x" * (TEXT_BYTES - len(CUT.encode()) - 20) + f" {TOKEN}")
    kept = recorder.transcript()
    assert kept is not None
    assert kept.prompt.rstrip("…").endswith("x [redacted]")


@pytest.mark.parametrize("text", ["a\x00b", "half \ud83d of a pair"])
def test_what_is_kept_can_be_stored(text: str) -> None:
    recorder = Recorder()
    recorder.asked(text)
    kept = recorder.transcript()
    assert kept is not None
    assert "\N{REPLACEMENT CHARACTER}" in kept.prompt
    kept.prompt.encode()


@given(
    st.lists(
        st.text(max_size=200)
        | st.sampled_from(
            [TOKEN, "password=hunter2", "eyJhbGciOiJub25lIn0.e30.", "https://a:b@c", "x" * 50_000]
        ),
        min_size=1,
        max_size=5,
    )
)
def test_no_text_holds_a_secret_or_is_longer_than_it_may(texts: list[str]) -> None:
    recorder = Recorder()
    for text in texts:
        recorder.asked(text)
        recorder.wrote(text)
    kept = recorder.transcript()
    assert kept is not None
    assert max(len(kept.prompt.encode()), len(kept.output.encode())) <= TEXT_BYTES
    assert not any(pattern.search(kept.prompt) for _, pattern in SECRET_VALUES)
