"""Health facts as they are said back (pure): everybody but the sender by name."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

from butler_contracts.language import Language
from butler_specialist.locale import noop, say
from butler_specialist.questions.persons import YOURS, called, of_whom
from butler_specialist.questions.values import value_called
from butler_specialist.questions.wording import joined, number_text, quoted, when_text
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.dates import day_text
from butler_specialist.understanding.reading import Reading

__all__ = ["allergy_text", "dose_text", "hours_text", "noted_text", "quantity"]

_VALUE: Final = (noop("{value} {quantity}"), noop("{who}'s {value} {quantity}"))
_ALLERGIC: Final = (noop("you are allergic to {substance}"), noop("{who} is allergic to {substance}"))


def quantity(item: RecordDraft, language: Language) -> str:
    """`38.9 °C`, `120/80 mmHg`."""
    value = number_text(item.quantity, language) if item.quantity is not None else ""
    second = f"/{number_text(item.quantity_second, language)}" if item.quantity_second is not None else ""
    return f"{value}{second} {item.unit or ''}".strip()


def noted_text(drafts: Sequence[RecordDraft], reading: Reading) -> str:
    """Say what was read from a message, with person and day; empty if nothing was."""
    language = reading.language
    values = [draft for draft in drafts if draft.kind == "measurement"]
    said = [_values_text(values, reading)] if values else []
    said += [_of_one(draft, reading) for draft in drafts if draft.kind == "medication"]
    said += [
        allergy_text(draft, called(draft.party, reading.whose, language), language)
        for draft in drafts
        if draft.kind == "allergy"
    ]
    planned = [draft for draft in drafts if draft.kind == "appointment"]
    text = noop("Noted: {facts}") if said or not planned else noop("Noted {facts}")
    said += [_appointment_text(draft, language) for draft in planned]
    return say(language, text, facts="; ".join(said)) if said else ""


def dose_text(item: RecordDraft, language: Language) -> str:
    """`ibuprofen 400 mg on Sunday, 22 November 2026 at 15:00`."""
    name = item.title or say(language, "a medication whose name I could not read")
    often = _often(item, language)
    much = f" {quantity(item, language)}".rstrip() if item.quantity is not None else ""
    dose = f"{name}{much}{often}"
    when = when_text(item.occurred_on, item.occurred_at, language)
    last = item.done_on.isoformat() if item.done_on else item.details.get("until")
    if last is not None:
        until = day_text(date.fromisoformat(last), language)
        return say(language, "{dose}, from {when}, until {day}", dose=dose, when=when, day=until)
    text = noop("{dose}, from {when}") if often else noop("{dose} on {when}")
    return say(language, text, dose=dose, when=when)


def hours_text(hours: str, language: Language) -> str:
    """`08:00 and 20:00`."""
    return joined(hours.split(), language)


def _often(item: RecordDraft, language: Language) -> str:
    """Return ` morgens und abends (08:00 und 20:00)`: the hours meant, if the words do not have them."""
    often, hours = item.details.get("frequency", ""), item.details.get("hours", "")
    shown = f" {often}" if often else ""
    if not hours:
        return shown
    said = hours_text(hours, language)
    return f"{shown} ({said})" if often else " " + say(language, "at {hours}", hours=said)


def allergy_text(draft: RecordDraft, who: str, language: Language) -> str:
    """`Leo is allergic to penicillin`."""
    return say(language, of_whom(_ALLERGIC, who), who=who, substance=draft.title)


def _values_text(values: Sequence[RecordDraft], reading: Reading) -> str:
    language = reading.language
    days = {(item.occurred_on, item.occurred_at) for item in values}
    named = [_value_text(item, reading) for item in values]
    whens = [when_text(item.occurred_on, item.occurred_at, language) for item in values]
    if len(days) == 1:
        named, whens = [joined(named, language)], whens[:1]
    return "; ".join(
        say(language, "{values} on {when}", values=value, when=when)
        for value, when in zip(named, whens, strict=True)
    )


def _value_text(item: RecordDraft, reading: Reading) -> str:
    language = reading.language
    who = called(item.party, reading.whose, language)
    text, value = of_whom(_VALUE, who), value_called(item.code, language)
    return say(language, text, who=who, value=value, quantity=quantity(item, language))


def _of_one(draft: RecordDraft, reading: Reading) -> str:
    dose, who = dose_text(draft, reading.language), called(draft.party, reading.whose, reading.language)
    return dose if who == YOURS else say(reading.language, "{who}'s {dose}", who=who, dose=dose)


def _appointment_text(draft: RecordDraft, language: Language) -> str:
    when = when_text(draft.occurred_on, draft.occurred_at, language)
    return say(language, "for {when}: {quote}", when=when, quote=quoted(draft.text, language=language))
