"""PURE: the appointments and time zones of an untrusted iCalendar text, line by line (RFC 5545, section 3.1).

Invariants: time and memory are bounded by what is kept, whatever the text says; nothing raises, and a line that
cannot be read is ignored. The library's own reader parses the lines; its components are not built, as they follow the
rules of time zones to the end, and keep a zone for all later mails under the name that the first one gave.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from icalendar.parser import Contentline

__all__ = ["Given", "Property", "Text", "read", "text_of"]

_MOST_LINES: Final = 20_000
_MOST_CHARS: Final = 4_000
_MOST_EVENTS: Final = 100
_MOST_VALUES: Final = 100
"""Properties of one name in one event."""
_MOST_ZONES: Final = 20
_MOST_ZONE_LINES: Final = 400
_FOLD: Final = re.compile(rb"\r?\n[ \t]")
_NAME: Final = re.compile(r"[A-Za-z0-9-]{1,60}")
_WANTED: Final = frozenset(
    {
        "UID", "SEQUENCE", "DTSTAMP", "DTSTART", "DTEND", "DURATION", "SUMMARY", "LOCATION", "ORGANIZER", "ATTENDEE",
        "STATUS", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID", "X-MICROSOFT-CDO-ALLDAYEVENT",
    }
)  # fmt: skip


_WORDS: Final = ("SUMMARY", "LOCATION", "UID", "ORGANIZER", "ATTENDEE")


@dataclass(frozen=True, slots=True)
class Property:
    """A value, and its parameters by upper-case name."""

    value: str
    params: dict[str, str]


Given = dict[str, list[Property]]
"""The properties of an event, by name, as given."""


@dataclass(frozen=True, slots=True)
class Text:
    """A parsed text; `method` is its own METHOD, `zones` are the lines of each VTIMEZONE by its id.

    `more` counts the events beyond those in `events`.
    """

    method: str | None
    events: list[Given]
    zones: dict[str, list[str]]
    more: int = 0


@dataclass
class _Reading:
    method: str | None = None
    events: list[Given] = field(default_factory=list)
    zones: dict[str, list[str]] = field(default_factory=dict)
    more: int = 0
    within: list[str] = field(default_factory=list)
    zone: list[str] = field(default_factory=list)


def text_of(content: bytes, charset: str | None) -> str:
    """Return a part's text, unfolded as bytes: a fold may split a character (RFC 5545, section 3.1)."""
    whole = _FOLD.sub(b"", content)
    for name in (charset, "utf-8"):
        try:
            return whole.decode(name or "utf-8").removeprefix("\ufeff")
        except (LookupError, UnicodeError, ValueError):
            continue
    return whole.decode("cp1252", "replace")


def read(text: str) -> Text | None:
    """Parse an unfolded text; None for one that is no complete calendar, or has too many lines."""
    reading = _Reading()
    lines = text.splitlines()
    if len(lines) > _MOST_LINES:
        return None
    for line in lines:
        _take(reading, line)
    if not reading.events or reading.within:
        return None
    return Text(reading.method, reading.events, reading.zones, reading.more)


def _take(reading: _Reading, line: str) -> None:
    found = _NAME.match(line)
    name = found[0].upper() if found is not None else ""
    if name in ("BEGIN", "END") and line[len(name) :].startswith(":"):
        _step(reading, name, line.partition(":")[2].strip().upper())
    elif "VTIMEZONE" in reading.within:
        if len(reading.zone) < _MOST_ZONE_LINES and len(line) <= _MOST_CHARS:
            reading.zone.append(line)
    elif reading.within[-1:] == ["VCALENDAR"] and name == "METHOD":
        reading.method = line.partition(":")[2].strip().lower() or None
    elif reading.within[-1:] == ["VEVENT"] and name in _WANTED and not reading.more:
        _keep(reading.events[-1], name, line)


def _step(reading: _Reading, name: str, component: str) -> None:
    if name == "BEGIN":
        reading.within.append(component)
        del reading.within[8:]
        if component == "VEVENT":
            _begin(reading)
    if "VTIMEZONE" in (component, *reading.within):
        reading.zone.append(f"{name}:{component}")
    if name == "END" and reading.within[-1:] == [component]:
        reading.within.pop()
        if component == "VTIMEZONE":
            _close(reading)


def _begin(reading: _Reading) -> None:
    if len(reading.events) < _MOST_EVENTS:
        reading.events.append({})
    else:
        reading.more += 1


def _close(reading: _Reading) -> None:
    lines, reading.zone = reading.zone, []
    named = (_properties(line) for line in lines if line[:5].upper() == "TZID:")
    tzid = next((given.value for properties in named for given in properties), "")
    if tzid and len(reading.zones) < _MOST_ZONES and len(lines) < _MOST_ZONE_LINES:
        reading.zones.setdefault(tzid, lines)


def _keep(event: Given, name: str, line: str) -> None:
    listed = event.setdefault(name, [])
    if len(listed) < _MOST_VALUES:
        listed.extend(_properties(line))


def _properties(line: str) -> Iterator[Property]:
    """Yield the value of a line; of one that is too long the beginning if it is text, else no valid time."""
    if len(line) > _MOST_CHARS and not line.upper().startswith(_WORDS):
        yield Property("too long", {})
        return
    try:
        _, params, value = Contentline(line[:_MOST_CHARS]).parts()  # type: ignore[no-untyped-call]
    except (ValueError, AssertionError, IndexError):
        return
    yield Property(
        value.strip(),
        {str(key).upper(): one if isinstance(one, str) else ",".join(one) for key, one in params.items()},
    )
