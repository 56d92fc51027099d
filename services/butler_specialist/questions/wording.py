"""Pieces of sentences that every profile uses, in the writer's language (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time
from decimal import Decimal

from butler_contracts.language import Language
from butler_specialist.locale import calendar, joined, noop, say
from butler_specialist.understanding.dates import date_text, day_text
from butler_specialist.understanding.lists import PACKING, SHOPPING, TASKS
from butler_specialist.understanding.prose import one_line

__all__ = [
    "QUOTED_CHARS",
    "at_text",
    "doubt_text",
    "ended",
    "in_sentences",
    "joined",
    "kept_only_text",
    "list_called",
    "more_text",
    "number_text",
    "opened",
    "quoted",
    "short_day",
    "short_when",
    "when_text",
]

QUOTED_CHARS = 280
_LISTS = {SHOPPING: noop("shopping list"), TASKS: noop("to-do list"), PACKING: noop("packing list")}
_LIST = noop("{name} list")
_SOFT = str.maketrans(dict.fromkeys("“”„«»", "'"))


def in_sentences(parts: Sequence[str]) -> str:
    """Return the parts as sentences; all but the first open with a capital."""
    return " ".join(part if index == 0 else opened(part) for index, part in enumerate(parts))


def opened(said: str) -> str:
    """Return the words with a capital first letter."""
    return said[:1].upper() + said[1:]


def more_text(number: int, language: Language = "en") -> str:
    """Return how many are not named: `3 more`."""
    return say(language, "{number} more", number=number)


def number_text(value: Decimal, language: Language = "en") -> str:
    """`38.9`, in German `38,9`."""
    return format(value.normalize(), "f").replace(".", calendar.MARKS[language][1])


def quoted(text: str, *, most: int = QUOTED_CHARS, language: Language = "en") -> str:
    """Return the text as a quotation on one line; quotes inside it are softened, so that it stays one."""
    return say(language, "“{text}”", text=one_line(text, most=most).translate(_SOFT))


def ended(said: str) -> str:
    """Return the words with a full stop, unless a quotation at their end has one."""
    inner = said.removesuffix("”").removesuffix("“").removesuffix("»").rstrip()
    return said if inner != said and inner.endswith((".", "!", "?", "…")) else f"{said}."


def kept_only_text(text: str, language: Language = "en") -> str:
    """Return what the owner is told about a stranger's message without any fact."""
    quote = quoted(text, language=language)
    return say(language, "{quote} It is kept as a note; nobody answered it.", quote=quote)


def list_called(name: str, language: Language = "en") -> str:
    """`shopping list`."""
    return say(language, _LISTS.get(name, _LIST), name=name)


def short_day(day: date, today: date, language: Language = "en") -> str:
    """Return `21 November`, with the year if it is not this one."""
    return date_text(day, language, year=day.year != today.year)


def when_text(day: date, at: time | None = None, language: Language = "en") -> str:
    """Return `Saturday, 21 November 2026`, with the time if there is one."""
    return _with_time(day_text(day, language), at, language)


def short_when(day: date, at: time | None, today: date, language: Language = "en") -> str:
    """`21 November at 09:00`."""
    return _with_time(short_day(day, today, language), at, language)


def at_text(at: time | None, language: Language = "en") -> str:
    """` at 09:00`; empty without a time."""
    return say(language, " at {time}", time=at.strftime("%H:%M")) if at is not None else ""


def doubt_text(unclear: str | None, language: Language = "en") -> str:
    """Say that an hour may be morning or evening, so no time is stored; empty if none is unclear."""
    if not unclear:
        return ""
    hour = quoted(unclear, language=language)
    return " " + say(language, "No time is set: {hour} may be morning or evening.", hour=hour)


def _with_time(day: str, at: time | None, language: Language) -> str:
    return f"{day}{at_text(at, language)}"
