""" "Remind me two days before": before what was told last, where nothing is named and it has a day of its own."""

from __future__ import annotations

from butler_specialist.profiles.reminder_events import Event, event_of
from butler_specialist.understanding.reading import read
from butler_specialist.understanding.reminders import ReminderUnclear, wanted_in
from tests.support.talks import SUNDAY, Talks


def before(asked: str, told: str) -> Event | ReminderUnclear:
    wanted = wanted_in(asked, SUNDAY.date())
    assert wanted is not None
    return event_of(wanted, (), read("", SUNDAY), Talks().say(told).records)


def test_it_is_before_the_entry_of_the_last_message() -> None:
    found = before("remind me two hours before", "dentist on Friday at 3 pm")
    assert isinstance(found, Event)
    assert (found.day.isoformat(), found.at and found.at.isoformat()) == ("2026-11-27", "15:00:00")


def test_of_a_birthday_it_is_the_next_one() -> None:
    found = before("erinnere mich zwei Tage vorher", "Clara hat am 17. Januar 1990 Geburtstag")
    assert isinstance(found, Event)
    assert found.day.isoformat() == "2027-01-17"


def test_what_has_no_day_of_its_own_or_is_over_is_asked_for() -> None:
    for told in ("bread 3 euros", "paid 20 EUR for petrol yesterday"):
        assert isinstance(before("remind me a day before", told), ReminderUnclear)


def test_what_is_named_is_not_taken_for_the_last() -> None:
    assert isinstance(
        before("remind me two days before the wedding", "dentist on Friday at 3 pm"), ReminderUnclear
    )
