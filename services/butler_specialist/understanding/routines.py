"""Routines at fixed hours, stated without a verb: "8 am tablets every day" (pure). EN, DE, FR, ES.

This asks for a reminder: nobody writes it down to know it.
"""

from __future__ import annotations

from datetime import date
from typing import Final

from butler_kit.wording.folding import fold
from butler_specialist.understanding.kept import kept
from butler_specialist.understanding.moments import said_in, spans_in
from butler_specialist.understanding.reminder_phrases import ROUTINE
from butler_specialist.understanding.repeats import repeat_in

__all__ = ["is_routine"]

_MOST: Final = 80


@kept
def is_routine(text: str, today: date) -> bool:
    """Return whether a clause is only how often, at what hour, and what."""
    if len(text) > _MOST or repeat_in(fold(text)) is None:
        return False
    left = text
    for start, end in reversed(spans_in(text, today, loose=False)):
        left = f"{left[:start]} {left[end:]}"
    return ROUTINE.match(" ".join(fold(left).split())) is not None and said_in(text, today).names_an_hour
