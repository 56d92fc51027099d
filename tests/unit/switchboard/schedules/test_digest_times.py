"""When a digest is due, and how late it may come: never in quiet hours, never of yesterday."""

from __future__ import annotations

from datetime import timedelta

import pytest

from butler_contracts.person_settings import QuietHoursV1
from butler_switchboard.schedules.digest_times import LATE, digest_time

NIGHT = QuietHoursV1(start="22:00", end="07:00")
NAP = QuietHoursV1(start="13:00", end="15:00")


@pytest.mark.parametrize(
    ("at", "quiet", "cron"),
    [
        ("07:30", None, "30 7 * * *"),
        ("07:30", NIGHT, "30 7 * * *"),
        ("05:15", NIGHT, "0 7 * * *"),
        ("23:00", NIGHT, "0 7 * * *"),
        ("22:00", NIGHT, "0 7 * * *"),
        ("07:00", NIGHT, "0 7 * * *"),
        ("13:30", NAP, "0 15 * * *"),
        ("15:00", NAP, "0 15 * * *"),
    ],
)
def test_what_falls_into_quiet_hours_is_due_when_they_end(
    at: str, quiet: QuietHoursV1 | None, cron: str
) -> None:
    assert digest_time(at, quiet).cron == cron


@pytest.mark.parametrize(
    ("at", "quiet", "late"),
    [
        ("07:30", NIGHT, LATE),
        ("12:30", NAP, timedelta(minutes=30)),
        ("21:15", NIGHT, timedelta(minutes=45)),
        ("22:30", None, timedelta(minutes=90)),
        ("23:59", None, timedelta(minutes=1)),
    ],
)
def test_it_is_not_sent_late_into_quiet_hours_or_the_next_day(
    at: str, quiet: QuietHoursV1 | None, late: timedelta
) -> None:
    assert digest_time(at, quiet).late == late
