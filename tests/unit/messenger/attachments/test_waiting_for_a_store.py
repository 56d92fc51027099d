"""How long a store that is away holds a message up (ADR 0103)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from butler_messenger.attachments.decisions import next_look_s

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
DAY = timedelta(days=1)


def look(
    *, for_s: float | None = None, left: timedelta = DAY, intent: str = "send", patience_s: float = 900
) -> float | None:
    since = NOW - timedelta(seconds=for_s) if for_s is not None else None
    return next_look_s(
        NOW, away_since=since, expires_at=NOW + left, intent=intent, patience_s=patience_s, delay_s=2.0
    )


def test_a_store_is_asked_again_until_the_patience_is_over() -> None:
    assert look() == 2.0
    assert look(for_s=890) == 2.0
    assert look(for_s=899) == 1.0
    assert look(for_s=900) is None


def test_whoever_waits_for_an_answer_waits_a_minute_for_its_file_at_most() -> None:
    assert look(for_s=59, intent="reply") == 1.0
    assert look(for_s=60, intent="reply") is None
    assert look(for_s=6, intent="reply", patience_s=5) is None


def test_no_patience_is_none() -> None:
    assert look(patience_s=0) is None


def test_a_message_goes_without_the_file_before_it_expires() -> None:
    assert look(left=timedelta(seconds=59)) is None
    assert look(left=timedelta(seconds=61)) == 1.0


@given(
    st.none() | st.floats(0, 1e6), st.floats(0, 1e6), st.sampled_from(["send", "reply"]), st.floats(0, 1e5)
)
def test_it_is_never_waited_beyond_the_end_of_the_message(
    for_s: float | None, left_s: float, intent: str, patience_s: float
) -> None:
    found = look(for_s=for_s, left=timedelta(seconds=left_s), intent=intent, patience_s=patience_s)
    assert found is None or 0 < found <= min(2.0, left_s)
