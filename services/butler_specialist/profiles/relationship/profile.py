# ruff: noqa: E501 - patterns stay on one line
"""People and what is known about them: what is kept, and the answers (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from butler_kit.wording.folding import fold
from butler_specialist.locale import say
from butler_specialist.profiles.answering import Lookup
from butler_specialist.profiles.profile import Profile
from butler_specialist.profiles.relationship.birthdays import (
    AGE,
    BIRTHDAY,
    ages_text,
    birthday_of,
    birthdays_text,
    changed_text,
    tells_birthday,
)
from butler_specialist.profiles.relationship.notes import notes_of_days
from butler_specialist.profiles.relationship.persons import (
    asked_person,
    key_of,
    named_before,
    names,
    own_name,
)
from butler_specialist.profiles.relationship.shared import shared_contact
from butler_specialist.profiles.relationship.wording import (
    BY_PHONE,
    facts_text,
    note_text,
    noted_text,
    nothing_text,
)
from butler_specialist.questions.recognise import is_question
from butler_specialist.questions.remembered import asks_more, remembered
from butler_specialist.questions.wording import in_sentences, kept_only_text
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.calendar_words import MONTHS, WEEKDAYS
from butler_specialist.understanding.day import Side
from butler_specialist.understanding.people import person_in
from butler_specialist.understanding.prose import one_line
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.reminder_words import trigger_in

__all__ = ["RelationshipProfile"]

_KINDS: Final = ("birthday", "meeting", "appointment", "gift", "contact", "reminder", "note")
_SAID_ONLY: Final = frozenset({"note", "contact"})
"""Kinds that only answer with what they say."""
_GIFT: Final = re.compile(r"\b(?:gifts?|present|geschenk\w*|cadeau\w*|regalos?)\b")
_MET: Final = re.compile(
    r"\b(?:met|visited|saw|(?<!is )(?<!are )(?<!was )(?<!were )(?<!be )(?<!been )(?<!'s )called|had (?:coffee|dinner|lunch)|getroffen|traf|besucht|rencontre|vu|conoci"
    r"|visite)\b"
)
_CALLED: Final = re.compile(r"\bcalled\b(?! off\b)")
"""Being called a name is not a phone call, which `_MET` leaves out."""
_MET_SOMEBODY: Final = re.compile(r"\b(?:met|getroffen|traf|rencontre|conoci)\b")
"""Only people are met; a museum is visited, a film is seen."""
_COMING: Final = re.compile(
    r"\b(?:dinner|lunch|breakfast|coffee|drinks|party|wedding(?! anniversar)|meet(?:ing)?|visits?|appointment|essen"
    r"|treffen|hochzeit|besuch|\w*feier|\w*party|fete|fiesta|diner|dejeuner|mariage"
    r"|rendez-vous|cena|comida|boda|cita)\b"
)
_REMIND: Final = re.compile(r"\b(?:remind|call back|erinner\w*|rappelle|recuerdame|write to|ring)\b")
_REACH: Final = re.compile(r"(?P<mail>[\w.+-]+@[\w-]+\.[\w.-]+\w)|(?P<phone>\+?\d[\d ()/-]{6,18}\d)")
_REACH_WORD: Final = re.compile(
    r"\b(?:phone|number|mobile|telefon\w*|nummer|handy|email|e-mail|mail|address|adresse|numero|telefono"
    r"|correo|tel"
    r"|portable|movil|joindre|contacter|erreich\w*|landline|festnetz\w*|fixe|fijo"
    r"|(?:handy|telefon|mobil)nummer|reach|get hold of)\b"
)
_PRESENT: Final = re.compile(
    r"(?:gift|present|geschenk\w*|cadeau|regalo)(?: ?-?(?:idea|idee"
    r"|idée))?[^:]{0,60}:\s*(?P<a>[^.!?\n]{2,100})"
    r"|(?:give|schenken|offrir|regalar) (?:him|her|them|ihm|ihr)?\s*(?P<b>[^.!?\n]{2,80})",
    re.IGNORECASE,
)
_PLACE: Final = re.compile(
    r"\b(?:at|in|im|beim|bei|au|a la|en)\s+(?P<place>(?:the\s+|my\s+|a\s+)?[^\W\d][^.,;!?\d]{2,40})"
)

_ALSO_BORN: Final = re.compile(
    r"\W*(?:(?:and|und|et|y|der|die|das|celui|le|el|la|von|de|d')[ ']\s*)*(?P<who>[A-ZÄÖÜÉ][^\W\d_]+?)(?:['’]s?)?"
    r"(?: (?:is|has (?:his|hers)|ist|hat|est|es|am|on|the|le|el|a|au|al))*\s*(?=\d|[A-ZÄÖÜÉ]|$)"
)
"""How somebody else's birthday follows one."""

