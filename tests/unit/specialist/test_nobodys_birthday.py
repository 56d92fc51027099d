"""A birthday of somebody who is only pointed at is nobody's: no possessive becomes a name, and no other is moved."""

from __future__ import annotations

from datetime import date

import pytest

from tests.golden.specialist.remembering import Talk
from tests.golden.specialist.test_taking_back import SUNDAY


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("his birthday is on 7 May", "Noted: a birthday on Friday, 7 May 2027, but I could not tell whose."),
        ("Ihr Geburtstag ist am 7. Mai", "Notiert: am Freitag, 7. Mai 2027 ein Geburtstag, aber"),
        ("Sein Geburtstag ist am 7. Mai", "Notiert: am Freitag, 7. Mai 2027 ein Geburtstag, aber"),
        ("Son anniversaire est le 7 mai", "Noté : un anniversaire le vendredi 7 mai 2027, mais"),
        ("Su cumpleaños es el 7 de mayo", "Anotado: un cumpleaños el viernes, 7 de mayo de 2027, pero"),
    ],
)
async def test_whose_it_is_is_asked_for_and_the_one_told_before_stays(text: str, said: str) -> None:
    talk = Talk("relationship", SUNDAY)
    await talk.say("Tom's birthday is on 1 May")
    assert (await talk.say(text)).text.startswith(said)
    assert [(row.party, row.occurred_on) for row in talk.records] == [
        ("Tom", date(2027, 5, 1)),
        (None, date(2027, 5, 7)),
    ]
