# ruff: noqa: E501 - patterns stay on one line
"""Birthdays: the day that a message states, and how it is said back (pure).

A birthday without a year of birth is stored, and stated, with the next one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.folding import fold
from butler_specialist.locale import count, counted, noop, say
from butler_specialist.profiles.relationship.persons import key_of, label_of
from butler_specialist.questions.nothing import Nothing
from butler_specialist.questions.wording import joined, quoted, short_day
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.dates import date_text, day_text
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = [
    "AGE",
    "BIRTHDAY",
    "ages_text",
    "birthday_in",
    "birthday_of",
    "birthday_text",
    "birthdays_text",
    "changed_text",
    "next_birthday",
    "tells_birthday",
]

BIRTHDAY: Final = re.compile(
    r"\b(?:birthdays?(?! (?:party|parties|dinner|lunch|brunch|cake|card|celebration|gift|present))|bday|born"
    r"|geburtstage?|geboren|(?<!fete d')anniversaires?|anniv|ne le|nee le|(?<!fiesta de )cumpleanos|nacio)\b|день рождения"
)
_YEARS: Final = (
    r"(?:\d{1,3}|eins|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|elf|zwolf|(?:drei|vier|funf|sech|sieb|acht|neun)zehn|(?:\w+und)?(?:zwanzig|dreissig|vierzig|funfzig|sechzig|siebzig|achtzig|neunzig)|hundert"
    r"|un|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|quinze|vingt|trente|quarante|cinquante|soixante|quatre-vingts?|cent"
    r"|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|quince|veinte|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien)"
)
_AN_AGE: Final = re.compile(
    r"\b(?:turns|turning) (?:\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ]\w+)?|a hundred|eighteen|sixteen|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen)\b|\bwird\b.{0,40} (?!\d{1,2}[.:])(?P<age>\d{1,3})(?: jahre(?: alt)?)?\W*$|\b(?:will be|aura|cumple|va a cumplir|fete ses)\b.{0,20}\d{1,3} ?(?:ans|anos|years)?\b"
    rf"|\bwird\b.{{0,40}} {_YEARS} jahre(?: alt)?\W*$|\b(?:aura|fete(?:ra)? ses|cumple|cumplira|va a cumplir)\b.{{0,20}}\b{_YEARS} (?:ans|anos)\b"
)
"""Statements of an age with the day on which it is reached."""
AGE: Final = re.compile(r"\bhow old\b|\bwie alt\b|\bquel age\b|\bcuantos anos\b")
_TELLS_AN_AGE: Final = re.compile(r"\d{4}|\b(?:turns?|turning|wird|will be|aura|cumple|cumplir|fete)\b")
"""A year of birth, or the age somebody reaches."""
_AT_AN_HOUR: Final = re.compile(r"\banniv\b")
"""With an hour it is the party: "anniv de Hugo samedi 15h"."""
_CELEBRATED: Final = re.compile(r"\b(?:celebrat\w+|gefeiert|feier[nt]?|feiern|fete|fetons|celebr\w+)\b")
"""The day of the celebration is not the day of birth."""
_LISTED: Final = counted(
    "{number} birthday recorded, the next first: {birthdays}.",
    "{number} birthdays recorded, the next first: {birthdays}.",
)


def tells_birthday(sentence: Sentence) -> bool:
    """Return whether it states a birthday, not its celebration."""
    if sentence.has(BIRTHDAY):
        return not sentence.has(_CELEBRATED) and not (sentence.times and sentence.has(_AT_AN_HOUR))
    return bool(sentence.days) and not sentence.times and sentence.has(_AN_AGE)


def birthday_in(day: date, year: int) -> date:
    """Return the day of `day` in a year; 29 February becomes the 28th in other years."""
    try:
        return day.replace(year=year)
    except ValueError:
        return date(year, 2, 28)


def next_birthday(day: date, today: date) -> date:
    """Return the next time that the day of `day` comes."""
    coming = (birthday_in(day, year) for year in (today.year, today.year + 1))
    return next((one for one in coming if one >= today), day)


def birthday_of(sentence: Sentence, day: date, reading: Reading) -> date:
    """Return the day as written, if it has the year of birth; else the next one."""
    written = any(
        named.form == "written" and named.before == named.after == day != reading.today
        for named in sentence.days
    )
    return day if written else next_birthday(day, reading.today)


def birthday_text(draft: RecordDraft, today: date, language: Language) -> str:
    """Return `Tom's birthday is on 9 June 1984, the next on Wednesday, 9 June 2027.`"""
    coming, who = next_birthday(draft.occurred_on, today), draft.party
    if who is None:
        text = noop("a birthday on {day}, but I could not tell whose. Please write it again with the name.")
        return say(language, text, day=day_text(coming, language))
    text = noop("{who}'s birthday is on {day}.")
    if coming != draft.occurred_on:
        text = noop("{who}'s birthday is on {born}, the next on {day}.")
    born = date_text(draft.occurred_on, language)
    return say(language, text, who=who, born=born, day=day_text(coming, language))


def changed_text(draft: RecordDraft, rows: Sequence[Record], reading: Reading) -> str:
    """Say that another day was known for the same birthday."""
    if draft.kind != "birthday" or not draft.party:
        return ""
    person = reading.whose.key(draft.party)
    known = [row for row in rows if key_of(row, reading.whose) == person]
    if not known:
        return ""
    latest = max(known, key=lambda row: row.seq)
    if (latest.occurred_on.month, latest.occurred_on.day) == (draft.occurred_on.month, draft.occurred_on.day):
        return ""
    day = short_day(latest.occurred_on, reading.today, reading.language)
    return say(reading.language, "Until now it was noted for {day}.", day=day)


def ages_text(rows: Sequence[Record], reading: Reading) -> str:
    """Say how old somebody gets, in the words in which it was told, with the day."""
    row = max(rows, key=lambda one: one.seq)
    coming, language = next_birthday(row.occurred_on, reading.today), reading.language
    if not _TELLS_AN_AGE.search(fold(row.text)) and coming == row.occurred_on:
        text = noop("The year of birth is not noted, only the day: {day}.")
        return say(language, text, day=day_text(coming, language))
    quote = quoted(row.text, most=120, language=language)
    return f"{quote} ({short_day(coming, reading.today, language)})."


def birthdays_text(rows: Sequence[Record], reading: Reading, person: str | None) -> str:
    language = reading.language
    if not rows:
        none = noop("No birthday of {who} is recorded.") if person else noop("No birthday is recorded.")
        return Nothing(say(language, none, who=person))
    newest: dict[str, Record] = {}
    for row in sorted(rows, key=lambda row: row.seq):
        newest[key_of(row, reading.whose)] = row
    coming = sorted(newest.values(), key=lambda row: next_birthday(row.occurred_on, reading.today))
    if person is not None:
        row = coming[0]
        day = day_text(next_birthday(row.occurred_on, reading.today), language)
        return say(language, "{who}'s birthday is on {day}.", who=row.party, day=day)
    shown = joined([_listed(row, reading) for row in coming[:10]], language)
    return count(language, *_LISTED, len(coming), birthdays=shown)


def _listed(row: Record, reading: Reading) -> str:
    language = reading.language
    who = label_of(row, reading.whose, language) or say(language, "unnamed")
    day = day_text(next_birthday(row.occurred_on, reading.today), language)
    return say(language, "{who} on {day}", who=who, day=day)
