"""A fact is kept only where the words beside it do not make it another one (ADR 0125)."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from butler_specialist.profiles import load_profile
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.reply import Reply
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.household import Whose
from butler_specialist.understanding.reading import read
from tests.golden.specialist.conversations import MemoryRecords

TUESDAY = datetime(2027, 2, 9, 19, 0, tzinfo=ZoneInfo("Europe/Brussels"))
AS_WRITTEN = (
    "Noted as you wrote it",
    "So notiert, wie du es schreibst",
    "Noté tel quel",
    "Anotado tal como lo escribes",
)


async def told(butler: str, text: str) -> Reply:
    return await load_profile(butler).respond(
        text, Answering(TUESDAY, True, MemoryRecords(), Whose("ines", {"m": "Marek Albrecht"}), "EUR")
    )


async def facts(butler: str, text: str) -> list[RecordDraft]:
    return [draft for draft in (await told(butler, text)).records if draft.kind != "note"]


@pytest.mark.parametrize(
    ("butler", "text"),
    [
        ("finance", "hospital parking 4 x 12.50 so far"),
        ("finance", "vendu 12 pots à 7 € au marché dimanche"),
        ("finance", "nachhilfe 2x die woche 22 euro"),
        ("finance", "pagué 3 meses de gimnasio, 29 al mes"),
        ("finance", "loyer 780 + charges 60, prélevé le 5"),
        ("finance", "gas engineer came, 95 call out plus 40 for the part"),
        ("finance", "on a mangé chez Paulo, 64 € à 3, j'ai payé ma part"),
        ("finance", "got the deposit back minus 80 for the stain"),
        ("finance", "hier c'était 1,31."),
        ("finance", "klassenkasse 25 euro bis freitag der frau maier geben"),
        ("finance", "schülerin lena zahlt jetzt immer am ersten, 140 im monat"),
        ("health", "la ruche 3 pèse 38,4 kg ce soir"),
        ("health", "und wiegt jetzt 22 kilo"),
        ("health", "me tomo el enalapril de 10 por la mañana y el de 5 por la noche"),
        ("relationship", "Elsita cumple 80 el sábado que viene no este, el otro"),
        ("general", "swapped my 18th for Karens 25th so im off the 18th"),
        ("general", "moving the boys dentist from the 16th to sometime in march"),
        ("general", "la dent de sagesse c'est le 9 ou le 16, ils rappellent"),
        ("general", "el examen no es el 18, es una semana después"),
        ("general", "fast hätt ich papa heut 40 einheiten statt 4 gespritzt, mir zittern noch die hände"),
    ],
)
async def test_what_the_words_beside_it_may_change_is_kept_in_its_words_and_said_so(
    butler: str, text: str
) -> None:
    reply = await told(butler, text)
    kept = [(draft.kind, draft.occurred_on, draft.amount, draft.quantity) for draft in reply.records]
    assert ("note", TUESDAY.date(), None, None) in kept
    assert {kind for kind, *_ in kept} == {"note"}
    assert any(said in reply.text for said in AS_WRITTEN), reply.text


@pytest.mark.parametrize(
    ("butler", "text", "kind"),
    [
        ("finance", "wir waren gestern essen beim Inder, 46,50 plus 4 Trinkgeld", "expense"),
        ("finance", "acheté 25 kg de sucre pour les abeilles, 31 euros 20", "expense"),
        ("finance", "Marek zahlt 30 euro im monat fürs fitness", "subscription"),
        ("finance", "bezahlt bis 30.6., die versicherung, 312,40 euro", "expense"),
        ("health", "Leo weighs 21 kg", "measurement"),
        ("health", "the baby weighs 4.1 kg", "measurement"),
        ("health", "took 2 ibuprofen 400 at 9 and they helped", "medication"),
        ("general", "dentist on Thursday at 10, not Friday", "appointment"),
    ],
)
async def test_a_fact_whose_clause_is_accounted_for_stays_one(butler: str, text: str, kind: str) -> None:
    assert kind in {draft.kind for draft in await facts(butler, text)}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("back on days monday wk", date(2027, 2, 22)),
        ("essay due the 1st of next month", date(2027, 3, 1)),
        ("Abgabe am 3. des nächsten Monats", date(2027, 3, 3)),
        ("rendez-vous le 5 du mois prochain", date(2027, 3, 5)),
        ("la itv caduca el 15 del mes que viene", date(2027, 3, 15)),
        ("physio is every other tuesday starting the 23rd at 5", date(2027, 2, 23)),
        ("tabletten nur noch alle 2 tage ab montag", date(2027, 2, 15)),
        ("next one feb 28", date(2027, 2, 28)),
        ("getting the 7.42 to Ghent on sat", date(2027, 2, 13)),
    ],
)
def test_a_day_is_the_one_that_all_its_words_say(text: str, day: date) -> None:
    reading = read(text, TUESDAY)
    assert reading.when(reading.sentences[0], "nearest", usual="nearest").day == day


def test_short_weekdays_in_a_row_are_days_and_a_verb_is_none() -> None:
    def named(text: str) -> list[date]:
        return [day.after for day in read(text, TUESDAY).sentences[0].days]

    assert named("on nights thurs fri sat") == [date(2027, 2, 11), date(2027, 2, 12), date(2027, 2, 13)]
    assert named("yoga mon wed fri next week") == [date(2027, 2, 15), date(2027, 2, 17), date(2027, 2, 19)]
    assert named("the cat sat there") == []


def test_a_pronoun_with_a_sum_is_no_day() -> None:
    assert read("mi hermano me debe 60 y yo a él 25", TUESDAY).sentences[0].days == ()


async def test_an_expense_is_not_of_the_day_on_which_something_comes_or_ends() -> None:
    for text in (
        "put a tenner in for Morags leaving do, its the 26th at the Horseshoe 8ish",
        "instrumentenversicherung bis 30.6. bezahlt, waren 312,40",
    ):
        [expense] = await facts("finance", text)
        assert (expense.kind, expense.occurred_on) == ("expense", TUESDAY.date())


async def test_a_word_for_a_day_is_no_medicine_and_a_night_no_hotel() -> None:
    [taken] = await facts("health", "started sertraline 50mg yesterday")
    assert (taken.title, taken.quantity, taken.occurred_on) == ("sertraline", Decimal(50), date(2027, 2, 8))
    assert await facts("travel", "getting the 7.42 to Ghent on sat, back sun night") == []


async def test_a_price_beside_money_received_is_not_received() -> None:
    found = await facts("finance", "sie hat mir 15 für die karte gegeben, kostet 19")
    assert [(draft.kind, draft.amount) for draft in found] == [("income", Decimal(15))]


async def test_an_appointment_has_the_hour_of_its_own_day() -> None:
    [exam] = await facts("general", "essay due 1st of next month 23:59")
    assert (exam.occurred_on, exam.occurred_at) == (date(2027, 3, 1), time(23, 59))
