"""Answers about health, computed from one person's records at a time (pure).

Invariant: values of two people never stand in one series, and everybody but the sender is named.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.folding import fold
from butler_specialist.locale import count, counted, noop, say
from butler_specialist.profiles.health.reading import ALLERGY, CANNOT_EAT, substance_in
from butler_specialist.profiles.health.wording import allergy_text, dose_text, quantity
from butler_specialist.questions.nothing import Nothing
from butler_specialist.questions.persons import (
    YOURS,
    Asked,
    asked_about,
    by_person,
    name_of,
    of_whom,
    person_of,
)
from butler_specialist.questions.recognise import asks_plans
from butler_specialist.questions.remembered import remembered
from butler_specialist.questions.values import value_called
from butler_specialist.questions.wording import in_sentences, joined, opened, quoted, short_day, when_text
from butler_specialist.store.model import Record
from butler_specialist.understanding.dates import day_text
from butler_specialist.understanding.household import teller_key
from butler_specialist.understanding.reading import Reading
from butler_specialist.understanding.subjects import UNKNOWN, mentions

__all__ = ["allergies_text", "medications_text", "notes_text", "series_text"]

_ADVICE: Final = re.compile(
    r"\b(?:next|again|can|may|should|safe|darf|kann|nachste\w*|wieder|prochaine?|puis-je|peut|encore|puedo|puede"
    r"|proxim\w+)\b"
)
_NO_ADVICE: Final = noop(
    "I keep what was taken and do not advise on intervals: ask a pharmacist or a doctor."
)
_NO_VALUE: Final = (
    noop("No {value} is recorded {period}."),
    noop("No {value} of yours is recorded {period}."),
    noop("No {value} of {who} is recorded {period}."),
)
_NO_MEDICATION: Final = (
    noop("No medication is recorded {period}."),
    noop("No medication of yours is recorded {period}."),
    noop("No medication of {who} is recorded {period}."),
)
_NO_ALLERGY: Final = (
    noop("No allergy is recorded."),
    noop("No allergy of yours is recorded."),
    noop("No allergy of {who} is recorded."),
)
_NO_ALLERGY_TO: Final = (
    noop("No allergy to {substance} is recorded."),
    noop("No allergy to {substance} of yours is recorded."),
    noop("No allergy to {substance} of {who} is recorded."),
)
_NO_NOTE: Final = {
    (True, False): noop("No appointment of health is noted."),
    (True, True): noop("No appointment of health is noted {period}."),
    (False, False): noop("No health note speaks of that."),
    (False, True): noop("No health note {period} speaks of that."),
}
"""Keyed by whether plans are asked about, and whether a period is."""
_SERIES: Final = (noop("your {value} {period}: {values}."), noop("{who}'s {value} {period}: {values}."))
_LAST: Final = (
    noop("your last {value} was {quantity} on {when}."),
    noop("{who}'s last {value} was {quantity} on {when}."),
)
_COURSE: Final = (noop("noted for you is: {what}."), noop("noted for {who} is: {what}."))
_FOUND: Final = counted("I found {number} note: {notes}.", "I found {number} notes: {notes}.")
_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_BESIDE: Final = 3
"""The most notes shown if there is no value."""
_ALIKE: Final = 6
"""The leading letters on which the languages agree: penicillin, Penicillin, pénicilline, penicilina."""


def series_text(code: str, rows: Sequence[Record], reading: Reading, period: str, *, whole: bool) -> str:
    """Return the last values of the person asked about, or all of a period."""
    language, asked = reading.language, asked_about(reading, rows)
    name = value_called(code, language)
    persons = _persons([row for row in rows if row.code == code], asked, reading)
    if not persons:
        nothing = _none(_NO_VALUE, asked, reading, value=name, period=period or say(language, "yet"))
        return _beside(nothing, _noted_beside(rows, asked, reading))
    said = [_one_series(series, name, reading, period, whole=whole) for series in persons]
    shown = opened(in_sentences(said))
    others = asked.key is None and person_of(persons[0][0], reading.whose) != reading.whose.me
    nothing = say(language, "Nothing is recorded of you.")
    return f"{nothing} {shown}" if others and not asked.everyone else shown


def medications_text(known: Sequence[Record], reading: Reading, period: str) -> str:
    """Return what was taken last, of one medication if the question names it; never when to take the next."""
    rows, notes = [[row for row in known if row.kind == kind] for kind in ("medication", "note")]
    language, asked = reading.language, asked_about(reading, known)
    meant = [row for row in rows if row.title and _says(reading.folded, row.title)]
    persons = _persons(meant or rows, asked if asked != Asked() else Asked(everyone=True), reading)
    advice = f" {say(language, _NO_ADVICE)}" if reading.has(_ADVICE) else ""
    if not persons:
        nothing = _none(_NO_MEDICATION, asked, reading, period=period or say(language, "yet"))
        beside = _beside(nothing, _noted_beside(notes, asked, reading))
        return Nothing(f"{beside}{advice}", settled=beside.settled)
    if meant and not period:
        return opened(in_sentences([_last_dose(series, reading) for series in persons])) + advice
    shown = "; ".join(_doses(series, reading) for series in persons)
    text = noop("Recorded medication {period}: {doses}.") if period else noop("Recorded medication: {doses}.")
    return say(language, text, period=period, doses=shown) + advice


def _speaks_of_one(row: Record) -> bool:
    said = fold(row.text)
    return bool(ALLERGY.search(said) or CANNOT_EAT.search(said))


def allergies_text(rows: Sequence[Record], reading: Reading) -> str:
    """Say who is allergic to what, with every note about an allergy in its own words."""
    asked = asked_about(reading, rows)
    of_them = [row for row in rows if asked.key is None or _concerns(row, asked, reading)]
    stated = [row for row in of_them if row.kind == "allergy"]
    notes = [row for row in of_them if row.kind in ("note", "appointment") and _speaks_of_one(row)]
    substance = substance_in(reading.folded, reading.text)
    if substance is not None:
        meant = [row for row in [*stated, *notes] if _says(substance, f"{row.title or ''} {row.text}")]
        if not meant:
            known = f" {_allergies(stated, notes, reading)}" if stated or notes else ""
            return _beside(_none(_NO_ALLERGY_TO, asked, reading, substance=substance), known)
        stated, notes = [row for row in meant if row in stated], [row for row in meant if row in notes]
    said = _allergies(stated, notes, reading)
    return said or _beside(_none(_NO_ALLERGY, asked, reading), _noted_beside(of_them, asked, reading))


def _noted_beside(rows: Sequence[Record], asked: Asked, reading: Reading) -> str:
    """Return the notes that may say it if no value does; for a named person those that name them."""
    notes = [row for row in rows if row.kind == "note"]
    named = asked.key not in (None, reading.whose.me)
    found = (
        [row for row in notes if _concerns(row, asked, reading)][:_BESIDE]
        if named
        else remembered(reading, notes)[:_BESIDE]
    )
    shown = joined([_quote(row, reading) for row in found], reading.language)
    return f" {count(reading.language, *_FOUND, len(found), notes=shown)}" if found else ""


def notes_text(rows: Sequence[Record], reading: Reading, period: str) -> str:
    """Return the notes and appointments about the question; of appointments those still to come."""
    asked, plans, language = asked_about(reading, rows), asks_plans(reading), reading.language
    found = [
        row
        for row in rows
        if row.kind != "allergy" and (plans or _says(reading.folded, f"{row.title or ''} {row.text}"))
    ]
    if asked.key is not None:
        found = [row for row in found if _concerns(row, asked, reading)] or found
    coming = [row for row in found if row.kind == "appointment" and row.occurred_on >= reading.today]
    if coming:
        return f"{joined([_coming(row, language) for row in reversed(coming[:6])], language)}."
    if plans or not found:
        return Nothing(
            say(language, _NO_NOTE[plans, bool(period)], period=period), vague=not (plans or period)
        )
    shown = joined([_quote(row, reading) for row in found[:6]], language)
    return count(language, *_FOUND, len(found), notes=shown)


def _none(texts: tuple[str, str, str], asked: Asked, reading: Reading, **fields: object) -> str:
    """Say that nothing is known: about anybody, the sender, or the person asked about."""
    anybody, yours, theirs = texts
    text = anybody if asked.key is None else of_whom((yours, theirs), asked.name)
    return say(reading.language, text, who=asked.name, **fields)


def _beside(nothing: str, known: str) -> Nothing:
    """Say that nothing is known, and what else is."""
    return Nothing(f"{nothing}{known}", settled=bool(known))


def _quote(row: Record, reading: Reading) -> str:
    day = short_day(row.occurred_on, reading.today, reading.language)
    return f"{quoted(row.text, most=140, language=reading.language)} ({day})"


def _persons(rows: Sequence[Record], asked: Asked, reading: Reading) -> list[list[Record]]:
    """Return the records of each person asked about; by default the sender's, else those of the newest."""
    persons = by_person(rows, reading.whose)
    if asked.everyone:
        return list(persons.values())
    if asked.key is not None:
        return [persons[asked.key]] if asked.key in persons else []
    own = persons.get(reading.whose.me)
    return [own] if own else list(persons.values())[:1]