_ANOTHERS: Final = re.compile(
    r"(?P<who>[A-ZÄÖÜÉ][\w-]+['’]s (?:class )?(?:teacher|mum|mom|mother|dad|father|parents|grandma|grandpa|doctor"
    r"|dentist|coach|trainer|boss|friend|wife|husband|girlfriend|boyfriend|sister|brother|babysitter|tutor))\b(?!['’]s)"
)
_CAPITAL: Final = re.compile(r"(?<=[\w,] )[A-ZÄÖÜÉ][a-zäöüéß]+")


class RelationshipProfile(Profile):
    """Contacts, interactions, reminders and gifts."""

    name = "relationship"
    tells_people_apart = True
    kept = _KINDS
    topics = ("birthdays",)
    triggers = ("contacts", "interactions", "reminders", "gifts")

    def asked(self, reading: Reading) -> Lookup | None:
        return Lookup(_KINDS) if is_question(reading) else None

    def answer(self, reading: Reading, rows: Sequence[Record]) -> str:
        person = asked_person(reading, rows)
        wanted = reading.whose.key(person) if person is not None else None
        about = [row for row in rows if wanted is None or key_of(row, reading.whose) == wanted]
        if not about and person is not None:
            about = [row for row in rows if row.kind == "note" and names(row.text, person)]
        if reading.has(AGE) and (born := [row for row in about if row.kind == "birthday"]):
            return ages_text(born, reading)
        if reading.has(BIRTHDAY):
            return birthdays_text([row for row in about if row.kind == "birthday"], reading, person)
        if reading.has(_GIFT):
            gifts = [row for row in about if row.kind == "gift"]
            about = gifts or remembered(
                reading, [row for row in rows if row.kind == "note"], but=person or ""
            )
        elif reading.has(_REACH_WORD):
            about = [row for row in about if row.kind == "contact"] or remembered(
                reading, about, but=person or ""
            )
        elif person is None:
            about = [
                row
                for row in about
                if row.kind in ("appointment", "reminder")
                and row.occurred_on >= reading.today
                and row.done_on is None
            ] or remembered(reading, [row for row in rows if row.kind in ("note", "meeting")])
        if person is not None and not reading.has(_REACH_WORD):
            fitting = remembered(reading, about, but=person)
            others = [row for row in about if row.kind not in _SAID_ONLY]
            about = fitting or (others if asks_more(reading, but=person) else about)
        if not about:
            known = person is not None and any(key_of(row, reading.whose) == wanted for row in rows)
            return nothing_text(None if known else person, reading.language)
        return facts_text(about, person, reading)

    def compose(self, reading: Reading, *, household: bool) -> tuple[RecordDraft, ...]:
        shared = shared_contact(reading)
        if shared is not None:
            return (shared,)
        drafts: list[RecordDraft] = []
        person = first = own_name(reading)
        for sentence in reading.sentences:
            before = named_before(reading, sentence)
            person = person_in(sentence) or before or (None if _names_another(sentence) else person)
            first = first or person
            draft = _draft(sentence, reading, person) or _of_another(sentence, reading, drafts)
            if draft is not None:
                drafts.append(draft)
        if drafts:
            return tuple(drafts)
        return notes_of_days(reading, first or person)

    def used(self, sentence: Sentence, drafts: Sequence[RecordDraft], reading: Reading) -> bool:
        born = {draft.party for draft in drafts if draft.kind == "birthday"}
        return super().used(sentence, drafts, reading) or _also_born(sentence) in born - {None}

    def compared_with(self, drafts: Sequence[RecordDraft], reading: Reading) -> Lookup | None:
        return Lookup(("birthday",)) if any(draft.kind == "birthday" for draft in drafts) else None

    def acknowledge(
        self, drafts: Sequence[RecordDraft], rows: Sequence[Record], reading: Reading, *, household: bool
    ) -> str:
        if not household:
            return kept_only_text(reading.text, reading.language)
        if drafts[0].kind == "note":
            return " ".join(note_text(draft, reading) for draft in drafts)
        said = in_sentences([noted_text(draft, reading) for draft in drafts])
        changed = [text for draft in drafts if (text := changed_text(draft, rows, reading))]
        return " ".join([say(reading.language, "Noted: {facts}", facts=said), *changed])


