"""Reminders that come by themselves of records: which records come up when, who is told, and what changes of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4, uuid5
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.quiet_hours import QuietHours
from butler_kit.wording.standing import Topic
from butler_specialist.remind.clock import Clock
from butler_specialist.remind.reach import Reach
from butler_specialist.store.model import Record
from butler_specialist.upcoming.occasions import (
    Occasion,
    Window,
    day_of_key,
    occasions,
    topic_of_key,
)
from butler_specialist.upcoming.plan import Due, Plan, Standing, Wants, Wish, due_of, plan_of

BERLIN = Clock(ZoneInfo("Europe/Berlin"))
NIGHT = replace(BERLIN, quiet=QuietHours(time(22), time(7)))
ZONES = st.sampled_from(
    ["Europe/Berlin", "America/Sao_Paulo", "Pacific/Apia", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"]
)
DAYS = st.dates(date(2020, 1, 1), date(2035, 12, 31))
HOURS = st.times().map(lambda at: at.replace(second=0, microsecond=0))
ADA, BEA = UUID(int=1), UUID(int=2)
NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
FRIDAY = date(2026, 11, 27)
TOLD = Wants(household=frozenset(("bills", "birthdays", "departures")))


def record(kind: str, day: date, seq: int = 1, **said: Any) -> Record:
    base: dict[str, Any] = {"kind": kind, "occurred_on": day, "text": "as it was told", "seq": seq}
    who: dict[str, Any] = {"channel": "telegram", "sender": "1001", "contact_id": ADA}
    return Record(**base | who | {"record_id": uuid5(UUID(int=9), str(seq))} | said)


def bill(day: date = FRIDAY, **said: Any) -> Record:
    base: dict[str, Any] = {"amount": Decimal("84.20"), "currency": "EUR", "title": "electricity"}
    return record("bill", day, **base | said)


def flight(day: date = FRIDAY, seq: int = 1, **said: Any) -> Record:
    base: dict[str, Any] = {"code": "OS451", "occurred_at": time(14, 5)}
    return record("flight", day, seq, **base | said)


def around(day: date) -> Window:
    return Window(day - timedelta(days=30), day + timedelta(days=30))


def found(topic: Topic, *rows: Record, clock: Clock = BERLIN, day: date = FRIDAY) -> list[Occasion]:
    return occasions(topic, rows, around(day), lambda _: clock)


def due(*rows: Record, topic: Topic = "bills", wants: Wants = TOLD) -> list[Due]:
    return due_of(found(topic, *rows), wants)


def stands(one: Due, **changes: Any) -> Standing:
    told = Standing(one.occasion.reminder_id, *one.names, one.text, True, False, False, 1, "Europe/Berlin")
    return replace(told, **changes)


def walls(one: Occasion, clock: Clock = BERLIN) -> list[str]:
    return [f"{at.astimezone(clock.zone):%m-%d %H:%M}" for at in one.moments]


def test_a_bill_is_told_at_nine_on_the_day_before_or_on_its_day_where_it_was_told_later() -> None:
    [one] = found("bills", bill())
    assert walls(one) == ["11-26 09:00", "11-27 09:00"]
    assert one.next_moment(one.moments[0]) == one.moments[1]
    assert one.next_moment(one.moments[1]) is None


@pytest.mark.parametrize(
    "row",
    [
        bill(done_on=date(2026, 11, 20)),
        bill(details={"day": "of the message"}),
        bill(FRIDAY + timedelta(days=31)),
        record("expense", FRIDAY),
    ],
    ids=["paid", "no day of its own", "too far away", "no bill"],
)
def test_what_is_not_to_be_paid_does_not_come_up(row: Record) -> None:
    assert found("bills", row) == []


@given(born=st.dates(date(1930, 1, 1), date(2020, 12, 31)), start=DAYS, zone=ZONES)
def test_a_birthday_comes_up_once_in_each_year_at_nine_by_the_clock(
    born: date, start: date, zone: str
) -> None:
    clock, row = Clock(ZoneInfo(zone)), record("birthday", born, party="Tom")
    year = Window(start, start.replace(day=1) + timedelta(days=365 * 3))
    coming = occasions("birthdays", [row], year, lambda _: clock)
    assert len({one.key for one in coming}) == len(coming) == len({one.day.year for one in coming})
    for one in coming:
        leap_day = (born.month, born.day) == (2, 29)
        assert (one.day.month, one.day.day) in {(born.month, born.day)} | ({(2, 28)} if leap_day else set())
        assert year.has(one.day)
        assert one.moments[0] < one.moments[1] < one.over


@pytest.mark.parametrize(("year", "day"), [(2027, 28), (2028, 29)])
def test_a_birthday_of_a_29_february_comes_up_on_the_28th_in_other_years(year: int, day: int) -> None:
    row = record("birthday", date(2020, 2, 29), party="Leo")
    [one] = found("birthdays", row, day=date(year, 2, 20))
    assert one.day == date(year, 2, day)


def test_a_birthday_that_was_corrected_comes_up_on_the_day_that_was_told_last_only() -> None:
    first = record("birthday", date(1990, 11, 26), 1, party="Tom")
    last = record("birthday", date(1990, 11, 28), 2, party="tom")
    assert [one.day.day for one in found("birthdays", first, last)] == [28]
    others = record("birthday", date(1990, 11, 29), 3, party="Tom", contact_id=BEA)
    assert [one.day.day for one in found("birthdays", first, last, others)] == [28, 29]


def test_a_departure_is_told_on_the_evening_before_and_three_hours_before() -> None:
    evening, hours = found("departures", flight())
    assert (walls(evening), walls(hours)) == (["11-26 18:00"], ["11-27 11:05"])
    assert evening.over == hours.over == datetime(2026, 11, 27, 13, 5, tzinfo=UTC)
    assert evening.reminder_id != hours.reminder_id


def test_a_departure_without_an_hour_is_told_on_the_evening_before_only() -> None:
    [one] = found("departures", flight(occurred_at=None))
    assert walls(one) == ["11-26 18:00"]


def test_three_hours_before_is_left_to_the_evening_where_quiet_hours_last_until_it_has_left() -> None:
    early = flight(occurred_at=time(6, 30))
    assert [one.key[-7:] for one in found("departures", early, clock=NIGHT)] == ["evening"]
    assert len(found("departures", early)) == 2
    assert len(found("departures", flight(occurred_at=time(8)), clock=NIGHT)) == 2


def test_a_journey_is_as_it_was_told_last_and_a_cancelled_one_does_not_come_up() -> None:
    moved = flight(FRIDAY, 2, occurred_at=time(18), contact_id=BEA, details={"replaces": True})
    evening, hours = found("departures", flight(), moved)
    assert (evening.record.contact_id, walls(hours)) == (ADA, ["11-27 15:00"])
    cancelled = record("delay", FRIDAY, 2, code="OS451", title="cancelled")
    assert found("departures", flight(), cancelled) == []
    late = record("delay", FRIDAY, 2, code="OS451", title="delayed by an hour")
    assert len(found("departures", flight(), late)) == 2


def test_a_train_without_a_number_that_is_cancelled_does_not_come_up() -> None:
    train = record("train", FRIDAY, occurred_at=time(9, 10), details={"to": "Wien"})
    assert len(found("departures", train)) == 2
    for to, left in (("Wien", 0), ("Graz", 2)):
        cancelled = record("delay", FRIDAY, 2, title="gestrichen", details={"to": to})
        assert len(found("departures", train, cancelled)) == left


@given(day=DAYS, at=st.none() | HOURS, zone=ZONES, quiet=st.none() | st.tuples(HOURS, HOURS))
def test_nobody_is_told_of_a_departure_after_it_in_any_zone(
    day: date, at: time | None, zone: str, quiet: tuple[time, time] | None
) -> None:
    clock = Clock(ZoneInfo(zone), QuietHours(*quiet) if quiet and quiet[0] != quiet[1] else None)
    for one in found("departures", flight(day, occurred_at=at), clock=clock, day=day):
        [moment] = one.moments
        assert clock.told_at(moment) < one.over
        assert moment + one.grace(moment) <= one.over
        assert (topic_of_key(one.key), day_of_key(one.key)) == ("departures", day)


@given(day=DAYS, zone=ZONES, hours=st.integers(0, 24 * 40))
def test_a_bill_is_next_told_at_a_wall_nine_or_never_again(day: date, zone: str, hours: int) -> None:
    clock = Clock(ZoneInfo(zone))
    [one] = found("bills", bill(day), clock=clock, day=day)
    now = one.moments[0] - timedelta(hours=hours - 72)
    moment = one.next_moment(now)
    assert (moment is None) == (now >= one.moments[-1])
    if moment is not None:
        wall = moment.astimezone(clock.zone)
        assert (moment > now, wall.hour) == (True, 9)
        assert wall.date() in {day, day - timedelta(days=1)}


def test_a_record_is_told_to_whoever_told_it_where_they_told_it() -> None:
    mine, hers = bill(), bill(seq=2, contact_id=BEA, channel="email", sender="bea@example.org")
    assert [one.reach for one in due(mine, hers)] == [Reach("telegram", ADA, None), Reach("email", BEA, None)]
    unknown = bill(contact_id=None)
    assert [one.reach for one in due(unknown)] == [Reach("telegram", None, "1001")]


def test_a_record_told_over_a_channel_on_which_nobody_can_be_written_to_needs_their_own_word() -> None:
    row = bill(channel="http")
    assert due(row) == []
    wish = Wish(True, Reach("email", ADA, None), "de")
    [one] = due(row, wants=Wants({(str(ADA), "bills"): wish}))
    assert (one.reach, one.text) == (
        wish.reach,
        "eine Rechnung über 84,20 EUR für electricity, fällig am Freitag, 27. November 2026.",
    )


def test_the_persons_own_word_counts_more_than_the_households() -> None:
    never = Wants({(str(ADA), "bills"): Wish(False, Reach("telegram", ADA, None), "en")}, TOLD.household)
    assert due(bill(), wants=never) == []
    assert due(bill(), wants=Wants()) == []
    assert len(due(bill(contact_id=BEA), wants=never)) == 1


def test_what_is_said_of_each_kind() -> None:
    leo = record("birthday", date(2019, 11, 28), party="Leo")
    assert [one.text for one in due(bill())] == [
        "a bill of 84.20 EUR for electricity, due on Friday, 27 November 2026."
    ]
    assert [one.text for one in due(leo, topic="birthdays")] == [
        "Leo's birthday is on Saturday, 28 November 2026."
    ]
    assert {one.text for one in due(flight(place="Vienna"), topic="departures")} == {
        "departure OS451 on Friday, 27 November 2026 at 14:05 from Vienna."
    }


def test_a_new_record_gets_one_reminder_and_the_second_look_writes_nothing() -> None:
    [one] = due(bill())
    assert plan_of([one], [], NOW).keep == ((one, one.occasion.moments[0], timedelta(hours=24)),)
    assert plan_of([one], [stands(one)], NOW).is_empty


def test_what_was_told_is_not_told_again() -> None:
    [one] = due(bill())
    assert plan_of([one], [stands(one, waits=False)], NOW).is_empty


def test_what_was_paid_ends_its_reminder_and_comes_back_when_that_is_undone() -> None:
    [one] = due(bill())
    assert plan_of([], [stands(one)], NOW) == Plan(lapse=(stands(one),))
    assert len(plan_of([one], [stands(one, waits=False, lapsed=True)], NOW).keep) == 1


def test_what_a_person_stopped_does_not_come_back() -> None:
    [one] = due(bill())
    assert plan_of([one], [stands(one, waits=False, lapsed=False)], NOW).is_empty


def test_a_bill_that_was_moved_has_a_reminder_on_its_new_day_and_none_on_the_old_one() -> None:
    [old], [new] = due(bill()), due(bill(FRIDAY + timedelta(days=7)))
    plan = plan_of([new], [stands(old)], NOW)
    assert ([one for one, _, _ in plan.keep], plan.lapse) == ([new], (stands(old),))


def test_a_corrected_sum_is_said_by_the_reminder_that_waits() -> None:
    [old], [new] = due(bill()), due(bill(amount=Decimal(66)))
    plan = plan_of([new], [stands(old)], NOW)
    assert plan == Plan(reword=((stands(old), new.text),))
    put_off = stands(old, reminder_id=uuid4())
    assert plan_of([], [put_off], NOW).lapse == (put_off,)
    assert plan_of([old], [stands(old), put_off], NOW).is_empty


def test_one_that_is_being_told_is_left_alone() -> None:
    [one] = due(bill())
    assert plan_of([], [stands(one, begun=True)], NOW).is_empty


def test_a_look_after_all_moments_promises_nothing() -> None:
    assert plan_of(due(bill()), [], datetime(2026, 11, 27, 9, tzinfo=UTC)).is_empty


def leads(*days: int) -> Wants:
    wish = Wish(True, Reach("telegram", ADA, None), "en", days)
    return Wants({(str(ADA), "bills"): wish}, before={"bills": (2,)})


def led(wants: Wants, *rows: Record) -> list[Occasion]:
    return occasions("bills", rows, around(FRIDAY), lambda _: BERLIN, wants.leads("bills"))


def test_each_lead_is_a_reminder_of_its_own_and_the_person_s_word_counts_more_than_the_household_s() -> None:
    week, day = led(leads(7, 0), bill())
    assert (walls(week)[0], walls(day)) == ("11-20 09:00", ["11-27 09:00"])
    assert week.reminder_id != day.reminder_id
    [household] = led(leads(7, 0), bill(contact_id=BEA))
    assert walls(household)[0] == "11-25 09:00"
    assert [walls(one)[0] for one in led(Wants(), bill())] == ["11-26 09:00"]


def test_what_is_told_after_its_lead_is_reminded_of_on_the_next_morning_before_the_next_lead() -> None:
    week, day = led(leads(7, 2), bill())
    assert [wall[:5] for wall in walls(week)] == ["11-20", "11-21", "11-22", "11-23", "11-24"]
    assert [wall[:5] for wall in walls(day)] == ["11-25", "11-26", "11-27"]
    assert week.next_moment(datetime(2026, 11, 23, 12, tzinfo=UTC)) == week.moments[-1]


def test_another_lead_moves_the_reminder_and_the_usual_one_is_as_it_was_made_before() -> None:
    [usual], [early] = led(Wants(), bill()), led(leads(3), bill())
    assert usual.key == f"bills:{FRIDAY}"
    one, other = due_of([usual], leads(1))[0], due_of([early], leads(3))[0]
    plan = plan_of([other], [stands(one)], datetime(2026, 11, 20, tzinfo=UTC))
    assert ([kept.occasion for kept, _, _ in plan.keep], len(plan.lapse)) == ([early], 1)


def test_a_departure_is_told_on_the_evening_so_many_days_before() -> None:
    wish = Wish(True, Reach("telegram", ADA, None), "en", (2,))
    wants = Wants({(str(ADA), "departures"): wish})
    found_ = occasions("departures", [flight()], around(FRIDAY), lambda _: BERLIN, wants.leads("departures"))
    assert [walls(one) for one in found_] == [["11-25 18:00"], ["11-27 11:05"]]
