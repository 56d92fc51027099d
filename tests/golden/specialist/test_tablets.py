# ruff: noqa: E501 - sentences stay on one line
"""Medicines that are taken at their hours: said back with them, ended in words, and brought back by undo."""

from __future__ import annotations

from datetime import datetime

import pytest

from tests.golden.specialist.conversations import BERLIN
from tests.golden.specialist.remembering import Talk

SUNDAY = datetime(2026, 11, 22, 12, 1, tzinfo=BERLIN)
TALKS = [
    ("I take metformin at 8 and 20", "Noted: metformin at 08:00 and 20:00, from Sunday", "I no longer take metformin"),
    ("Ibuprofen 400 morgens und abends", "Ibuprofen 400 morgens und abends (08:00 und 20:00)", "Ich nehme kein Ibuprofen mehr"),
    ("Leo takes 5 ml Amoxicillin every 8 hours for 7 days", "until Sunday, 29 November 2026", "Leo is done with the antibiotics"),
    ("Je prends de la metformine à 8h et 20h", "metformine à 08:00 et 20:00", "j'ai arrêté la metformine"),
    ("Tomo metformina a las 8 y a las 20", "metformina a las 08:00 y 20:00", "ya no tomo metformina"),
]  # fmt: skip


@pytest.mark.parametrize(("told", "answer", "end"), TALKS)
async def test_a_medicine_is_said_back_with_its_hours_and_ends_in_words(
    told: str, answer: str, end: str
) -> None:
    talk = Talk("health", SUNDAY)
    assert answer in (await talk.say(told)).text
    [row] = talk.records
    reply = await talk.say(end)
    assert [(one.record_id, one.after and one.after.done_on) for one in reply.changes] == [
        (row.record_id, SUNDAY.date())
    ]
    assert reply.records == ()
    await talk.say("undo")
    assert [one.done_on for one in talk.records] == [None]


async def test_only_the_medicine_of_whom_is_named_ends() -> None:
    talk = Talk("health", SUNDAY)
    for who in ("Leo", "Mia"):
        await talk.say(f"{who} takes 5 ml Amoxicillin every 8 hours for 7 days")
    await talk.say("Leo is done with the antibiotics")
    assert {row.party: row.done_on for row in talk.records} == {"Leo": SUNDAY.date(), "Mia": None}


async def test_whose_is_meant_is_asked_where_nobody_is_named() -> None:
    talk = Talk("health", SUNDAY)
    for who in ("Leo", "Mia"):
        await talk.say(f"{who} takes 5 ml Amoxicillin every 8 hours for 7 days")
    reply = await talk.say("done with the antibiotics")
    assert (reply.changes, "Which one do you mean" in reply.text) == ((), True)


@pytest.mark.parametrize("text", ["I finished the book", "I stopped smoking", "Leo is done with school"])
async def test_what_ends_no_medicine_is_noted(text: str) -> None:
    talk = Talk("health", SUNDAY)
    await talk.say("I take metformin at 8 and 20")
    reply = await talk.say(text)
    assert (reply.changes, [draft.kind for draft in reply.records]) == ((), ["note"])
