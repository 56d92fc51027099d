"""Whom a question asks about, and whose a record is (pure).

Invariants: a record belongs to one person, found by contact, address or name; what is said of somebody is never
given as somebody else's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from butler_contracts.language import Language
from butler_specialist.questions.kin import kin_called
from butler_specialist.store.model import Record
from butler_specialist.understanding.household import Whose, kin_of, teller_key
from butler_specialist.understanding.reading import Reading
from butler_specialist.understanding.subjects import UNKNOWN, mentions, named_in

__all__ = ["YOURS", "Asked", "asked_about", "by_person", "called", "name_of", "of_whom", "person_of"]

_EVERYONE: Final = re.compile(
    r"\b(?:who(?:se)?|anyone|anybody|everyone|everybody|all of us|each of us|we all|wer|wessen|jemand|alle|jeder|jede"
    r"|qui|quelqu'un|tout le monde|quien|quienes|alguien|todos)\b"
)

YOURS: Final = ""
"""The sender's name: a text of its own says "you"."""
OfWhom = tuple[str, str]
"""A text about the sender, and one about somebody else."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Whom a question is about: one person by key, with their name; everyone; or nobody in particular.

    `name` is empty for the sender; `word` is what a note may call somebody.
    """

    key: str | None = None
    name: str = ""
    word: str = ""
    everyone: bool = False


def asked_about(reading: Reading, rows: Sequence[Record]) -> Asked:
    """Find the person by a name in the records or contacts, by a name in the words, else by "my" or "who"."""
    whose = reading.whose
    things = [row.title for row in rows if row.title]
    found = [
        mention
        for mention in mentions(reading.text, known=whose.known, things=things, asking=True)
        if mention.who != UNKNOWN
    ]
    named = [mention.who for mention in sorted(found, key=lambda one: one.weak) if mention.who is not None]
    known = [
        *dict.fromkeys(row.party for row in rows if row.party and kin_of(row.party) is None),
        *whose.names.values(),
    ]
    name = named_in(reading.text, known) or next(iter(named), None)
    if name is not None:
        return _one(whose, name, reading.language)
    if _EVERYONE.search(reading.folded):
        return Asked(everyone=True)
    return Asked(whose.me) if any(mention.who is None for mention in found) else Asked()


def person_of(row: Record, whose: Whose) -> str:
    """Return the key of the person whom a record is about."""
    return whose.key(row.party, teller_key(row.contact_id, row.channel, row.sender))


def by_person(rows: Iterable[Record], whose: Whose) -> dict[str, list[Record]]:
    """Return the records of each person, in their order; the sender's own first."""
    found: dict[str, list[Record]] = {whose.me: []}
    for row in rows:
        found.setdefault(person_of(row, whose), []).append(row)
    return {key: kept for key, kept in found.items() if kept}


def name_of(row: Record, whose: Whose, language: Language = "en") -> str:
    """Return the name of the person whom a record is about: `Leo`, `your mother`; empty for the sender."""
    key, teller = person_of(row, whose), teller_key(row.contact_id, row.channel, row.sender)
    if key == whose.me:
        return YOURS
    if key in whose.names:
        return whose.names[key]
    if row.party is None:
        return row.sender
    kin = kin_of(row.party)
    if kin is None:
        return row.party
    of = YOURS if teller == whose.me else whose.names.get(teller, row.sender)
    return kin_called(kin, of, language)


def called(name: str | None, whose: Whose, language: Language = "en") -> str:
    """Return somebody's name for the sender: `Leo`, `your mother`; empty for the sender."""
    return YOURS if name is None else _one(whose, name, language).name


def of_whom(texts: OfWhom, who: str) -> str:
    """Return the text about the sender, or the one about `{who}`."""
    yours, theirs = texts
    return yours if who == YOURS else theirs


def _one(whose: Whose, name: str, language: Language) -> Asked:
    key = whose.key(name)
    if key == whose.me:
        return Asked(key)
    kin = kin_of(name) if key not in whose.names else None
    known = whose.names.get(key, name)
    return Asked(key, kin_called(kin, YOURS, language), kin) if kin else Asked(key, known, known.split()[0])