def _names_another(sentence: Sentence) -> bool:
    """Return whether it may contain an unreadable name: then nobody named before is meant."""
    return any(
        fold(match.group()) not in WEEKDAYS and fold(match.group()) not in MONTHS
        for match in _CAPITAL.finditer(sentence.text)
    )


def _draft(sentence: Sentence, reading: Reading, person: str | None) -> RecordDraft | None:
    kind = _kind(sentence)
    if kind is None:
        return None
    side: Side = "past" if kind == "meeting" else "future"
    when = reading.when(sentence, side, usual="future" if kind == "birthday" else None)
    if kind == "birthday" and not when.named:
        return None
    if kind == "meeting" and person is None and not sentence.has(_MET_SOMEBODY):
        return None
    reach, present = _REACH.search(sentence.text), _PRESENT.search(sentence.text)
    place = _place(sentence) if kind in ("meeting", "appointment") else None
    return RecordDraft(
        kind=kind,
        occurred_on=birthday_of(sentence, when.day, reading) if kind == "birthday" else when.day,
        occurred_at=when.at if kind != "birthday" else None,
        party=(_another(sentence) or person) if kind == "contact" else person,
        place=place,
        title=_title(sentence, kind, present),
        code=reach.group().strip() if reach and kind == "contact" else None,
        details=({} if when.named else {"day": "of the message"}) | _by_phone(kind, sentence),
        text=reading.text_of(sentence),
    )


def _another(sentence: Sentence) -> str | None:
    """Return somebody named by their relation to another: "Ben's teacher"."""
    found = _ANOTHERS.search(sentence.text)
    return found["who"] if found is not None else None


def _by_phone(kind: str, sentence: Sentence) -> dict[str, str]:
    """Return the detail that marks a call rather than a meeting."""
    called = kind == "meeting" and sentence.has(_CALLED) and not sentence.has(_MET_SOMEBODY)
    return dict([BY_PHONE]) if called else {}


def _of_another(sentence: Sentence, reading: Reading, drafts: Sequence[RecordDraft]) -> RecordDraft | None:
    """Return somebody else's birthday in the same words: "… and Tom's is on 4 June"."""
    who = _also_born(sentence) if drafts and drafts[-1].kind == "birthday" else None
    if who is None:
        return None
    when = reading.when(sentence, "future", usual="future")
    day = birthday_of(sentence, when.day, reading)
    return RecordDraft("birthday", day, reading.text_of(sentence), party=who)


def _also_born(sentence: Sentence) -> str | None:
    """Return who is named, if the sentence is only a name and a day."""
    found = _ALSO_BORN.match(sentence.text) if sentence.days else None
    return found["who"] if found is not None and sentence.days[0].start <= found.end() else None


def _place(sentence: Sentence) -> str | None:
    """Return where it is, without the following day and time."""
    text = sentence.text
    spans = [(day.start, day.end) for day in sentence.days] + [(at.start, at.end) for at in sentence.times]
    for start, end in spans:
        text = f"{text[:start]}{';' * (end - start)}{text[end:]}"
    found = _PLACE.search(text)
    return (
        re.sub(r"(?:\s+(?:on|from|at|am|um|ab|le|el|the))+\s*$", "", found["place"]).strip()
        if found
        else None
    )


def _kind(sentence: Sentence) -> str | None:
    if tells_birthday(sentence) and (sentence.days or not sentence.has(_GIFT)):
        return "birthday"
    if trigger_in(sentence.folded) is not None:
        return "reminder"
    if sentence.has(_GIFT):
        return "gift"
    if sentence.has(_REACH_WORD) and _REACH.search(sentence.text):
        return "contact"
    if sentence.has(_REMIND):
        return "reminder"
    # A past event is read before a planned one: "met X; we are having dinner" are two sentences.
    if sentence.has(_MET):
        return "meeting"
    return "appointment" if sentence.has(_COMING) and sentence.days else None


def _title(sentence: Sentence, kind: str, present: re.Match[str] | None) -> str | None:
    if kind == "gift":
        return (present["a"] or present["b"]).strip() if present else one_line(sentence.text, most=200)
    if kind == "appointment":
        found = _COMING.search(sentence.folded)
        return sentence.text[found.start() : found.end()].lower() if found else None
    return one_line(sentence.text, most=300) if kind == "reminder" else None
