"""PURE: the time zone that a calendar's zone id means: by its name, else by the text's own definition (RFC 5545).

Invariants: an unknown id means no zone, so that no time is guessed; a zone that a text defines applies to that text
alone, and costs a bounded lookup, whatever its rules say.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import UTC, tzinfo
from io import StringIO
from typing import Final
from zoneinfo import ZoneInfo

from dateutil.tz import tzical
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from butler_contracts.person_settings import is_time_zone

__all__ = ["zone_of"]

_MOST_SPANS: Final = 16
"""Standard and daylight spans of one zone."""
_SINCE: Final = 1970
"""Earlier years are irrelevant to appointments; Exchange counts from 1601."""
_SAYS: Final = re.compile(r"DTSTART|RRULE|RDATE|EXDATE|EXRULE|TZOFFSETFROM|TZOFFSETTO", re.IGNORECASE)
_KEPT: Final = re.compile(
    r"(DTSTART|RRULE|RDATE|TZOFFSETFROM|TZOFFSETTO)(?:;[^:]{0,100})?:([A-Z0-9=;,+-]{1,200})", re.IGNORECASE
)
_RULE: Final = re.compile(
    r"FREQ=YEARLY|INTERVAL=1|WKST=[A-Z]{2}|BYMONTH=(?P<month>\d{1,2})|BYDAY=(?P<nth>[+-]?[1-5])?[A-Z]{2}"
    r"|BYMONTHDAY=(?P<days>-?\d{1,2}(?:,-?\d{1,2}){0,9})|UNTIL=\d{8}(?:T\d{6}Z?)?"
)


def zone_of(tzid: str, given: Sequence[str] = ()) -> tzinfo | None:
    """Return the zone of an id; `given` are the lines of its VTIMEZONE, where the text has one."""
    for name in _names(tzid):
        if is_time_zone(name):
            return UTC if name.upper() in ("UTC", "GMT") else ZoneInfo(name)
    return _given(given) if given else None


def _names(tzid: str) -> Iterator[str]:
    """Yield possible names: some programs put a prefix before the name, others write the Windows name."""
    cleaned = tzid.strip().strip('"').strip("/")[:100]
    yield WINDOWS_TO_OLSON.get(cleaned, cleaned)
    parts = cleaned.split("/")
    yield from ("/".join(parts[-many:]) for many in (3, 2) if many < len(parts))


def _given(lines: Sequence[str]) -> tzinfo | None:
    spans = list(_spans(lines))
    if len(spans) > _MOST_SPANS:
        return None
    kept = [
        "BEGIN:VTIMEZONE",
        "TZID:given",
        *(line for span in spans for line in _whole(span)),
        "END:VTIMEZONE",
    ]
    try:
        found: tzinfo | None = tzical(StringIO("\r\n".join(kept))).get()
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError):
        return None
    return found


def _spans(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield each span's lines about its offset; one that cannot be followed makes the zone unreadable."""
    span: list[str] = []
    for line in lines:
        found = _KEPT.fullmatch(line.strip())
        if line in ("BEGIN:STANDARD", "BEGIN:DAYLIGHT"):
            span = [line]
        elif line in ("END:STANDARD", "END:DAYLIGHT"):
            yield [*span, line]
        elif found is not None and (found[1].upper() != "RRULE" or _can_be_followed(found[2])):
            span.append(f"{found[1]}:{found[2]}".upper())
        elif _SAYS.match(line):
            span.append("DTSTART:is not followed")


def _whole(span: list[str]) -> Iterator[str]:
    """Yield the span as the library wants it: an RDATE if it begins once, no recurrence before `_SINCE`."""
    begin = next((line for line in span if line.startswith("DTSTART:")), "")
    recurs = any(line.startswith("RRULE:") for line in span)
    for line in span:
        early = line == begin and recurs and line[8:12].isdecimal() and int(line[8:12]) < _SINCE
        yield f"DTSTART:{_SINCE}{line[12:].replace('0229', '0228', 1)}" if early else line
        if line == begin and not recurs:
            yield f"RDATE:{line[8:]}"


def _can_be_followed(rule: str) -> bool:
    """Return whether a rule recurs once a year, on a date that exists."""
    parts = [_RULE.fullmatch(part) for part in rule.upper().strip(";").split(";")]
    known = [part for part in parts if part is not None]
    if len(known) != len(parts) or "FREQ=YEARLY" not in (part[0] for part in known):
        return False
    month = next((int(part["month"]) for part in known if part["month"]), None)
    days = next(([int(day) for day in part["days"].split(",")] for part in known if part["days"]), None)
    nth = any(part["nth"] for part in known)
    if month is not None and not 1 <= month <= 12:
        return False
    if days is None:
        return True
    return not nth and any(0 < abs(day) <= monthrange(2024, month or 1)[1] for day in days)
