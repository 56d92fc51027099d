"""What a newcomer writes first, as it was written, and the whole answer to it."""

from __future__ import annotations

from datetime import datetime
from uuid import uuid4

import pytest

from butler_contracts.people import PeopleV1, PersonV1
from butler_specialist.profiles import load_profile
from butler_specialist.profiles.answering import Answering
from butler_specialist.understanding.household import Whose
from tests.golden.specialist.conversations import BERLIN, MemoryRecords

MARA = uuid4()
PEOPLE = PeopleV1(members=(PersonV1(contact_id=MARA, name="Mara Vogel"),))
HELP = """Hello Mara. I am the butler of your household: a program that keeps what you tell it and answers from that. \
You can write, for example:
• Spent 23.40 EUR at Lidl
• Add milk and bread to the shopping list
• Blood pressure 128/82
• Clara's birthday is on 17 January
• Train from Berlin to Hamburg on 12 March at 9:05
• What is on the shopping list?
I understand English, German, French and Spanish, and answer in the language you write. I am no emergency service: \
in an emergency call 112."""
WHO = (
    "Hello Mara. I am the butler of your household: a program that keeps what you tell it and answers from that. "
    "Write “help” to see what I understand."
)
NOT_UNDERSTOOD = (
    "I did not understand that, and nothing of it is kept. Write “help” to see what I understand."
)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("/start", HELP),
        ("Hi! What can you do?", HELP),
        ("help", HELP),
        ("thanks", "You are welcome."),
        ("👍", "👍"),
        ("good night", "Good night Mara."),
        ("who are you?", WHO),
        ("asdfgh", NOT_UNDERSTOOD),
    ],
)
async def test_the_first_words_of_a_newcomer_are_answered_and_not_kept(said: str, answer: str) -> None:
    reply = await load_profile("general").respond(said, _answering())
    assert (reply.text, reply.records) == (answer, ())


async def test_somebody_unconscious_is_answered_with_the_number_to_call() -> None:
    said = "Leo fell and is unconscious!! what should I do"
    reply = await load_profile("health").respond(said, _answering())
    assert reply.text == (
        "Call 112 now, or have somebody beside you call. I am a program: I cannot call for help."
    )
    assert not reply.records


def _answering() -> Answering:
    moment = datetime(2026, 11, 22, 18, 0, tzinfo=BERLIN)
    return Answering(moment, True, MemoryRecords(), Whose.of(PEOPLE, MARA, "telegram", "7"), "EUR")
