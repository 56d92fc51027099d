"""What no butler can do is said, with what it can; nothing is kept as if it were done, no fact beside it is lost."""

from __future__ import annotations

from datetime import date, datetime, time

import pytest

from butler_kit.wording.language import language_of
from butler_specialist.questions.wording import when_text
from tests.golden.specialist.conversations import BERLIN, Butlers

SUNDAY = datetime(2026, 11, 22, 12, tzinfo=BERLIN)
KNOWN = (
    ("finance", "Spent 23,40 at Lidl, groceries"),
    ("finance", "The electricity bill is due on 5 December, 89.90 EUR"),
    ("general", "Add milk, bread and eggs to the shopping list"),
    ("general", "Todo: fix the dripping tap in the bathroom"),
    ("general", "Dentist appointment for Leo on Thursday at 15:30"),
    ("health", "BP 138/88"),
)
TASK = "“todo: …” keeps it as a task for yourself."
CANNOT = {"en": "I can't ", "de": "Ich kann ", "fr": "Je ne peux ", "es": "No puedo "}
REFUSED = (
    (
        "general",
        "What's the weather in Lisbon?",
        "I can't look up the weather, news or traffic. I answer from what this household has told me.",
    ),
    (
        "general",
        "Book a table for two at Luigi's on Saturday at 8",
        f"I can't book, order or pay for anything, so nothing was arranged. {TASK}",
    ),
    (
        "general",
        "Tell Tom to pick up Leo at five",
        "I can't pass that on, so nobody was told: I tell members of the household, by name, from a chat of "
        f"your own. {TASK}",
    ),
    (
        "general",
        "split 90 EUR dinner with Tom and Jonas",
        "I can't split a sum yet, so nothing was noted. “Paid 40 EUR for dinner” notes a sum whole. "
        "Not noted here: 90.00 EUR.",
    ),
    (
        "health",
        "Please stop sending me the blood pressure history",
        "I can't change what is sent to you. “Stop reminding me of …” ends a reminder; "
        "daily messages and quiet hours are set by whoever runs your household.",
    ),
)


async def _household() -> Butlers:
    butlers = Butlers(currency="EUR")
    for butler, text in KNOWN:
        await butlers.tell(butler, text, SUNDAY)
    return butlers


@pytest.mark.parametrize(("butler", "text", "answer"), REFUSED)
async def test_a_request_that_nobody_can_fulfil_is_answered_so_and_nothing_is_kept(
    butler: str, text: str, answer: str
) -> None:
    reply = await (await _household()).tell(butler, text, SUNDAY)
    assert reply.text == answer
    assert reply.records == ()


@pytest.mark.parametrize(
    "butler", ["finance", "general", "health", "relationship", "travel"]
)  # whichever it reaches
async def test_every_butler_refuses_what_none_can_do(butler: str) -> None:
    butlers = await _household()
    for text in (
        "What's the weather?",
        "Sag Tom, dass ich komme",
        "Réserve une table",
    ):
        reply = await butlers.tell(butler, text, SUNDAY)
        assert reply.text.startswith(CANNOT[language_of(text)])
        assert reply.records == ()


async def test_a_thing_is_taken_off_the_list_that_is_only_called_the_list() -> None:
    reply = await (await _household()).tell("general", "remove bread from the list", SUNDAY)
    assert reply.text == "Taken off the shopping list: bread. 2 items are on it now."


@pytest.mark.parametrize(
    ("butler", "text", "kind"),
    [
        ("general", "Remind me tomorrow at 18:00 to call the school", "task"),
        ("general", "Kannst du mich morgen um 18 Uhr an die Mülltonnen erinnern?", "task"),
        ("relationship", "Remind me tomorrow at 18:00 to call Jonas", "reminder"),
        ("finance", "Remind me tomorrow at 18:00 to pay the rent", "note"),
        ("travel", "Rappelle-moi demain à 18h00 de réserver", "note"),
    ],
)
async def test_what_to_be_reminded_of_is_kept_with_its_day_and_hour(
    butler: str, text: str, kind: str
) -> None:
    reply = await Butlers().tell(butler, text, SUNDAY)
    [draft] = reply.records
    assert (draft.kind, draft.occurred_on.isoformat(), draft.occurred_at) == (kind, "2026-11-23", time(18))
    language = language_of(text)
    assert reply.text.startswith(CANNOT[language])
    assert "Telegram" in reply.text
    assert when_text(date(2026, 11, 23), time(18), language) in reply.text


