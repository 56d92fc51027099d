"""Of what people wrote: the right day, time and way is kept; what is not kept or not clear is said."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

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
        ("health", "Dentist on Friday at 5"),
        ("relationship", "Dinner with Clara on Friday at 8"),
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


async def test_a_question_beside_a_fact_and_a_fact_beside_a_question_are_not_passed_over() -> None:
    _, said = await _tell("finance", "Paid 20 EUR for lunch. How much did I spend this month?")
    assert "I did not answer it: “How much did I spend this month?”" in said
    _, said = await _tell("travel", "Train to Paris on Friday at 10:30. Where is my hotel?")
    assert "did not note “Train to Paris on Friday at 10:30.”" in said


async def test_tasks_are_listed_with_their_days() -> None:
    butlers = Butlers()
    told = await butlers.tell("general", "Todo: fix the dripping tap in the bathroom", SUNDAY)
    assert told.text == "Added to your tasks (no date): “fix the dripping tap in the bathroom”."
    told = await butlers.tell("general", "Remind me tomorrow at 18:00 to call the school", SUNDAY)
    assert told.text.startswith(
        "I can't remind you yet. Added to your tasks for Monday, 23 November 2026 at 18:00:"
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
    records, _ = await _tell("relationship", "Dinner with Clara tomorrow. Gestern haben wir Jonas besucht")
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
