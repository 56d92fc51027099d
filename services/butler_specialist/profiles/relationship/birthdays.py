"""Birthdays: the day that a message says, and how it is said back (pure).

A birthday without a year of birth is kept, and said, with the next one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from butler_specialist.profiles.relationship.persons import key_of, label_of
from butler_specialist.questions.wording import count_text, joined, short_day
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.dates import day_text
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = [
    "BIRTHDAY",
    "birthday_of",
    "birthday_text",
    "birthdays_text",
    "changed_text",
    "next_birthday",
    "tells_birthday",
]

BIRTHDAY: Final = re.compile(
    r"\b(?:birthdays?(?! (?:party|parties|dinner|lunch|brunch|cake|card|celebration|gift|present))|bday|born"
    r"|geburtstage?|geboren|(?<!fete d')anniversaires?|ne le|nee le|(?<!fiesta de )cumpleanos|nacio)\b|день рождения"
)
_CELEBRATED: Final = re.compile(r"\b(?:celebrat\w+|gefeiert|feier[nt]?|feiern|fete|fetons|celebr\w+)\b")
"""On which day is another matter than on which day somebody was born."""


def tells_birthday(sentence: Sentence) -> bool:
    """Whether a birthday is told, not when it is celebrated."""
    return sentence.has(BIRTHDAY) and not sentence.has(_CELEBRATED)


def next_birthday(day: date, today: date) -> date:
    """The next time that the day of `day` comes; 29 February is kept on the 28th in other years."""
    for year in (today.year, today.year + 1):
        try:
            coming = day.replace(year=year)
        except ValueError:
            coming = date(year, 2, 28)
        if coming >= today:
            return coming
    return day


def birthday_of(sentence: Sentence, day: date, reading: Reading) -> date:
    """The day as it is written, with the year of birth if it says one; else the next one."""
    written = any(
        named.form == "written" and named.before == named.after == day != reading.today
        for named in sentence.days
    )
    return day if written else next_birthday(day, reading.today)


def birthday_text(draft: RecordDraft, who: str, today: date) -> str:
    """`Tom's birthday is on 9 June 1984, the next on Wednesday, 9 June 2027.`"""
    coming = next_birthday(draft.occurred_on, today)
    written = day_text(draft.occurred_on).partition(", ")[2] if coming != draft.occurred_on else ""
    return f"{who}'s birthday is on {f'{written}, the next on ' if written else ''}{day_text(coming)}."


def changed_text(draft: RecordDraft, rows: Sequence[Record], reading: Reading) -> str:
    """That another day was known for the same birthday."""
    if draft.kind != "birthday" or not draft.party:
        return ""
    person = reading.whose.key(draft.party)
    known = [row for row in rows if key_of(row, reading.whose) == person]
    if not known:
        return ""
    latest = max(known, key=lambda row: row.seq)
    if (latest.occurred_on.month, latest.occurred_on.day) == (draft.occurred_on.month, draft.occurred_on.day):
        return ""
    return f"Until now it was noted for {short_day(latest.occurred_on, reading.today)}."


def birthdays_text(rows: Sequence[Record], reading: Reading, person: str | None) -> str:
    if not rows:
        return f"No birthday of {person} is recorded." if person else "No birthday is recorded."
    newest: dict[str, Record] = {}
    for row in sorted(rows, key=lambda row: row.seq):
        newest[key_of(row, reading.whose)] = row
    coming = sorted(newest.values(), key=lambda row: next_birthday(row.occurred_on, reading.today))
    if person is not None:
        row = coming[0]
        return f"{row.party}'s birthday is on {day_text(next_birthday(row.occurred_on, reading.today))}."
    shown = [
        f"{label_of(row, reading.whose) or 'unnamed'} on {day_text(next_birthday(row.occurred_on, reading.today))}"
        for row in coming[:10]
    ]
    return f"{count_text(len(coming), 'birthday')} recorded, the next first: {joined(shown)}."
