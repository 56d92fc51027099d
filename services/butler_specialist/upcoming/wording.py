"""What is said of a record that comes up, in the language of whoever is told (pure)."""

from __future__ import annotations

from typing import Final

from butler_specialist.locale import noop, say
from butler_specialist.profiles.finance.wording import bill_text
from butler_specialist.questions.wording import ended, quoted, when_text
from butler_specialist.understanding.language import Language
from butler_specialist.upcoming.occasions import Occasion

__all__ = ["occasion_text"]

_QUOTED_CHARS: Final = 140


def occasion_text(one: Occasion, language: Language) -> str:
    """`a bill of 84.20 EUR for electricity, due on Friday, 27 November 2026.`, and the like."""
    row = one.record
    if one.ride is not None:
        return ended(say(language, "departure {ride}", ride=one.ride.text(language)))
    if one.topic == "birthdays" and row.party:
        day = when_text(one.day, None, language)
        return say(language, "{who}'s birthday is on {day}.", who=row.party, day=day)
    if one.topic == "bills" and row.amount is not None and row.currency:
        return bill_text(row, language)
    quote = quoted(row.text, most=_QUOTED_CHARS, language=language)
    text = noop("{quote} is on {day}.")
    return say(language, text, quote=quote, day=when_text(one.day, None, language))
