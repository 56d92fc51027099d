"""Whom a record or a question of this subject is about (pure).

Contacts are found by either name, kin by who speaks of them, and "him" by who was named before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.folding import fold
from butler_specialist.questions.persons import name_of, person_of
from butler_specialist.store.model import Record
from butler_specialist.understanding.dates import find_days
from butler_specialist.understanding.household import Whose, kin_of, teller_key
from butler_specialist.understanding.people import person_in
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["asked_person", "key_of", "label_of", "named_before", "names", "own_name"]

_OWN: Final = re.compile(
    r"\b(?:my|mein(?:en?)?|mon|mi) (?:\d+\w* )?(?:birthday|bday|geburtstag|anniversaire|cumpleanos)\b"
)
_OTHERS: Final = re.compile(
    r"\b(?:his|her|he|she|sein(?:e[nmr]?)?|ihr(?:e[nmr]?)?|er|sie|son|sa|ses|il|elle|sus?|ella)\b"
)


def own_name(reading: Reading) -> str | None:
    """Return the sender's name if the text is about their own birthday and the contacts have one."""
    return reading.whose.names.get(reading.whose.me) if reading.has(_OWN) else None


def named_before(reading: Reading, sentence: Sentence) -> str | None:
    """Return who was named before, if the sentence is about "him" or "her": the one contact, else the only name."""
    if not reading.carried or not sentence.has(_OTHERS):
        return None
    said = [name for part in reading.carried.split(";") if (name := part.strip())]
    named = [name for name in said if name[0].isupper() and not find_days(name, reading.today)]
    known = [one for name in named if (one := _contact_in(name, reading.whose)) is not None]
    chosen = known or named
    return chosen[0] if len(chosen) == 1 else None


def _contact_in(name: str, whose: Whose) -> str | None:
    """Return the name, or the first word of it, that is a contact's: nouns of German begin with a capital too."""
    words = (name, name.split()[0])
    return next((word for word in words if whose.contact(word) is not None), None)


def key_of(row: Record, whose: Whose) -> str:
    """Return the key of the person whom a record names; empty if it names none."""
    return person_of(row, whose) if row.party else ""


def label_of(row: Record, whose: Whose, language: Language) -> str | None:
    """Return the name of a record's person as told, but `Tom's mother` for another person's kin."""
    others = teller_key(row.contact_id, row.channel, row.sender) != whose.me
    kin = row.party is not None and others and kin_of(row.party) is not None
    return name_of(row, whose, language) if kin else row.party


def names(text: str, person: str) -> bool:
    """Return whether a text names somebody: by first name, or with a kin word ("Tante Gerda") by another."""
    parts = [fold(part) for part in person.split()]
    called = [part for part in parts if kin_of(part) is None][:1] or parts[:1]
    return any(re.search(rf"\b{re.escape(part)}", fold(text)) for part in called)


def asked_person(reading: Reading, rows: Sequence[Record]) -> str | None:
    """Return the sender, a recorded person named in the question, or else the name in it."""
    if (own := own_name(reading)) is not None:
        return own
    for row in rows:
        if row.party and names(reading.text, row.party):
            return row.party
    return next((name for sentence in reading.sentences if (name := person_in(sentence))), None)