def _one_series(series: Sequence[Record], name: str, reading: Reading, period: str, *, whole: bool) -> str:
    language, who = reading.language, name_of(series[0], reading.whose, reading.language)
    if whole:
        shown = [
            f"{quantity(row, language)} ({short_day(row.occurred_on, reading.today, language)})"
            for row in series[:10]
        ]
        values = joined(shown, language)
        return say(language, of_whom(_SERIES, who), who=who, value=name, period=period, values=values)
    said = _last_text(series[0], name, quantity(series[0], language), reading)
    if len(series) == 1:
        return said
    before, day = quantity(series[1], language), day_text(series[1].occurred_on, language)
    return said + " " + say(language, "Before that: {quantity} on {day}.", quantity=before, day=day)


def _last_dose(series: Sequence[Record], reading: Reading) -> str:
    last = series[0]
    if "hours" in last.details:
        what = dose_text(last, reading.language)
        who = name_of(last, reading.whose, reading.language)
        return say(reading.language, of_whom(_COURSE, who), who=who, what=what)
    often = f" {last.details['frequency']}" if "frequency" in last.details else ""
    return _last_text(last, last.title or "", f"{quantity(last, reading.language)}{often}", reading)


def _last_text(last: Record, name: str, amount: str, reading: Reading) -> str:
    language, who = reading.language, name_of(last, reading.whose, reading.language)
    when = when_text(last.occurred_on, last.occurred_at, language)
    return say(language, of_whom(_LAST, who), who=who, value=name, quantity=amount, when=when)


