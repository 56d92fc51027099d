"""The first words if somebody may be in danger (pure): a number first, then what helps until then."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.danger import Danger
from butler_specialist.locale import noop, say
from butler_specialist.understanding.emergencies import Alarm
from butler_specialist.understanding.help_lines import emergency_numbers, lines_of
from butler_specialist.understanding.reading import Reading

__all__ = ["alarm_text", "whom_to_call"]

_CALL: Final = noop("Call {number} now, or have somebody beside you call.")
_PROGRAM: Final = noop("I am a program: I cannot call for help.")
_SAID: Final[Mapping[Danger, tuple[str, ...]]] = {
    Danger.LIFE: (_CALL, _PROGRAM),
    Danger.FIRE: (_CALL, noop("Get everybody outside first."), _PROGRAM),
    Danger.GAS: (
        _CALL,
        noop("Leave the building first: no flame, and touch no switch."),
        _PROGRAM,
    ),
    Danger.POISON: (_CALL, _PROGRAM),
    Danger.VIOLENCE: (
        noop("If you are in danger now, call {number}."),
        noop("I am sorry. It is not your fault, and you do not have to bear it alone."),
        noop("I am a program: please speak to a person whom you trust."),
    ),
    Danger.DESPAIR: (
        noop("If your life, or somebody's, is in danger now, call {number}."),
        noop("I am very sorry that it is this hard. You do not have to be alone with it."),
        noop("I am a program: please speak to a person whom you trust."),
    ),
}
_POISON_LINE: Final = noop("The poison centre advises at {line}.")
_TALK_LINE: Final = noop("At {line} somebody listens.")


def alarm_text(alarm: Alarm, reading: Reading) -> str:
    """Return whom to call, at once, in the sender's language."""
    zone, language = reading.moment.tzinfo, alarm.language
    number, lines = whom_to_call(zone, language), lines_of(zone)
    first, *rest = (say(language, text, number=number) for text in _SAID[alarm.danger])
    line = {
        Danger.POISON: (_POISON_LINE, lines.poison),
        Danger.VIOLENCE: (_TALK_LINE, lines.violence),
        Danger.DESPAIR: (_TALK_LINE, lines.despair),
    }.get(alarm.danger, ("", ""))
    beside = [say(language, line[0], line=line[1])] if line[1] else []
    return " ".join([first, *beside, *rest])


def whom_to_call(zone: tzinfo | None, language: Language) -> str:
    """Return `112`, `999 or 112`; if no number is certain, the words for the local one."""
    match emergency_numbers(zone):
        case (one,):
            return one
        case (first, second):
            return say(language, "{first} or {second}", first=first, second=second)
    return say(language, "your local emergency number (112 in Europe)")
