"""Passports, visas and the like: until when they are valid (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from butler_specialist.questions.wording import in_sentences
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.dates import day_text
from butler_specialist.understanding.folding import fold
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["DOCUMENT", "asks_document", "document_of", "document_text", "documents_text"]

DOCUMENT: Final = "document"
_NAME: Final = r"(?P<who>(?-i:[A-ZÄÖÜÉÈÁÍÓÚÑ])[\w-]+)"
_WHAT: Final = (
    r"(?P<what>passports?|visas?|esta|id cards?|identity cards?|driving licen[cs]es?|driver'?s licen[cs]es?"
    r"|residence permits?"
    r"|railcards?|travel insurance|reisep[aä]ss\w*|personalausweise?|ausweise?|f[uü]hrerscheine?|aufenthaltstitel"
    r"|passeports?|cartes? d'identit[eé]|permis de conduire|pasaportes?|dni|carn[eé] de conducir)"
)
_WORDS: Final = re.compile(rf"\b{_WHAT}\b", re.IGNORECASE)
_OF: Final = re.compile(
    rf"\b{_NAME}['’]?s? {_WHAT}\b|\b{_WHAT.replace('what', 'what2')} (?:of|von|de|d'|for"
    rf"|für) {_NAME.replace('who', 'who2')}",
    re.IGNORECASE,
)
_OWN: Final = frozenset(
    {"my", "our", "the", "your", "a", "her", "his", "mein", "unser", "der", "die", "das", "mon", "ma", "mi"}
)
_VALID: Final = re.compile(
    r"\b(?:expir\w*|valid (?:until|till|to)|runs? out|lauft .{0,60}\bab|gultig bis|ablauf\w*|valable jusqu|caduca\w*"
    r"|valido hasta|vence)\b|\bjusqu'au\b"
)
_NUMBER: Final = re.compile(
    r"\b(?:number|no\.?|nr\.?|nummer|num[eé]ro)[:\s]+(?P<n>(?=[A-Z0-9]*\d)[A-Z0-9]{5,20})\b", re.IGNORECASE
)


def document_of(sentence: Sentence, reading: Reading) -> RecordDraft | None:
    """The document that the clause gives a last day to; None when it gives none."""
    what = _WORDS.search(sentence.text)
    if what is None or not sentence.days or not sentence.has(_VALID):
        return None
    number = _NUMBER.search(sentence.text)
    return RecordDraft(
        kind=DOCUMENT,
        occurred_on=sentence.days[0].on(sentence.side("future")),
        title=_singular(what["what"]),
        party=_owner(sentence.text),
        code=number["n"] if number else None,
        text=reading.text_of(sentence),
    )


def document_text(draft: RecordDraft) -> str:
    """`Leo's passport expires on Wednesday, 12 May 2027 (number C01X00T47).`"""
    owner = f"{draft.party}'s " if draft.party else "the "
    number = f" (number {draft.code})" if draft.code else ""
    return f"{owner}{draft.title} expires on {day_text(draft.occurred_on)}{number}."


def asks_document(reading: Reading) -> bool:
    """Whether a question is about a document."""
    return _WORDS.search(reading.text) is not None


def documents_text(rows: Sequence[Record], reading: Reading) -> str:
    """What is known of the documents that the question names, the newest of each."""
    match = _WORDS.search(reading.text)
    asked, owner = _singular(match["what"]) if match else "document", _owner(reading.text)
    newest: dict[tuple[str, str], Record] = {}
    for row in sorted(rows, key=lambda row: row.seq):
        newest[fold(row.party or ""), row.title or ""] = row
    found = [
        row
        for row in newest.values()
        if row.title == asked and (owner is None or fold(row.party or "") == fold(owner))
    ]
    if not found:
        return f"No {asked}{f' of {owner}' if owner else ''} is noted."
    said = in_sentences([document_text(row) for row in found])
    return said[:1].upper() + said[1:]


def _owner(text: str) -> str | None:
    match = _OF.search(text)
    who = (match["who"] or match["who2"]) if match else None
    who = re.sub(r"['’]s$", "", who) if who else None
    return who if who and fold(who) not in _OWN else None


def _singular(word: str) -> str:
    lowered = word.lower()
    return lowered[:-1] if lowered.endswith("s") and not lowered.endswith("ss") else lowered
