# ruff: noqa: E501 - patterns stay on one line
"""When a medicine is taken, from when and until when: "every 8 hours for 7 days", "morgens und abends" (pure).

Invariants: what was taken is no course, and neither is what is taken as needed, was taken once, is asked or
forbidden; a course whose hours or parts of the day nobody named has none. EN, DE, FR, ES.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, Final

from butler_kit.wording.folding import fold
from butler_kit.wording.medicines import medicine_names
from butler_specialist.understanding.course_hours import hours_in
from butler_specialist.understanding.dates import find_days
from butler_specialist.understanding.day import Day
from butler_specialist.understanding.durations import duration_at
from butler_specialist.understanding.plain_when import plain_when
from butler_specialist.understanding.recurrence import recurrence_in
from butler_specialist.understanding.repeats import DAY_CODES, Repeat, repeat_in

__all__ = ["Course", "KeptCourse", "course_in", "course_of"]

_PAST: Final = re.compile(
    r"\b(?:took|taken|gave|given|had|swallowed|genommen|gegeben|bekommen|nahm|gab|geschluckt|a pris|ai pris|avons pris|(?:ai|a|avons) donne"
    r"|tome|tomo ayer|tomado|dado|di|dio|dimos|yesterday|gestern|hier|ayer|last night|letzte nacht)\b|\b(?:habe?|hat|haben) .{1,60}\b(?:genommen|gegeben|bekommen)\b"
)
_PRESCRIBED: Final = re.compile(
    r"\b(?:prescri\w+|verschrieben|verordnet|recetado|has to|muss|doit|tiene que)\b"
)
_HABIT: Final = re.compile(
    r"\b(?:takes?|gets?|needs?|have to take|has to take|nehme?n?|nimmt|bekommt|bekomme|braucht|brauche|kriegt|prends?|prenons|toma|tomo|tomamos|necesita)\b"
)
_NOT_SAID: Final = re.compile(
    r"\?\s*$|\b(?:never|don't|dont|do not|doesn't|does not|must not|mustn't|should not|shouldn't|can't|cannot|may not|not more than|no more than|more than"
    r"|used to|was on|were on|formerly|should i|can i|may i|nie|niemals|nicht mehr als|mehr als|nicht (?:\w+ ){0,2}(?:taglich|jeden|am tag|mal)|keine?n? .{1,40}(?:taglich|jeden|am tag)"
    r"|fruher|war auf|soll(?:te)? ich|kann ich|darf ich|jamais|plus de|ne (?:\w+ ){1,3}pas|n'en|prenai[st]|dois-je|puis-je|nunca|mas de|no (?:tom\w+|debe\w*|puede\w*)|tomaba\w*|debo|puedo)\b"
)
"""A course that is forbidden, over, or in question: nobody is to be told to take it."""
_FOR: Final = re.compile(
    r"\b(?:for|over|during|fur|uber|wahrend|pendant|durant|durante|por|the next|die nachsten) (?:the next )?(?=\S)"
)
_LONG: Final = re.compile(
    r"(?<![\w.,])(?=(?:\d{1,3}|an?|eine?n?|[a-z]{3,8}) (?:tage?|woche?n?|monate?) lang\b)"
)
_TIMES_A_DAY: Final = re.compile(
    r"\b(?:(?P<n>[1-6]|one|two|three|four|zwei|drei|vier|deux|trois|quatre|dos|tres|cuatro)[ -]?(?:x|times|mal|fois|veces)|(?P<word>twice|thrice))(?:(?: a| per| each| every)? day| daily| taglich| am tag| pro tag| par jour| al dia| por dia|/(?:day|tag|jour|dia))(?!\w)"
)
_COUNT: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "zwei": 2, "drei": 3, "vier": 4, "deux": 2, "trois": 3, "quatre": 4,
    "dos": 2, "tres": 3, "cuatro": 4, "twice": 2, "thrice": 3,
}  # fmt: skip
_USUAL: Final = {2: "8:00, 20:00", 3: "8:00, 14:00, 20:00", 4: "8:00, 12:00, 16:00, 20:00"}
"""The usual hours for this many times a day; the answer states them if they are assumed."""
_UNTIL: Final = re.compile(r"\b(?:until|till|through|bis|bis zum|jusqu'au|jusqu'a|hasta|hasta el)\s*$")
_MORNING: Final = time(8)
"""The hour of the first dose on a coming day, if none is named."""
_MOST: Final = 300
_MOST_DAYS: Final = 400
_STEPS: Final = (3, 4, 6, 8, 12, 24, 36, 48, 72)
"""Accepted hours between doses."""


@dataclass(frozen=True, slots=True)
class Course:
    """From `begins` on (wall time), at `hours` of the days of `repeat` or every so many hours, before `ends`.

    `assumed`: nobody named the hours. `zone` is the clock they are meant by. If it is taken every so many hours,
    `hours` has the first one if it was named.
    """

    repeat: Repeat
    hours: tuple[time, ...]
    begins: datetime
    ends: datetime | None = None
    assumed: bool = False
    zone: str = ""

    @property
    def first_day(self) -> date:
        """Its first day; for weekdays the next of them."""
        day, codes = self.begins.date(), self.repeat.on(self.begins.date()).days
        if self.repeat.frequency != "WEEKLY" or not codes:
            return day
        return next(
            later for ahead in range(7) if DAY_CODES[(later := day + timedelta(ahead)).weekday()] in codes
        )

    @property
    def details(self) -> dict[str, str]:
        """The course as a record stores it."""
        kept = {
            "rule": self.repeat.on(self.begins.date()).rule,
            "hours": " ".join(f"{at:%H:%M}" for at in self.hours),
            "begins": self.begins.isoformat(timespec="minutes"),
        }
        if self.ends is not None:
            kept["ends"] = self.ends.isoformat(timespec="minutes")
        if self.zone and self.repeat.frequency == "HOURLY":
            kept["zone"] = self.zone
        return kept | ({"hours_assumed": "yes"} if self.assumed else {})


@dataclass(frozen=True, slots=True)
class KeptCourse:
    """A course as a record stores it: the rule of RFC 5545 without hours and end, and the wall times of its bounds.

    `zone` is the teller's clock, if hours elapse; it is unknown for records of the previous release.
    """

    rule: str
    hours: tuple[time, ...]
    begins: datetime
    ends: datetime | None
    assumed: bool
    zone: str = ""

    @property
    def elapsing(self) -> bool:
        """Whether it comes every so many hours, whatever the wall clock shows."""
        return self.rule.startswith("FREQ=HOURLY")

    @property
    def can_wait(self) -> bool:
        """Whether it respects quiet hours: nobody named its hours, or it falls at any hour (ADR 0040)."""
        return self.assumed or (self.elapsing and not self.hours)


def course_in(text: str, now: datetime) -> Course | None:
    """Return the course that a clause states; `now` is the sender's wall time.

    None if its hours are unknown.
    """
    if not 0 < len(text) <= _MOST:
        return None
    folded = fold(text)
    if _NOT_SAID.search(folded) or (_PAST.search(folded) and not _PRESCRIBED.search(folded)):
        return None
    often = recurrence_in(folded)
    if often is not None and often.open:
        return None
    assumed, plain = _counted(text)
    plain = plain_when(plain, now.date())
    said = fold(plain)
    repeat = repeat_in(said)
    if repeat is not None and repeat.frequency in ("MINUTELY", "YEARLY"):
        return None
    hours = hours_in(_without(said, repeat))
    if (
        repeat is None
        and often is None
        and not _is_habit(folded, hours, dated=bool(find_days(text, now.date())))
    ):
        return None
    repeat = repeat or Repeat("DAILY", 0, 0)
    if repeat.frequency == "HOURLY" and repeat.interval not in _STEPS:
        return None
    if repeat.frequency != "HOURLY" and not hours:
        return None
    return _placed(repeat, hours, said, plain, now, assumed=assumed)


def course_of(details: Mapping[str, Any]) -> KeptCourse | None:
    """Return the course that a record stores, or None."""
    if "rule" not in details or "begins" not in details:
        return None
    hours = tuple(time.fromisoformat(at) for at in str(details.get("hours", "")).split())
    ends = details.get("ends")
    return KeptCourse(
        str(details["rule"]),
        hours,
        datetime.fromisoformat(details["begins"]),
        datetime.fromisoformat(ends) if ends else None,
        "hours_assumed" in details,
        str(details.get("zone", "")),
    )


def _is_habit(folded: str, hours: tuple[time, ...], *, dated: bool) -> bool:
    """Return whether a statement without a day or frequency is a daily habit: "I take it at 8 and 20"."""
    if len(hours) > 1 and any(medicine_names(folded)):
        return True
    return bool(hours) and _HABIT.search(folded) is not None and (len(hours) > 1 or not dated)


def _counted(text: str) -> tuple[bool, str]:
    """Return whether it says how many times a day, and the text with the usual hours in that place."""
    match = _TIMES_A_DAY.search(fold(text))
    if match is None:
        return False, text
    said = match["n"] or match["word"]
    number = int(said) if said.isdigit() else _COUNT[said]
    usual = _USUAL.get(number)
    if usual is None or hours_in(_without_span(fold(text), match.span())):
        return False, f"{text[: match.start()]}every day{text[match.end() :]}"
    return True, f"{text[: match.start()]}every day at {usual}{text[match.end() :]}"


def _without(folded: str, repeat: Repeat | None) -> str:
    """Return the text without "every so many hours": its number is no hour of the day."""
    hourly = repeat is not None and repeat.frequency == "HOURLY"
    return _without_span(folded, (repeat.start, repeat.end)) if repeat is not None and hourly else folded


def _without_span(folded: str, span: tuple[int, int]) -> str:
    return f"{folded[: span[0]]}{' ' * (span[1] - span[0])}{folded[span[1] :]}"


def _placed(
    repeat: Repeat, hours: tuple[time, ...], said: str, plain: str, now: datetime, *, assumed: bool
) -> Course:
    days = find_days(plain, now.date())
    last = next((day for day in days if _UNTIL.search(said[: day.start])), None)
    first = next((day for day in days if day is not last and not _inside(day, repeat)), None)
    wall = now.replace(tzinfo=None, second=0, microsecond=0)
    begins = wall
    if first is not None and first.on("future") > now.date():
        begins = datetime.combine(first.on("future"), time(0))
    if repeat.frequency == "HOURLY" and (hours or begins != wall):
        begins = datetime.combine(begins.date(), hours[0] if hours else _MORNING)
    zone = getattr(now.tzinfo, "key", "")
    return Course(repeat, hours, begins, _end(last, begins, said), assumed, zone)


def _inside(day: Day, repeat: Repeat) -> bool:
    """Return whether the day's words say how often: "every Monday"."""
    return repeat.start < repeat.end and day.start < repeat.end and repeat.start < day.end


def _end(last: Day | None, begins: datetime, said: str) -> datetime | None:
    if last is not None:
        return datetime.combine(last.on("future"), time(0)) + timedelta(days=1)
    for start in (match.end() for pattern in (_FOR, _LONG) for match in pattern.finditer(said)):
        found = duration_at(said, start)
        if found is not None and not found[0].of_the_clock:
            end: date = found[0].after_day(begins.date())
            if 0 < (end - begins.date()).days <= _MOST_DAYS:
                return datetime.combine(end, begins.time())
    return None
