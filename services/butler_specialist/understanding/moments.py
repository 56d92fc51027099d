"""When something is due: a day, hours, a wait, a frequency, a time before something (pure).

EN, DE, FR, ES.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, time
from functools import lru_cache
from itertools import chain
from typing import Final

from butler_kit.wording.folding import fold
from butler_specialist.understanding.calendar_words import HOURS
from butler_specialist.understanding.dates import find_days
from butler_specialist.understanding.day import Day
from butler_specialist.understanding.day_parts import part_in, part_spans
from butler_specialist.understanding.durations import Duration, duration_at
from butler_specialist.understanding.kept import kept
from butler_specialist.understanding.repeats import Repeat, repeat_in
from butler_specialist.understanding.times import Moment, all_times

__all__ = ["Said", "Span", "said_in", "spans_in"]

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Said:
    """What words say about when.

    `part` is the usual hour of a part of the day, `ahead` the time before something.
    """

    day: Day | None = None
    others: tuple[Day, ...] = ()
    hours: tuple[Moment, ...] = ()
    part: time | None = None
    wait: Duration | None = None
    repeat: Repeat | None = None
    until: date | None = None
    ahead: Duration | None = None

    @property
    def names_a_day(self) -> bool:
        """Whether it says on which day, and not only at what hour."""
        return bool(self.day or self.wait or self.repeat or self.ahead)

    @property
    def names_an_hour(self) -> bool:
        """Whether it says at what hour."""
        clock = self.wait is not None and self.wait.of_the_clock
        elapsing = self.repeat is not None and self.repeat.frequency in ("HOURLY", "MINUTELY")
        return bool(self.hours or self.part or clock or elapsing or self.ahead)


_NUMBER: Final = rf"(?:(?P<h>1?\d|2[0-3])|(?P<word>{'|'.join(HOURS)}))\b(?![:.,/h-]?\d|[:/h%°-])"
_BARE_HOUR: Final = re.compile(
    rf"\b(?:at|um|gegen|around|a las?|(?P<loose>by|vers|for|fur|pour|auf"
    rf"|para las?)) {_NUMBER}"
    r"(?(loose)(?=[,;]?\s*$|,)|(?! ?(?:people|persons?|guests|personen|personnes|personas|prozent|percent"
    r"|degrees|grad|[€$£]|eur|usd)))"
)
_WAITS: Final = re.compile(
    r"\b(?:in|dans|en|dentro de|d'ici|for|fur|pour|auf|de|para) (?:about |etwa |ca\.? |rund )?"
)
_FROM_NOW: Final = re.compile(
    r",? (?:from now|from today|later|spater|plus tard|mas tarde|a partir de (?:ahora|hoy))\b"
)
_AHEAD: Final = re.compile(
    r",? (?:before(?:hand)?|earlier|ahead(?: of)?|in advance|prior(?: to)?|vorher|davor|zuvor|im voraus"
    r"|vor(?! (?:allem))"
    r"|avant|a l'avance|plus tot|antes(?: de| del)?|de antelacion|con antelacion)\b"
)
_ONE_AHEAD: Final = re.compile(
    r"\b(?:(?P<day>(?:on )?the (?:day|night|evening)|am (?:tag|abend)|(?:le|el) (?:jour|dia))(?= (?:before|vor"
    r"|davor|vorher|zuvor|avant|antes)\b)"
    r"|(?P<eve>la veille|la vispera)|(?P<week>the week|in der woche|la semaine|la semana)(?= (?:before|vor"
    r"|davor|vorher|avant|antes)\b)"
    r"|(?P<hour>the hour)(?= before\b))"
)
_ONES: Final = {
    "day": Duration(days=1), "eve": Duration(days=1), "week": Duration(days=7), "hour": Duration(seconds=3600),
}  # fmt: skip
_BEFORE_WORDS: Final = re.compile(
    r"(?:\b(?:on|at|by|around|in the|in|this|coming|starting|beginning|from|until|till|um|am|gegen|ab|zum|den"
    r"|dem|in der"
    r"|bis|bis zum|jeweils|immer|le|ce|cet|les|a|au|vers|a partir d[eu]|jusqu'a|jusqu'au|el|los|las|por|por la"
    r"|a la|a las"
    r"|esta|este|desde|hasta|hasta el|sobre las?|starting on|from the) )+$|\b[ldj]usqu'a?u?$|\bl'$"
)
_UNTIL: Final = re.compile(r"\b(?:until|till|bis|bis zum|jusqu'au|jusqu'a|hasta|hasta el)\s*$")
_OF_A_THING: Final = re.compile(r"(?:'s|-[a-z]|'(?= ))")
"""After a day or an hour that is part of a thing's name: "Friday's meeting", "Montags-Termin"."""
_MOST: Final = 500
"""The most characters; a longer clause is no wish of a person."""


