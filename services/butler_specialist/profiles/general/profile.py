"""Lists, notes, tasks and appointments: what is kept, and what answers a question (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from butler_contracts.invitation import CAPABILITY
from butler_kit.wording.folding import words
from butler_specialist.locale import noop, say
from butler_specialist.profiles.answering import Lookup
from butler_specialist.profiles.general.entries import drafts_of
from butler_specialist.profiles.general.first_contact import first_contact_text, small_talk
from butler_specialist.profiles.general.wording import (
    SHOWN,
    changes_text,
    entries_text,
    found_text,
    item_text,
    list_text,
    open_entries,
    open_items,
)
from butler_specialist.profiles.listed import Listed, first_of
from butler_specialist.profiles.profile import Profile
from butler_specialist.questions.nothing import Nothing
from butler_specialist.questions.periods import Period, period_of
from butler_specialist.questions.recognise import is_question
from butler_specialist.questions.remembered import asks_more, remembered
from butler_specialist.questions.wording import kept_only_text, quoted
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.errands import Errand, errand_of
from butler_specialist.understanding.list_questions import ListAsked, list_asked
from butler_specialist.understanding.lists import TASKS, change_of, list_changes, list_name
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.requests import Request

__all__ = ["GeneralProfile", "open_items"]

_LISTS: Final = ("list_item", "list_removal")
_ENTRIES: Final = ("appointment", "task")
_NOTES: Final = ("note", *_ENTRIES)
_AGENDA: Final = re.compile(
    r"\b(?:what(?:'s| is) (?:on|next|up|coming)\b(?! the (?!calendar|agenda|schedule))|plans?|calendar|agenda"
    r"|schedule"
    r"|appointments?|(?:have|need) to do|was steht|termine?|kalender|vor\b|planning|prevu|rendez-vous|citas?"
    r"|planes)\b"
)
_CALLED: Final = " ".join(
    words(
        "appointment appointments date dates plan plans calendar agenda schedule next coming upcoming termin termine"
        " kalender nachste nachster nachsten planning rendez-vous rendez vous rdv prochain prochains prochaine"
        " chez cita citas proxima proximas planes prevu"
    )
)
"""Words that name the kind of an entry, not the entry: "when is my dentist appointment?"."""
_WHEN: Final = re.compile(r"\b(?:when|what time|wann|wie viel uhr|quand|quelle heure|cuando|que hora)\b")
_NO_WORDS: Final = noop(
    "Kept {quote}. I cannot read stickers, pictures or recordings; write in words what should be noted."
)
_HAS_WORDS: Final = noop("Kept as a note: {quote}.")
_A_PLACE: Final = noop("Kept as a note: {quote}. I can't tell which place that is; its name in words helps.")
_NO_GOODS: Final = re.compile(
    r"\b(?:music|songs?|tickets?|seats?|musik|lied|karten|musique|chansons?|billets?|places|musica|cancion\w*|entradas?"
    r"|billetes?)\b(?!.*\blist)"
)
"""Things on no shopping list: "get two tickets"."""
_DATA: Final = re.compile(r"\[(?:location|place|contact|poll|dice)\b")
"""A connector's description of a message without text, which is all there is of it."""


