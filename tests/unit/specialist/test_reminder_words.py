"""What of and when somebody wants to be reminded, in four languages, in the household's zone; else what is not said."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler_specialist.remind.rule import canonical_rule, first_occurrence, occurrences_after
from butler_specialist.understanding.moves import move_in
from butler_specialist.understanding.plain_when import plain_when
from butler_specialist.understanding.reminders import (
    ReminderAsked,
    ReminderUnclear,
    reminders_of,
    wanted_in,
)
from butler_specialist.understanding.times import find_times

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 11, 22, 12, tzinfo=BERLIN)
"""A Sunday."""

ONCE = (
    ("Remind me tomorrow at 8 to call the school", "call the school", "11-23 08:00"),
    ("remind me in ten minutes to check the oven", "check the oven", "11-22 12:10"),
    ("Remind me in 2 minutes take out the pizza", "take out the pizza", "11-22 12:02"),
    ("in half an hour remind me to take out the pizza", "take out the pizza", "11-22 12:30"),
    ("remind me to call mum in an hour and a half", "call mum", "11-22 13:30"),
    ("don't let me forget to call the school tomorrow at 8", "call the school", "11-23 08:00"),
    ("I have to call the school, remind me tomorrow at 8", "call the school", "11-23 08:00"),
    ("Could you please remind me on Friday at 3pm about the parents' evening?", "the parents' evening", "11-27 15:00"),
    ("remind me tomorrow to call the school at 8", "call the school", "11-23 08:00"),
    ("remind me to call the bank tomorrow at 8.30.", "call the bank", "11-23 08:30"),
    ("Erinnere mich morgen um 8.10. an die Tonne", "die Tonne", "11-23 08:10"),
    ("remind me tomorrow about Friday's meeting", "Friday's meeting", "11-23 09:00"),
    ("remind me tonight to lock the door", "lock the door", "11-22 19:00"),
    ("remind me on 3 December at 14:30 that the plumber comes", "the plumber comes", "12-03 14:30"),
    ("remind me in 3 days to water the plants", "water the plants", "11-25 09:00"),
    ("set a timer for 10 minutes", "timer", "11-22 12:10"),
    ("wake me up at 6", "wake up", "11-23 06:00"),
    ("wake-up reminder at ten to five", "wake-up", "11-23 04:50"),
    ("set an alarm at 6.45", "alarm", "11-23 06:45"),
    ("remind me at 3 to wake up Leo", "wake up Leo", "11-22 15:00"),
    ("remind me at 7 to set the alarm", "set the alarm", "11-22 19:00"),
    ("Erinnere mich morgen um 18 Uhr an die Mülltonnen", "die Mülltonnen", "11-23 18:00"),
    ("Kannst du mich morgen um 18 Uhr an die Mülltonnen erinnern?", "die Mülltonnen", "11-23 18:00"),
    ("Erinnere mich daran, morgen um 8 die Schule anzurufen", "die Schule anzurufen", "11-23 08:00"),
    ("Erinner mich in einer halben Stunde an die Wäsche bitte", "die Wäsche", "11-22 12:30"),
    ("Erinnere mich Freitagabend an den Müll", "den Müll", "11-27 19:00"),
    ("Stell einen Timer auf 20 Minuten", "timer", "11-22 12:20"),
    ("morgen um 8 erinnern: Müll raus", "Müll raus", "11-23 08:00"),
    ("Bitte am Freitag um 9 daran erinnern, dass der Handwerker kommt", "der Handwerker kommt", "11-27 09:00"),
    ("Rappelle-moi demain à 8h d'appeler l'école", "appeler l'école", "11-23 08:00"),
    ("Peux-tu me rappeler d'appeler l'école demain à 8h ?", "appeler l'école", "11-23 08:00"),
    ("rappelle-moi dans un quart d'heure de sortir la pizza", "sortir la pizza", "11-22 12:15"),
    ("Rappelle-moi demain matin de sortir le chien", "sortir le chien", "11-23 09:00"),
    ("Recuérdame mañana a las 8 llamar al colegio", "llamar al colegio", "11-23 08:00"),
    ("Recuérdame llamar al colegio mañana a las 8", "llamar al colegio", "11-23 08:00"),
    ("recuérdame dentro de media hora que saque la pizza", "saque la pizza", "11-22 12:30"),
)  # fmt: skip
AGAIN = (
    ("remind me every Monday at 7 to put out the bins", "FREQ=WEEKLY;BYDAY=MO", "11-23 07:00"),
    ("remind me every first of the month to pay the rent", "FREQ=MONTHLY;BYMONTHDAY=1", "12-01 09:00"),
    ("Jeden Sonntag um 18 Uhr erinnern dass die Kinder ihr Geld kriegen", "FREQ=WEEKLY;BYDAY=SU", "11-22 18:00"),
    ("remind me every weekday at 7:30 to take the tablets", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "11-23 07:30"),
    ("remind me on Mondays and Thursdays at 6pm to run", "FREQ=WEEKLY;BYDAY=MO,TH", "11-23 18:00"),
    ("remind me to take my pill every morning", "FREQ=DAILY", "11-23 09:00"),
    ("remind me every other Friday at noon to call Clara", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", "11-27 12:00"),
    ("remind me every 8 hours to take it", "FREQ=HOURLY;INTERVAL=8", "11-22 20:00"),
    ("remind me on the last day of every month to pay", "FREQ=MONTHLY;BYMONTHDAY=-1", "11-30 09:00"),
    ("remind me every first Monday of the month at 9 to pay", "FREQ=MONTHLY;BYDAY=1MO", "12-07 09:00"),
    ("remind me every month on the 31st to pay", "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1", "11-30 09:00"),
    ("remind me every year on 5 December to call Clara", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=5", "12-05 09:00"),
    ("remind me every day until Friday at 9 to water", "FREQ=DAILY;UNTIL=20261127T225959Z", "11-23 09:00"),
    ("Erinnere mich jeden Montag um 7 an die Tonne", "FREQ=WEEKLY;BYDAY=MO", "11-23 07:00"),
    ("Erinnere mich jeden Ersten an die Miete", "FREQ=MONTHLY;BYMONTHDAY=1", "12-01 09:00"),
    ("Erinnere mich jeden Werktag um 6:30 ans Aufstehen", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "11-23 06:30"),
    ("erinnere mich alle zwei Wochen montags um 7 an die Tonne", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "11-23 07:00"),
    ("rappelle-moi tous les lundis à 7h de sortir les poubelles", "FREQ=WEEKLY;BYDAY=MO", "11-23 07:00"),
    ("rappelle-moi de payer le loyer le 1er de chaque mois", "FREQ=MONTHLY;BYMONTHDAY=1", "12-01 09:00"),
    ("rappelle-moi tous les premiers du mois de payer le loyer", "FREQ=MONTHLY;BYMONTHDAY=1", "12-01 09:00"),
    ("rappelle-moi tous les premiers lundis du mois à 9h de payer", "FREQ=MONTHLY;BYDAY=1MO", "12-07 09:00"),
    ("Recuérdame todos los primeros de mes pagar el alquiler", "FREQ=MONTHLY;BYMONTHDAY=1", "12-01 09:00"),
    ("rappelle-moi un lundi sur deux à 7h de sortir la poubelle", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "11-23 07:00"),
    ("Recuérdame cada lunes a las 7 sacar la basura", "FREQ=WEEKLY;BYDAY=MO", "11-23 07:00"),
    ("Recuérdame el 1 de cada mes pagar el alquiler", "FREQ=MONTHLY;BYMONTHDAY=1", "12-01 09:00"),
    ("Recuérdame entre semana a las 7 tomar la pastilla", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "11-23 07:00"),
)  # fmt: skip


def asked(text: str, now: datetime = NOON) -> list[ReminderAsked | ReminderUnclear]:
    wanted = wanted_in(text, now.date())
    assert wanted is not None
    return list(reminders_of(wanted, now))


def at(text: str) -> datetime:
    return datetime.strptime(f"2026-{text}", "%Y-%m-%d %H:%M").replace(tzinfo=BERLIN)


@pytest.mark.parametrize(("text", "thing", "due"), ONCE)
def test_what_of_and_when(text: str, thing: str, due: str) -> None:
    [found] = asked(text)
    assert isinstance(found, ReminderAsked)
    assert (found.text, found.due, found.rule) == (thing, at(due), None)
    assert found.zone == "Europe/Berlin"


@pytest.mark.parametrize(("text", "rule", "due"), AGAIN)
def test_how_often_and_the_first_time(text: str, rule: str, due: str) -> None:
    [found] = asked(text)
    assert isinstance(found, ReminderAsked)
    assert (found.rule, found.due) == (rule, at(due))


@pytest.mark.parametrize(("text", "rule", "due"), AGAIN)
def test_the_first_time_of_a_rule_is_one_of_its_times(text: str, rule: str, due: str) -> None:
    first = first_occurrence(at(due), BERLIN)
    kept = canonical_rule(rule, first, BERLIN)
    following = next(occurrences_after(kept, first, BERLIN))
    again = asked(text, following.at.astimezone(BERLIN) - timedelta(seconds=1))[0]
    if "INTERVAL" not in rule:
        assert again.due is not None
        assert again.due.astimezone(UTC) == following.at


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("remind me to call mum", "when"),
        ("remind me later to call mum", "when"),
        ("remind me to book the table for Friday", "when"),
        ("remind me about Friday's meeting", "when"),
        ("remind me at 8", "what"),
        ("Erinnere mich morgen um 8", "what"),
        ("remind me yesterday to call mum", "past"),
        ("remind me on 3 December 2025 to call mum", "past"),
        ("remind me every 2 minutes to drink", "often"),
        ("remind me two days before Clara's birthday to buy a present", "event"),
        ("Bitte erinnere mich an Claras Geburtstag eine Woche vorher", "event"),
    ],
)
def test_what_is_not_said_is_not_guessed(text: str, lacks: str) -> None:
    [found] = asked(text)
    assert isinstance(found, ReminderUnclear)
    assert found.lacks == lacks


@pytest.mark.parametrize(
    ("text", "event", "thing"),
    [
        ("remind me two days before Clara's birthday to buy a present", "Clara's birthday", "buy a present"),
        ("remind me to buy a present two days before Clara's birthday", "Clara's birthday", "buy a present"),
        ("erinnere mich zwei Tage vor Claras Geburtstag", "Claras Geburtstag", "Claras Geburtstag"),
        (
            "Rappelle-moi deux jours avant l'anniversaire de Clara d'acheter un cadeau",
            "l'anniversaire de Clara",
            "acheter un cadeau",
        ),
        ("Recuérdame dos días antes del cumpleaños de Clara", "cumpleaños de Clara", "cumpleaños de Clara"),
    ],
)
def test_what_a_reminder_precedes_is_apart_from_what_it_is_of(text: str, event: str, thing: str) -> None:
    wanted = wanted_in(text, NOON.date())
    assert wanted is not None
    assert (wanted.event, wanted.text) == (event, thing)


@pytest.mark.parametrize(
    ("hour", "now", "due"),
    [
        ("at 8", "11-22 21:00", "11-23 08:00"),
        ("at 8", "11-22 12:00", "11-22 20:00"),
        ("at 8", "11-22 07:00", "11-22 08:00"),
        ("at 5", "11-22 21:00", "11-23 17:00"),
        ("today at 9", "11-22 12:00", "11-22 21:00"),
        ("tomorrow at 5", "11-22 12:00", "11-23 17:00"),
        ("at 08:00", "11-22 12:00", "11-23 08:00"),
        ("at 8 am", "11-22 12:00", "11-23 08:00"),
        ("on Sunday at 18:00", "11-22 12:00", "11-22 18:00"),
        ("on Sunday at 10:00", "11-22 12:00", "11-29 10:00"),
        ("on Sunday", "11-22 12:00", "11-29 09:00"),
        ("today", "11-22 12:00", "11-22 18:00"),
        ("at midnight", "11-22 12:00", "11-23 00:00"),
        ("tonight", "11-22 19:30", "11-22 21:00"),
        ("in the morning", "11-22 12:00", "11-23 09:00"),
    ],
)
def test_an_hour_of_two_meanings_is_the_next_that_is_to_come(hour: str, now: str, due: str) -> None:
    [found] = asked(f"remind me {hour} to call mum", at(now))
    assert found.due == at(due)


def test_two_hours_are_two_reminders() -> None:
    found = asked("remind me every day at 8 and 20:00 to take the pills")
    assert [one.due for one in found] == [at("11-23 08:00"), at("11-22 20:00")]


def test_a_wait_is_real_time_and_a_day_is_wall_time_where_clocks_change() -> None:
    eve = datetime(2027, 3, 27, 20, tzinfo=BERLIN)
    assert asked("remind me in 10 hours to get up", eve)[0].due == datetime(2027, 3, 28, 7, tzinfo=BERLIN)
    assert asked("remind me tomorrow at 02:30 to get up", eve)[0].due == datetime(
        2027, 3, 28, 3, 30, tzinfo=BERLIN
    )
    assert asked("remind me every day at 08:00 to get up", eve)[0].due == datetime(
        2027, 3, 28, 8, tzinfo=BERLIN
    )


@settings(max_examples=200, deadline=None)
@given(
    now=st.datetimes(datetime(2026, 1, 1), datetime(2028, 12, 31)),
    index=st.integers(0, len(ONCE) + len(AGAIN) - 1),
    zone=st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"]),
)
def test_a_reminder_is_always_to_come(now: datetime, index: int, zone: str) -> None:
    moment = now.replace(tzinfo=ZoneInfo(zone))
    for found in asked((*ONCE, *AGAIN)[index][0], moment):
        assert isinstance(found, ReminderAsked) or found.lacks in ("past", "hour")
        if isinstance(found, ReminderAsked):
            assert found.due > moment
            assert found.zone == zone


@pytest.mark.parametrize(
    "text",
    [
        "Tom will remind me to call the school",
        "Did you remind me of the dentist?",
        "That reminds me of Clara",
        "remind me what we spent at Lidl",
        "Tom erinnert mich an meinen Vater",
        "Me recuerda a mi abuela",
        "add eggs to the remind me list",
    ],
)
def test_who_only_speaks_of_reminding_asks_for_none(text: str) -> None:
    assert wanted_in(text, date(2026, 11, 22)) is None


def test_half_a_day_that_is_written_is_read() -> None:
    assert [found.at for found in find_times("Dentist on Friday at 8 am")] == [time(8)]
    assert [found.at for found in find_times("Treffen um 19 am Freitag")] == [time(19)]


@pytest.mark.parametrize(
    ("text", "thing", "due"),
    [
        ("remind me on Tuesday next week to call the bank", "call the bank", "12-01 09:00"),
        ("remind me on Tuesday at 10 next week to call the bank", "call the bank", "12-01 10:00"),
        ("remind me next week Wednesday to call the bank", "call the bank", "12-02 09:00"),
        ("remind me next week, on Wednesday, to call the bank", "call the bank", "12-02 09:00"),
        ("Erinnere mich Dienstag nächste Woche an die Bank", "die Bank", "12-01 09:00"),
        ("Erinnere mich nächste Woche Mittwoch an die Bank", "die Bank", "12-02 09:00"),
        (
            "Rappelle-moi mardi de la semaine prochaine d'appeler la banque",
            "appeler la banque",
            "12-01 09:00",
        ),
        ("Rappelle-moi la semaine prochaine mon rendez-vous", "mon rendez-vous", "11-30 09:00"),
        ("Recuérdame el martes de la próxima semana llamar al banco", "llamar al banco", "12-01 09:00"),
        ("remind me next week to call the bank", "call the bank", "11-30 09:00"),
    ],
)
def test_next_week_is_its_monday_or_the_weekday_beside_it(text: str, thing: str, due: str) -> None:
    [found] = asked(text, at("11-23 12:00"))
    assert (found.text, found.due) == (thing, at(due))


@pytest.mark.parametrize(
    "text",
    [
        "remind me this weekend to mow",
        "Erinnere mich am Wochenende ans Mähen",
        "Rappelle-moi ce week-end de tondre",
        "Recuérdame este finde cortar el césped",
    ],
)
@pytest.mark.parametrize(
    ("now", "due"),
    [
        ("11-26 10:00", "11-28 09:00"),
        ("11-28 08:00", "11-28 09:00"),
        ("11-28 10:00", "11-28 18:00"),
        ("11-22 12:00", "11-22 18:00"),
    ],
)
def test_the_weekend_is_the_coming_one_or_the_one_that_is_now(text: str, now: str, due: str) -> None:
    [found] = asked(text, at(now))
    assert found.due == at(due)


@pytest.mark.parametrize(
    "text",
    [
        "remind me this weekend on Sunday at 10:00 to mow",
        "remind me on Sunday this weekend at 10:00 to mow",
        "Erinnere mich am Wochenende, am Sonntag um 10:00, ans Mähen",
        "Rappelle-moi ce week-end dimanche à 10h00 de tondre",
    ],
)
@pytest.mark.parametrize("now", ["11-26 10:00", "11-28 12:00"])
def test_a_weekday_of_the_weekend_is_that_day(text: str, now: str) -> None:
    [found] = asked(text, at(now))
    assert found.due == at("11-29 10:00")


def test_what_is_moved_to_a_weekday_of_next_week_is_on_that_day() -> None:
    move = move_in("move it to Tuesday next week", date(2026, 11, 23))
    assert move is not None
    assert move.said.day is not None
    assert (move.said.day.on("future"), move.said.others) == (date(2026, 12, 1), ())


@pytest.mark.parametrize("text", ["remind me every day until 8.12. to water", "verschieb es auf 15.12."])
def test_a_day_in_figures_is_not_made_an_hour(text: str) -> None:
    assert plain_when(text, NOON.date()) == text
