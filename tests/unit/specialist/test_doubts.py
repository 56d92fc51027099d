# ruff: noqa: E501 - messages stay on one line
"""What is supposed, may be, was once, does not happen, is somebody else's or only ought to be is kept in its own words."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.finance.profile import FinanceProfile
from butler_specialist.profiles.general.profile import GeneralProfile
from butler_specialist.profiles.health.profile import HealthProfile
from butler_specialist.profiles.profile import Profile
from butler_specialist.profiles.reply import Reply
from butler_specialist.profiles.travel.profile import TravelProfile
from butler_specialist.store.model import Record

NOW = datetime(2027, 2, 9, 19, tzinfo=ZoneInfo("Europe/Brussels"))  # a Tuesday evening
PROFILES: Mapping[str, Profile] = {
    "general": GeneralProfile(),
    "health": HealthProfile(),
    "finance": FinanceProfile(),
    "travel": TravelProfile(),
}


class NoRecords:
    """A household that knows nothing yet."""

    async def find(self, *_: Any, **__: Any) -> list[Record]:
        return []


async def reply_to(profile: str, said: str) -> Reply:
    return await PROFILES[profile].respond(said, Answering(NOW, True, NoRecords(), currency="EUR"))


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        ("general", "if it rains on saturday we go to the museum on sunday at 10:00"),
        ("general", "wenn das Auto am Donnerstag fertig wäre, könnten wir Freitag fahren"),
        ("general", "si on finit tôt vendredi, on va au ciné à 20h"),
        ("general", "si me dan el coche el jueves, vamos a la playa el sábado a las 10:00"),
        ("finance", "nearly paid 80 euros for a lamp today"),
        ("finance", "fast 80 Euro für eine Lampe bezahlt"),
        ("finance", "j'ai failli payer 80 euros pour une lampe"),
        ("finance", "casi pago 80 euros por una lámpara"),
        ("general", "plumber was supposed to come today at 20:00, nobody came"),
        ("general", "hab den Termin heut um 21 Uhr verpennt"),
        ("health", "der Zahnarzttermin am Donnerstag um 10 Uhr fällt leider aus"),
        ("health", "le rendez-vous du 16 février à 14h chez le dermatologue est annulé"),
        ("general", "la reunión del jueves a las 10:00 está cancelada"),
        ("finance", "my sister spent 900 euros on a handbag"),
        ("finance", "unser Nachbar hat 900 Euro für ein Fahrrad ausgegeben"),
        ("finance", "ma sœur a dépensé 900 euros pour un sac"),
        ("finance", "mi hermana gastó 900 euros en un bolso"),
        ("health", "the doctor wants my blood pressure under 130 over 80"),
        ("health", "mein Blutdruck sollte unter 130/80 liegen"),
        ("health", "ma tension devrait être en dessous de 13/8"),
        ("health", "mi tensión debería ser de 130/80"),
        ("health", "had a patient today with 41.3 fever"),
        ("health", "Mein Nachbar Herr Dreher hatte gestern einen Blutdruck von 180 zu 110"),
        ("health", "mon collègue a 39 de fièvre"),
        ("health", "mi compi de piso está con 39 de fiebre"),
        ("general", "maybe choir on thursday at 19:30"),
        ("general", "vielleicht Chor am Donnerstag um 19:30 Uhr"),
        ("general", "peut-être la chorale jeudi à 19h30"),
        ("general", "quizás coro el jueves a las 19:30"),
        ("travel", "We might fly to Rome on 12 May"),
        ("travel", "We're thinking of flying to Rome on 12 May"),
        ("travel", "I'd like to book a hotel in Rome from 12 to 15 May"),
        ("travel", "Wir würden gerne am 12. Mai nach Rom fliegen"),
        ("travel", "On va peut-être prendre le train pour Berlin vendredi"),
        ("travel", "Quizás volamos a Roma el 12 de mayo"),
        ("health", "I weighed 80 kg last year"),
        ("health", "In 2019 I weighed 80 kg, now 78 kg"),
        ("health", "When I was 20 I weighed 60 kg"),
        ("health", "früher wog ich 80 kg"),
        ("health", "l'année dernière je pesais 80 kg"),
        ("health", "el año pasado pesaba 80 kg"),
        ("finance", "paid half of the 80 euros"),
        ("finance", "paid 80 of 120 euros for the sofa"),
        ("finance", "I paid 20 euros less than last month"),
        ("finance", "rent went up by 50 euros to 950"),
        ("finance", "the bill is between 80 and 100 euros"),
        ("finance", "die Miete ist um 50 Euro gestiegen"),
    ],
)
async def test_what_claims_nothing_is_kept_in_its_own_words(profile: str, said: str) -> None:
    reply = await reply_to(profile, said)
    assert [(one.kind, one.occurred_on, one.occurred_at, one.text) for one in reply.records] == [
        ("note", NOW.date(), None, said)
    ]
    assert reply.text.count(said) == 1


@pytest.mark.parametrize(
    ("profile", "said", "kind"),
    [
        ("general", "choir practice on saturday at 10:00 if possible", "appointment"),
        ("general", "sí, el lunes a las 10:00 reunión", "appointment"),
        ("general", "Wenn du kannst, Treffen am Montag um 10 Uhr", "appointment"),
        ("general", "réunion lundi à 10h, s'il te plaît", "appointment"),
        ("general", "the fitter isn't coming on wednesday but on friday at 10:00", "appointment"),
        ("finance", "my sister paid me 20 euros back", "refund"),
        ("finance", "my husband spent 80 euros at Ikea", "expense"),
        ("finance", "I paid my sister 900 euros for the bike", "expense"),
        ("finance", "Ich habe meinem Nachbarn 20 Euro für die Blumen bezahlt", "expense"),
        ("health", "my blood pressure was 120/80 today", "measurement"),
        ("health", "Leo's temperature is 38.9", "measurement"),
        ("health", "mein Gewicht heute 81,2 kg", "measurement"),
        ("health", "j'ai 38,9 de fièvre", "measurement"),
        ("health", "I think I weigh about 80 kg", "measurement"),
        ("health", "Temperature 38.5, maybe flu", "measurement"),
        ("health", "I weigh 80 kg, 2 kg less than last month", "measurement"),
        ("health", "Leo is 120 cm tall", "measurement"),
        ("general", "could you note: choir on thursday at 19:30", "appointment"),
        ("finance", "groceries 80 euros, more than last week", "expense"),
    ],
)
async def test_what_is_told_is_kept(profile: str, said: str, kind: str) -> None:
    reply = await reply_to(profile, said)
    assert kind in [one.kind for one in reply.records]


async def test_what_is_sure_beside_a_doubt_is_kept_as_ever() -> None:
    reply = await reply_to(
        "general", "Choir is on thursday at 19:30. If it rains on saturday we stay at home."
    )
    assert [(one.kind, one.occurred_on.day) for one in reply.records] == [("appointment", 11), ("note", 9)]
    assert "Thursday, 11 February 2027 at 19:30" in reply.text
    assert "as you wrote it" in reply.text
