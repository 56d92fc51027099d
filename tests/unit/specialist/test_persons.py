"""Whose a fact of health is: told and asked in four languages, over channels, and never mixed between two people."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields
from datetime import date, datetime, time
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest

from butler_contracts.people import PeopleV1, PersonV1
from butler_kit.wording.language import language_of
from butler_specialist.profiles import load_profile
from butler_specialist.profiles.answering import Answering
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.household import Whose
from butler_specialist.understanding.subjects import UNKNOWN, about, mentions, named_in

NOON = datetime(2026, 11, 22, 18, 0, tzinfo=ZoneInfo("Europe/Berlin"))
MARA, TOM = uuid4(), uuid4()
PEOPLE = PeopleV1(
    members=(PersonV1(contact_id=MARA, name="Mara Vogel"), PersonV1(contact_id=TOM, name="Tom Vogel"))
)
NOTED = {
    "en": "noted: leo is allergic to penicillin.",
    "de": "notiert: allergie bei leo: penicillin.",
}
FOUND = {
    "en": "recorded: leo is allergic to penicillin (22 november).",
    "de": "notiert: allergie bei leo: penicillin (22. november).",
    "fr": "enregistré : allergie chez leo : penicillin (22 novembre).",
    "es": "registrado: alergia de leo: penicillin (22 de noviembre).",
}


@dataclass
class Butler:
    """A butler with its records in memory; everybody writes from an address of their own."""

    people: PeopleV1 = PEOPLE
    profile: str = "health"
    rows: list[Record] = field(default_factory=list)

    async def find(
        self,
        kinds: Collection[str],
        *,
        start: date | None = None,
        end: date | None = None,
        all_senders: bool = False,
    ) -> Sequence[Record]:
        found = [row for row in self.rows if row.kind in kinds]
        return sorted(found, key=lambda row: (row.occurred_on, row.seq), reverse=True)

    def hears(
        self, text: str, contact: UUID | None = None, *, channel: str = "telegram", sender: str = "7"
    ) -> str:
        whose = Whose.of(self.people, contact, channel, sender)
        answering = Answering(moment=NOON, household=True, records=self, whose=whose)
        reply = asyncio.run(load_profile(self.profile).respond(text, answering))
        for draft in reply.records:
            kept = {each.name: getattr(draft, each.name) for each in fields(RecordDraft)}
            seq = len(self.rows) + 1
            self.rows.append(Record(**kept, seq=seq, channel=channel, sender=sender, contact_id=contact))
        return reply.text


@pytest.fixture
def health() -> Butler:
    return Butler()


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Leo has a fever, 38.9", "Leo"),
        ("Leo's temperature is 38.9 °C", "Leo"),
        ("Temperature 38.9 for Leo", "Leo"),
        ("Temperature of Leo: 38.9", "Leo"),
        ("Leo: temperature 38.9", "Leo"),
        ("leo has fever 38.9", "Leo"),
        ("still has fever 38.9", None),
        ("tom has fever 38.9", "Tom Vogel"),
        ("Leos Temperatur ist 38,9", "Leo"),
        ("Leo hat Fieber, 38,9", "Leo"),
        ("Fieber von Leo: 38,9", "Leo"),
        ("la fièvre de Léo est de 38,9", "Léo"),
        ("Léo a de la fièvre, 38,9", "Léo"),
        ("La fiebre de Leo es 38,9", "Leo"),
        ("Leo tiene fiebre, 38,9", "Leo"),
        ("my mother has a temperature of 38.9", "mother"),
        ("Meine Mutter hat Fieber, 38,9", "mother"),
        ("Mama hat Fieber, 38,9", "mother"),
        ("Yesterday Leo had a temperature of 38.9", "Leo"),
        ("My son Leo has a fever of 38.9", "Leo"),
        ("Fever 38.9 Leo", "Leo"),
        ("Fever 38.9 Grad", None),
        ("I have a fever, 38.9", None),
        ("Temperature 38.9 this evening", None),
        ("Mein Fieber ist 38,9", None),
        ("Heute ist meine Temperatur 38,9", None),
        ("Der Arzt hat Fieber gemessen, 38,9", None),
        ("Abends Fieber 38,9", None),
        ("Dinner for Leo, then my temperature was 38.9", None),
        ("then Leo has a fever, 38.9", "Leo"),
        ("danach hat Leo 38,9 Fieber", "Leo"),
        ("heute Nacht hatte Max 38,9 Fieber", "Max"),
        ("unser kleiner Max hat 38,9 Fieber", "Max"),
        ("luego Leo tiene fiebre, 38,9", "Leo"),
        ("puis Léo a de la fièvre, 38,9", "Léo"),
        ("this morning Leo has 38.9 fever", "Leo"),
        ("poor Leo has a fever of 38.9", "Leo"),
        ("heute hatte ich 38,9 Fieber", None),
        ("Heute hatte Fieber 38,9", None),
        ("last night Sleep was 7 hours", None),
        ("J'ai de la fièvre, 38,9", None),
        ("Tengo fiebre, 38,9", None),
    ],
)
def test_a_value_is_kept_with_the_person_whom_the_words_name(
    health: Butler, text: str, subject: str | None
) -> None:
    health.hears(text, MARA)
    values = [(row.kind, row.party) for row in health.rows if row.kind != "note"]
    assert values == [("measurement", subject)]


def test_a_fact_about_leo_is_leos_and_never_the_writers(health: Butler) -> None:
    noted = health.hears("Leo has a fever, 38.9", MARA)
    assert noted == "Noted: Leo's temperature 38.9 °C on Sunday, 22 November 2026."
    leos = "Leo's last temperature was 38.9 °C on Sunday, 22 November 2026."
    assert health.hears("what was Leo's temperature?", MARA) == leos
    assert health.hears("Wie hoch ist Leos Temperatur?", TOM) == (
        "Letzter Eintrag von Leo (Temperatur): 38,9 °C am Sonntag, 22. November 2026."
    )
    assert health.hears("Quelle est la température de Léo ?", TOM) == (
        "Dernière entrée pour Leo (température) : 38,9 °C le dimanche 22 novembre 2026."
    )
    assert health.hears("¿Qué temperatura tiene Leo?", TOM) == (
        "Última entrada de Leo (temperatura): 38,9 °C el domingo, 22 de noviembre de 2026."
    )
    assert health.hears("What's my temperature?", MARA) == "No temperature of yours is recorded yet."


def test_two_persons_values_are_never_compared(health: Butler) -> None:
    health.hears("My temperature is 36.6", MARA)
    assert "before" not in health.hears("Leo's temperature is 38.9", MARA)
    assert "36.6 °C" in health.hears("My temperature is 36.8", MARA)
    assert "Leo's last temperature before that was 38.9 °C" in health.hears("Leo has fever, 38.2", TOM)
    assert "36" not in health.hears("What is Leo's temperature?", MARA)
    assert "38" not in health.hears("What is my temperature?", MARA)


def test_each_value_of_a_sentence_has_its_own_person(health: Butler) -> None:
    health.hears("Leo's temperature is 38.9 and my temperature is 37. Tom's weight is 84 kg.", MARA)
    assert [(row.party, str(row.quantity)) for row in health.rows] == [
        ("Leo", "38.9"),
        (None, "37"),
        ("Tom Vogel", "84"),
    ]


def test_one_persons_messages_are_one_persons_over_every_address(health: Butler) -> None:
    health.hears("Blood pressure 141/91", MARA, channel="email", sender="mara@example.com")
    answer = health.hears("What was my last blood pressure?", MARA, channel="telegram", sender="777001")
    assert answer.startswith("Your last blood pressure was 141/91 mmHg")


def test_a_member_is_asked_about_and_answered_by_name(health: Butler) -> None:
    health.hears("Blood pressure 141/91", MARA, sender="777001")
    assert health.hears("What is Mara's blood pressure?", TOM).startswith(
        "Mara Vogel's last blood pressure was"
    )
    fallback = health.hears("What was the last blood pressure?", TOM)
    assert fallback.startswith("Nothing is recorded of you. Mara Vogel's last blood pressure was 141/91")


def test_what_others_say_of_a_member_is_that_members(health: Butler) -> None:
    health.hears("Tom's weight is 84.5 kg", MARA)
    assert health.hears("What's my weight?", TOM).startswith("Your last weight was 84.5 kg")
    assert health.hears("What's my weight?", MARA) == "No weight of yours is recorded yet."


def test_my_mother_is_another_person_than_yours(health: Butler) -> None:
    health.hears("my mother's blood pressure is 150/90", MARA)
    assert "Your mother's last blood pressure was 150/90" in health.hears("Mum's blood pressure?", MARA)
    assert "von deiner Mutter (Blutdruck): 150/90" in health.hears("Blutdruck meiner Mutter?", MARA)
    assert "pour ta mère (tension) : 150/90" in health.hears("Quelle est la tension de ma mère ?", MARA)
    assert "de tu madre (tensión): 150/90" in health.hears("¿Qué tensión tiene mi madre?", MARA)
    assert health.hears("what is my mother's blood pressure?", TOM) == (
        "No blood pressure of your mother is recorded yet."
    )


def test_somebody_with_a_contacts_name_at_another_address_is_somebody_else(health: Butler) -> None:
    health.hears("Blood pressure 141/91", MARA)
    answer = health.hears("What was my last blood pressure?", None, channel="api", sender="Mara Vogel")
    assert answer == "No blood pressure of yours is recorded yet."
    health.hears("My blood pressure is 111/71", None, channel="api", sender="Mara Vogel")
    assert "111/71" not in health.hears("What is my blood pressure?", MARA)


def test_a_name_that_two_contacts_share_is_neither_of_them() -> None:
    toms = PeopleV1(
        members=(PersonV1(contact_id=TOM, name="Tom Vogel"), PersonV1(contact_id=MARA, name="Tom Beck"))
    )
    health = Butler(toms)
    health.hears("Tom's weight is 84.5 kg", None)
    assert health.hears("What's my weight?", TOM) == "No weight of yours is recorded yet."
    assert "84.5 kg" in health.hears("What is Tom's weight?", TOM)


def test_a_pronoun_is_who_was_named_before_and_else_nobody(health: Butler) -> None:
    health.hears("Leo is ill. He has a fever, 38.9.", MARA)
    answer = health.hears("She has a fever, 38.5", MARA)
    assert [(row.kind, row.party) for row in health.rows if row.text != "Leo is ill."] == [
        ("measurement", "Leo"),
        ("note", None),
    ]
    assert "I could not tell whom it is about; please say it with the name." in answer
    assert "38.5" not in health.hears("What is my temperature?", MARA)


@pytest.mark.parametrize(
    "question",
    [
        "is anyone allergic to something?",
        "Who is allergic to penicillin?",
        "Is Leo allergic to Penicillin?",
        "What is Leo allergic to?",
        "Wer ist allergisch gegen Penicillin?",
        "Qui est allergique à la pénicilline ?",
        "¿Quién es alérgico a la penicilina?",
    ],
)
@pytest.mark.parametrize(
    "told",
    [
        "Leo is allergic to penicillin",
        "Leo allergic to penicillin",
        "Leo hat eine Penicillinallergie",
        "Leo ist allergisch gegen Penicillin",
        "Leo ist gegen Penicillin allergisch",
    ],
)
def test_an_allergy_is_found_again_with_the_person(health: Butler, told: str, question: str) -> None:
    assert health.hears(told, MARA).lower() == NOTED[language_of(told)]
    assert health.hears(question, TOM).lower() == FOUND[language_of(question)]


def test_an_allergy_that_was_kept_as_a_note_is_found_too(health: Butler) -> None:
    note = Record(
        kind="note", occurred_on=NOON.date(), text="Leo is allergic to nuts", seq=1, contact_id=MARA
    )
    health.rows.append(note)
    assert "“Leo is allergic to nuts”" in health.hears("is anyone allergic to something?", TOM)


def test_that_somebody_is_not_allergic_is_no_allergy(health: Butler) -> None:
    health.hears("Leo is not allergic to eggs", MARA)
    assert [row.kind for row in health.rows] == ["note"]
    assert "“Leo is not allergic to eggs”" in health.hears("Is Leo allergic to eggs?", MARA)


def test_an_allergy_to_something_else_is_no_answer_and_is_said(health: Butler) -> None:
    health.hears("Leo is allergic to penicillin", MARA)
    assert health.hears("Is Leo allergic to nuts?", TOM) == (
        "No allergy to nuts of Leo is recorded. Recorded: Leo is allergic to penicillin (22 November)."
    )


def test_a_dose_keeps_its_time_and_no_interval_is_advised(health: Butler) -> None:
    noted = health.hears("I took 400 mg ibuprofen at 3pm", MARA)
    assert noted == "Noted: ibuprofen 400 mg on Sunday, 22 November 2026 at 15:00."
    assert health.rows[0].occurred_at == time(15)
    assert health.hears("when can I take the next ibuprofen?", MARA) == (
        "Your last ibuprofen was 400 mg on Sunday, 22 November 2026 at 15:00. "
        "I keep what was taken and do not advise on intervals: ask a pharmacist or a doctor."
    )
    assert health.hears("Wann darf ich wieder Ibuprofen nehmen?", MARA) == (
        "Dein letzter Eintrag (ibuprofen): 400 mg am Sonntag, 22. November 2026 um 15:00 Uhr. Ich halte fest, was "
        "genommen wurde, und rate nicht zu Abständen: Frag in der Apotheke oder in der Arztpraxis."
    )
    assert "400 mg" not in health.hears("when can I take the next ibuprofen?", TOM)


def test_a_value_of_several_people_is_nobodys(health: Butler) -> None:
    answer = health.hears("The kids have a fever, 38.5", MARA)
    assert "I could not tell whom it is about" in answer
    assert "38.5" not in health.hears("What is my temperature?", MARA)


def test_who_gives_a_dose_is_not_who_takes_it(health: Butler) -> None:
    health.hears("I gave Leo 5 ml paracetamol at 5pm", MARA)
    health.hears("Ich habe Leo 5 ml Ibuprofen gegeben", MARA)
    health.hears("J'ai donné 5 ml de Doliprane à Léo", MARA)
    assert [row.party for row in health.rows] == ["Leo", "Leo", "Léo"]
    assert health.hears("What medication do I take?", MARA) == "No medication of yours is recorded yet."
    assert "Leo's last paracetamol was 5 ml" in health.hears("When did Leo last take paracetamol?", TOM)


def test_an_appointment_is_to_come_with_its_time_and_its_person(health: Butler) -> None:
    health.hears("Dentist appointment for Leo on Thursday at 15:30", MARA)
    kept = health.rows[0]
    assert (kept.kind, kept.party, kept.occurred_on, kept.occurred_at) == (
        "appointment",
        "Leo",
        date(2026, 11, 26),
        time(15, 30),
    )
    assert "on Thursday, 26 November 2026 at 15:30" in health.hears("When is Leo's dentist appointment?", TOM)


def test_a_name_that_is_a_word_is_known_by_its_capital() -> None:
    assert named_in("when will I know my weight?", ["Will Smith"]) is None
    assert named_in("what was my weight in May?", ["May Vogel"]) is None
    assert named_in("what is May's weight?", ["May Vogel"]) == "May Vogel"
    assert named_in("what is leo's weight?", ["Leo"]) == "Leo"


def test_medication_and_measures_are_no_people() -> None:
    assert mentions("Ibuprofen hat geholfen", things=("Ibuprofen",)) == ()
    assert [one.who for one in mentions("Weight is 84 kg, Blutdruck ist 120/80")] == []
    text = "his temperature is 38.9"
    assert about(mentions(text), 4, len(text), text, None) == UNKNOWN


def test_a_birthday_of_ones_own_is_the_contacts() -> None:
    relationship = Butler(profile="relationship")
    relationship.hears("My birthday is on 3 May", MARA, channel="email", sender="mara@example.com")
    relationship.hears("Tom's birthday is on 9 July", MARA)
    assert "3 May" in relationship.hears("When is my birthday?", MARA)
    assert "3 May" in relationship.hears("When is Mara's birthday?", TOM)
    assert "9 July" in relationship.hears("When is my birthday?", TOM)


def test_two_mothers_birthdays_are_two() -> None:
    relationship = Butler(profile="relationship")
    relationship.hears("Mama hat am 3. April Geburtstag", MARA)
    noted = relationship.hears("Mama hat am 5. Mai Geburtstag", TOM)
    assert "Until now" not in noted
    assert "3. April" in relationship.hears("Wann hat Mama Geburtstag?", MARA)
    assert "5. Mai" in relationship.hears("Wann hat Mama Geburtstag?", TOM)
    assert "Mara Vogel's mother on Saturday, 3 April 2027" in relationship.hears(
        "Whose birthday is next?", TOM
    )


def test_a_number_is_kept_and_found_by_its_person() -> None:
    relationship = Butler(profile="relationship")
    relationship.hears("Clara's birthday is on 17 January", MARA)
    noted = relationship.hears("Clara's new phone number is +44 7700 900123", MARA)
    assert noted == "Noted: Clara can be reached at +44 7700 900123."
    assert relationship.hears("what's Clara's number?", TOM) == "Clara: reached at +44 7700 900123."


def test_who_called_was_not_met() -> None:
    butler = Butler(profile="relationship")
    assert "met" not in butler.hears("Anna called")
    (row,) = butler.rows
    assert (row.party, row.details["by"]) == ("Anna", "phone")


@pytest.mark.parametrize(
    ("told", "asked", "age"),
    [
        ("Ella turns 7 on saturday", "how old is Ella?", "7"),
        ("Der Enkel Jonas wird am 2. April 18", "wie alt wird Jonas?", "18"),
        ("mi sobrina Alba cumple 5 años el domingo", "¿cuántos años cumple Alba?", "5"),
    ],
)
def test_an_age_is_told_with_the_coming_birthday(told: str, asked: str, age: str) -> None:
    butler = Butler(profile="relationship")
    butler.hears(told)
    [row] = butler.rows
    assert row.kind == "birthday"
    assert row.occurred_on >= NOON.date()
    assert age in butler.hears(asked)


def test_a_note_answers_where_health_has_no_value(health: Butler) -> None:
    health.hears("Jules supporte pas le lactose")
    health.hears("mi padre toma omeprazol antes de comer")
    assert "lactose" in health.hears("Jules il est allergique à quoi ?")
    assert "omeprazol" in health.hears("¿qué pastillas toma mi padre?")


def test_a_birthday_with_an_hour_is_its_party() -> None:
    butler = Butler(profile="relationship")
    butler.hears("anniv de Hugo samedi 15h chez les Dubois")
    assert [row.kind for row in butler.rows] == ["note"]
