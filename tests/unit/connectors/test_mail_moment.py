"""When a mail was written: its own date where it can be true, else that of its arrival."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_kit.mail.moment import written_at

ARRIVED = datetime(2026, 1, 16, 0, 10, tzinfo=UTC)
EVENING = datetime(2026, 1, 15, 22, 50, tzinfo=UTC)


@pytest.mark.parametrize(
    ("date", "moment"),
    [
        ("Thu, 15 Jan 2026 23:50:00 +0100", EVENING),
        ("Thu, 15 Jan 2026 22:50:00 -0000", EVENING),
        ("Thu, 15 Jan 2026 23:50:00 +0100 (CET)", EVENING),
        ("Sat, 01 Jan 2000 00:00:00 +0000", ARRIVED),
        ("Fri, 16 Jan 2026 00:10:01 +0000", ARRIVED),
        ("Fri, 01 Jan 2099 00:00:00 +0000", ARRIVED),
        ("Fri, 31 Dec 9999 23:59:59 -2359", ARRIVED),
        ("yesterday", ARRIVED),
    ],
    ids=["zone", "no zone", "comment", "clock unset", "a second ahead", "2099", "the last year", "words"],
)
def test_a_mail_is_of_the_day_on_which_it_was_written(date: str, moment: datetime) -> None:
    assert written_at({"date": [date]}, arrived_at=ARRIVED) == moment


def test_a_mail_without_a_date_is_of_the_day_of_its_arrival() -> None:
    assert written_at({}, arrived_at=ARRIVED) == ARRIVED


@given(date=st.text(max_size=60))
def test_no_header_moves_a_mail_by_more_than_a_day(date: str) -> None:
    assert timedelta(0) <= ARRIVED - written_at({"date": [date]}, arrived_at=ARRIVED) <= timedelta(days=1)
