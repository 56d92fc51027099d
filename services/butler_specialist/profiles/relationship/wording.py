"""The texts about people, and what is known about them (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from butler_contracts.language import Language
from butler_specialist.locale import noop, say
from butler_specialist.profiles.relationship.birthdays import birthday_text, next_birthday
from butler_specialist.questions.nothing import Nothing
from butler_specialist.questions.wording import (
    ended,
    joined,
    opened,
    quoted,
    short_day,
    short_when,
    when_text,
)
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.reading import Reading

__all__ = ["BY_PHONE", "facts_text", "note_text", "noted_text", "nothing_text"]

_NOTED: Final = {
    "gift": noop("gift for {who}: {title}."),
    "contact": noop("{who} can be reached at {code}."),
    "meeting": noop("you met {who}{place} ({when})."),
    "appointment": noop("{title} with {who}{place} on {when}."),
}
BY_PHONE: Final = ("by", "phone")
"""In a meeting's details: it was a call."""
_CALL_NOTED: Final = noop("on the phone with {who} ({when}).")
_CALL_KNOWN: Final = noop("on the phone with {who} on {day}")
_KNOWN: Final = {
    "birthday": noop("birthday on {day}"),
    "gift": noop("gift idea {quote} for {who}"),
    "contact": noop("reached at {code}"),
    "meeting": noop("met on {day}"),
    "appointment": noop("{title} on {when}"),
}
_KNOWN_WITH: Final = {
    "meeting": noop("met {who} on {day}"),
    "appointment": noop("{title} with {who} on {when}"),
}
"""For a record that names somebody."""


def nothing_text(person: str | None, language: Language) -> str:
    """Say that nothing is known about somebody, or about the question."""
    about = noop("Nothing is recorded about {who}.") if person else noop("Nothing is recorded about that.")
    return Nothing(say(language, about, who=person), vague=not person)


def facts_text(rows: Sequence[Record], person: str | None, reading: Reading) -> str:
    """Return what is known, after the name of the person."""
    facts = joined([_fact(row, reading) for row in rows[:8]], reading.language)
    return say(
        reading.language, "{who}: {facts}.", who=person or say(reading.language, "Recorded"), facts=facts
    )


def note_text(note: RecordDraft, reading: Reading) -> str:
    """Return the text of a message that states only whom it is about or its day."""
    language, of_another_day = reading.language, note.occurred_on != reading.today
    text = noop("Noted for {when}: {quote}") if of_another_day else noop("Noted: {quote}")
    if note.party:
        today, dated = noop("Noted about {who}: {quote}"), noop("Noted about {who} for {when}: {quote}")
        text = dated if of_another_day else today
    when = when_text(note.occurred_on, note.occurred_at, language)
    quote = quoted(note.text, language=language)
    return ended(say(language, text, who=note.party, when=when, quote=quote))


def noted_text(draft: RecordDraft, reading: Reading) -> str:
    """Say what was understood of one record."""
    language = reading.language
    if draft.kind == "birthday":
        return birthday_text(draft, reading.today, language)
    who = draft.party or say(language, "somebody whose name I could not read")
    if draft.kind == "reminder":
        return _to_do_text(draft, language)
    if draft.kind not in _NOTED:
        return quoted(draft.text, language=language)
    place = say(language, " at {place}", place=draft.place) if draft.place else ""
    when = when_text(draft.occurred_on, draft.occurred_at, language)
    title = _called(draft, language)
    text = _CALL_NOTED if BY_PHONE in draft.details.items() else _NOTED[draft.kind]
    return say(language, text, who=who, title=title, code=draft.code, place=place, when=when)


def _called(draft: RecordDraft, language: Language) -> str | None:
    """Return the title; an appointment's is stored in lower case, which German does not use."""
    title = draft.title
    return opened(title) if title and language == "de" and draft.kind == "appointment" else title


def _to_do_text(draft: RecordDraft, language: Language) -> str:
    text = noop("to do (no date): {quote}") if draft.details else noop("to do on {when}: {quote}")
    quote = quoted(draft.title or draft.text, language=language)
    return say(language, text, when=when_text(draft.occurred_on, draft.occurred_at, language), quote=quote)


def _fact(row: Record, reading: Reading) -> str:
    language, today = reading.language, reading.today
    if row.kind not in _KNOWN:
        said = row.text if row.kind == "note" else row.title or row.text
        return f"{quoted(said, most=120, language=language)} ({short_day(row.occurred_on, today, language)})"
    day = next_birthday(row.occurred_on, today) if row.kind == "birthday" else row.occurred_on
    known: dict[str, str] = _KNOWN_WITH if row.party and row.kind in _KNOWN_WITH else _KNOWN
    by_phone = row.party and BY_PHONE in row.details.items()
    return say(
        language,
        _CALL_KNOWN if by_phone else known[row.kind],
        who=row.party or say(language, "somebody unnamed"),
        title=_called(row, language),
        code=row.code,
        quote=quoted(row.title or row.text, most=80, language=language),
        day=short_day(day, today, language),
        when=short_when(row.occurred_on, row.occurred_at, today, language),
    )
