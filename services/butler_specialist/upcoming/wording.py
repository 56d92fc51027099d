"""The texts about a record that comes up, in the recipient's language (pure)."""

from __future__ import annotations

from typing import Final

from butler_contracts.language import Language
from butler_specialist.locale import noop, say
from butler_specialist.profiles.finance.wording import bill_text
from butler_specialist.profiles.health.wording import quantity
from butler_specialist.questions.kin import kin_called
from butler_specialist.questions.wording import ended, quoted, when_text
from butler_specialist.store.model import Record
from butler_specialist.understanding.household import kin_of
from butler_specialist.upcoming.occasions import Occasion

__all__ = ["occasion_text"]

_QUOTED_CHARS: Final = 140


def occasion_text(one: Occasion, language: Language) -> str:
    """Return `a bill of 84.20 EUR for electricity, due on Friday, 27 November 2026.`, and the like."""
    row = one.record
    if one.ride is not None:
        return ended(say(language, "departure {ride}", ride=one.ride.text(language)))
    if one.topic == "tablets":
        return _tablet_text(row, language)
    if one.topic == "birthdays" and row.party:
        day = when_text(one.day, None, language)
        return say(language, "{who}'s birthday is on {day}.", who=row.party, day=day)
    if one.topic == "bills" and row.amount is not None and row.currency:
        return bill_text(row, language)
    quote = quoted(row.text, most=_QUOTED_CHARS, language=language)
    text = noop("{quote} is on {day}.")
    return say(language, text, quote=quote, day=when_text(one.day, None, language))


def _tablet_text(row: Record, language: Language) -> str:
    """`Amoxicillin 5 ml for Leo.`"""
    name = row.title or say(language, "a medication whose name I could not read")
    dose = f"{name} {quantity(row, language)}" if row.quantity is not None else name
    if not row.party:
        return ended(dose)
    return ended(say(language, "{dose} for {who}", dose=dose, who=_called(row.party, language)))


def _called(party: str, language: Language) -> str:
    kin = kin_of(party)
    return kin_called(kin, "", language) if kin is not None else party
