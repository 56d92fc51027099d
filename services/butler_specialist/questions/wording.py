"""Pieces of sentences that every profile uses (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time

from butler_specialist.understanding.dates import MONTH_NAMES, day_text
from butler_specialist.understanding.prose import one_line

__all__ = [
    "QUOTED_CHARS",
    "at_text",
    "count_text",
    "doubt_text",
    "ended",
    "in_sentences",
    "joined",
    "quoted",
    "short_day",
    "short_when",
    "when_text",
]

QUOTED_CHARS = 280


def joined(parts: Sequence[str], *, word: str = "and") -> str:
    """`a, b and c`."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def in_sentences(parts: Sequence[str]) -> str:
    """The parts one after another; all but the first open with a capital."""
    return " ".join(part if index == 0 else part[:1].upper() + part[1:] for index, part in enumerate(parts))


def count_text(number: int, one: str, many: str | None = None) -> str:
    """`1 note`, `3 notes`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def quoted(text: str, *, most: int = QUOTED_CHARS) -> str:
    """The text as a quotation on one line; marks inside it are softened, so that it stays one quotation."""
    line = one_line(text, most=most).replace("“", "'").replace("”", "'")
    return f"“{line}”"


def ended(said: str) -> str:
    """The words with a full stop, unless a quotation at their end has one."""
    return said if said.endswith((".”", "!”", "?”", "…”")) else f"{said}."


def short_day(day: date, today: date) -> str:
    """`21 November`, with the year when it is another one."""
    name = f"{day.day} {MONTH_NAMES[day.month - 1]}"
    return name if day.year == today.year else f"{name} {day.year}"


def when_text(day: date, at: time | None = None) -> str:
    """`Saturday, 21 November 2026`, with the time when there is one."""
    return f"{day_text(day)}{at_text(at)}"


def short_when(day: date, at: time | None, today: date) -> str:
    """`21 November at 09:00`."""
    return f"{short_day(day, today)}{at_text(at)}"


def at_text(at: time | None) -> str:
    """` at 09:00`; empty without a time."""
    return f" at {at.strftime('%H:%M')}" if at is not None else ""


def doubt_text(unclear: str | None) -> str:
    """That an hour may be of the morning or of the evening, so no time is kept; empty where none is."""
    return f" No time is set: {quoted(unclear)} may be morning or evening." if unclear else ""
