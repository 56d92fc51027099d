"""Passports, visas and the like: until when they are valid (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.folding import fold
from butler_specialist.locale import noop, say
from butler_specialist.questions.nothing import Nothing
from butler_specialist.questions.wording import in_sentences, opened
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.dates import day_text
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["DOCUMENT", "asks_document", "document_of", "document_text", "documents_text"]

DOCUMENT: Final = "document"
_NAME: Final = (
    r"(?P<who>(?!(?:my|our|the|your|an?|her|his|meine?|unsere?|deine?|der|die|das|mon|ma|mes|notre|les?|la|un|une|mis?|tu"
    r"|nuestro|el|los)\b)(?-i:[A-ZÄÖÜÉÈÁÍÓÚÑ])[\w-]+)"
)
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
_VALID: Final = re.compile(
    r"\b(?:expir\w*|valid (?:until|till|to)|runs? out|lauft .{0,60}\bab|gultig bis|ablauf\w*|valable jusqu|caduca\w*"
    r"|valido hasta|vence)\b|\bjusqu'au\b"
)
_NUMBER: Final = re.compile(
    r"\b(?:number|no\.?|nr\.?|nummer|num[eé]ro)[:\s]+(?P<n>(?=[A-Z0-9]*\d)[A-Z0-9]{5,20})\b", re.IGNORECASE
)


def document_of(sentence: Sentence, reading: Reading) -> RecordDraft | None:
    """Return the document whose last day the clause gives, or None."""
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


def document_text(draft: RecordDraft, language: Language) -> str:
    """`Leo's passport expires on Wednesday, 12 May 2027 (number C01X00T47).`"""
    number = " " + say(language, "(number {number})", number=draft.code) if draft.code else ""
    text = noop("the {document} expires on {day}{number}.")
    if draft.party:
        text = noop("{owner}'s {document} expires on {day}{number}.")
    what, day = _called(draft.title or "", language), day_text(draft.occurred_on, language)
    return say(language, text, owner=draft.party, document=what, day=day, number=number)


def _called(title: str, language: Language) -> str:
    """Return the word for a document as written: with a capital in German."""
    return opened(title) if language == "de" else title


def asks_document(reading: Reading) -> bool:
    """Return whether a question is about a document."""
    return _WORDS.search(reading.text) is not None


def documents_text(rows: Sequence[Record], reading: Reading) -> str:
    """Return what is known about the documents that the question names, the newest of each."""
    match, language = _WORDS.search(reading.text), reading.language
    asked = _singular(match["what"]) if match else say(language, "document")
    owner = _owner(reading.text)
    newest: dict[tuple[str, str], Record] = {}
    for row in sorted(rows, key=lambda row: row.seq):
        newest[fold(row.party or ""), row.title or ""] = row
    found = [
        row
        for row in newest.values()
        if row.title == asked and (owner is None or fold(row.party or "") == fold(owner))
    ]
    if not found:
        of_whom = noop("No {document} of {owner} is noted.") if owner else noop("No {document} is noted.")
        return Nothing(say(language, of_whom, document=_called(asked, language), owner=owner))
    return opened(in_sentences([document_text(row, language) for row in found]))


def _owner(text: str) -> str | None:
    match = _OF.search(text)
    who = (match["who"] or match["who2"]) if match else None
    who = re.sub(r"['’]s$", "", who) if who else None
    return who or None


def _singular(word: str) -> str:
    lowered = word.lower()
    return lowered[:-1] if lowered.endswith("s") and not lowered.endswith("ss") else lowered
