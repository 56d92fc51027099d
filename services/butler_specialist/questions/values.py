"""The names of measured values (pure)."""

from __future__ import annotations

from typing import Final

from butler_contracts.language import Language
from butler_specialist.locale import noop, say
from butler_specialist.questions.kin import kin_called
from butler_specialist.understanding.household import kin_of

__all__ = ["value_called", "value_of"]

_NAMES: Final = {
    "blood_pressure": noop("blood pressure"),
    "weight": noop("weight"),
    "pulse": noop("pulse"),
    "temperature": noop("temperature"),
    "glucose": noop("glucose"),
    "height": noop("height"),
    "sleep": noop("sleep"),
    "steps": noop("steps"),
    "water": noop("water"),
    "running": noop("running"),
    "cycling": noop("cycling"),
    "swimming": noop("swimming"),
    "walking": noop("walking"),
}
_OF: Final = noop("{who}'s {value}")


def value_called(code: str | None, language: Language) -> str:
    """Return `blood pressure`."""
    return say(language, _NAMES.get(code or "", code or ""))


def value_of(code: str | None, party: str | None, language: Language) -> str:
    """Return `blood pressure`, or with a person `Leo's weight`."""
    value = value_called(code, language)
    if not party:
        return value
    kin = kin_of(party)
    return say(language, _OF, who=kin_called(kin, "", language) if kin else party, value=value)
