"""PURE: the moments of a medicine taken at set hours, as rules of RFC 5545 (D67, ADR 0064).

Invariants: set hours follow the wall clock of the zone, "every so many hours" is elapsed time; none is after the
end that was told; a newer statement about the same person's medicine replaces the older one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from itertools import chain
from zoneinfo import ZoneInfo

from butler_kit.wording.folding import fold
from butler_specialist.remind.moving import rule_by
from butler_specialist.remind.rule import Occurrence, first_occurrence, occurrences_after
from butler_specialist.store.model import Record
from butler_specialist.understanding.courses import KeptCourse, course_of
from butler_specialist.understanding.household import teller_key

__all__ = ["Series", "going_on", "series_of"]


@dataclass(frozen=True, slots=True)
class Series:
    """The hours of a day that one rule has; counting starts at `first`, which is told only if it is one of them.

    `key` is the same for the same hours and the same end; one that comes every so many hours also has its start.
    """

    rule: str
    first: Occurrence
    begins: datetime
    zone: ZoneInfo
    can_wait: bool
    counts_first: bool
    key: str

    def next_after(self, now: datetime) -> datetime | None:
        """Return the next of its moments (UTC); None after the last."""
        after = max(now, self.begins - timedelta(seconds=1))
        later = occurrences_after(self.rule, self.first, self.zone)
        coming: Iterator[Occurrence] = chain([self.first] if self.counts_first else [], later)
        return next((one.at for one in coming if one.at > after), None)


def going_on(rows: Iterable[Record]) -> Sequence[Record]:
    """Return each person's last record with hours of somebody's medicine, if it is not over."""
    last: dict[tuple[str, str, str], Record] = {}
    for row in sorted(rows, key=lambda row: row.seq):
        if course_of(row.details) is not None:
            teller = teller_key(row.contact_id, row.channel, row.sender)
            last[teller, fold(row.party or ""), fold(row.title or "")] = row
    return [row for row in last.values() if row.done_on is None]


def series_of(row: Record, zone: ZoneInfo) -> Sequence[Series]:
    """Return its series: one rule for all hours with the same minute."""
    course = course_of(row.details)
    if course is None:
        return ()
    if course.elapsing:
        return (_every_so_often(course, zone),)
    minutes = sorted({at.minute for at in course.hours})
    return [_by_the_wall(course, minute, zone) for minute in minutes]


def _every_so_often(course: KeptCourse, zone: ZoneInfo) -> Series:
    """Return the series, counted by the clock by which it was told, wherever the person is now."""
    told_in = ZoneInfo(course.zone) if course.zone else zone
    begun, rule = _occurrence(course.begins, told_in), _until(course.rule, course.ends)
    key = f"{rule}@{begun.wall:%Y%m%dT%H%M}"
    first, rule = first_occurrence(begun.at, zone), rule_by(rule, told_in, zone)
    begins = first.at if course.hours else first.at + timedelta(seconds=1)
    return Series(rule, first, begins, zone, course.can_wait, counts_first=True, key=key)


def _by_the_wall(course: KeptCourse, minute: int, zone: ZoneInfo) -> Series:
    hours = ",".join(str(at.hour) for at in course.hours if at.minute == minute)
    rule = _until(f"{course.rule};BYHOUR={hours};BYMINUTE={minute}", course.ends)
    eve = _occurrence(datetime.combine(course.begins.date(), time(0)), zone)
    begins = _occurrence(course.begins, zone).at
    return Series(rule, eve, begins, zone, course.can_wait, counts_first=False, key=rule)


def _until(rule: str, ends: datetime | None) -> str:
    """Return the rule, ending just before `ends`."""
    return rule if ends is None else f"{rule};UNTIL={ends - timedelta(seconds=1):%Y%m%dT%H%M%S}"


def _occurrence(wall: datetime, zone: ZoneInfo) -> Occurrence:
    return first_occurrence(wall.replace(tzinfo=zone).astimezone(UTC), zone)
