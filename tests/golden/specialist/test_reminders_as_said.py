"""Reminders as people ask for them, without the word, without a verb, with hours said loosely; and moved by words."""

from __future__ import annotations

from datetime import datetime, time

import pytest

from butler_contracts.quiet_hours import QuietHours
from butler_specialist.profiles.reply import Reply
from tests.golden.specialist.conversations import BERLIN, Butlers

TUESDAY = datetime(2027, 2, 9, 19, tzinfo=BERLIN)
SET = (
    ("ping me tomorrow after lunch to ring the landlord", "02-10 14:00", "ring the landlord"),
    ("dont let me forget to put the bins out before bed", "02-09 22:00", "put the bins out"),
    ("need a nudge first thing tomorrow, take the meat out", "02-10 08:00", "take the meat out"),
    ("8 am tablets every day", "02-10 08:00", "tablets"),
    ("weekdays at 7 wake me", "02-10 07:00", "wake up"),
    ("gym reminder every other tuesday at 6pm", "02-16 18:00", "gym"),
    ("in half an hour check the oven", "02-09 19:30", "check the oven"),
    ("remind us the last Friday of each month to pay the rent", "02-26 09:00", "pay the rent"),
    ("make sure I dont forget my glasses on saturday", "02-13 09:00", "my glasses"),
    ("timer 12 min pizza", "02-09 19:12", "pizza"),
    ("tell me at 9 tonight to lock the shed", "02-09 21:00", "lock the shed"),
    ("the bins tomorrow at 7, remind me", "02-10 07:00", "the bins"),
    ("werktags um 6.30 wecker", "02-10 06:30", "wecker"),
    ("sag mir morgen abend bescheid wegen der wäsche", "02-10 19:00", "wäsche"),
    ("erinner mich am Ersten an die Miete", "03-01 09:00", "die Miete"),
    ("in ner viertelstunde nudeln abgießen", "02-09 19:15", "nudeln abgießen"),
    ("jeden Abend um 21 Uhr Tabletten", "02-09 21:00", "Tabletten"),
    ("Denk bitte morgen um zehn dran, dass ich den Kuchen bestelle", "02-10 10:00", "ich den Kuchen bestelle"),
    ("n'oublie pas de me dire demain à midi d'appeler le plombier", "02-10 12:00", "appeler le plombier"),
    ("dans un quart d'heure sortir le gâteau", "02-09 19:15", "sortir le gâteau"),
    ("pilule tous les soirs à 22h", "02-09 22:00", "pilule"),
    ("faut que tu me rappelles de payer la nounou vendredi", "02-12 09:00", "payer la nounou"),
    ("que no se me olvide mañana a mediodía llamar al casero", "02-10 12:00", "llamar al casero"),
    ("acuérdame el sábado a las 11 y cuarto de llevar el gato", "02-13 11:15", "llevar el gato"),
    ("en media hora apagar el horno", "02-09 19:30", "apagar el horno"),
    ("pastillas cada 8 horas", "02-10 03:00", "pastillas"),
)  # fmt: skip
FACTS = (
    "Leo has football every Tuesday at 5",
    "the alarm went off at 3 last night",
    "I took my tablets at 8",
    "Yoga every Monday at 18:00",
    "tell me about the plans for tomorrow",
    "I told her to let me know when she lands",
)
MOVED = (
    ("remind me tomorrow at 8 to call Tom", "not at 8, at 9", "02-10 09:00"),
    ("remind me tomorrow at 8 to call Tom", "sorry I meant 9.30", "02-10 09:30"),
    ("remind me at 8 to call Tom", "make it 9", "02-09 21:00"),
    ("remind me tomorrow at 8 to call Tom", "friday", "02-12 08:00"),
    ("remind me tonight at 10 to call Tom", "actually not today, tomorrow", "02-10 22:00"),
    ("remind me every day at 8:00 to call Tom", "move Tom to 21:00", "02-09 21:00"),
    ("remind me every Monday at 8:00 to call Tom", "not on Monday, on Thursday", "02-11 08:00"),
    ("werktags um 6.30 wecker", "lieber 6.45", "02-10 06:45"),
    ("erinnere mich jeden Tag um 21 Uhr an die Pille", "nicht um 21 Uhr sondern um 20 Uhr", "02-09 20:00"),
    ("rappelle-moi demain à midi d'appeler Tom", "plutôt à 14h", "02-10 14:00"),
    ("rappelle-moi vendredi d'appeler Tom", "finalement samedi", "02-13 09:00"),
    ("de lunes a viernes a las 7 despiértame", "mejor a las 7 y media", "02-10 07:30"),
)  # fmt: skip


def due_of(reply: Reply) -> list[str]:
    return [f"{draft.due_at.astimezone(BERLIN):%m-%d %H:%M}" for draft in reply.reminders]


@pytest.mark.parametrize(("text", "due", "thing"), SET)
async def test_what_sounds_like_a_reminder_is_set_and_its_moment_said(
    text: str, due: str, thing: str
) -> None:
    reply = await Butlers(reachable=True).tell("general", text, TUESDAY)
    assert due_of(reply) == [due]
    assert thing in reply.reminders[0].text
    assert due[-5:] in reply.text
    assert reply.records == ()