class GeneralProfile(Profile):
    """The catch-all."""

    name = "general"
    kept = (*_LISTS, *_NOTES)
    triggers: tuple[str, ...] = ("catch-all",)
    capabilities = (*Profile.capabilities, CAPABILITY)
    keeps_sums = True
    remembers_in_passing = True

    def asked(self, reading: Reading) -> Lookup | None:
        if list_changes(reading) or small_talk(reading) is not None:
            return None
        listed = _list_asked(reading)
        if listed is not None:
            return Lookup((*_LISTS, "task") if listed.name == TASKS else _LISTS)
        if not is_question(reading):
            return None
        kinds = _ENTRIES if reading.has(_AGENDA) else _NOTES
        period = period_of(reading, usual="future")
        if period is not None:
            return Lookup(kinds, period.start, period.end)
        return Lookup(kinds, reading.today if kinds is _ENTRIES else None)

    def agenda(self, reading: Reading) -> Period | None:
        listed = _list_asked(reading)
        if listed is not None:
            return Period(None, None, "") if listed == ListAsked(TASKS) else None
        if not reading.has(_AGENDA):
            return None
        return period_of(reading, usual="future") or Period(reading.today, None, "")

    def answer(self, reading: Reading, rows: Sequence[Record]) -> str:
        listed = _list_asked(reading)
        if listed is not None:
            return item_text(listed, rows, reading) if listed.item else list_text(listed.name, rows, reading)
        found = _found(reading, rows)
        if not found:
            period = period_of(reading, usual="future")
            return _nothing_text(period, reading, agenda=reading.has(_AGENDA) and not _asks_for_one(reading))
        return found_text(found, reading)

    def listed(self, reading: Reading, rows: Sequence[Record]) -> Listed:
        asked = _list_asked(reading)
        if asked is not None:
            return Listed() if asked.item else Listed(open_entries(rows, asked.name))
        return first_of(_found(reading, rows), SHOWN)

    def compose(self, reading: Reading, *, household: bool) -> tuple[RecordDraft, ...]:
        """Return a member's entries; their small talk states nothing, and a stranger's message is a note."""
        if not household:
            return (RecordDraft(kind="note", occurred_on=reading.today, text=reading.text),)
        return () if small_talk(reading) is not None else drafts_of(reading)

    def does(self, request: Request) -> bool:
        """Return whether it is a change to a list."""
        if request.sentence.has(_NO_GOODS) and errand_of(request.sentence) in (Errand.PLAY, Errand.ARRANGE):
            return False
        return change_of(request.sentence) is not None

    def used(self, sentence: Sentence, drafts: Sequence[RecordDraft], reading: Reading) -> bool:
        whole = any(draft.kind in _NOTES and draft.text == reading.text for draft in drafts)
        alone = any(draft.text == sentence.text for draft in drafts)
        return whole or alone or super().used(sentence, drafts, reading)

    def compared_with(self, drafts: Sequence[RecordDraft], reading: Reading) -> Lookup | None:
        kinds = {draft.kind for draft in drafts}
        return Lookup(_LISTS) if kinds & set(_LISTS) else None

    def acknowledge(
        self, drafts: Sequence[RecordDraft], rows: Sequence[Record], reading: Reading, *, household: bool
    ) -> str:
        if not household:
            return kept_only_text(reading.text, reading.language)
        talk = small_talk(reading)
        if talk is not None:
            return first_contact_text(talk, reading)
        if reading.descriptor is not None:
            quote = quoted(reading.descriptor.strip("[]"), language=reading.language)
            text = _HAS_WORDS if _DATA.match(reading.descriptor) else _NO_WORDS
            text = _A_PLACE if reading.descriptor.startswith("[location") else text
            return say(reading.language, text, quote=quote)
        changes = [change for change in list_changes(reading) if change.name != TASKS or change.removed]
        said = [changes_text(changes, rows, reading.language)] if changes else []
        entries = [draft for draft in drafts if draft.kind in _NOTES]
        return " ".join([*said, entries_text(entries, reading)] if entries else said)


def _found(reading: Reading, rows: Sequence[Record]) -> list[Record]:
    """Return the entries that answer a question, in the order of the answer."""
    agenda, period = reading.has(_AGENDA), period_of(reading, usual="future")
    found = list(rows) if period or agenda else remembered(reading, rows)
    if not agenda:
        return found
    if period is None:
        named = remembered(reading, rows, but=_CALLED)
        found = named if named or _asks_for_one(reading) else found
    coming = (row for row in found if "day" not in row.details and row.done_on is None)
    return sorted(coming, key=lambda row: (row.occurred_on, row.seq))


def _asks_for_one(reading: Reading) -> bool:
    """Return whether it asks when a named thing is, rather than what there is."""
    return reading.has(_WHEN) and asks_more(reading, but=_CALLED)


def _list_asked(reading: Reading) -> ListAsked | None:
    """Return what is asked about a list, named or not."""
    asked = list_asked(reading)
    if asked is not None or not is_question(reading):
        return asked
    name = list_name(reading)
    return ListAsked(name) if name is not None else None


def _nothing_text(period: Period | None, reading: Reading, *, agenda: bool) -> str:
    text = noop("I found nothing about that in what I have noted.")
    if period is not None:
        text = noop("I found nothing {period} in what I have noted.")
    elif agenda:
        text = noop("I found nothing in what I have noted.")
    said = say(reading.language, text, period=period.label if period else "")
    return Nothing(said, vague=period is None)
