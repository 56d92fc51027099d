"""When a message was said, as far as its source can be believed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_switchboard.ingress.moment import said_at, worth_telling
from butler_switchboard.ingress.senders import ContactBook, SenderPolicy, classify_sender
from tests.support.switchboard import telegram

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "absurd",
    [datetime(1970, 1, 1, tzinfo=UTC), NOW + timedelta(seconds=1), datetime(2099, 1, 1, tzinfo=UTC)],
    ids=["clock unset", "a second ahead", "2099"],
)
def test_what_cannot_be_the_moment_of_a_message_is_its_arrival(absurd: datetime) -> None:
    assert said_at(absurd, NOW) == NOW
    assert worth_telling(absurd, NOW) is None


def test_a_message_of_the_same_quarter_of_an_hour_says_nothing_new() -> None:
    assert worth_telling(NOW + timedelta(seconds=2), NOW + timedelta(seconds=5)) is None
    assert worth_telling(NOW - timedelta(seconds=2), NOW + timedelta(seconds=5)) is not None


@given(
    received=st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 31)),
    waited=st.timedeltas(timedelta(0), timedelta(hours=30)),
    zone=st.sampled_from(
        ["Europe/Berlin", "Asia/Kathmandu", "Australia/Eucla", "America/St_Johns", "Pacific/Chatham"]
    ),
)
def test_where_it_says_nothing_the_day_is_the_same_everywhere(
    received: datetime, waited: timedelta, zone: str
) -> None:
    arrived = received.replace(tzinfo=UTC)
    told = worth_telling(arrived - waited, arrived) or arrived
    household = ZoneInfo(zone)
    assert told.astimezone(household).date() == (arrived - waited).astimezone(household).date()


def test_a_clock_that_was_never_set_takes_no_answer_away() -> None:
    book = ContactBook(frozenset({("telegram", "1001")}), has_owner=True)
    message = telegram(1, observed_at=datetime(1970, 1, 2, tzinfo=UTC))
    assert classify_sender(message, book, SenderPolicy(), now=NOW).reply_policy == "allow"
