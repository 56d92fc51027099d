""" "cancel that" means the entry, "undo" what was last done to it; the answer says which, and both can be undone."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time

import pytest

from tests.golden.specialist.conversations import BERLIN
from tests.golden.specialist.remembering import Talk

TUESDAY = datetime(2026, 11, 24, 10, 0, tzinfo=BERLIN)
TALKS = {
    "en": ("call the plumber on Friday at 9:00", "no, at 10:00"),
    "de": ("Zahnarzt am Freitag um 9:00", "nein, um 10:00"),
    "fr": ("dentiste vendredi à 9h00", "non, à 10h00"),
    "es": ("dentista el viernes a las 9:00", "no, a las 10:00"),
}


async def _moved(language: str) -> Talk:
    talk = Talk("general", TUESDAY)
    for text in TALKS[language]:
        await talk.say(text)
    [record] = talk.records
    assert record.occurred_at == time(10)
    return talk


CANCELS = [
    ("en", "cancel that", "Deleted, the entry itself and not only its change"),
    ("en", "delete it please", "Deleted, the entry itself"),
    ("de", "storniere das", "Gelöscht, der Eintrag selbst und nicht nur seine Änderung"),
    ("de", "lösch das", "Gelöscht, der Eintrag selbst"),
    ("fr", "annule ça", "Supprimé, l'entrée elle-même"),
    ("fr", "supprime ça", "Supprimé, l'entrée elle-même"),
    ("es", "cancela eso", "Borrada la entrada misma"),
    ("es", "borra eso", "Borrada la entrada misma"),
]
UNDOES = [
    ("en", "undo", "The entry itself stays"),
    ("en", "take that back", "The entry itself stays"),
    ("en", "undo the change", "The entry itself stays"),
    ("de", "mach das rückgängig", "Der Eintrag selbst bleibt"),
    ("fr", "annule la dernière modification", "L'entrée elle-même reste"),
    ("es", "deshaz el cambio", "La entrada misma se queda"),
]


@pytest.mark.parametrize(("language", "said", "answer"), CANCELS)
async def test_what_was_changed_is_cancelled_whole_and_comes_back_as_it_was_changed(
    language: str, said: str, answer: str
) -> None:
    talk = await _moved(language)
    reply = await talk.say(said)
    assert reply.text.startswith(answer)
    assert "10:00" in reply.text
    assert talk.records == []
    await talk.say("undo")
    [record] = talk.records
    assert record.occurred_at == time(10)


@pytest.mark.parametrize(("language", "said", "answer"), UNDOES)
async def test_an_undo_takes_back_the_change_alone(language: str, said: str, answer: str) -> None:
    talk = await _moved(language)
    reply = await talk.say(said)
    assert answer in reply.text
    [record] = talk.records
    assert record.occurred_at == time(9)
    assert "09:00" in reply.text


async def test_what_the_answer_to_an_undo_offers_is_done() -> None:
    talk = await _moved("en")
    await talk.say("undo")
    assert (await talk.say("delete that")).text.startswith("Deleted, the entry itself")
    assert talk.records == []
    await talk.say("undo")
    assert [row.occurred_at for row in talk.records] == [time(9)]


async def test_a_deletion_that_is_cancelled_is_put_back() -> None:
    talk = Talk("general", TUESDAY)
    await talk.say("call the plumber on Friday at 9:00")
    await talk.say("delete the plumber appointment")
    assert talk.records == []
    assert (await talk.say("cancel that")).text.startswith("Put back")
    assert len(talk.records) == 1


async def test_only_the_entry_that_was_changed_is_cancelled() -> None:
    talk = Talk("general", TUESDAY)
    await talk.say("gym on Thursday at 18:00")
    await talk.say("call the plumber on Friday at 9:00")
    await talk.say("no, at 10:00")
    await talk.say("cancel that")
    assert [row.text for row in talk.records] == ["gym on Thursday at 18:00"]


async def test_what_was_changed_a_day_ago_is_not_cancelled_by_that() -> None:
    talk = await _moved("en")
    talk.a_day_later()
    reply = await talk.say("cancel that")
    assert "more than a day ago" in reply.text
    assert len(talk.records) == 1


TOLD = [
    ("finance", "Electricity bill of 84.20 EUR is due on 20 December 2026", "cancel that", "undo", "84.20"),
    ("finance", "Spent 20 EUR at Lidl", "scratch that", "no wait, undo that", "20.00"),
    ("finance", "15 € bei Rewe ausgegeben", "storniere das", "mach das rückgängig", "15,00"),
    ("general", "dentiste vendredi à 9h00", "annule ça", "annule la dernière modification", "dentiste"),
    ("general", "dentista el viernes a las 9:00", "borra eso", "deshaz el cambio", "dentista"),
    ("general", "Add milk to the shopping list", "cancel that", "undo", "milk"),
    ("travel", "Flight OS451 to Vienna on 20 December 2026 at 14:05", "delete that", "undo", "OS451"),
    ("relationship", "Tom's birthday is on 5 December", "cancel that", "undo", "birthday"),
]


@pytest.mark.parametrize(("profile", "told", "cancel", "undo", "named"), TOLD)
async def test_what_was_told_and_cancelled_is_put_back_by_undo_and_taken_back_by_the_next(
    profile: str, told: str, cancel: str, undo: str, named: str
) -> None:
    talk = Talk(profile, TUESDAY)
    await talk.say(told)
    before = [replace(row, version=0) for row in talk.records]
    cancelled = await talk.say(cancel)
    assert talk.records == []
    assert any(word in cancelled.text for word in ("undo", "rückgängig", "annule", "deshacer"))
    back = await talk.say(undo)
    assert named in back.text
    assert [replace(row, version=0) for row in talk.records] == before
    await talk.say("undo")
    assert talk.records == []


async def test_what_was_paid_and_cancelled_is_paid_again_by_undo() -> None:
    talk = Talk("finance", TUESDAY)
    await talk.say("Electricity bill of 84.20 EUR is due on 20 December 2026")
    await talk.say("paid the electricity bill")
    paid = {row.kind: row.done_on for row in talk.records}
    assert paid.keys() == {"bill", "expense"}
    await talk.say("cancel that")
    assert [(row.kind, row.done_on) for row in talk.records] == [("bill", None)]
    await talk.say("undo")
    assert {row.kind: row.done_on for row in talk.records} == paid


async def test_an_undo_offers_no_way_back_and_goes_on_to_the_message_before() -> None:
    talk = Talk("finance", TUESDAY)
    for text in ("Spent 20 EUR at Lidl", "Spent 30 EUR at Rewe"):
        await talk.say(text)
    assert "undo" not in (await talk.say("undo")).text
    await talk.say("undo")
    assert talk.records == []