async def test_a_reminder_without_a_day_is_kept_and_said_to_have_none() -> None:
    reply = await Butlers().tell("general", "Remind me to check the oven", SUNDAY)
    assert reply.text == (
        "I can't remind you: I write first only on Telegram and by e-mail, and know no such address of yours. "
        "Added to your tasks (no date): “Remind me to check the oven”."
    )


async def test_a_reminder_in_two_minutes_is_kept_with_its_moment_where_nobody_can_be_reminded() -> None:
    reply = await Butlers().tell("general", "Remind me in 2 minutes to check the oven", SUNDAY)
    [task] = reply.records
    assert task.title == "check the oven"
    assert when_text(task.occurred_on, task.occurred_at, "en") in reply.text


@pytest.mark.parametrize(
    ("butler", "text", "kinds", "parts"),
    [
        (
            "finance",
            "Cancel that, I paid 20 EUR for lunch",
            ["expense"],
            ["There is nothing of yours here that I could take back.", "Noted: 20.00 EUR for lunch"],
        ),
        (
            "health",
            "BP 129/82 today. Remind me tomorrow at 18:00 to take the tablet",
            ["measurement", "note"],
            [
                "blood pressure 129/82 mmHg",
                "I can't remind you: ",
                "Noted for Monday, 23 November 2026 at 18:00",
            ],
        ),
        (
            "general",
            "The party is on Friday. Tell Tom to bring the cake. What's the weather on Friday?",
            ["appointment"],
            [
                "Noted for Friday",
                "Not done: “Tell Tom to bring the cake.”",
                "Not done: “What's the weather on Friday?”",
            ],
        ),
        (
            "finance",
            "How much did I spend this month? Delete the Lidl expense.",
            [],
            ["You spent 23.40 EUR in November 2026", "Deleted: 23.40 EUR, groceries (Lidl)"],
        ),
    ],
)
async def test_what_stands_beside_a_request_is_kept_and_answered(
    butler: str, text: str, kinds: list[str], parts: list[str]
) -> None:
    reply = await (await _household()).tell(butler, text, SUNDAY)
    assert [draft.kind for draft in reply.records] == kinds
    assert [part for part in parts if part not in reply.text] == []


@pytest.mark.parametrize(
    ("butler", "text", "said"),
    [
        ("general", "got the flu", "Noted: “got the flu”."),
        ("finance", "Paid the water bill", "Noted: no amount could be read"),
        (
            "finance",
            "split 90 EUR dinner with Tom",
            "That is the whole sum: I do not work out who owes which share.",
        ),
        ("finance", "Please pay 80 EUR to the club by 5 December", "a bill of 80.00 EUR"),
        ("general", "I cancelled the gym", "Noted: “I cancelled the gym”."),
    ],
)
async def test_what_was_done_elsewhere_is_noted_as_it_was(butler: str, text: str, said: str) -> None:
    reply = await (await _household()).tell(butler, text, SUNDAY)
    assert said in reply.text
    assert "I can't" not in reply.text


async def test_what_was_taken_off_the_list_is_not_open_any_more() -> None:
    butlers = await _household()
    await butlers.tell("general", "remove eggs from the shopping list", SUNDAY)
    reply = await butlers.tell("general", "got the eggs", SUNDAY)
    assert reply.text == "Noted: “got the eggs”."


async def test_a_stranger_is_told_nothing_of_what_the_household_cannot_do() -> None:
    reply = await Butlers().tell("general", "cancel that", SUNDAY, household=False)
    assert "nobody answered it" in reply.text
    assert len(reply.records) == 1
