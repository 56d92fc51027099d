from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_kit.time import ManualClock, SystemClock, new_uuid7, uuid7_of, uuid7_timestamp

NOON = datetime(2026, 3, 4, 12, 0, 0, 123_999, tzinfo=UTC)
moments = st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(9000, 1, 1), timezones=st.just(UTC))


@given(moments)
def test_an_id_carries_exactly_the_millisecond_it_was_minted_for(moment: datetime) -> None:
    minted = new_uuid7(moment)
    cut = moment - timedelta(microseconds=moment.microsecond % 1000)
    assert uuid7_timestamp(minted) == cut
    assert type(minted) is UUID
    assert (minted.version, minted.variant) == (7, "specified in RFC 4122")


@given(moments)
def test_what_has_one_moment_has_one_id_and_nothing_else_has_it(moment: datetime) -> None:
    made = uuid7_of(moment, "finance:bills")
    assert made == uuid7_of(moment, "finance:bills") != uuid7_of(moment, "home:bills")
    assert uuid7_timestamp(made) == moment - timedelta(microseconds=moment.microsecond % 1000)
    assert made.variant == "specified in RFC 4122"


def test_ids_of_one_millisecond_increase() -> None:
    minted = [new_uuid7(NOON) for _ in range(20_000)]
    assert all(a < b for a, b in pairwise(minted))
    assert {uuid7_timestamp(i) for i in minted} == {NOON.replace(microsecond=123_000)}


def test_a_clock_step_back_does_not_move_the_timestamp() -> None:
    new_uuid7(NOON)
    earlier = NOON - timedelta(seconds=5)
    assert uuid7_timestamp(new_uuid7(earlier)) == earlier.replace(microsecond=123_000)


def test_another_zone_names_the_same_millisecond() -> None:
    tokyo = NOON.astimezone(timezone(timedelta(hours=9)))
    assert uuid7_timestamp(new_uuid7(tokyo)) == uuid7_timestamp(new_uuid7(NOON))


@pytest.mark.parametrize("bad", [datetime(2026, 1, 1), datetime(1969, 1, 1, tzinfo=UTC)])
def test_a_moment_that_uuid7_cannot_carry_is_refused(bad: datetime) -> None:
    with pytest.raises(ValueError):
        new_uuid7(bad)


def test_the_time_of_another_version_is_refused() -> None:
    with pytest.raises(ValueError, match="not a UUIDv7"):
        uuid7_timestamp(uuid4())


def test_the_time_of_an_id_beyond_the_calendar_is_refused() -> None:
    with pytest.raises(ValueError, match="after 9999"):
        uuid7_timestamp(UUID("ffffffff-ffff-7fff-bfff-ffffffffffff"))


def test_a_manual_clock_moves_only_when_told() -> None:
    clock = ManualClock(NOON)
    clock.advance(2.5)
    clock.step(-10)
    assert clock.now() == NOON + timedelta(seconds=-7.5)
    assert clock.monotonic() == 2.5
    with pytest.raises(ValueError, match="aware"):
        ManualClock(datetime(2026, 1, 1))


def test_the_system_clock_is_aware_utc() -> None:
    clock = SystemClock()
    assert clock.now().utcoffset() == timedelta(0)
    assert clock.monotonic() <= clock.monotonic()
