"""Weekdays: "Thursday", "last Friday", "Freitagabend", "Montag nächster Woche" (pure).

A short name that is also another word ("sat", "mar") is a weekday only if the words around it say so. A weekday
beside a date belongs to that date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from butler_kit.wording.folding import one_of
from butler_specialist.understanding.calendar_words import DAY_PARTS, WEEKDAYS
from butler_specialist.understanding.day import Day

__all__ = ["weekdays", "with_their_weekdays"]

_EACH: Final = frozenset({"every", "each", "jede", "jeden", "jeder", "jedes", "jedem", "cada"})
"""Words of recurrence: the next day is meant."""
_LAST: Final = r"last|past|letzte[nrsm]?|vorige[nrsm]?|vergangene[nrsm]?|el pasado"
_NEXT: Final = r"next|nachste[nrsm]?|el proximo"
_OTHER: Final = (
    r"this|coming|kommende[nrsm]?|diese[nrsm]?|(?:every|each) (?:other|second)|every|each|jede[nrsm]? zweite[nrsm]?"
    r"|jede[nrsm]?|ce|este|cada"
)
_OVER_NEXT: Final = r"ubernachste[nrsm]?"
_LAST_AFTER: Final = r"dernier|pasado"
_NEXT_AFTER: Final = r"prochains|prochain|proximo|que viene"
_OVER_NEXT_AFTER: Final = r"after next"
_WEEKS: Final = {
    "last week": -1, "letzte woche": -1, "letzter woche": -1, "vorige woche": -1, "la semaine derniere": -1,
    "la semana pasada": -1, "this week": 0, "diese woche": 0, "dieser woche": 0, "cette semaine": 0, "esta semana": 0,
    "next week": 1, "nachste woche": 1, "nachster woche": 1, "la semaine prochaine": 1, "la proxima semana": 1,
    "la semana que viene": 1,
}  # fmt: skip
_WEEK: Final = one_of(_WEEKS)
_NAME: Final = one_of(WEEKDAYS)
_NAMED: Final = re.compile(
    rf"\b(?:(?P<before>{_WEEK})(?: on| am| le| el)? )?"
    rf"(?:(?:(?P<last>{_LAST})|(?P<next>{_NEXT})|(?P<over>{_OVER_NEXT})|(?P<other>{_OTHER})) )?"
    rf"(?P<w>{_NAME})(?:{DAY_PARTS}|nacht|(?:(?<=day)|(?<=tag)|(?<=woch)|(?<=abend)|(?<=di)|(?<=manche)|(?<=sabado)|(?<=domingo))(?P<many>s))?\b"
    rf"(?: (?:(?P<lastafter>{_LAST_AFTER})|(?P<nextafter>{_NEXT_AFTER})|(?P<overafter>{_OVER_NEXT_AFTER}))\b)?"
    rf"(?:(?:,| of| de)? (?P<week>{_WEEK})\b)?"
)
_SHORT: Final = frozenset({"mon", "sat", "sun", "wed", "mar", "martes"})
_INTRODUCED: Final = re.compile(r"\b(?:on|by|until|till|since|from|am|le|el|los|du|au|al|del)\s*$")
_AFTER_ANOTHER: Final = re.compile(rf"\b(?:{_NAME})[ ,/&+-]{{1,3}}$")
"""Another weekday right before it: "thurs fri sat"."""
_BEFORE_ANOTHER: Final = re.compile(rf"[ ,/&+-]{{1,3}}(?:{_NAME})\b")
_LISTED: Final = re.compile(r"[ ,/&+-]{1,3}|,? ?(?:and|und|et|y) (?:the |on |am |le |el )?")
_WEEK_SAID: Final = re.compile(rf"\b(?:{_WEEK})\b")
_SINCE: Final = re.compile(r"\b(?:since|seit|depuis|desde)(?: (?:dem|le|el))?\s*$")
_UP_TO: Final = re.compile(
    r"\b(?:by|before|until|till|bis|bis zum|vor|avant|d'ici|hasta|antes del?)(?: (?:le|el|dem))?\s*$"
)
_FROM_ON: Final = re.compile(
    r"\b(?:ab|starting|beginning|as of|a partir d[eu]l?|a partir de(?: este)?)(?: (?:on|this|dem|le|el))*\s*$"
)
"""Something that began on a weekday began on the last one; what will begin, and a deadline, is the next one."""
_TIMED: Final = re.compile(
    r",? (?:at |um |a |a las? )?(?:(?:[01]?\d|2[0-3])(?:[:h]\d\d| ?uhr\b| ?[ap]\.?m\b)|(?:from|between) \d"
    r"|(?:half|quarter|noon|lunchtime|morning|afternoon|evening|night|all day)\b)"
)
_BESIDE: Final = re.compile(r",?\.? ?(?:the |den |dem |le |el |\()?")


def weekdays(folded: str, today: date) -> Iterator[Day]:
    """Yield every weekday that the text names."""
    yield from _in_one_week(
        [_meant(match, today) for match in _NAMED.finditer(folded) if _is_named(match)], folded
    )


def _in_one_week(found: list[Day], folded: str) -> Iterator[Day]:
    """Yield the days; the last of "Mon, Wed and Fri next week" says in which week they all are."""
    week: Day | None = None
    for place in range(len(found) - 1, -1, -1):
        day, behind = found[place], found[place + 1] if place + 1 < len(found) else None
        joined = behind is not None and _LISTED.fullmatch(folded, day.end, behind.start) is not None
        week = week if joined and week is not None else None
        if week is not None and day.before != day.after:
            meant = week.day - timedelta(days=(week.day.weekday() - day.day.weekday()) % 7)
            found[place] = replace(day, day=meant, before=meant, after=meant)
        elif _WEEK_SAID.search(folded, day.start, day.end) is not None:
            week = day
    yield from found


def with_their_weekdays(found: Sequence[Day], text: str) -> list[Day]:
    """Return the days in order, with "Sunday, 14 March" as one: the written date, whichever comes first."""
    joined: list[Day] = []
    for day in found:
        before = joined[-1] if joined else None
        if before is None or not _are_one(before, day, text):
            joined.append(day)
        else:
            named, written = (before, day) if before.form == "weekday" else (day, before)
            joined[-1] = replace(written, start=before.start, end=day.end, beside=named.day.weekday())
    return joined


def _are_one(first: Day, second: Day, text: str) -> bool:
    kinds = {first.form, second.form}
    return kinds == {"weekday", "written"} and _BESIDE.fullmatch(text, first.end, second.start) is not None


def _is_named(match: re.Match[str]) -> bool:
    """Return whether a name that is also another word is meant as a weekday."""
    if match["many"] and match["w"].endswith("day"):
        return (
            _INTRODUCED.search(match.string[max(0, match.start() - 8) : match.start()]) is not None
            or match.start() == 0
            or _TIMED.match(match.string, match.end()) is not None
        )
    if match["w"] not in _SHORT:
        return True
    groups = match.groupdict()
    if match["w"] == "mon" and {groups["lastafter"], groups["nextafter"]} & {
        "dernier",
        "prochain",
        "prochains",
    }:
        return False  # "mon prochain vol": my next flight
    told = any(text for name, text in groups.items() if name not in ("w", "many"))
    folded = match.string
    return bool(
        told
        or _BEFORE_ANOTHER.match(folded, match.end())
        or _AFTER_ANOTHER.search(folded[max(0, match.start() - 24) : match.start()])
        or _INTRODUCED.search(folded[max(0, match.start() - 8) : match.start()])
        or _TIMED.match(folded, match.end())
    )


def _meant(match: re.Match[str], today: date) -> Day:
    weekday = WEEKDAYS[match["w"]]
    back = (today.weekday() - weekday) % 7
    before = today - timedelta(days=back)
    after = today if back == 0 else today + timedelta(days=7 - back)
    nearest = before if back <= 3 else after
    week = match["before"] or match["week"]
    if week:
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=_WEEKS[week])
        nearest = before = after = monday + timedelta(days=weekday)
    elif match["last"] or match["lastafter"]:
        nearest = before = after = before - timedelta(days=7) if back == 0 else before
    elif match["over"] or match["overafter"]:
        nearest = before = after = after + timedelta(days=7)
    elif match["next"] or match["nextafter"]:
        nearest = before = after = _next(after, today)
    start = match.start("before") if match["before"] else _first_word(match)
    led = match.string[max(0, start - 12) : start]
    if (match["other"] or "").partition(" ")[0] in _EACH or match["many"]:
        nearest = before = after
    elif before != after and _SINCE.search(led):
        nearest = after = before
    elif before != after and _FROM_ON.search(led):
        nearest = before = after
    elif before != after and _UP_TO.search(led):
        nearest = after
    return Day(nearest, start, match.end(), before, after, "weekday")


def _next(coming: date, today: date) -> date:
    """ "Next Wednesday" said on a Tuesday is not tomorrow, and one said on a Wednesday not today."""
    named_so = coming > today + timedelta(days=1) or coming.weekday() == 0
    return coming if named_so and coming != today else coming + timedelta(days=7)


def _first_word(match: re.Match[str]) -> int:
    return min(match.start(name) for name in ("last", "next", "over", "other", "w") if match[name])
