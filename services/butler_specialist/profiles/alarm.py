"""What is said first of all where somebody's life may be in danger (pure)."""

from __future__ import annotations

from datetime import tzinfo
from gettext import NullTranslations

from butler_specialist.locale import texts_in
from butler_specialist.understanding.emergencies import emergency_numbers
from butler_specialist.understanding.language import language_of
from butler_specialist.understanding.reading import Reading

__all__ = ["alarm_text", "kept_text", "whom_to_call"]


def alarm_text(reading: Reading) -> str:
    """Whom to call, at once, in the writer's language."""
    texts = texts_in(language_of(reading.text))
    call = texts.gettext("Call {number} now, or have somebody beside you call.")
    cannot = texts.gettext("I am a program: I cannot call for help.")
    return f"{call.format(number=whom_to_call(reading.moment.tzinfo, texts))} {cannot}"


def kept_text(reading: Reading) -> str:
    """That the message is kept, and as what."""
    return texts_in(language_of(reading.text)).gettext("Your message is kept as a note.")


def whom_to_call(zone: tzinfo | None, texts: NullTranslations) -> str:
    """`112`, `999 or 112`; without a number that we are sure of, whichever is the local one."""
    match emergency_numbers(zone):
        case (one,):
            return one
        case (first, second):
            return texts.gettext("{first} or {second}").format(first=first, second=second)
    return texts.gettext("your local emergency number (112 in Europe)")