@pytest.mark.parametrize("text", FACTS)
async def test_what_is_told_of_hours_and_days_is_no_reminder(text: str) -> None:
    assert (await Butlers(reachable=True).tell("general", text, TUESDAY)).reminders == ()


@pytest.mark.parametrize(("wish", "move", "due"), MOVED)
async def test_a_reminder_is_moved_by_words(wish: str, move: str, due: str) -> None:
    butlers = Butlers(reachable=True)
    [before] = (await butlers.tell("general", wish, TUESDAY)).reminders
    reply = await butlers.tell("general", move, TUESDAY)
    assert (due_of(reply), len(reply.reminder_stops), reply.records) == ([due], 1, ())
    assert (reply.reminders[0].text, due[-5:] in reply.text) == (before.text, True)
    assert len(butlers.reminders["general"].rows) == 1


async def test_what_is_over_is_said_and_the_reminder_stays_as_it_was() -> None:
    butlers = Butlers(reachable=True)
    await butlers.tell("general", "remind me today at 21:00 to call Tom", TUESDAY)
    reply = await butlers.tell("general", "move Tom to yesterday", TUESDAY)
    assert (reply.reminders, reply.reminder_stops) == ((), ())


async def test_an_entry_of_the_same_name_is_what_is_moved() -> None:
    butlers = Butlers(reachable=True)
    await butlers.tell("general", "Dentist appointment on Thursday at 15:30", TUESDAY)
    await butlers.tell("general", "remind me on Thursday at 9:00 about the dentist", TUESDAY)
    await butlers.tell("general", "Add milk to the shopping list", TUESDAY)
    reply = await butlers.tell("general", "move the dentist to Friday", TUESDAY)
    assert reply.reminder_stops == ()


async def test_two_days_are_two_reminders() -> None:
    reply = await Butlers(reachable=True).tell(
        "general", "remind me on sat and sun at 10 to feed the cat", TUESDAY
    )
    assert due_of(reply) == ["02-13 10:00", "02-14 10:00"]


async def test_the_moment_may_follow_as_a_sentence_of_its_own() -> None:
    text = "Kannst du mich dran erinnern, die gelbe Tonne rauszustellen? Donnerstag Abend"
    reply = await Butlers(reachable=True).tell("general", text, TUESDAY)
    assert (due_of(reply), reply.records) == (["02-11 19:00"], ())


async def test_her_birthday_is_the_one_that_is_known() -> None:
    butlers = Butlers(reachable=True)
    await butlers.tell("relationship", "Chloé's birthday is on 20 March", TUESDAY)
    reply = await butlers.tell(
        "relationship", "remind me two days before her birthday to order a cake", TUESDAY
    )
    assert due_of(reply) == ["03-18 09:00"]


async def test_what_is_coming_up_later_than_a_week_is_told_too() -> None:
    butlers = Butlers(reachable=True)
    await butlers.tell("general", "gym reminder every other tuesday at 6pm", TUESDAY)
    assert "gym" in (await butlers.tell("general", "whats coming up?", TUESDAY)).text


@pytest.mark.parametrize(
    ("text", "waits", "said"),
    [
        ("water the plants every 3 hours, remind me", True, "between 22:00 and 07:00"),
        ("remind me every 8 hours to take the tablets", True, "between 22:00 and 07:00"),
        ("remind me every 8 hours of the urgent drops", False, ""),
        ("remind me at 3am to feed the baby", False, ""),
        ("remind me before bed to lock the door", False, ""),
        ("remind me tomorrow to call Tom", True, ""),
        ("erinnere mich alle 8 Stunden an die Tropfen", True, "zwischen 22:00 und 07:00"),
        ("rappelle-moi toutes les 8 heures les gouttes", True, "entre 22:00 et 07:00"),
        ("recuérdame cada 8 horas las gotas", True, "entre las 22:00 y las 07:00"),
    ],
)
async def test_the_answer_says_that_the_quiet_hours_are_kept(text: str, waits: bool, said: str) -> None:
    butlers = Butlers(reachable=True, quiet=QuietHours(time(22), time(7)))
    reply = await butlers.tell("general", text, TUESDAY)
    assert [draft.can_wait for draft in reply.reminders] == [waits]
    assert (said in reply.text, "07:00" in reply.text) == (True, bool(said))


async def test_what_is_told_with_its_day_is_what_a_day_before_is_about() -> None:
    text = "Elternabend am 24. Februar um 19:30, erinnere mich einen Tag vorher"
    reply = await Butlers(reachable=True).tell("general", text, TUESDAY)
    assert (due_of(reply), len(reply.records)) == (["02-23 09:00"], 1)
    assert "Elternabend" in reply.reminders[0].text


@pytest.mark.parametrize(
    ("wish", "end"),
    [
        ("erinnere mich morgen um 10 an den Kaminfeger", "die Erinnerung an den Kaminfeger brauch ich nicht mehr"),
        ("recuérdame mañana a las 10 la basura", "ya no me recuerdes lo de la basura"),
    ],
)  # fmt: skip
async def test_a_reminder_that_nobody_needs_any_more_ends(wish: str, end: str) -> None:
    butlers = Butlers(reachable=True)
    await butlers.tell("general", wish, TUESDAY)
    assert len((await butlers.tell("general", end, TUESDAY)).reminder_stops) == 1
