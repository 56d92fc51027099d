"""What is said first of all where somebody's life may be in danger (pure)."""

from __future__ import annotations

from datetime import tzinfo

from butler_specialist.locale import say
from butler_specialist.understanding.emergencies import emergency_numbers
from butler_specialist.understanding.language import Language
from butler_specialist.understanding.reading import Reading

__all__ = ["alarm_text", "kept_text", "whom_to_call"]


def alarm_text(reading: Reading) -> str:
    """Whom to call, at once, in the writer's language."""
    language = reading.language
    number = whom_to_call(reading.moment.tzinfo, language)
    call = say(language, "Call {number} now, or have somebody beside you call.", number=number)
    cannot = say(language, "I am a program: I cannot call for help.")
    return f"{call} {cannot}"


def kept_text(reading: Reading) -> str:
    """That the message is kept, and as what."""
    return say(reading.language, "Your message is kept as a note.")


def whom_to_call(zone: tzinfo | None, language: Language) -> str:
    """`112`, `999 or 112`; without a number that we are sure of, whichever is the local one."""
    match emergency_numbers(zone):
        case (one,):
            return one
        case (first, second):
            return say(language, "{first} or {second}", first=first, second=second)
    return say(language, "your local emergency number (112 in Europe)")
