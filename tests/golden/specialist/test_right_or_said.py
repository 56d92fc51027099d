"""Of what people wrote: the right day, time and way is kept; what is not kept or not clear is said."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from butler_kit.wording.language import language_of
from butler_specialist.locale import say
from butler_specialist.questions.wording import short_day, when_text
from butler_specialist.store.model import RecordDraft
from tests.golden.specialist.conversations import Butlers

SUNDAY = datetime(2026, 11, 22, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))
FIVE_THINGS = (
    "Subject: A few things\n\nHello butlers,\n\n1. Paid 22.50 EUR for the taxi\n2. Tom's birthday is on 9 June\n"
    "3. Blood pressure 127/80\n4. Add coffee to the shopping list\n5. Hotel Astoria in Rome, 3-6 May 2027\n\n"
    "Thanks, Mara"
)
TICKET = (
    "Subject: Fwd: Your e-ticket receipt XK4P9Q\n\nFwd below.\n\n---------- Forwarded message ---------\n"
    "From: British Airways <no-reply@ba.example>\nDate: Sat, 21 Nov 2026\nSubject: Your e-ticket receipt XK4P9Q\n\n"
    "Booking reference XK4P9Q\n{}\nTotal 612.40 GBP\n"
)
OUT, BACK = "London Heathrow to New York JFK", "New York JFK to London Heathrow"
TICKETS = (
    f"BA117 {OUT}, 12 Dec 2026, 08:25\nBA178 {BACK}, 20 Dec 2026, 18:30",
    f"BA117 {OUT} 12 Dec 2026 08:25 BA178 {BACK} 20 Dec 2026 18:30",
    "BA117 12 Dec 2026 London Heathrow 08:25 - New York JFK 11:20\n"
    "BA178 20 Dec 2026 New York JFK 18:30 - London Heathrow 06:25",
    "12 Dec 2026 BA117 London Heathrow 08:25 New York JFK 11:20 "
    "20 Dec 2026 BA178 New York JFK 18:30 London Heathrow 06:25",
    f"BA117\n{OUT}\nSat 12 Dec 2026 08:25\nBA178\n{BACK}\nSun 20 Dec 2026 18:30",
)


async def _tell(butler: str, text: str, moment: datetime = SUNDAY) -> tuple[list[RecordDraft], str]:
    reply = await Butlers().tell(butler, text, moment)
    return list(reply.records), reply.text


async def test_an_appointment_of_health_is_a_record_of_the_next_such_day_with_its_time() -> None:
    butlers = Butlers()
    told = await butlers.tell("health", "Dentist appointment for Leo on Thursday at 15:30", SUNDAY)
    [draft] = told.records
    assert (draft.kind, draft.occurred_on, draft.occurred_at) == (
        "appointment",
        date(2026, 11, 26),
        time(15, 30),
    )
    assert told.text.startswith("Noted for Thursday, 26 November 2026 at 15:30: “Dentist appointment")
    await butlers.tell("health", "Doctor's appointment on Wednesday 10:00", SUNDAY)
    asked = await butlers.tell("health", "When is Leo's dentist appointment?", SUNDAY)
    assert asked.text.endswith("on Thursday, 26 November 2026 at 15:30.")
    asked = await butlers.tell("health", "When is my doctor's appointment?", SUNDAY + timedelta(days=4))
    assert "Doctor's appointment" not in asked.text.partition("found")[0]


@pytest.mark.parametrize(
    ("butler", "kind", "day"),
    [
        ("finance", "expense", date(2026, 11, 22)),
        ("health", "measurement", date(2026, 11, 22)),
        ("relationship", "birthday", date(2027, 6, 9)),
        ("general", "list_item", date(2026, 11, 22)),
        ("travel", "stay", date(2027, 5, 3)),
    ],
)
async def test_each_item_of_a_mail_has_its_own_day_and_the_others_are_named(
    butler: str, kind: str, day: date
) -> None:
    records, said = await _tell(butler, FIVE_THINGS)
    assert (records[0].kind, records[0].occurred_on) == (kind, day)
    assert "only kept as a note: “" in said
    kept = " ".join(draft.text for draft in records)
    assert all(part in kept for part in ("the taxi", "9 June", "127/80", "coffee", "Astoria"))


@pytest.mark.parametrize("legs", TICKETS)
async def test_both_legs_of_a_ticket_have_their_own_day_time_and_way(legs: str) -> None:
    records, said = await _tell("travel", TICKET.format(legs))
    assert [
        (draft.code, draft.occurred_on, draft.occurred_at, draft.place, draft.details["to"])
        for draft in records
    ] == [
        ("BA117", date(2026, 12, 12), time(8, 25), "London Heathrow", "New York JFK"),
        ("BA178", date(2026, 12, 20), time(18, 30), "New York JFK", "London Heathrow"),
    ]
    assert "612.40 GBP" in said


async def test_the_way_back_that_is_only_called_so_is_a_ride_of_its_own() -> None:
    records, _ = await _tell("travel", "Flight from London to Rome on 3 May at 9:15, back on 6 May at 20:40")
    assert [(draft.place, draft.details["to"], draft.occurred_on.day) for draft in records] == [
        ("London", "Rome", 3),
        ("Rome", "London", 6),
    ]


async def test_questions_about_a_journey_are_answered_with_what_they_ask_for() -> None:
    butlers = Butlers()
    await butlers.tell(
        "travel", "My flight BA2490 to Lisbon leaves on 14 March 2027 at 7:05 from Heathrow", SUNDAY
    )
    await butlers.tell("travel", "Booked the Hotel Mirador in Lisbon for 14-18 March 2027", SUNDAY)
    for asked, answer in (
        ("how long until the flight?", "112 days until your flight BA2490"),
        ("What are our plans for December?", "No flight or train is noted in December 2026."),
        ("Where do we travel in March?", "In March 2027: flight BA2490"),
    ):
        assert (await butlers.tell("travel", asked, SUNDAY)).text.startswith(answer)
    soon = datetime(2027, 3, 14, 5, 0, tzinfo=ZoneInfo("Europe/Berlin"))
    assert (await butlers.tell("travel", "how long until the flight?", soon)).text.startswith(
        "2 hours and 5 minutes"
    )


async def test_the_last_day_of_a_passport_is_found_again() -> None:
    butlers = Butlers()
    for text in (
        "Passport of Leo expires on 12 May 2027, number C01X00T47",
        "Mara's passport is valid until 3 June 2030",
    ):
        await butlers.tell("travel", text, SUNDAY)
    asked = await butlers.tell("travel", "When does Leo's passport expire?", SUNDAY)
    assert asked.text == "Leo's passport expires on Wednesday, 12 May 2027 (number C01X00T47)."
    asked = await butlers.tell("travel", "When does Tom's passport expire?", SUNDAY)
    assert asked.text == "No passport of Tom is noted."


@pytest.mark.parametrize(
    ("butler", "text"),
    [
        ("general", "Table for two at Luigi's on Saturday at 8"),
        ("general", "Tom picks up Leo on Friday at five"),
        ("health", "Dentist on Friday at 7"),
        ("relationship", "Meeting with Clara on Friday at 8"),
        ("travel", "Train to Paris on Friday at 5"),
    ],
)
async def test_an_unclear_hour_is_said_to_be_unclear_and_not_kept(butler: str, text: str) -> None:
    [draft], said = await _tell(butler, text)
    assert draft.occurred_at is None
    assert "may be morning or evening" in said


@pytest.mark.parametrize(
    ("butler", "text", "rest"),
    [
        ("relationship", "Met Jonas for coffee today, he's changing jobs", "“he's changing jobs”"),
        (
            "health",
            "Weight 84.1 kg, and I had dinner with Jonas, 62 EUR",
            "“I had dinner with Jonas, 62 EUR”",
        ),
        ("finance", "Paid 5 EUR for tea. The boiler makes a noise. Thanks!", "“The boiler makes a noise.”"),
    ],
)
async def test_what_no_fact_was_taken_from_is_kept_as_a_note_and_quoted(
    butler: str, text: str, rest: str
) -> None:
    records, said = await _tell(butler, text)
    assert said.endswith(
        (f"The rest is only kept as a note: {rest}", f"The rest is only kept as a note: {rest}.")
    )
    assert [draft.text for draft in records if draft.kind == "note"] == [rest.strip("“”")]


async def test_a_sum_beside_another_fact_is_said_not_to_be_noted() -> None:
    _, said = await _tell("relationship", "I had dinner with Jonas, 62 EUR")
    assert said.endswith("Not noted here: 62.00 EUR.")


async def test_a_fact_beside_a_question_is_kept_and_the_question_answered_with_it() -> None:
    records, said = await _tell("finance", "Paid 20 EUR for lunch. How much did I spend this month?")
    assert [draft.kind for draft in records] == ["expense"]
    assert "Noted: 20.00 EUR for lunch" in said
    assert "You spent 20.00 EUR" in said
    records, said = await _tell("travel", "Train to Paris on Friday at 10:30. Where is my hotel?")
    assert [draft.kind for draft in records] == ["train"]
    assert "did not note" not in said


async def test_tasks_are_listed_with_their_days() -> None:
    butlers = Butlers()
    told = await butlers.tell("general", "Todo: fix the dripping tap in the bathroom", SUNDAY)
    assert told.text == "Added to your tasks (no date): “fix the dripping tap in the bathroom”."
    told = await butlers.tell("general", "Remind me tomorrow at 18:00 to call the school", SUNDAY)
    assert told.text.startswith(
        "I can't remind you: I write first only on Telegram and by e-mail, and know no such address of yours. "
        "Added to your tasks for Monday, 23 November 2026 at 18:00:"
    )
    asked = await butlers.tell("general", "what's on my to-do list?", SUNDAY)
    assert "fix the dripping tap in the bathroom" in asked.text
    assert "call the school (23 November at 18:00)" in asked.text


async def test_what_is_on_a_day_to_come_is_asked_of_appointments_and_tasks_alone() -> None:
    butlers = Butlers()
    for text in (
        "The gate squeaks",
        "Vet appointment for Rex on Tuesday at 9am",
        "Concert on 5 December at 20:00",
    ):
        await butlers.tell("general", text, SUNDAY)
    asked = await butlers.tell("general", "What's on next week?", SUNDAY)
    assert asked.text == "I found “Vet appointment for Rex on Tuesday at 9am” (24 November at 09:00)."
    asked = await butlers.tell("general", "What are our plans for December?", SUNDAY)
    assert asked.text == "I found “Concert on 5 December at 20:00” (5 December at 20:00)."


async def test_nobody_is_met_for_somebody_else_whose_name_could_not_be_read() -> None:
    records, _ = await _tell(
        "relationship", "Dinner with Clara tomorrow. Gestern haben wir Jonas im Park getroffen"
    )
    assert [draft.party for draft in records] == ["Clara", None]


@pytest.mark.parametrize(
    ("butler", "text", "day"),
    [
        ("health", "Dentist appointment was moved from Thursday to Friday 10:00", date(2026, 11, 27)),
        ("health", "Leo has had a fever since Tuesday, 38.9", SUNDAY.date()),
        ("finance", "Salary of 3200 EUR comes on Friday", date(2026, 11, 27)),
        (
            "finance",
            "Invoice 2231 of 180 EUR\nDate: 18 November 2026\nDue: 5 December 2026",
            date(2026, 12, 5),
        ),
        ("finance", "Sum 23,40 EUR for food\nDate: 18 November 2026", date(2026, 11, 18)),
        ("travel", "My flight BA2490 on Friday is delayed by two hours", date(2026, 11, 27)),
        ("relationship", "Party at Tom's on Saturday from 20:00", date(2026, 11, 28)),
    ],
)
async def test_a_fact_has_the_day_that_is_meant(butler: str, text: str, day: date) -> None:
    records, _ = await _tell(butler, text)
    assert [draft.occurred_on for draft in records] == [day]


async def test_a_weekday_that_is_not_the_dates_is_pointed_out() -> None:
    _, said = await _tell("general", "Meeting on Friday, 28 November at 15:00")
    assert said.endswith("Saturday, 28 November 2026 is not the weekday that you wrote.")
    _, said = await _tell("general", "Meeting on Saturday, 28 November at 15:00")
    assert "check" not in said


async def test_where_a_meeting_is_ends_before_its_day() -> None:
    [draft], _ = await _tell("relationship", "Party at Tom's on Saturday from 20:00")
    assert (draft.place, draft.occurred_at) == ("Tom's", time(20))


async def test_the_price_of_a_journey_is_not_what_was_paid_for_something_else() -> None:
    _, said = await _tell("travel", FIVE_THINGS)
    assert "Price named" not in said
    assert "“Paid 22.50 EUR for the taxi”" in said


@pytest.mark.parametrize("butler", ["general", "health"])
@pytest.mark.parametrize(
    "asked",
    [
        "Have I anything on Tuesday?",
        "Hab ich am Dienstag was?",
        "¿Tengo algo el martes?",
        "Ai-je quelque chose mardi ?",
    ],
)
async def test_whether_there_is_anything_on_a_weekday_asks_of_the_next_one(butler: str, asked: str) -> None:
    butlers = Butlers()
    await butlers.tell(butler, "Dentist on Tuesday at 9:00", SUNDAY)
    answer = (await butlers.tell(butler, asked, SUNDAY)).text
    assert short_day(date(2026, 11, 24), SUNDAY.date(), language_of(asked)) in answer


@pytest.mark.parametrize(
    "asked",
    [
        "What did I do on Tuesday?",
        "Was habe ich am Dienstag gemacht?",
        "¿Qué hice el martes?",
        "Qu'ai-je fait mardi ?",
    ],
)
async def test_what_was_done_on_a_weekday_asks_of_the_last_one(asked: str) -> None:
    reply = await Butlers().tell("general", asked, SUNDAY)
    assert when_text(date(2026, 11, 17), None, language_of(asked)) in reply.text


async def test_a_weekday_in_a_question_about_spending_is_no_shop() -> None:
    butlers = Butlers()
    await butlers.tell("finance", "Paid 20 EUR for tea yesterday", SUNDAY - timedelta(days=4))
    asked = await butlers.tell("finance", "How much did I spend on Tuesday?", SUNDAY)
    assert asked.text.startswith("You spent 20.00 EUR on Tuesday, 17 November 2026")


@pytest.mark.parametrize("butler", ["general", "health", "relationship", "travel"])
@pytest.mark.parametrize("text", ["Subject: 27. April\n\n", "27. April"])
async def test_a_day_alone_is_the_next_such_day(butler: str, text: str) -> None:
    [draft], said = await _tell(butler, text)
    assert draft.occurred_on == date(2027, 4, 27)
    assert "Tuesday, 27 April 2027" in said


@pytest.mark.parametrize("butler", ["general", "health", "relationship", "travel"])
async def test_what_comes_keeps_its_day_and_time_wherever_it_goes(butler: str) -> None:
    for text in ("Leos Fahrradprüfung ist am Dienstag um 16 Uhr", "swimming lessons start Tuesday at 16:00"):
        [draft], said = await _tell(butler, text)
        assert (draft.occurred_on, draft.occurred_at) == (date(2026, 11, 24), time(16))
        assert when_text(date(2026, 11, 24), time(16), language_of(text)) in said


@pytest.mark.parametrize(
    ("text", "day", "said"),
    [
        ("Tom's birthday was on 9 June", date(2027, 6, 9), "is on Wednesday, 9 June 2027."),
        (
            "Tom was born on 9 June 1984",
            date(1984, 6, 9),
            "is on 9 June 1984, the next on Wednesday, 9 June 2027.",
        ),
        ("Tom's birthday was yesterday", date(2027, 11, 21), "is on Sunday, 21 November 2027."),
    ],
)
async def test_a_birthday_is_said_with_its_next_day(text: str, day: date, said: str) -> None:
    [draft], answer = await _tell("relationship", text)
    assert (draft.kind, draft.occurred_on) == ("birthday", day)
    assert answer.endswith(said)


@pytest.mark.parametrize(
    "text",
    [
        "Tom's birthday party is on Saturday",
        "Wir feiern am Samstag Toms Geburtstag",
        "We celebrated Tom's birthday on Friday",
    ],
)
async def test_the_day_of_a_party_is_not_the_day_of_a_birth(text: str) -> None:
    [draft], said = await _tell("relationship", text)
    assert draft.kind != "birthday"
    assert draft.party == "Tom"
    assert "birthday is on" not in said.partition("“")[0]


@pytest.mark.parametrize(
    ("text", "kind", "party"),
    [
        ("Gestern haben wir Jonas besucht", "meeting", "Jonas"),
        ("haben wir Jonas besucht\n\n(Said before in the same message: Gestern)", "meeting", "Jonas"),
        ("conocí a Clara", "meeting", "Clara"),
        ("Clara kommt am Samstag", "note", "Clara"),
        ("Wir haben das Museum besucht", "note", None),
    ],
)
async def test_persons_are_read_and_nobody_is_met_in_a_museum(
    text: str, kind: str, party: str | None
) -> None:
    [draft], said = await _tell("relationship", text)
    assert (draft.kind, draft.party) == (kind, party)
    assert "could not read" not in said


@pytest.mark.parametrize("butler", ["relationship", "health", "travel"])
async def test_a_sum_in_a_note_is_said_not_to_be_noted_as_one(butler: str) -> None:
    _, said = await _tell(butler, "sent Clara flowers for her birthday, 39,90 €")
    assert said.endswith("Not noted here: 39.90 EUR.")


async def test_the_butler_of_everything_says_nothing_of_sums_that_others_note() -> None:
    _, said = await _tell("general", "Spent 12.50 EUR on lunch. Vet on Tuesday at 9:00")
    assert "Not noted" not in said


MARKS = (
    ("Forwarded Message", "Date", "Wed, 14 Apr 2027 10:00:00 +0200"),
    ("Weitergeleitete Nachricht", "Datum", "14.04.2027"),
)


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize(
    "body",
    [
        "Hotel Sol\nArrival:\tTue 18 May 2027\nDeparture:\tFri 21 May 2027",
        "Hotel Sol\nCheck-in\n18 May 2027\nCheck-out\n21 May 2027",
        "Hotel Sol\nAnreise: 18.05.2027 ab 15 Uhr\nAbreise: 21.05.2027 bis 11 Uhr",
        "Hotel Sol, reservation date: 14 April 2027\nArrival 18 May 2027, departure 21 May 2027",
        "Hotel Sol\nDeparture: 21 May 2027\nArrival: 18 May 2027\nFree cancellation until 10 May 2027",
        "Hotel Sol\nLlegada: 18 de mayo de 2027\nSalida: 21 de mayo de 2027",
        "Your stay at Hotel Sol: 18 May 2027 - 21 May 2027",
    ],
)
async def test_a_stay_is_from_its_arrival_to_its_departure_whenever_it_was_booked(
    mark: tuple[str, str, str], body: str
) -> None:
    mail = "Subject: Fwd: Your booking\n\n-------- {} --------\nSubject: \tYour booking\n{}: \t{}\n\n\n{}"
    records, said = await _tell("travel", mail.format(*mark, body))
    [stay] = [draft for draft in records if draft.kind == "stay"]
    assert (stay.occurred_on, stay.details["until"]) == (date(2027, 5, 18), "2027-05-21")
    assert "(3 nights)" in said


@pytest.mark.parametrize("butler", ["general", "health"])
@pytest.mark.parametrize(
    "text",
    [
        "Friday: dentist 9:00, vet 14:00",
        "dentist on Friday at 9:00 and vet at 14:00",
        "Freitag: Zahnarzt 9 Uhr, Tierarzt 14 Uhr",
        "Vendredi : dentiste 9h, médecin 14h",
    ],
)
async def test_each_hour_of_a_day_is_an_entry(butler: str, text: str) -> None:
    records, said = await _tell(butler, text)
    assert [(draft.kind, draft.occurred_on, draft.occurred_at) for draft in records] == [
        ("appointment", date(2026, 11, 27), time(9)),
        ("appointment", date(2026, 11, 27), time(14)),
    ]
    assert "only kept as a note" not in said


async def test_the_two_times_of_a_ride_or_of_a_shop_are_not_two_entries() -> None:
    records, _ = await _tell("travel", "Friday: Vienna 07:05, Lisbon 10:25 OS451")
    assert [(draft.occurred_at, draft.details["arrives"]) for draft in records] == [(time(7, 5), "10:25")]
    assert len((await _tell("general", "The shop opens at 9:00, closes at 18:00"))[0]) == 1


async def test_an_entry_without_a_verb_has_the_day_of_its_line() -> None:
    records, _ = await _tell("general", "Vendredi : dentiste 9h30, réunion 14h")
    assert {draft.occurred_on for draft in records} == {date(2026, 11, 27)}


@pytest.mark.parametrize(
    "text", ["Weight 84.1", "Gewicht: 84,1", "Weight 84.1 and BP 120/80", "je pèse 84,1"]
)
async def test_a_weight_without_a_unit_has_that_of_those_before_and_says_so(text: str) -> None:
    butlers = Butlers()
    await butlers.tell("health", "Weight 83.5 kg", SUNDAY - timedelta(days=2))
    told = await butlers.tell("health", text, SUNDAY)
    [draft] = [draft for draft in told.records if draft.code == "weight"]
    assert (str(draft.quantity), draft.unit) == ("84.1", "kg")
    assert say(language_of(text), "No unit was named; I took {unit}, as before.", unit="kg") in told.text


async def test_a_weight_without_a_unit_that_nobody_had_before_is_a_note_that_says_so() -> None:
    records, said = await _tell("health", "Weight 84.1")
    assert [(draft.kind, draft.quantity) for draft in records] == [("note", None)]
    assert "has no unit" in said
    records, _ = await _tell("health", "Weight 3 parcels")
    assert [draft.kind for draft in records] == ["note"]


async def test_what_was_paid_was_not_paid_on_a_day_to_come() -> None:
    [draft], said = await _tell("finance", "Die Reparatur hat 340 Euro gekostet, Garantie bis 12.11.2027")
    assert (draft.kind, draft.occurred_on) == ("expense", SUNDAY.date())
    assert "2027" not in said
