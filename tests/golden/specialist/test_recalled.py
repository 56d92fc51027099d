"""What was noted last is said in the person's words, as it is kept now; what was taken back is noted no more."""

from __future__ import annotations

from datetime import datetime

import pytest

from tests.golden.specialist.conversations import BERLIN
from tests.golden.specialist.remembering import Talk

TUESDAY = datetime(2026, 11, 24, 10, 0, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("told", "asked", "answer"),
    [
        ("Spent 60 EUR at Lidl", "what did I just tell you?", "“Spent 60 EUR at Lidl”, as 60.00 EUR, Lidl"),
        ("60 EUR bei Lidl ausgegeben", "was hast du notiert?", "„60 EUR bei Lidl ausgegeben“, als 60,00 EUR"),
        ("payé 60 EUR chez Lidl", "qu'est-ce que tu as noté ?", "« payé 60 EUR chez Lidl », comme 60,00 EUR"),
        ("gasté 60 EUR en Lidl", "¿qué te acabo de decir?", "«gasté 60 EUR en Lidl», como 60,00 EUR"),
    ],
)
async def test_the_last_entry_is_said_in_its_words_and_as_it_is_kept(
    told: str, asked: str, answer: str
) -> None:
    talk = Talk("finance", TUESDAY)
    await talk.say("Spent 12 EUR at Rewe")
    await talk.say(told)
    reply = await talk.say(asked)
    assert answer in reply.text
    assert "12" not in reply.text
    assert (reply.records, reply.changes) == ((), ())


async def test_what_was_changed_is_said_as_it_is_and_what_was_taken_back_is_not() -> None:
    talk = Talk("general", TUESDAY)
    await talk.say("gym on Thursday at 18:00")
    await talk.say("call the plumber on Friday at 9:00")
    await talk.say("no, at 10:00")
    assert "10:00" in (await talk.say("what did you note?")).text
    await talk.say("delete the plumber appointment")
    said = (await talk.say("what did you note?")).text
    assert "gym" in said
    assert "plumber" not in said


async def test_what_another_person_told_is_not_said() -> None:
    talk = Talk("general", TUESDAY)
    await talk.say("gym on Thursday at 18:00")
    assert "nothing of yours" in (await talk.say("what did you note?", sender="2002")).text


@pytest.mark.parametrize("told", ["what did you note about the plumber?", "what did I tell you about Leo?"])
async def test_a_question_about_something_is_another(told: str) -> None:
    talk = Talk("general", TUESDAY)
    await talk.say("gym on Thursday at 18:00")
    assert "Noted last" not in (await talk.say(told)).text
