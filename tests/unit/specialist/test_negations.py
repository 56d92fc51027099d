"""What is told not to be so is no fact: no journey, no appointment, no value, no sum is kept of it. EN, DE, FR, ES."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.finance.profile import FinanceProfile
from butler_specialist.profiles.general.profile import GeneralProfile
from butler_specialist.profiles.health.profile import HealthProfile
from butler_specialist.profiles.profile import Profile
from butler_specialist.profiles.relationship.profile import RelationshipProfile
from butler_specialist.profiles.reply import Reply
from butler_specialist.profiles.travel.profile import TravelProfile
from tests.unit.specialist.test_doubts import NoRecords

NOW = datetime(2026, 11, 22, 10, tzinfo=ZoneInfo("Europe/Berlin"))  # a Sunday
PROFILES: Mapping[str, Profile] = {
    "general": GeneralProfile(),
    "health": HealthProfile(),
    "finance": FinanceProfile(),
    "travel": TravelProfile(),
    "relationship": RelationshipProfile(),
}


async def reply_to(profile: str, said: str) -> Reply:
    return await PROFILES[profile].respond(said, Answering(NOW, True, NoRecords(), currency="EUR"))


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        ("travel", "We are not flying to Rome on 12 May"),
        ("travel", "We're no longer flying to Rome on 12 May"),
        ("travel", "We won't take the train to Berlin on Friday"),
        ("travel", "I have not booked the hotel in Rome from 12 to 15 May"),
        ("travel", "There is no train to Berlin at 9:40 tomorrow"),
        ("travel", "Wir fliegen nicht am 12. Mai nach Rom"),
        ("travel", "Wir fahren am Freitag nicht mit dem Zug nach Berlin"),
        ("travel", "Nous ne prenons pas l'avion pour Rome le 12 mai"),
        ("travel", "No volamos a Roma el 12 de mayo"),
        ("health", "I don't weigh 80 kg"),
        ("health", "I don't weigh 80 kg anymore, 78 now"),
        ("health", "My blood pressure is not 120/80"),
        ("health", "Leo didn't have a fever of 39 yesterday"),
        ("health", "Mara isn't taking 5 mg of ramipril"),
        ("health", "Ich wiege nicht 80 kg"),
        ("health", "Ich wiege keine 80 kg mehr"),
        ("health", "Je ne pèse pas 80 kg"),
        ("health", "No peso 80 kg"),
        ("health", "No appointment with the dentist on Friday at 10"),
        ("health", "There's no dentist appointment on Friday at 10"),
        ("health", "I didn't get an appointment with the dentist on Friday at 10"),
        ("health", "Ich habe am Freitag um 10 keinen Zahnarzttermin"),
        ("health", "Je n'ai pas de rendez-vous chez le dentiste vendredi à 10h"),
        ("health", "No tengo cita con el dentista el viernes a las 10"),
        ("finance", "The electricity bill of 80 euros is not due on Friday"),
        ("finance", "Tom doesn't owe me 20 euros"),
        ("finance", "I don't owe Tom 20 euros any more"),
        ("finance", "Tom schuldet mir keine 20 Euro"),
        ("finance", "Tom ne me doit pas 20 euros"),
        ("finance", "Tom no me debe 20 euros"),
        ("relationship", "Anna was not born on 3 May 1990"),
        ("relationship", "Tom's phone number is not 0151 2345678"),
    ],
)
async def test_what_is_not_so_is_kept_in_its_own_words_only(profile: str, said: str) -> None:
    reply = await reply_to(profile, said)
    assert [(one.kind, one.occurred_on, one.occurred_at, one.text) for one in reply.records] == [
        ("note", NOW.date(), None, said)
    ]
    assert reply.text.count(said) == 1


@pytest.mark.parametrize(
    ("profile", "said", "kind"),
    [
        ("travel", "Can't wait to fly to Rome on 12 May", "flight"),
        ("travel", "We're not flying to Rome until 12 May", "flight"),
        ("travel", "We don't have a car, so we take the train to Berlin on Friday", "train"),
        ("travel", "We are flying to Rome on 12 May, not driving", "flight"),
        ("travel", "Kein Problem, wir fliegen am 12. Mai nach Rom", "flight"),
        ("travel", "We take the 9:40 train to Berlin tomorrow, no changes", "train"),
        ("travel", "Hotel in Rome from 12 to 15 May, breakfast not included", "stay"),
        ("health", "No fever, 36.8", "measurement"),
        ("health", "Kein Fieber mehr, 36,8", "measurement"),
        ("health", "I did not sleep well, weight 80 kg", "measurement"),
        ("health", "I don't feel well, temperature 39", "measurement"),
        ("health", "No, the dentist appointment is on Friday at 10", "appointment"),
        ("health", "No appointment needed for the flu shot on Friday at 10", "appointment"),
        ("health", "Pas de problème, rendez-vous chez le dentiste vendredi à 10h", "appointment"),
        ("health", "No olvides el dentista el viernes a las 10", "appointment"),
        ("health", "No hay problema, cita con el dentista el viernes a las 10", "appointment"),
        ("health", "The dentist appointment on Friday is not at 10 but at 11", "appointment"),
        ("finance", "Not sure who paid, 120 euros for the plumber", "expense"),
        ("finance", "Paid 80 euros for the train, not happy", "expense"),
        ("finance", "Tom owes me 20 euros and does not answer", "debt"),
        ("relationship", "Anna's birthday is on 3 May, she is not a vegetarian", "birthday"),
    ],
)
async def test_a_negation_of_something_else_takes_nothing_away(profile: str, said: str, kind: str) -> None:
    reply = await reply_to(profile, said)
    assert kind in [one.kind for one in reply.records]


async def test_a_sum_that_is_denied_beside_the_right_one_is_no_second_debt() -> None:
    for said in ("I owe Tom 20 euros, not 30", "Ich schulde Tom 20 Euro, nicht 30"):
        assert [one.amount for one in (await reply_to("finance", said)).records] == [Decimal(20)]


@pytest.mark.parametrize(
    "said",
    [
        "I haven't paid the electricity bill of 80 euros",
        "Die Stromrechnung über 80 Euro haben wir nicht bezahlt",
        "Je n'ai pas payé la facture d'électricité, 80 euros",
        "No hemos pagado la factura de la luz, 80 euros",
    ],
)
async def test_a_bill_that_is_not_paid_is_a_bill_and_no_expense(said: str) -> None:
    [bill] = (await reply_to("finance", said)).records
    assert (bill.kind, bill.amount) == ("bill", Decimal(80))
    assert not {"haven't", "nicht", "pas", "hemos"} & set((bill.title or "").split())


async def test_what_is_not_to_be_forgotten_is_to_come() -> None:
    [dentist] = (await reply_to("health", "Nicht vergessen: Zahnarzt am Freitag um 10")).records
    assert (dentist.kind, dentist.occurred_on.day) == ("appointment", 27)


async def test_a_flight_is_to_come_though_something_was_included_or_cancelled() -> None:
    [flight] = (await reply_to("travel", "Flight to Rome on 12 May, no luggage included")).records
    assert (flight.kind, flight.occurred_on.year) == ("flight", 2027)
