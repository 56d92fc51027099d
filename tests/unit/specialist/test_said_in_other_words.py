"""Facts as people unlike each other tell them: what is kept is so, and what nobody said is not kept."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
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
from butler_specialist.store.model import Record

NOW = datetime(2027, 2, 9, 12, tzinfo=ZoneInfo("Europe/Brussels"))  # a Tuesday
PROFILES: Mapping[str, Profile] = {
    "general": GeneralProfile(),
    "health": HealthProfile(),
    "finance": FinanceProfile(),
    "travel": TravelProfile(),
    "relationship": RelationshipProfile(),
}


class NoRecords:
    """A household that knows nothing yet."""

    async def find(self, *_: Any, **__: Any) -> list[Record]:
        return []


async def reply_to(profile: str, said: str) -> Reply:
    return await PROFILES[profile].respond(said, Answering(NOW, True, NoRecords(), currency="EUR"))


@pytest.mark.parametrize(
    ("said", "kinds"),
    [
        ("I found 20 euros on the street", {"income"}),
        ("ich habe 20 Euro gefunden", {"income"}),
        ("j'ai trouvé 20 euros dans la rue", {"income"}),
        ("encontré 20 euros en el parque", {"income"}),
        ("I found new shoes for 20 euros", {"expense"}),
        ("Brightside paid invoice 2026-118, 1450 euros came in this morning", {"income"}),
        ("1450 Euro sind heute eingegangen", {"income"}),
        ("I lost my purse, there were sixty euros in it", {"note"}),
        ("ich hab 50 Euro verloren", {"note"}),
        ("on m'a volé 50 euros", {"note"}),
        ("me han robado 50 euros", {"note"}),
        ("someone stole my bike, it was worth 400 euros", {"note"}),
        ("me deben 50 euros de la cena, Ana y Luis", {"note"}),
        ("on devait 60 euros à Marc, c'est réglé", {"note"}),
        ("der Strom wird ab Januar 12 Euro teurer", {"note"}),
        ("electricity gets 12 euros dearer", {"note"}),
        ("l'électricité sera 12 euros plus chère", {"note"}),
        ("la luz sale 12 euros más cara", {"note"}),
        ("Invoice 2026-118 to Brightside sent today, 1,450 EUR", {"note"}),
        ("Rechnung an Brightside geschickt, 1450 Euro", {"note"}),
        ("j'ai envoyé la facture à Paul, 1450 euros", {"note"}),
        ("he enviado la factura a Brightside, 1450 euros", {"note"}),
        ("I returned the jacket, 59.95 euros will be refunded", {"note"}),
        ("59,95 Euro werden erstattet", {"note"}),
        ("59,95 euros seront remboursés", {"note"}),
        ("don't forget the lunch for the trip, and 8 euros for the museum", {"note"}),
        ("vergiss nicht das Essen, und 8 Euro fürs Museum", {"note"}),
        ("don't forget: Tom owes me 8 euros", {"debt"}),
        ("Clara needs 15 euros for the class fund by Friday", {"bill"}),
        ("my hourly rate goes up to 85 euros in January", {"note"}),
        ("die Versicherung zahlt 100 Euro", {"note"}),
        ("le loyer augmente de 45 euros", {"note"}),
        ("el seguro sube de 320 a 345 euros", {"note"}),
        ("the refund of 23.99 euros hasn't arrived yet", {"note"}),
        ("die 23,99 Euro Erstattung sind noch nicht da", {"note"}),
    ],
)
async def test_only_what_was_spent_is_spent(said: str, kinds: set[str]) -> None:
    assert {draft.kind for draft in (await reply_to("finance", said)).records} == kinds


UNKNOWN_DEEDS = (
    "I counted 35 euros in the piggy bank", "Tom bet me 20 euros that it rains", "We raised 300 euros for the school",
    "He offers 4500 euros for the car", "The bank approved a loan of 5000 euros", "I read that a litre is at 2 euros",
    "Nora has 45 euros in her account", "Tom's present pot is at 230 euros", "I saw a coat for 89 euros",
    "Ich habe 35 Euro im Glas gezählt", "Wir haben 120 Euro für Anna gesammelt", "Der Handwerker meint 400 Euro",
    "Das Auto hat 800 Euro Schaden", "J'ai compté 35 euros dans la tirelire", "Il reste 40 euros sur la carte",
    "Mamie a glissé 20 euros à Léo", "Conté 35 euros en la hucha", "Nos quedan 60 euros hasta final de mes",
    "El coche tiene una avería de 500 euros", "Leo tiene 25 euros ahorrados",
)  # fmt: skip
SPENDINGS = (
    "coffee 4.50 euros", "filled up, 62 euros", "had lunch with Tom, 18 euros", "we went to the zoo, 45 euros",
    "my card was charged 27 euros", "gave Tom 20 euros for petrol", "the newsagent wanted 3.60 euros for the papers",
    "dropped 22.50 euros at lidl", "Habe 19,90 Euro bei dm gelassen", "Dem Tierheim habe ich 50 Euro gespendet",
    "waren essen, 84 Euro", "j'ai claqué 40 euros chez Sephora", "on a mangé au resto, 46 euros",
    "al final pedí la pizza, 16,50 euros", "eché gasolina, 48 euros", "el fontanero cobró 130 euros",
    "handed over 12 euros at the kiosk", "I put 40 euros in the tank", "bin 30 Euro losgeworden",
)  # fmt: skip


@pytest.mark.parametrize("said", UNKNOWN_DEEDS)
async def test_a_deed_that_spends_nothing_as_far_as_is_known_is_kept_in_its_own_words(said: str) -> None:
    reply = await reply_to("finance", said)
    assert [(draft.kind, draft.amount, draft.text) for draft in reply.records] == [("note", None, said)]


@pytest.mark.parametrize("said", SPENDINGS)
async def test_what_people_call_spending_is_spent(said: str) -> None:
    assert {draft.kind for draft in (await reply_to("finance", said)).records} == {"expense"}


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        ("travel", "the flight to Rome on Friday was overbooked so we stay home"),
        ("travel", "the hotel in Lisbon was fully booked for 12 May"),
        ("travel", "we used to fly to Porto every May"),
        ("travel", "avant, on allait à Porto en mai"),
        ("general", "the dentist can't do Thursday"),
        ("general", "I dreamt we flew to Paris on Friday"),
        ("general", "I thought the meeting was on Monday"),
        ("general", "ich dachte, das Treffen wäre am Montag"),
        ("general", "the school trip on Friday might be called off"),
        ("health", "Leo had 39 fever last week"),
        ("health", "Leo hatte letzte Woche 39 Fieber"),
        ("health", "my temperature sensor says 38.5"),
    ],
)
async def test_what_is_not_so_is_kept_without_a_day_or_a_value(profile: str, said: str) -> None:
    reply = await reply_to(profile, said)
    assert {(draft.kind, draft.occurred_on, draft.amount) for draft in reply.records} == {
        ("note", NOW.date(), None)
    }


async def test_nothing_is_no_item_of_a_list() -> None:
    reply = await reply_to("general", "put nothing on the list")
    assert "list_item" not in {draft.kind for draft in reply.records}


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        (
            "bought socks for 24.90 euros and returned the old ones, got 19.90 euros back",
            [("expense", "24.90"), ("refund", "19.90")],
        ),
        (
            "Socken für 24,90 Euro gekauft und 19,90 Euro zurückbekommen",
            [("expense", "24.90"), ("refund", "19.90")],
        ),
        (
            "refund of 20 euros for shoes and 30 euros for a shirt",
            [("refund", "20"), ("refund", "30")],
        ),
        ("paid 20 euros, no, 25 euros for petrol", [("expense", "25")]),
        ("20 Euro, nein, 25 Euro fürs Tanken bezahlt", [("expense", "25")]),
    ],
)
async def test_each_sum_is_of_its_own_words(said: str, facts: list[tuple[str, str]]) -> None:
    reply = await reply_to("finance", said)
    assert [(draft.kind, draft.amount) for draft in reply.records] == [
        (kind, Decimal(amount)) for kind, amount in facts
    ]


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        ("travel", "We want to fly to Mallorca on 3 July"),
        ("travel", "Wir wollen am 12. Mai nach Lissabon fliegen"),
        ("travel", "Nous voulons prendre l'avion pour Rome le 3 mars"),
        ("travel", "Queremos coger el tren a Roma el 12 de mayo"),
        ("general", "Nous voulons partir à Lyon le 3 mars"),
        ("general", "queremos volar a Roma el 12 de mayo"),
        ("health", "I was going to see the dentist on Friday at 4pm"),
        ("health", "Ich wollte eigentlich am Freitag zum Arzt, aber der hat zu"),
        ("health", "on devait voir le dentiste vendredi à 10h"),
        ("health", "queríamos ir al médico el viernes a las 11"),
    ],
)
async def test_what_somebody_wants_or_wanted_is_no_plan(profile: str, said: str) -> None:
    reply = await reply_to(profile, said)
    assert {(draft.kind, draft.occurred_on) for draft in reply.records} == {("note", NOW.date())}
    assert "without a day" in reply.text or any(
        word in reply.text for word in ("ohne Tag", "sans jour", "sin día")
    )


@pytest.mark.parametrize(
    "said",
    [
        "I wanted to let you know the plumber comes on Friday at 10am",
        "Ich wollte sagen, dass der Klempner am Freitag um 10 Uhr kommt",
        "Opa will am Freitag um 10 Uhr kommen",
    ],
)
async def test_a_polite_opening_is_no_wish(said: str) -> None:
    [draft] = (await reply_to("general", said)).records
    assert (draft.kind, draft.occurred_on, draft.occurred_at) == (
        "appointment",
        date(2027, 2, 12),
        time(10),
    )


@pytest.mark.parametrize(
    ("said", "who"),
    [
        ("Leo did not go to school today, fever 39", "Leo"),
        ("Leo war heute nicht in der Schule, Fieber 39", "Leo"),
        ("Léa n'est pas allée à l'école, 39 de fièvre", "Léa"),
        ("Lucía no fue al cole hoy, 39 de fiebre", "Lucía"),
        ("my grandson Emil had a fever of 39", "Emil"),
        ("I did not go to work today, fever 39", None),
    ],
)
async def test_a_fever_is_of_whom_the_message_is_about(said: str, who: str | None) -> None:
    [draft] = (await reply_to("health", said)).records
    assert (draft.kind, draft.quantity, draft.party) == ("measurement", Decimal(39), who)


@pytest.mark.parametrize(
    "said",
    [
        "Kind 2 ist krank, Fieber 39,4",
        "my grandson had 39 fever",
        "gave him 5 ml Nurofen",
        "ich hab ihr 5 ml Nurofen gegeben",
    ],
)
async def test_what_is_of_nobody_named_is_not_the_writers(said: str) -> None:
    assert {draft.kind for draft in (await reply_to("health", said)).records} == {"note"}


@pytest.mark.parametrize(
    ("said", "who"),
    [
        ("Emil has a fever of 38.9, I gave him 5 ml Nurofen", "Emil"),
        ("Emil hat 38,9 Fieber, ich hab ihm 5 ml Nurofen gegeben", "Emil"),
    ],
)
async def test_what_is_given_is_taken_by_whom_the_message_named(said: str, who: str) -> None:
    assert [(draft.kind, draft.party) for draft in (await reply_to("health", said)).records] == [
        ("measurement", who),
        ("medication", who),
    ]


@pytest.mark.parametrize(
    ("said", "hours"),
    [
        (
            "I take ramipril in the morning and simvastatin before bed",
            {"ramipril": "09:00", "simvastatin": "22:00"},
        ),
        (
            "I take ramipril 5 mg at 8:00 and simvastatin 20 mg at 22:00",
            {"ramipril": "08:00", "simvastatin": "22:00"},
        ),
        (
            "ich nehme morgens Ramipril und abends Simvastatin",
            {"Ramipril": "09:00", "Simvastatin": "19:00"},
        ),
        (
            "je prends du Ramipril 5 mg le matin et de la simvastatine le soir",
            {"Ramipril": "09:00", "simvastatine": "19:00"},
        ),
        (
            "tomo enalapril 20 mg por la mañana y simvastatina por la noche",
            {"enalapril": "09:00", "simvastatina": "21:00"},
        ),
        (
            "Leo takes amoxicillin and ibuprofen at 8 and 20",
            {"amoxicillin": "08:00 20:00", "ibuprofen": "08:00 20:00"},
        ),
    ],
)
async def test_each_medicine_has_its_own_hours(said: str, hours: dict[str, str]) -> None:
    records = (await reply_to("health", said)).records
    assert {str(draft.title): draft.details.get("hours") for draft in records} == hours


@pytest.mark.parametrize(
    ("profile", "said", "day"),
    [
        ("health", "the dentist is on the third of March at 10am", date(2027, 3, 3)),
        ("health", "Zahnarzt am dritten März um 10 Uhr", date(2027, 3, 3)),
        ("health", "rdv chez le dentiste le trois mars à 10h", date(2027, 3, 3)),
        ("health", "cita con el dentista el tres de marzo a las 10", date(2027, 3, 3)),
        ("general", "maths test on the twenty-first of April at 10am", date(2027, 4, 21)),
        ("general", "training moved to weds 10am", date(2027, 2, 10)),
        ("health", "dentist tmrw at 10am", date(2027, 2, 10)),
        ("general", "swimming is Thursdays at 10am", date(2027, 2, 11)),
        ("health", "dentist on Friday, no wait, Saturday at 10am", date(2027, 2, 13)),
        ("health", "Zahnarzt am Freitag, nein, am Samstag um 10 Uhr", date(2027, 2, 13)),
        ("health", "rdv dentiste vendredi, non, samedi à 10h", date(2027, 2, 13)),
        ("health", "dentista el viernes, no, el sábado a las 10", date(2027, 2, 13)),
    ],
)
async def test_the_day_is_the_one_that_was_said(profile: str, said: str, day: date) -> None:
    [draft] = (await reply_to(profile, said)).records
    assert (draft.kind, draft.occurred_on, draft.occurred_at) == ("appointment", day, time(10))


@pytest.mark.parametrize(
    ("profile", "said", "days"),
    [
        (
            "general",
            "statistics exam on 9 April at 9:00, and one in law on the 12th",
            [date(2027, 4, 9), date(2027, 4, 12)],
        ),
        (
            "travel",
            "Wir fliegen am 12. Mai nach Lissabon, Abflug 6:45, zurück am 19. um 21:10",
            [date(2027, 5, 12), date(2027, 5, 19)],
        ),
        (
            "general",
            "Swapped my shift with Carla, she takes the 15th and I take hers on the 6th of March",
            [date(2027, 2, 15), date(2027, 3, 6)],
        ),
        (
            "finance",
            "paid 20 euros on 8 February and 30 euros on the 3rd",
            [date(2027, 2, 8), date(2027, 2, 3)],
        ),
        (
            "general",
            "night duty on the 24th and 26th of April, day off on the 25th",
            [date(2027, 4, 24), date(2027, 4, 25)],
        ),
    ],
)
async def test_a_day_without_a_month_is_of_the_month_before_it(
    profile: str, said: str, days: list[date]
) -> None:
    found = [
        draft.occurred_on
        for draft in (await reply_to(profile, said)).records
        if draft.occurred_on != NOW.date()
    ]
    assert [day for day in found if day in days] == days


@pytest.mark.parametrize("said", ["BP was 140/90, sorry 130/90", "Gewicht 81,2 kg, nein, 80,9"])
async def test_a_value_that_is_put_right_is_not_kept_as_it_was(said: str) -> None:
    assert {draft.kind for draft in (await reply_to("health", said)).records} == {"note"}


async def test_a_loss_of_weight_is_no_weight() -> None:
    for said in ("Tom weighs 2 kg less", "Tom wiegt 2 Kilo weniger", "Tom pèse 2 kilos de moins"):
        assert {draft.kind for draft in (await reply_to("health", said)).records} == {"note"}


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("I'm allergic to latex, and Tom can't stand penicillin", "Tom can't stand penicillin"),
        ("Ich bin gegen Nüsse allergisch und Tom gegen Erdbeeren", "Tom gegen Erdbeeren"),
        ("Yesterday 7000 steps and 6 hours of sleep, Tom only 5", "Tom only 5"),
        ("Mamie a 14/8 de tension et prend du Kardegic 75", "prend du Kardegic 75"),
    ],
)
async def test_what_is_said_of_a_second_one_is_quoted(said: str, left: str) -> None:
    reply = await reply_to("health", said)
    assert left in reply.text
    assert reply.records[-1].kind == "note"


async def test_an_allergy_is_of_whom_it_is_told() -> None:
    for said, who in (
        ("I'm allergic to latex and Tom is at work", None),
        ("Gegen Nüsse ist Leo allergisch", "Leo"),
    ):
        assert (await reply_to("health", said)).records[0].party == who


async def test_an_hour_that_is_set_is_not_said_to_be_unset() -> None:
    reply = await reply_to("travel", "we fly to Berlin tomorrow at 6:20 and come back on Thursday at 21:00")
    assert [draft.occurred_at for draft in reply.records] == [time(6, 20), time(21)]
    assert "No time is set" not in reply.text


async def test_a_wish_in_slang_is_no_question() -> None:
    reply = await reply_to("general", "wanna buy new headphones theyre 79.99")
    assert [draft.kind for draft in reply.records] == ["note"]


async def test_an_age_in_words_is_of_a_birthday() -> None:
    [draft] = (
        await reply_to("relationship", "my sister Elfriede turns eighty on the fourteenth of March")
    ).records
    assert (draft.kind, draft.party, draft.occurred_on) == ("birthday", "Elfriede", date(2027, 3, 14))


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("bought a desk for 220, will sell the old one for about 80", "will sell the old one for about 80"),
        ("mein Auto hat 250 Euro Reparatur gekostet, Versicherung zahlt 100", "Versicherung zahlt 100"),
        ("spent way too much, 64 on a hoodie and like 12 on food", "like 12 on food"),
    ],
)
async def test_a_sum_that_is_not_counted_is_quoted(said: str, left: str) -> None:
    reply = await reply_to("finance", said)
    assert [draft.kind for draft in reply.records] == ["expense", "note"]
    assert left in reply.text


async def test_a_medicine_that_is_given_up_is_not_taken() -> None:
    for said in (
        "no more ramipril, now candesartan 8 mg every morning",
        "statt Ramipril jetzt Candesartan 8 mg jeden Morgen",
        "au lieu de ramipril, candesartan 8 mg chaque matin",
        "en vez de ramipril, candesartan 8 mg cada mañana",
    ):
        records = (await reply_to("health", said)).records
        assert [str(draft.title).lower() for draft in records if draft.kind == "medication"] == [
            "candesartan"
        ]


async def test_a_second_persons_allergy_is_not_the_firsts() -> None:
    reply = await reply_to("health", "Papa est allergique à la pénicilline et maman aux noix")
    assert [(draft.kind, draft.title, draft.party) for draft in reply.records[:1]] == [
        ("allergy", "pénicilline", "father")
    ]
    assert "maman aux noix" in reply.text


async def test_who_is_named_by_somebody_else_is_not_that_one() -> None:
    [draft] = (await reply_to("relationship", "Ben's teacher is Frau Lindner, phone 030 555123")).records
    assert (draft.kind, draft.party) == ("contact", "Ben's teacher")


async def test_what_is_agreed_upon_is_to_come() -> None:
    [draft] = (await reply_to("general", "hemos quedado con Marta el sábado a las 10")).records
    assert (draft.kind, draft.occurred_on) == ("appointment", date(2027, 2, 13))
