# ruff: noqa: E501 - patterns stay on one line
"""Times of day (pure).

An ambiguous hour (am or pm), "at 5", is no time unless the text says which, or what it is for only ever happens in
one of them. Hours written as a clock shows them, "17:30", "08:00", are clear; so are "9 Uhr", "a las 9" and "at
7:30", but "at 5:30" and "3 Uhr" are not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import time
from functools import lru_cache
from typing import Final

from butler_kit.wording.folding import fold, one_of
from butler_specialist.understanding.calendar_words import HOURS
from butler_specialist.understanding.hour_ranges import HourRange, hour_ranges
from butler_specialist.understanding.kept import kept
from butler_specialist.understanding.recurrence import is_recurrence
from butler_specialist.understanding.spoken_hours import Spoken, spoken_hours
from butler_specialist.understanding.usual_hours import Half, usual_half

__all__ = ["Moment", "all_times", "find_times", "unclear_hour"]


@dataclass(frozen=True, slots=True)
class Moment:
    """A time of day in the text; `at` is None if it may be am or pm."""

    at: time | None
    start: int
    end: int
    twelve: time | None = None
    """The hour on a 12-hour clock, if no word, zero or larger number says am or pm."""


_NOT_IN_NUMBER: Final = r"(?<![\d:.,/-])"
_HALF: Final = r"(?P<half>[ap])\.?m\b"
_CLOCK: Final = tuple(
    re.compile(_NOT_IN_NUMBER + pattern)
    for pattern in (
        rf"(?P<h>[01]?\d|2[0-3])(?::|h)(?P<min>[0-5]\d)(?![\d:])(?: ?{_HALF}| ?(?P<uhr>uhr)\b)?",
        rf"(?P<h>[01]?\d|2[0-3])\.(?P<min>[0-5]\d) ?(?:(?P<uhr>uhr)\b|{_HALF})",
        r"(?<=\bum )(?P<h>\d)\.(?P<min>[0-5]\d)(?!\d|\.\d| ?(?:[€$£%]|(?:euros?|usd|chf|fr|kg|km)\b))",
        r"(?<=\bat |\bum )(?P<h>[01]\d|2[0-3])\.(?P<min>[0-5]\d)(?!\d|\.\d| ?(?:[€$£%]|(?:euros?|usd|chf|fr|kg|km)\b))",
        rf"(?P<h>1[0-2]|[1-9]) ?{_HALF}",
        r"(?:(?<=\ba )|(?<=\bvers )|(?<=\bdes )|(?<=\bjusqu'a ))(?P<h>[01]?\d|2[0-3]) h (?P<min>[0-5]\d)(?!\d)",
        r"(?:(?<=\ba )|(?<=\bvers )|(?<=\bdes )|(?<=\bjusqu'a ))(?P<h>[01]?\d|2[0-3]) h(?!\w| \d| de (?:route|voiture|vol|train|marche|bus|trajet))",
        r"(?<!\bslept )(?<!\bfor )(?<!\bdormi )(?<!\bpendant )(?<!\bworked )(?P<h>[01]?\d|2[0-3])h\b",
    )
)
_WORD: Final = one_of(HOURS)
_ENDS: Final = (
    r"(?=[,;!?)\n]|\.(?!\d)|$| (?:today|tomorrow|tonight|now|instead|jetzt|stattdessen|maintenant|ahora|on|in|this|next|every"
    r"|with|and|for|to|the|my|our|he|she|they|we|i|until|sharp|at|heute|morgen|am|im|mit|und|bei|beim|avec|chez|et|con|en|de la|de|por|du|y"
    rf"|{'|'.join(('monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'))})\b)"
)
_BARE: Final = re.compile(
    rf"\b(?:at|um|gegen|around|(?P<las>a las?)|vers) (?:(?P<h>[01]?\d|2[0-3])|(?P<word>{_WORD}))"
    rf"(?!(?:(?<=\bat \d)|(?<=\bat \d\d)) am\b){_ENDS}"
)
"""Excludes "at 8 am", in which "am" is not the German word."""
_LAS: Final = re.compile(
    rf"\b(?P<las>a las?) (?:(?P<h>[01]?\d|2[0-3])|(?P<word>{_WORD}))\b(?![:.,]\d)"
    r"(?= (?!(?:y|menos|personas|primer)))"
)
_UM: Final = re.compile(
    rf"\bum (?:(?P<h>[01]?\d|2[0-3])|(?P<word>{_WORD}))(?= (?!(?:euro|cent|prozent|grad|kilo|kg|pfund|meter|zentimeter|tage?n?|wochen?|stunden?|minuten?|monate?n?|jahre?n?"
    r"|uhr|mal|ecken?|punkte)\b)[^\W\d_])"
)
"""Excludes "um drei Tage"."""
_DOTTED: Final = re.compile(
    r"\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|morgen"
    r"|\d(?:st|nd|rd|th)),? (?:at |um |gegen )?(?P<h>[01]?\d|2[0-3])\.(?P<min>00|15|30|45)(?!\d|\.\d| ?(?:[€$£%]|eur|usd|chf|fr|kg|km|for|on|fur|bei)\b)"
)
"""After a day, with a full stop: "tuesday 6.30"."""
_HOUR: Final = re.compile(rf"\d|\b(?:{_WORD}|noon|midnight|mittags|mitternacht|midi|mediodia|minuit)")
"""What every time of day contains."""
_SPOKEN: Final = re.compile(
    rf"(?<![\w:.,/-])(?:(?P<h>[01]?\d|2[0-3]) ?|(?P<word>{_WORD}) )(?P<unit>uhr|o'clock"
    rf"|heures?)\b(?: (?P<min>[0-5]\d)\b)?"
)
_AFTER_NOON: Final = re.compile(
    r"\b(?:tonight|evening|afternoon|\w*abends?|\w*nachmittags?|soir|apres-midi|tarde|noche)\b"
)
_BEFORE_NOON: Final = re.compile(
    r"\b(?:morning|morgens|(?:jeden|heute?|gestern) morgen|\w*vormittags?|fruh|matin"
    r"|manana por la manana|de la manana|cada manana|todas las mananas|matins)\b"
)
_NAMED: Final = re.compile(
    r"\b(?:(?P<noon>at noon|mittags|a midi|al mediodia)|at midnight|um mitternacht|a minuit)\b"
)
_BESIDE: Final = 24
_FIRST_CLEAR: Final = 7
"""From this hour on "7 Uhr" and "at 7:30" are am as written."""


def find_times(text: str) -> tuple[Moment, ...]:
    """Return all unambiguous times of day in the order of the text."""
    return tuple(moment for moment in all_times(text) if moment.at is not None)


def unclear_hour(text: str) -> str | None:
    """Return the words of an ambiguous hour (am or pm), as the sender wrote them: "at 5"."""
    return next((text[moment.start : moment.end] for moment in all_times(text) if moment.at is None), None)


@kept
def all_times(text: str) -> tuple[Moment, ...]:
    """Return all times of day in the order of the text, including ambiguous ones."""
    folded = fold(text)
    if not _HOUR.search(folded):
        return ()
    found = [_clock(match) for pattern in _CLOCK for match in pattern.finditer(folded)]
    found += [
        _hour(match)
        for pattern in (_SPOKEN, _BARE, _LAS, _UM)
        for match in pattern.finditer(folded)
        if not is_recurrence(folded, *match.span())
    ]
    found += [_dotted(match) for match in _DOTTED.finditer(folded)]
    found += [_parted(spoken, folded) for spoken in spoken_hours(folded)]
    found += [_ranged(said, folded) for said in hour_ranges(folded)]
    found += [
        Moment(time(12 if match["noon"] else 0), match.start(), match.end())
        for match in _NAMED.finditer(folded)
    ]
    kept: list[Moment] = []
    for moment in sorted(
        (item for item in found if item is not None), key=lambda item: (item.start, -item.end)
    ):
        if not kept or moment.start >= kept[-1].end:
            kept.append(moment)
    return tuple(kept)


def _clock(match: re.Match[str]) -> Moment | None:
    groups = match.groupdict()
    hour, minute, half = int(groups["h"]), int(groups.get("min") or 0), groups.get("half")
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "p" else 0)
        return Moment(time(hour, minute), match.start(), match.end())
    loose = match.string.endswith("at ", 0, match.start()) and not match["h"].startswith("0")
    at = _of_day(hour, minute, match.string, clear=_FIRST_CLEAR) if loose else time(hour, minute)
    if not loose and len(match["h"]) == 1 and hour and _is_of_the_evening(match, hour):
        at = time(hour + 12, minute)
    twelve = _twelve(hour, minute, match.string) if len(match["h"]) == 1 else None
    return Moment(at, match.start() - 3 * loose, match.end(), twelve)


def _is_of_the_evening(match: re.Match[str], hour: int) -> bool:
    """Return whether an hour written with one digit is pm: "dinner 8:30", "8h du soir"."""
    said = _half_beside(match.string, *match.span())
    return (said or usual_half(match.string, hour)) == "p"


def _hour(match: re.Match[str]) -> Moment | None:
    """Return an hour without minutes; am or pm only if the text says so."""
    groups = match.groupdict()
    hour = int(match["h"] or HOURS[match["word"]])
    clock = groups.get("las") or groups.get("unit") not in (None, "o'clock")
    minute = int(groups.get("min") or 0)
    at = _of_day(hour, minute, match.string, clear=_FIRST_CLEAR if clock else 13)
    zero = (match["h"] or "").startswith("0")
    return Moment(at, match.start(), match.end(), None if zero else _twelve(hour, minute, match.string))


def _dotted(match: re.Match[str]) -> Moment:
    """Return the time at the place of the hour: the day before it is separate."""
    hour, minute = int(match["h"]), int(match["min"])
    at = _of_day(hour, minute, match.string, clear=_FIRST_CLEAR)
    return Moment(at, match.start("h"), match.end(), _twelve(hour, minute, match.string))


def _parted(spoken: Spoken, folded: str) -> Moment:
    hour, minute = spoken.hour, spoken.minute
    at = _of_day(hour, minute, folded, clear=_FIRST_CLEAR if spoken.clock else 13)
    return Moment(at, spoken.start, spoken.end, _twelve(hour, minute, folded))


def _ranged(said: HourRange, folded: str) -> Moment:
    """Return the first hour; the last may say am or pm: nobody is somewhere from 3 to 5 at night."""
    hour, minute = said.hour, said.minute
    half = said.half or (None if said.clock else _half_of_a_range(said, folded))
    if half is None or hour > 12:
        at = time(hour, minute) if said.clock or hour > 12 else None
        return Moment(at, said.start, said.end, _twelve(hour, minute, folded))
    return Moment(time(hour % 12 + (12 if half == "p" else 0), minute), said.start, said.end)


def _half_of_a_range(said: HourRange, folded: str) -> Half | None:
    if (half := _half_said(folded) or usual_half(folded, said.hour)) is not None:
        return half
    if 8 <= said.hour <= 11 and (said.last <= 6 or said.last == 12):
        return "a"
    return "p" if said.hour in (12, 1, 2, 3, 4) and said.hour % 12 < said.last <= 7 else None


def _twelve(hour: int, minute: int, folded: str) -> time | None:
    """Return the hour if it is only known on a 12-hour clock."""
    return time(hour, minute) if 1 <= hour <= 12 and _half_said(folded) is None else None


def _of_day(hour: int, minute: int, folded: str, *, clear: int) -> time | None:
    """Return the time; None if the text does not say am or pm of an hour before `clear`."""
    if 1 <= hour <= 12 and (half := _half_said(folded) or usual_half(folded, hour)):
        return time(hour % 12 + (12 if half == "p" else 0), minute)
    return time(hour, minute) if hour >= clear or (hour == 0 and clear < 13) else None


def _half_beside(folded: str, start: int, end: int) -> Half | None:
    """Return am or pm as the words directly beside an hour say: "8h du soir", "tonight 8:30"."""
    around = re.split(r"[,;.!?]", folded[max(0, start - _BESIDE) : start])[-1] + " | "
    return _half_in(around + re.split(r"[,;.!?]", folded[end : end + _BESIDE])[0])


@lru_cache(maxsize=64)
def _half_said(folded: str) -> Half | None:
    """Return am or pm if the whole text names only one of them; called for each of its hours."""
    return _half_in(folded)


def _half_in(folded: str) -> Half | None:
    evening, morning = _AFTER_NOON.search(folded) is not None, _BEFORE_NOON.search(folded) is not None
    if evening == morning:
        return None
    return "p" if evening else "a"