def _doses(series: Sequence[Record], reading: Reading) -> str:
    newest: dict[str, Record] = {}
    for row in series:
        newest.setdefault((row.title or "").casefold(), row)
    language, who = reading.language, name_of(series[0], reading.whose, reading.language)
    doses = "; ".join(dose_text(row, language) for row in list(newest.values())[:8])
    return doses if who == YOURS else say(language, "{who}: {doses}", who=who, doses=doses)


def _allergies(stated: Sequence[Record], notes: Sequence[Record], reading: Reading) -> str:
    language = reading.language
    said = list(dict.fromkeys(_allergy(row, reading) for row in stated))
    quotes = [_quote(row, reading) for row in notes[:6]]
    shown = [say(language, "Recorded: {facts}.", facts="; ".join(said))] if said else []
    noted = say(language, "Noted: {quotes}.", quotes=joined(quotes, language))
    return " ".join([*shown, *([noted] if quotes else [])])


def _allergy(row: Record, reading: Reading) -> str:
    who = name_of(row, reading.whose, reading.language)
    day = short_day(row.occurred_on, reading.today, reading.language)
    return f"{allergy_text(row, who, reading.language)} ({day})"


def _coming(row: Record, language: Language) -> str:
    when = when_text(row.occurred_on, row.occurred_at, language)
    return say(language, "{quote} on {when}", quote=quoted(row.text, most=140, language=language), when=when)


def _concerns(row: Record, asked: Asked, reading: Reading) -> bool:
    """Return whether a record is about the person asked about; a note also if it names them."""
    if person_of(row, reading.whose) == asked.key:
        return True
    if asked.key == reading.whose.me:
        return False
    if row.kind != "note":
        return False
    return re.search(rf"\b{re.escape(fold(asked.word))}", fold(row.text)) is not None or _names(
        row, asked, reading
    )


def _names(row: Record, asked: Asked, reading: Reading) -> bool:
    """Return whether a note names the person asked about, kin in any language."""
    teller = teller_key(row.contact_id, row.channel, row.sender)
    named = (one.who for one in mentions(row.text, known=reading.whose.known))
    return any(reading.whose.key(who, teller) == asked.key for who in named if who not in (None, UNKNOWN))


def _says(asked: str, said: str) -> bool:
    """Return whether two texts share a word, as spelt in either language."""
    spoken = {word[:_ALIKE] for word in _WORD.findall(fold(said))}
    return any(word[:_ALIKE] in spoken for word in _WORD.findall(fold(asked)))