@kept
def said_in(text: str, today: date) -> Said:
    """Return what the words say, all of which are about when."""
    folded = fold(text)
    repeat = repeat_in(folded)
    taken = [(repeat.start, repeat.end)] if repeat else []
    ahead = next(_aheads(folded), None)
    taken += [ahead[1]] if ahead else []
    wait = next((found for found in _waits(folded) if _free(found[1], taken)), None)
    taken += [wait[1]] if wait else []
    days = [day for day in find_days(text, today) if _free((day.start, day.end), taken)]
    limit = next((day for day in days if repeat and _UNTIL.search(folded[: day.start])), None)
    named = [day for day in days if day is not limit]
    return Said(
        day=named[0] if named else None,
        others=tuple(named[1:]) if repeat is None else (),
        hours=tuple(hour for hour in _hours(text, folded) if _free((hour.start, hour.end), taken)),
        part=part_in(folded),
        wait=wait[0] if wait else None,
        repeat=repeat,
        until=limit.on("future") if limit else None,
        ahead=ahead[0] if ahead else None,
    )


@kept
def spans_in(text: str, today: date, *, loose: bool) -> tuple[Span, ...]:
    """Return where words about when stand, joined where adjacent; with `loose` also a range of weekdays."""
    if len(text) > _MOST:
        return ()
    folded = fold(text)
    found = sorted(
        (_with_its_words(folded, span), span[1])
        for span in _all(text, folded, today, loose=loose)
        if not _OF_A_THING.match(folded, span[1])
    )
    joined: list[Span] = []
    for start, end in found:
        if joined and _JOINT.fullmatch(folded, joined[-1][1], max(start, joined[-1][1])):
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)


_JOINT: Final = re.compile(r"[\s,]*(?:(?:and|und|et|y|um|at|a|immer|jeweils)\s+)?")


def _all(text: str, folded: str, today: date, *, loose: bool) -> Iterator[Span]:
    repeat = repeat_in(folded)
    if repeat and (loose or not repeat.loose):
        yield repeat.start, repeat.end
    yield from ((day.start, day.end) for day in find_days(text, today))
    yield from ((hour.start, hour.end) for hour in _hours(text, folded))
    yield from (span for _, span in chain(_waits(folded), _aheads(folded)))
    yield from part_spans(folded)


def _with_its_words(folded: str, span: Span) -> int:
    """Return where it starts, including the small words before it: "on Monday", "am Freitag"."""
    before = _BEFORE_WORDS.search(folded, max(0, span[0] - 40), span[0])
    return before.start() if before else span[0]


def _free(span: Span, taken: list[Span]) -> bool:
    return all(span[1] <= start or end <= span[0] for start, end in taken)


def _hours(text: str, folded: str) -> list[Moment]:
    found = [hour for hour in all_times(text) if not _is_named_part(hour, folded)]
    for match in _BARE_HOUR.finditer(folded):
        if _free(match.span(), [(hour.start, hour.end) for hour in found]):
            hour = int(match["h"] or HOURS[match["word"]])
            twelve = time(hour) if 1 <= hour <= 12 else None
            found.append(Moment(None if twelve else time(hour), *match.span(), twelve))
    return sorted(found, key=lambda hour: hour.start)


def _is_named_part(hour: Moment, folded: str) -> bool:
    """Return whether it is noon or midnight, which are parts of the day here."""
    return not any(char.isdigit() for char in folded[hour.start : hour.end]) and any(
        part_spans(folded, hour.start, hour.end)
    )


def _waits(folded: str) -> Iterator[tuple[Duration, Span]]:
    """Yield waits: "in ten minutes", "two hours from now"; after "for" only hours and minutes, of a timer."""
    for match in _WAITS.finditer(folded):
        found = duration_at(folded, match.end())
        said = match.group().split()[0]
        if not found or _AHEAD.match(folded, found[1]):
            continue
        if said in ("in", "dans", "en", "dentro", "d'ici") or found[0].of_the_clock:
            yield found[0], (match.start(), found[1])
    for duration, (start, end) in _durations(folded):
        if later := _FROM_NOW.match(folded, end):
            yield duration, (start, later.end())


def _aheads(folded: str) -> Iterator[tuple[Duration, Span]]:
    for match in _ONE_AHEAD.finditer(folded):
        said = _AHEAD.match(folded, match.end())
        yield _ONES[match.lastgroup or "day"], (match.start(), said.end() if said else match.end())
    for duration, (start, end) in _durations(folded):
        if before := _AHEAD.match(folded, end):
            yield duration, (start, before.end())


_COUNT_STARTS: Final = re.compile(r"(?<![\w.,:])(?=\d{1,4}[ a-z]|[a-z]{1,14} ?[a-z])")


@lru_cache(maxsize=64)
def _durations(folded: str) -> tuple[tuple[Duration, Span], ...]:
    found: list[tuple[Duration, Span]] = []
    last = 0
    for match in _COUNT_STARTS.finditer(folded):
        span = duration_at(folded, match.start()) if match.start() >= last else None
        if span:
            last = span[1]
            found.append((span[0], (match.start(), last)))
    return tuple(found)
