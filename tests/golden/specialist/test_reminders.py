"""A reminder that is promised is set exactly so; what is not set is said; what stands beside it is kept as always."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler_contracts.language import LANGUAGES, Language
from butler_specialist.locale import calendar
from butler_specialist.profiles import PROFILES
from butler_specialist.profiles.reply import Reply
from butler_specialist.remind.rule import canonical_rule, first_occurrence
from tests.golden.specialist.conversations import BERLIN, Butlers

SUNDAY = datetime(2026, 11, 22, 12, tzinfo=BERLIN)
WISHES: dict[Language, tuple[str, ...]] = {
    "en": ("remind me {when} to call the school", "please remind me to call the school {when}",
           "{when} remind me to call the school", "don't let me forget to call the school {when}"),
    "de": ("erinnere mich {when} an die Mülltonnen", "kannst du mich bitte {when} an die Mülltonnen erinnern?"),
    "fr": ("rappelle-moi {when} d'appeler l'école", "rappelle-moi d'appeler l'école {when}"),
    "es": ("recuérdame {when} llamar al colegio", "recuérdame llamar al colegio {when}"),
}  # fmt: skip
WHEN: dict[Language, tuple[str, ...]] = {
    "en": ("tomorrow at {h}:{m:02}", "in {n} minutes", "in {n} days", "on {weekday} at {h}:{m:02}", "tomorrow",
           "every {weekday} at {h}:{m:02}", "every day at {h}:{m:02}", "every weekday", "every month on the 5th",
           "on {weekday}", "tonight", "at {hour}", "every first of the month at {h}:{m:02}"),
    "de": ("morgen um {h}:{m:02} Uhr", "in {n} Minuten", "in {n} Tagen", "am {weekday} um {h}:{m:02}",
           "jeden {weekday} um {h}:{m:02}", "jeden Tag um {h}:{m:02}", "jeden Werktag", "jeden Ersten", "um {hour}"),
    "fr": ("demain à {h}h{m:02}", "dans {n} minutes", "dans {n} jours", "chaque {weekday} à {h}h{m:02}",
           "tous les jours à {h}h{m:02}", "le 1er de chaque mois"),
    "es": ("mañana a las {h}:{m:02}", "en {n} minutos", "en {n} días", "cada {weekday} a las {h}:{m:02}",
           "todos los días a las {h}:{m:02}", "el 1 de cada mes"),
}  # fmt: skip
THING: dict[Language, str] = {
    "en": "call the school", "de": "die Mülltonnen", "fr": "appeler l'école", "es": "llamar al colegio",
}  # fmt: skip


def moments_said(text: str, language: Language) -> list[datetime]:
    """The days with their hours that an answer names."""
    months = calendar.MONTHS[language]
    pattern = (
        rf"(\d{{1,2}})(?:er|\.)?(?: de)? ({'|'.join(months)})(?: de)? (\d{{4}})[^\d]{{1,8}}(\d\d):(\d\d)"
    )
    return [
        datetime(int(year), months.index(month) + 1, int(day), int(hour), int(minute), tzinfo=BERLIN)
        for day, month, year, hour, minute in re.findall(pattern, text)
    ]


@settings(max_examples=300, deadline=None)
@given(data=st.data())
async def test_the_moment_that_is_promised_is_the_moment_that_is_set(data: st.DataObject) -> None:
    language = data.draw(st.sampled_from(LANGUAGES))
    weekday = data.draw(st.sampled_from(calendar.WEEKDAYS[language]))
    when = data.draw(st.sampled_from(WHEN[language])).format(
        h=data.draw(st.integers(0, 23)), m=data.draw(st.integers(0, 59)), n=data.draw(st.integers(2, 59)),
        weekday=weekday, hour=data.draw(st.integers(1, 12)),
    )  # fmt: skip
    text = data.draw(st.sampled_from(WISHES[language])).format(when=when)
    said_at = data.draw(st.datetimes(datetime(2026, 1, 1), datetime(2028, 12, 1)))
    moment = said_at.replace(tzinfo=UTC).astimezone(BERLIN)
    butler = data.draw(st.sampled_from(sorted(PROFILES)))

    reply = await Butlers(reachable=True).tell(butler, text, moment)

    if when == "tonight" and moment.hour >= 21:
        assert (reply.reminders, "At what hour" in reply.text) == ((), True)
        return
    [draft] = reply.reminders
    due = draft.due_at.astimezone(BERLIN)
    assert moments_said(reply.text, language) == [due.replace(second=0, microsecond=0)]
    assert draft.due_at > moment
    assert (draft.text, draft.zone, draft.language) == (THING[language], "Europe/Berlin", language)
    assert f": {THING[language]}." in reply.text
    assert reply.records == ()
    if draft.rule is not None:
        assert canonical_rule(draft.rule, first_occurrence(draft.due_at, BERLIN), BERLIN) == draft.rule


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (
            "Remind me tomorrow at 8 to call the school",
            "I will remind you on Monday, 23 November 2026 at 08:00: call the school.",
        ),
        (
            "Remind me every Monday at 7 to put out the bins",
            "I will remind you every Monday, first on Monday, 23 November 2026 at 07:00: put out the bins.",
        ),
        (
            "Remind me every weekday to take the tablets",
            "I will remind you every weekday (Monday to Friday), first on Monday, 23 November 2026 at 09:00: take "
            "the tablets. You named no hour, so it is 09:00.",
        ),
        (
            "remind me at 8 to lock the door",
            "I will remind you on Sunday, 22 November 2026 at 20:00: lock the door. If you meant 08:00, please write "
            "it so.",
        ),
        (
            "Erinnere mich morgen um 18 Uhr an die Mülltonnen",
            "Ich erinnere dich am Montag, 23. November 2026 um 18:00 Uhr: die Mülltonnen.",
        ),
        (
            "Erinnere mich jeden Ersten an die Miete",
            "Ich erinnere dich jeden Monat am 1., zum ersten Mal am Dienstag, 1. Dezember 2026 um 09:00 Uhr: die Miete."
            " Du hast keine Uhrzeit genannt, darum um 09:00 Uhr.",
        ),
        (
            "Rappelle-moi tous les lundis à 7h de sortir les poubelles",
            "Je te le rappellerai chaque lundi, la première fois le lundi 23 novembre 2026 à 07:00 : sortir les "
            "poubelles.",
        ),
        (
            "Recuérdame mañana a las 8 llamar al colegio",
            "Te lo recordaré el lunes, 23 de noviembre de 2026 a las 08:00: llamar al colegio.",
        ),
        (
            "Remind me to call mum",
            "When shall I remind you of “call mum”? No reminder is set yet. Please send it again with the day or the "
            "hour: “remind me tomorrow at 8 to …”.",
        ),
        (
            "remind me yesterday to call mum",
            "Saturday, 21 November 2026 at 09:00 is over, so no reminder is set for “call mum”.",
        ),
    ],
)
async def test_the_answer_says_exactly_when_in_the_writers_language(text: str, answer: str) -> None:
    reply = await Butlers(reachable=True).tell("general", text, SUNDAY)
    assert reply.text == answer


async def test_nobody_is_promised_what_cannot_reach_them() -> None:
    reply = await Butlers(reachable=False).tell("general", "Remind me tomorrow at 18:00 to call Tom", SUNDAY)
    assert reply.reminders == ()
    assert reply.text.startswith("I can't remind you: ")


async def test_a_stranger_sets_no_reminder() -> None:
    text = "Remind me tomorrow at 18:00 to call Tom"
    reply = await Butlers(reachable=True).tell("general", text, SUNDAY, household=False)
    assert reply.reminders == ()
    assert "remind you" not in reply.text.replace(text, "")


@pytest.mark.parametrize(
    ("butler", "text", "kinds", "things"),
    [
        ("health", "BP 129/82 today. Remind me tomorrow at 9 to rest", ["measurement"], ["rest"]),
        ("finance", "Paid 20 EUR for lunch. Remind me tomorrow to cancel the gym", ["expense"], ["cancel the gym"]),
        ("finance", "Remind me to pay the bill of 80 EUR tomorrow", [], ["pay the bill of 80 EUR"]),
        ("general", "Add eggs to the shopping list and remind me tomorrow to buy them", ["list_item"], ["buy them"]),
        ("general", "remind me tomorrow at 8 to call the school and on Friday at 9 to call Tom", [],
         ["call the school", "call Tom"]),
        ("general", "Remind me every day at 8 and 20:00 to take the pills", [], ["take the pills", "take the pills"]),
        ("general", "I have to call the school, remind me tomorrow at 8", [], ["call the school"]),
        ("general", "Remind me at 6pm about the laundry and don't let me forget the milk tomorrow", [],
         ["the laundry", "the milk"]),
        ("general", "in 10 minutes take out the pizza", [], ["take out the pizza"]),
        ("general", "dans 10 minutes sortir la pizza", [], ["sortir la pizza"]),
        ("general", "in 10 Minuten die Pizza rausholen", [], ["die Pizza rausholen"]),
        ("general", "In 10 minutes Tom arrives", ["note"], []),
        ("general", "I need a reminder for the dentist tomorrow at 3pm", [], ["the dentist"]),
        ("general", "The dentist is on Friday at 15:30, remind me an hour before", ["appointment"],
         ["The dentist is on Friday at 15:30"]),
    ],
)  # fmt: skip
async def test_what_stands_beside_a_reminder_is_kept_once(
    butler: str, text: str, kinds: list[str], things: list[str]
) -> None:
    reply = await Butlers(currency="EUR", reachable=True).tell(butler, text, SUNDAY)
    assert [draft.kind for draft in reply.records] == kinds
    assert [draft.text for draft in reply.reminders] == things


def due_of(reply: Reply) -> list[str]:
    return [f"{draft.due_at.astimezone(BERLIN):%Y-%m-%d %H:%M}" for draft in reply.reminders]


async def test_a_reminder_precedes_what_a_record_or_the_same_message_tells() -> None:
    butlers = Butlers(reachable=True)
    await butlers.tell("relationship", "Clara's birthday is on 17 January", SUNDAY)
    text = "Remind me two days before Clara's birthday to buy a present"
    reply = await butlers.tell("relationship", text, SUNDAY)
    assert due_of(reply) == ["2027-01-15 09:00"]
    assert reply.reminders[0].text == "buy a present"
    reply = await butlers.tell(
        "relationship", "Bitte erinnere mich an Claras Geburtstag eine Woche vorher", SUNDAY
    )
    assert due_of(reply) == ["2027-01-10 09:00"]
    reply = await butlers.tell(
        "general", "The dentist is on Friday at 15:30, remind me an hour before", SUNDAY
    )
    assert due_of(reply) == ["2026-11-27 14:30"]
    reply = await butlers.tell("general", "Remind me the day before the dentist at 18:00", SUNDAY)
    assert due_of(reply) == ["2026-11-26 18:00"]


async def test_what_a_reminder_precedes_is_asked_for_where_no_or_more_than_one_day_is_known() -> None:
    butlers = Butlers(reachable=True)
    reply = await butlers.tell("relationship", "remind me a day before Tom's birthday", SUNDAY)
    assert (reply.reminders, "I know no coming day for “Tom's birthday”" in reply.text) == ((), True)
    for text in ("Dentist appointment on Thursday at 15:30", "Dentist appointment on Friday at 9:00"):
        await butlers.tell("general", text, SUNDAY)
    reply = await butlers.tell("general", "remind me an hour before the dentist", SUNDAY)
    assert (reply.reminders, "Which one do you mean?" in reply.text) == ((), True)


async def test_a_reminder_is_stopped_by_its_words_or_because_it_is_the_only_one() -> None:
    butlers = Butlers(reachable=True)
    await butlers.tell("general", "Remind me every Monday at 7 to put out the bins", SUNDAY)
    await butlers.tell("general", "Remind me tomorrow at 8 to call the school", SUNDAY)
    reply = await butlers.tell("general", "stop that", SUNDAY)
    assert reply.reminder_stops == ()
    assert "Which reminder shall I stop?" in reply.text
    assert "put out the bins" in reply.text
    assert "call the school" in reply.text
    reply = await butlers.tell("general", "stop the gym reminder", SUNDAY)
    assert reply.reminder_stops == ()
    assert "no reminder for you of “the gym”" in reply.text
    reply = await butlers.tell("general", "stop the bins reminder", SUNDAY)
    assert len(reply.reminder_stops) == 1
    assert reply.text == (
        "No reminder any more: “put out the bins” (every Monday, next on Monday, 23 November 2026 at 07:00)."
    )
    assert len((await butlers.tell("general", "stop that", SUNDAY)).reminder_stops) == 1


@pytest.mark.parametrize(
    "text",
    [
        "stop reminding me of the school", "stop reminding me about the school",
        "stop reminding us to call the school", "cancel the reminder to call the school",
        "don't remind me of the school",
        "lösch die Erinnerung an school", "annule le rappel school", "cancela el recordatorio de school",
        "stop all reminders",
    ],
)  # fmt: skip
async def test_what_ends_a_reminder_in_four_languages(text: str) -> None:
    butlers = Butlers(reachable=True)
    await butlers.tell("general", "Remind me tomorrow at 8 to call the school", SUNDAY)
    assert len((await butlers.tell("general", text, SUNDAY)).reminder_stops) == 1


async def test_nobody_stops_or_hears_of_the_reminders_of_somebody_else() -> None:
    butlers = Butlers(reachable=True)
    await butlers.tell("general", "Remind me tomorrow at 8 to call the school", SUNDAY)
    for text in ("stop all reminders", "which reminders do I have?", "what is coming up?"):
        reply = await butlers.tell("general", text, SUNDAY, sender="2002")
        assert reply.reminder_stops == ()
        assert "school" not in reply.text


async def test_what_is_coming_up_is_the_reminders_and_the_dated_records_of_seven_days() -> None:
    butlers = Butlers(reachable=True)
    for text in (
        "Remind me tomorrow at 8 to call the school",
        "Remind me in 8 days to renew the pass",
        "Dentist appointment for Leo on Thursday at 15:30",
        "Dinner with Clara on 12 December at 19:00",
    ):
        await butlers.tell("general", text, SUNDAY)
    reply = await butlers.tell("general", "what is coming up?", SUNDAY)
    assert reply.text == (
        "In the next seven days: “Dentist appointment for Leo on Thursday at 15:30” (Thursday, 26 November 2026 at "
        "15:30). I will remind you: “call the school” (Monday, 23 November 2026 at 08:00)."
    )
    reply = await butlers.tell("general", "which reminders do I have?", SUNDAY)
    assert "call the school" in reply.text
    assert "renew the pass" in reply.text


async def test_a_reminder_that_names_only_a_day_has_a_day_of_grace() -> None:
    butlers = Butlers(reachable=True)
    [dated] = (await butlers.tell("general", "remind me on Friday to call Tom", SUNDAY)).reminders
    [timed] = (await butlers.tell("general", "remind me on Friday at 9:00 to call Tom", SUNDAY)).reminders
    assert (dated.due_at, dated.grace, timed.grace) == (timed.due_at, timedelta(hours=24), timedelta(hours=1))


async def test_what_is_due_today_is_told_by_the_households_clock_not_by_utc() -> None:
    night = datetime(2026, 11, 22, 23, 30, tzinfo=UTC)  # the 23rd in Berlin
    reply = await Butlers(reachable=True).tell("general", "remind me today at 18:00 to call Tom", night)
    assert moments_said(reply.text, "en") == [datetime(2026, 11, 23, 18, tzinfo=BERLIN)]
    assert reply.reminders[0].due_at.date() == date(2026, 11, 23)


@pytest.mark.parametrize(
    ("wish", "when", "due", "thing"),
    [
        ("Remind me to call mum", "tomorrow at 8", "2026-11-23 08:00", "call mum"),
        ("Remind me to call mum", "in ten minutes please", "2026-11-22 12:10", "call mum"),
        ("Erinnere mich an die Mülltonnen", "morgen um 18 Uhr", "2026-11-23 18:00", "die Mülltonnen"),
        ("Rappelle-moi d'appeler l'école", "demain à 8h", "2026-11-23 08:00", "appeler l'école"),
        ("Recuérdame llamar al colegio", "mañana a las 8", "2026-11-23 08:00", "llamar al colegio"),
        ("Remind me two days before Tom's birthday", "5 December", "2026-12-03 09:00", "Tom's birthday"),
        (
            "Erinnere mich an Claras Geburtstag eine Woche vorher",
            "am 17. Januar",
            "2027-01-10 09:00",
            "Claras",
        ),
    ],
)
async def test_the_moment_alone_answers_when(wish: str, when: str, due: str, thing: str) -> None:
    butlers = Butlers(reachable=True)
    asked = await butlers.tell("general", wish, SUNDAY)
    assert (asked.reminders, asked.records, "?" in asked.text) == ((), (), True)
    reply = await butlers.tell("general", when, SUNDAY + timedelta(seconds=20 * ("minutes" not in when)))
    assert due_of(reply) == [due]
    assert reply.reminders[0].text.startswith(thing)
    assert reply.records == ()


async def test_a_moment_that_nobody_asked_for_is_no_reminder() -> None:
    butlers = Butlers(reachable=True)
    assert (await butlers.tell("general", "tomorrow at 8:00", SUNDAY)).reminders == ()
    await butlers.tell("general", "Remind me to call mum", SUNDAY)
    later = SUNDAY + timedelta(hours=2)
    assert (await butlers.tell("general", "tomorrow at 8:00", later)).reminders == ()


@pytest.mark.parametrize(
    "text", ["cancel that", "undo", "Thanks, cancel that!", "Mach das rückgängig", "Annule"]
)
async def test_what_was_just_asked_for_is_taken_back_alone(text: str) -> None:
    butlers = Butlers(reachable=True)
    await butlers.tell("general", "Remind me tomorrow at 8 to call Tom", SUNDAY)
    await butlers.tell("general", "Remind me tomorrow at 8 to call the school", SUNDAY)
    reply = await butlers.tell("general", text, SUNDAY)
    assert len(reply.reminder_stops) == 1
    assert "call the school" in reply.text
    assert "call Tom" not in reply.text
    assert (await butlers.tell("general", "cancel that", SUNDAY)).reminder_stops == ()


@pytest.mark.parametrize("end", ["cancel that", "stop the reminder about the school"])
@pytest.mark.parametrize(
    "wish",
    ["Remind me tomorrow at 8 to call the school", "Remind me every Monday at 8 to call the school"],
)
async def test_undo_sets_again_what_the_last_message_stopped(end: str, wish: str) -> None:
    butlers = Butlers(reachable=True)
    [asked] = (await butlers.tell("general", wish, SUNDAY)).reminders
    await butlers.tell("general", end, SUNDAY)
    back = await butlers.tell("general", "undo", SUNDAY)
    assert back.reminders == (asked,)
    assert back.text.startswith("I will remind you")
    assert len((await butlers.tell("general", "undo", SUNDAY)).reminder_stops) == 1


async def test_what_is_over_meanwhile_is_not_set_again_and_a_recurring_one_comes_next() -> None:
    butlers, later = Butlers(reachable=True), SUNDAY + timedelta(hours=22)
    await butlers.tell("general", "Remind me tomorrow at 8 to call the school", SUNDAY)
    await butlers.tell("general", "cancel that", SUNDAY)
    over = await butlers.tell("general", "undo", later)
    assert (over.reminders, "is over" in over.text) == ((), True)
    await butlers.tell("general", "Remind me every Monday at 8 to call Tom", SUNDAY)
    await butlers.tell("general", "cancel that", SUNDAY)
    assert due_of(await butlers.tell("general", "undo", later)) == ["2026-11-30 08:00"]


async def test_a_bill_and_the_reminder_asked_for_with_it_come_back_together() -> None:
    butlers, bill = Butlers(reachable=True, currency="EUR"), "Gas bill of 60 EUR is due on 20 December 2026"
    asked = await butlers.tell("finance", f"{bill}, remind me the day before", SUNDAY)
    await butlers.tell("finance", "cancel that", SUNDAY)
    assert (await butlers.tell("finance", "undo", SUNDAY)).reminders == asked.reminders


async def test_reminders_are_a_part_of_what_is_to_be_done() -> None:
    butlers = Butlers(reachable=True)
    await butlers.tell("general", "Erinnere mich morgen um 18 Uhr an die Mülltonnen", SUNDAY)
    tomorrow = await butlers.tell("general", "What do I have to do tomorrow?", SUNDAY)
    assert "“die Mülltonnen” (Monday, 23 November 2026 at 18:00)" in tomorrow.text
    assert "Mülltonnen" in (await butlers.tell("general", "what's on my to-do list?", SUNDAY)).text
    assert "Mülltonnen" not in (await butlers.tell("general", "What is on on Friday?", SUNDAY)).text
