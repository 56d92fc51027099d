"""A question that no answer speaks of is answered in the words in which it was told, or with what comes nearest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from butler_contracts.route import TogetherV1
from butler_specialist.profiles import load_profile
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.reply import Reply
from butler_specialist.questions.nothing import Nothing, all_said
from butler_specialist.store.model import RecordDraft
from tests.golden.specialist.conversations import MemoryRecords
from tests.support.talks import Talks
from tests.unit.specialist.test_together import BILL, FRIDAY, TODAY

FIRST = TogetherV1(answered=0, last=False, of="told")
LAST = TogetherV1(answered=0, last=True, of="told")
SCALES = RecordDraft("note", TODAY, "pickle 13.2 kilos at the vets, was 14.1 in summer")


async def heard(
    butler: str, text: str, *kept: RecordDraft, together: TogetherV1 | None = None, household: bool = True
) -> Reply:
    records = MemoryRecords()
    records.add(kept, sender="1001")
    answering = Answering(FRIDAY, household, records, currency="EUR", together=together)
    return await load_profile(butler).respond(text, answering)


def answered(*said: str) -> str:
    talks = Talks()
    *told, asked = said
    for text in told:
        talks.say(text)
    return talks.say(asked).text


def test_only_where_each_answer_says_nothing_do_all_of_them() -> None:
    assert isinstance(all_said([Nothing("no flight."), Nothing("no stay.")]), Nothing)
    assert not isinstance(all_said(["flight 1.", Nothing("no stay.")]), Nothing)
    assert all_said(["flight 1.", Nothing("no stay.")]) == "flight 1. no stay."


@pytest.mark.parametrize(
    ("told", "asked", "has"),
    [
        ("HbA1c war am Dienstag beim Doktor 7,1", "was war der letzte HbA1c", "7,1"),
        (
            "our ferry to Dover leaves sat 6am, check in closes 5.15",
            "when does check in close",
            "closes 5.15",
        ),
        ("Dave FINALLY sent his 350 for the kids", "how much was it dave sent", "350"),
    ],
)
def test_what_was_told_in_the_words_of_the_question_is_quoted(told: str, asked: str, has: str) -> None:
    assert has in answered(told, asked)


async def test_what_only_has_some_of_the_words_is_said_to_come_nearest() -> None:
    reply = await heard("general", "how heavy is pickle now", SCALES)
    assert reply.text.startswith(
        "I found nothing about that in what I have noted. What comes nearest: “pickle 13.2 "
    )
    assert not reply.found


async def test_a_thing_is_not_offered_for_having_a_code_too() -> None:
    lock = RecordDraft("note", TODAY, "the combination of my bike lock is 7391")
    assert "7391" not in (await heard("general", "and the code for the shed?", lock)).text


@pytest.mark.parametrize(
    "row",
    [
        RecordDraft("debt", TODAY, "I owe Ines 12.50 for the cinema", title="cinema", done_on=TODAY),
        RecordDraft("debt", TODAY, "I owe Ines 12.50 for the cinema", title="cinema"),
    ],
)
async def test_what_is_done_is_not_said_to_stand(row: RecordDraft) -> None:
    said = (await heard("finance", "what do I owe Ines for the cinema?", row)).text
    assert ("12.50" in said) == (row.done_on is None)


async def test_a_value_is_said_as_it_stands_and_not_in_the_words_of_when_it_was_told() -> None:
    fever = RecordDraft("measurement", TODAY, "Lou has 38.9 and Zoe 37.6", code="temperature", party="Lou")
    assert "38.9" not in (await heard("health", "what does Zoe have?", fever)).text


async def test_a_stranger_is_quoted_nothing() -> None:
    reply = await heard("general", "how heavy is pickle now", SCALES, household=False)
    assert "13.2" not in reply.text


async def test_of_two_that_are_asked_the_one_that_was_told_answers() -> None:
    asked = "how heavy is pickle now?"
    assert (await heard("health", asked, together=FIRST)).silent
    told = await heard("general", asked, SCALES, together=LAST)
    assert "13.2" in told.text
    assert not told.keeps


async def test_who_is_asked_last_adds_nothing_to_an_answer_and_says_nothing_only_alone() -> None:
    asked = "how heavy is pickle now?"
    both = TogetherV1(answered=1, last=True, of="told")
    assert (await heard("general", asked, SCALES, together=both)).silent
    assert "nothing" in (await heard("general", asked, together=LAST)).text


async def test_who_is_asked_last_keeps_nothing_of_what_it_takes_for_no_question() -> None:
    last = await heard("general", "pickle weighs 13.5 kilos", together=LAST)
    assert last == Reply((), "I found nothing in what I have noted."), "nobody is left without an answer"
    both = TogetherV1(answered=1, last=True, of="told")
    assert (await heard("general", "pickle weighs 13.5 kilos", together=both)).silent
    assert (await heard("general", "pickle weighs 13.5 kilos", together=FIRST)).records


async def test_a_true_answer_is_given_whoever_is_asked_behind() -> None:
    reply = await heard("finance", "what do we have to pay for the power meter?", BILL, together=FIRST)
    assert "96.50 EUR" in reply.text
    assert not reply.silent


@pytest.mark.parametrize(
    ("butler", "asked", "note"),
    [
        ("travel", "which hotel is it?", "the lamp is broken"),
        ("health", "what's Pickle's weight?", "Pickle has worms again"),
        ("relationship", "when is Bastien's birthday?", "Bastien's favourite colour is green"),
    ],
)
async def test_nothing_with_something_beside_it_is_no_answer(butler: str, asked: str, note: str) -> None:
    reply = await heard(butler, asked, RecordDraft("note", TODAY, note), together=FIRST)
    assert reply.silent


async def test_what_was_changed_is_not_quoted_as_it_was_told() -> None:
    records = MemoryRecords()
    records.add([SCALES], sender="1001")
    records.rows[0] = replace(records.rows[0], version=2)
    answering = Answering(FRIDAY, True, records, currency="EUR")
    assert "13.2" not in (await load_profile("general").respond("how heavy is pickle now", answering)).text
