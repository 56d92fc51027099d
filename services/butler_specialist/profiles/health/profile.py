"""Measurements, medication, allergies: what is kept, and the answers (pure). It repeats and never advises.

A value belongs to the person it is about: values of two people are never compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from butler_contracts.language import Language
from butler_kit.tellings.sorts import tells_of_an_event
from butler_kit.wording.language import language_of
from butler_specialist.locale import noop, say
from butler_specialist.profiles.answering import Lookup
from butler_specialist.profiles.health.answers import (
    allergies_text,
    medications_text,
    notes_text,
    series_text,
)
from butler_specialist.profiles.health.reading import ALLERGY, CANNOT_EAT, OF_NOBODY, drafts_of, says_allergy
from butler_specialist.profiles.health.wording import noted_text, quantity
from butler_specialist.profiles.profile import Profile
from butler_specialist.questions.nothing import all_said
from butler_specialist.questions.periods import period_of
from butler_specialist.questions.persons import called, of_whom, person_of
from butler_specialist.questions.recognise import is_question
from butler_specialist.questions.values import value_called
from butler_specialist.questions.wording import ended, quoted, short_day, when_text
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.day import Side
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.repeats import repeat_in

__all__ = ["HealthProfile"]

_ASKED: Final = {
    "blood_pressure": re.compile(r"\b(?:blood pressure|bp|blutdruck|tension|presion)\b"),
    "weight": re.compile(
        r"\b(?:weigh\w*|weight|heavy|schwer|gewicht|wiege|wiegt|gewogen|poids|peses?|pesais|pesa|peso|peser|pesado)\b"
    ),
    "pulse": re.compile(r"\b(?:pulse|heart rate|puls|pouls|pulso)\b"),
    "temperature": re.compile(r"\b(?:temperature|temperatura|fever|temperatur|fieber|fievre|fiebre)\b"),
    "glucose": re.compile(r"\b(?:glucose|blood sugar|sugars?|zucker|blutzucker|glycemie|glucosa|azucar)\b"),
    "sleep": re.compile(r"\b(?:slept|sleep|schlaf|geschlafen|schlafe|dormi|dormido|sommeil|sueno)\b"),
    "steps": re.compile(r"\b(?:steps|schritte|combien de pas|pasos)\b"),
    "water": re.compile(r"\b(?:water|wasser|eau|agua)\b"),
    "running": re.compile(
        r"\b(?:did \w+ run|have \w+ run|running|jogg\w+|gelaufen|laufe|gerannt|couru|courir|corri\w*|corrido|correr)\b"
    ),
    "cycling": re.compile(r"\b(?:cycle[d]?|cycling|biked?|geradelt|rad gefahren|pedale|de velo|en bici)\b"),
    "swimming": re.compile(r"\b(?:swim|swam|swimming (?:this|last|in)|geschwommen|nage|nado|nade|nadado)\b"),
    "walking": re.compile(r"\b(?:walked?|hiked?|gewandert|spaziert|marche|camine|caminado)\b"),
    "height": re.compile(r"\b(?:height|tall|grosse|taille|estatura|(?:cuanto|que) mide)\b"),
}
_MEDICATION: Final = re.compile(
    r"\b(?:medic(?!(?:os?|as?)\b)\w+|medikament\w*|pills?|tablet\w*|doses?|dosis|take|taken|took|taking|nehme\w*|nimmt|genommen|prends"
    r"|prendre|pris|prend|tomo|toma|tomar|tomando|tomado)\b"
)
_PILL: Final = re.compile(
    r"\b(?:pills?|tablets?|tabletten?|medic\w+|medikament\w*|comprimes?|cachets?|pastillas?|drops|tropfen|gouttes|gotas)\b"
)
"""A medicine for a value is not a value: "my blood pressure pill"."""
_UNIT_TAKEN: Final = {"unit": "as before"}
_METRIC: Final = {"unit": "of the language"}
"""Senders in German, French or Spanish weigh in kilograms."""
_NO_UNIT: Final = {"unit": "not named"}
_BEFORE: Final = (
    noop("The last {value} before that was {quantity} ({day})."),
    noop("{who}'s last {value} before that was {quantity} ({day})."),
)
_KEPT: Final = ("medication", "allergy", "appointment", "note")


class HealthProfile(Profile):
    """Medications, measurements, conditions, symptoms and diet."""

    name = "health"
    tells_people_apart = True
    kept = ("measurement", *_KEPT)
    audiences = MappingProxyType({"measurement": "personal", "medication": "personal", "note": "personal"})
    topics = ("tablets",)
    triggers = ("medications", "measurements", "conditions", "symptoms", "diet")

    def asked(self, reading: Reading) -> Lookup | None:
        if not is_question(reading) or any(
            sentence.measurements or sentence.doses for sentence in reading.sentences
        ):
            return None
        period = period_of(reading)
        return Lookup(self.kept, period.start if period else None, period.end if period else None)

    def answer(self, reading: Reading, rows: Sequence[Record]) -> str:
        period = period_of(reading)
        label = period.label if period else ""
        codes = [] if reading.has(_PILL) else _asked_codes(reading)
        if codes:
            whole = period is not None
            return all_said([series_text(code, rows, reading, label, whole=whole) for code in codes])
        if reading.has(ALLERGY) or reading.has(CANNOT_EAT):
            return allergies_text(rows, reading)
        if reading.has(_MEDICATION):
            return medications_text(rows, reading, label)
        return notes_text([row for row in rows if row.kind in _KEPT], reading, label)

    def compose(self, reading: Reading, *, household: bool) -> tuple[RecordDraft, ...]:
        drafts = drafts_of(reading)
        if drafts:
            return tuple(drafts)
        return _notes(reading)

    def used(self, sentence: Sentence, drafts: Sequence[RecordDraft], reading: Reading) -> bool:
        """Return whether a clause is in the facts of its message.

        A value of "him" needs the sentence before it to name somebody, an hour the day before it.
        """
        said = any(draft.kind == "appointment" and draft.text == sentence.text for draft in drafts)
        said = said or says_allergy(sentence, drafts)
        return (
            said or bool(sentence.measurements or sentence.doses) or super().used(sentence, drafts, reading)
        )

    def compared_with(self, drafts: Sequence[RecordDraft], reading: Reading) -> Lookup | None:
        return Lookup(("measurement",)) if any(draft.kind == "measurement" for draft in drafts) else None

    def settled(self, drafts: Sequence[RecordDraft], rows: Sequence[Record]) -> tuple[RecordDraft, ...]:
        """Complete a weight without a unit from earlier ones, else from the language; else it is a note."""
        units = {row.unit for row in rows if row.code == "weight" and row.unit}
        return tuple(
            _with_unit(draft, units) if draft.code == "weight" and not draft.unit else draft
            for draft in drafts
        )

    def acknowledge(
        self, drafts: Sequence[RecordDraft], rows: Sequence[Record], reading: Reading, *, household: bool
    ) -> str:
        language = reading.language
        unnamed = [draft for draft in drafts if draft.details == OF_NOBODY]
        if len(unnamed) == len(drafts):
            nobody = say(language, "I could not tell whom it is about; please say it with the name.")
            return f"{_kept(drafts[0], language)} {nobody}"
        said, taken = noted_text(drafts, reading), _unit_text(drafts, language)
        if not said:
            return _kept(drafts[0], language) + taken
        before = [text for draft in drafts if (text := _before_text(draft, rows, reading))]
        left = [say(language, "One value has no name with it and is kept as a note.")] if unnamed else []
        return " ".join([ended(said) + taken, *before, *left])


def _with_unit(draft: RecordDraft, units: set[str]) -> RecordDraft:
    if len(units) == 1:
        return replace(draft, unit=next(iter(units)), details={**draft.details, **_UNIT_TAKEN})
    if not units and language_of(draft.text) != "en":
        return replace(draft, unit="kg", details={**draft.details, **_METRIC})
    return RecordDraft("note", draft.occurred_on, draft.text, party=draft.party, details=dict(_NO_UNIT))


def _unit_text(drafts: Sequence[RecordDraft], language: Language) -> str:
    """Say which unit was assumed for a weight without one, or that none could be."""
    taken = next((draft.unit for draft in drafts if draft.details.items() >= _UNIT_TAKEN.items()), None)
    if taken is not None:
        return " " + say(language, "No unit was named; I took {unit}, as before.", unit=taken)
    if any(draft.details.items() >= _METRIC.items() for draft in drafts):
        return " " + say(language, "No unit was named; I took {unit}.", unit="kg")
    missing = any(draft.details == _NO_UNIT for draft in drafts)
    text = noop("The weight has no unit, so it is only kept as a note; please say kg or lb.")
    return f" {say(language, text)}" if missing else ""


def _notes(reading: Reading) -> tuple[RecordDraft, ...]:
    """Return the message as a note; one per day if it only lists days of something recurring."""
    again = [one for one in reading.sentences if one.days and repeat_in(one.folded) is not None]
    if len(again) == len(reading.sentences):
        return tuple(_note(reading, one) for one in again)
    return (_note(reading, next((one for one in reading.sentences if one.days), reading.sentences[0])),)


def _note(reading: Reading, dated: Sentence) -> RecordDraft:
    """Return a dated note: a weekday is the last one, for an event ("yoga on Thursday at 19:00") the next."""
    weekday = any(day.form == "weekday" for day in dated.days)
    to_come = dated.times or tells_of_an_event(dated.text) or tells_of_an_event(reading.text)
    usual: Side = "nearest" if not weekday else "future" if to_come else "past"
    when = reading.when(dated, usual, usual=usual)
    over = when.at is not None and when.at <= reading.moment.time()
    return RecordDraft("note", when.day, reading.text, occurred_at=when.at if when.named or over else None)


def _kept(note: RecordDraft, language: Language) -> str:
    when, quote = (
        when_text(note.occurred_on, note.occurred_at, language),
        quoted(note.text, language=language),
    )
    return ended(say(language, "Noted for {when}: {quote}", when=when, quote=quote))


def _before_text(draft: RecordDraft, rows: Sequence[Record], reading: Reading) -> str:
    """Return the previous value of the same person."""
    person = reading.whose.key(draft.party)
    row = next(
        (
            row
            for row in rows
            if row.code == draft.code
            and draft.kind == "measurement"
            and person_of(row, reading.whose) == person
            and row.occurred_on <= draft.occurred_on
        ),
        None,
    )
    if row is None:
        return ""
    language = reading.language
    name, day = value_called(draft.code, language), short_day(row.occurred_on, reading.today, language)
    who, value = called(draft.party, reading.whose, language), quantity(row, language)
    return say(language, of_whom(_BEFORE, who), who=who, value=name, quantity=value, day=day)


def _asked_codes(reading: Reading) -> list[str]:
    return [code for code, pattern in _ASKED.items() if reading.has(pattern)]
