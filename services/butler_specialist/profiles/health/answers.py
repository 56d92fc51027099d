"""Answers about health, computed from the records of one person at a time (pure).

Invariant: values of two people never stand in one series, and everybody but the writer is named.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from butler_specialist.profiles.health.reading import ALLERGY, substance_in
from butler_specialist.profiles.health.wording import NAMES, dose_text, quantity
from butler_specialist.questions.persons import Asked, asked_about, by_person, name_of, person_of, possessive
from butler_specialist.questions.recognise import asks_plans
from butler_specialist.questions.wording import count_text, in_sentences, joined, quoted, short_day, when_text
from butler_specialist.store.model import Record
from butler_specialist.understanding.dates import day_text
from butler_specialist.understanding.folding import fold
from butler_specialist.understanding.reading import Reading

__all__ = ["allergies_text", "medications_text", "notes_text", "series_text"]

_ADVICE: Final = re.compile(
    r"\b(?:next|again|can|may|should|safe|darf|kann|nachste\w*|wieder|prochaine?|puis-je|peut|encore|puedo|puede"
    r"|proxim\w+)\b"
)
_NO_ADVICE: Final = "I keep what was taken and do not advise on intervals: ask a pharmacist or a doctor."
_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_ALIKE: Final = 6
"""Letters at the front in which the languages agree: penicillin, Penicillin, pénicilline, penicilina."""


def series_text(code: str, rows: Sequence[Record], reading: Reading, label: str, *, whole: bool) -> str:
    """The last values of whoever is asked about, or all of a period."""
    name, asked = NAMES[code], asked_about(reading, rows)
    persons = _persons([row for row in rows if row.code == code], asked, reading)
    if not persons:
        return f"No {name}{_of(asked)} is recorded{label or ' yet'}."
    said = [_one_series(series, name, reading, label, whole=whole) for series in persons]
    shown = _opened(in_sentences(said))
    others = asked.key is None and person_of(persons[0][0], reading.whose) != reading.whose.me
    return f"Nothing is recorded of you. {shown}" if others and not asked.everyone else shown


def medications_text(rows: Sequence[Record], reading: Reading, label: str) -> str:
    """What was taken last, of the medication that is asked about if there is one; never when to take the next."""
    asked = asked_about(reading, rows)
    meant = [row for row in rows if row.title and _says(reading.folded, row.title)]
    persons = _persons(meant or rows, asked if asked != Asked() else Asked(everyone=True), reading)
    advice = f" {_NO_ADVICE}" if reading.has(_ADVICE) else ""
    if not persons:
        return f"No medication{_of(asked)} is recorded{label or ' yet'}.{advice}"
    if meant and not label:
        return _opened(in_sentences([_last_dose(series, reading) for series in persons])) + advice
    shown = "; ".join(_doses(series, reading) for series in persons)
    return f"Recorded medication{label}: {shown}.{advice}"


def allergies_text(rows: Sequence[Record], reading: Reading) -> str:
    """Who is allergic to what, with every note that speaks of an allergy in its own words."""
    asked = asked_about(reading, rows)
    of_them = [row for row in rows if asked.key is None or _concerns(row, asked, reading)]
    stated = [row for row in of_them if row.kind == "allergy"]
    notes = [row for row in of_them if row.kind == "note" and ALLERGY.search(fold(row.text))]
    substance = substance_in(reading.folded, reading.text)
    if substance is not None:
        meant = [row for row in [*stated, *notes] if _says(substance, f"{row.title or ''} {row.text}")]
        if not meant:
            known = f" {_allergies(stated, notes, reading)}" if stated or notes else ""
            return f"No allergy to {substance}{_of(asked)} is recorded.{known}"
        stated, notes = [row for row in meant if row in stated], [row for row in meant if row in notes]
    return _allergies(stated, notes, reading) or f"No allergy{_of(asked)} is recorded."


def notes_text(rows: Sequence[Record], reading: Reading, label: str) -> str:
    """The notes and appointments that speak of what is asked; of appointments those that are still to come."""
    asked, plans = asked_about(reading, rows), asks_plans(reading)
    found = [
        row
        for row in rows
        if row.kind != "allergy" and (plans or _says(reading.folded, f"{row.title or ''} {row.text}"))
    ]
    if asked.key is not None:
        found = [row for row in found if _concerns(row, asked, reading)] or found
    coming = [row for row in found if row.kind == "appointment" and row.occurred_on >= reading.today]
    if coming:
        return f"{joined([_coming(row) for row in reversed(coming[:6])])}."
    if plans:
        return f"No appointment of health is noted{label}."
    if not found:
        return f"No health note{label} speaks of that."
    shown = [
        f"{quoted(row.text, most=140)} ({short_day(row.occurred_on, reading.today)})" for row in found[:6]
    ]
    return f"I found {count_text(len(found), 'note')}: {joined(shown)}."


def _persons(rows: Sequence[Record], asked: Asked, reading: Reading) -> list[list[Record]]:
    """The records of each person who is asked about; of nobody in particular the writer's, else the newest one's."""
    persons = by_person(rows, reading.whose)
    if asked.everyone:
        return list(persons.values())
    if asked.key is not None:
        return [persons[asked.key]] if asked.key in persons else []
    own = persons.get(reading.whose.me)
    return [own] if own else list(persons.values())[:1]


def _one_series(series: Sequence[Record], name: str, reading: Reading, label: str, *, whole: bool) -> str:
    whose = possessive(name_of(series[0], reading.whose))
    if whole:
        shown = [f"{quantity(row)} ({short_day(row.occurred_on, reading.today)})" for row in series[:10]]
        return f"{whose} {name}{label}: {joined(shown)}."
    last = series[0]
    said = f"{whose} last {name} was {quantity(last)} on {when_text(last.occurred_on, last.occurred_at)}."
    if len(series) == 1:
        return said
    return f"{said} Before that: {quantity(series[1])} on {day_text(series[1].occurred_on)}."


def _last_dose(series: Sequence[Record], reading: Reading) -> str:
    last = series[0]
    often = f" {last.details['frequency']}" if "frequency" in last.details else ""
    when = when_text(last.occurred_on, last.occurred_at)
    return (
        f"{possessive(name_of(last, reading.whose))} last {last.title} was {quantity(last)}{often} on {when}."
    )


def _doses(series: Sequence[Record], reading: Reading) -> str:
    newest: dict[str, Record] = {}
    for row in series:
        newest.setdefault((row.title or "").casefold(), row)
    who = name_of(series[0], reading.whose)
    return ("" if who == "you" else f"{who}: ") + "; ".join(
        dose_text(row) for row in list(newest.values())[:8]
    )


def _allergies(stated: Sequence[Record], notes: Sequence[Record], reading: Reading) -> str:
    said = list(dict.fromkeys(_allergy(row, reading) for row in stated))
    quotes = [
        f"{quoted(row.text, most=140)} ({short_day(row.occurred_on, reading.today)})" for row in notes[:6]
    ]
    shown = [f"Recorded: {'; '.join(said)}."] if said else []
    return " ".join([*shown, *([f"Noted: {joined(quotes)}."] if quotes else [])])


def _allergy(row: Record, reading: Reading) -> str:
    who = name_of(row, reading.whose)
    day = short_day(row.occurred_on, reading.today)
    return f"{who} {'are' if who == 'you' else 'is'} allergic to {row.title} ({day})"


def _coming(row: Record) -> str:
    return f"{quoted(row.text, most=140)} on {when_text(row.occurred_on, row.occurred_at)}"


def _concerns(row: Record, asked: Asked, reading: Reading) -> bool:
    """Whether a record is about the one who is asked about; a note also where it names them."""
    if person_of(row, reading.whose) == asked.key:
        return True
    if asked.key == reading.whose.me:
        return False
    first = fold(asked.name).split(" ")[-1 if asked.name.startswith("your ") else 0]
    return row.kind == "note" and re.search(rf"\b{re.escape(first)}", fold(row.text)) is not None


def _of(asked: Asked) -> str:
    return f" of {'yours' if asked.name == 'you' else asked.name}" if asked.key is not None else ""


def _opened(sentences: str) -> str:
    return sentences[:1].upper() + sentences[1:]


def _says(asked: str, said: str) -> bool:
    """Whether two texts share a word, as it is spelt in either language."""
    spoken = {word[:_ALIKE] for word in _WORD.findall(fold(said))}
    return any(word[:_ALIKE] in spoken for word in _WORD.findall(fold(asked)))
