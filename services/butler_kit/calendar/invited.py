"""PURE: the appointments of an iCalendar text that came by mail, as `InvitationV1` (RFC 5545, 5546).

Invariants: any text yields an invitation or none, in bounded time; a time is given only where it is certain, and for
a series it is the next one as of the mail's date, so that the same mail always gives the same result.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from functools import partial
from typing import Any, Final, get_args

from butler_contracts.addresses import comparable_address
from butler_contracts.invitation import (
    EVENTS_MAX,
    LENGTH_MAX_S,
    SEQUENCE_MAX,
    TEXT_MAX,
    Answered,
    InvitationV1,
    InvitedEventV1,
    Method,
)
from butler_contracts.parse import ContractViolation, parse
from butler_contracts.text import plain_line, storable
from butler_kit.calendar.lines import Given, Text, read
from butler_kit.calendar.moments import Point, Unsure, length_of, listed, one
from butler_kit.calendar.repeating import Series, coming, rule_of
from butler_kit.calendar.zones import zone_of

__all__ = ["invitation_in"]

_METHODS: Final = frozenset(get_args(Method))
_ANSWERS: Final = frozenset(get_args(Answered))
_ADDRESS: Final = re.compile(r"(?:mailto:)?([^\s<>@\"]{1,64}@[^\s<>@\"]{1,120})", re.IGNORECASE)
_STAMP: Final = re.compile(r"\d{8}T\d{6}Z", re.ASCII)
_LONGEST: Final = timedelta(seconds=LENGTH_MAX_S)
_DAY: Final = timedelta(days=1)


def invitation_in(text: str, *, method: str | None, written_at: datetime, apart: bool) -> InvitationV1 | None:
    """Return what an unfolded text invites to; `method` of the mail's part must agree with it (RFC 6047)."""
    said = read(text)
    if said is None:
        return None
    own, outer = said.method, (method or "").strip().lower() or None
    if own is not None and outer is not None and own != outer:
        return None
    wanted = own or outer
    if wanted is not None and wanted not in _METHODS:
        return None
    groups = _groups(said)
    events = [event for group in groups[:EVENTS_MAX] for event in _of_group(group, said, written_at)]
    if not events:
        return None
    beyond = len(groups[EVENTS_MAX:]) + said.more + len(events[EVENTS_MAX:])
    return InvitationV1(method=wanted, events=tuple(events[:EVENTS_MAX]), more=beyond, apart=apart)


def _groups(said: Text) -> list[list[Given]]:
    """Return the events grouped by id, in order; one without an id is no appointment."""
    found: dict[str, list[Given]] = {}
    for event in said.events:
        if (uid := _uid(event)) is not None:
            found.setdefault(uid, []).append(event)
    return list(found.values())


def _of_group(group: Sequence[Given], said: Text, written_at: datetime) -> list[InvitedEventV1]:
    """Return a series as one appointment, or the single occurrences that the text is about."""
    zones: dict[str, tzinfo | None] = {}
    whose = partial(_zone, said, zones)
    whole = [event for event in group if "RECURRENCE-ID" not in event]
    single = {}
    for event in group:
        if event not in whole:
            single[_which(event, whose)] = event
    if not whole:
        return [_event(event, whose, written_at, {}, which=which) for which, event in single.items()]
    newest = max(whole, key=lambda event: (_sequence(event), _stamp(event) or ""))
    return [
        _event(newest, whose, written_at, {name: one for name, one in single.items() if name}, which=None)
    ]


def _zone(said: Text, known: dict[str, tzinfo | None], tzid: str) -> tzinfo | None:
    if tzid not in known:
        known[tzid] = zone_of(tzid, said.zones.get(tzid, ()))
    return known[tzid]


def _which(event: Given, whose: Any) -> str | None:
    """Return which occurrence of its series it is; None if uncertain, or if all that follow are meant."""
    try:
        if any("RANGE" in given.params for given in event["RECURRENCE-ID"]):
            return None
        found = one(event, "RECURRENCE-ID", whose)
        return found.name if found is not None else None
    except Unsure:
        return None


def _event(
    event: Given, whose: Any, written_at: datetime, single: Mapping[str, Given], *, which: str | None
) -> InvitedEventV1:
    from_then_on = which is None and "RECURRENCE-ID" in event
    words = _words(event)
    when = {"unclear": "rule"} if from_then_on else _when(event, whose, written_at, single)
    stands = single.get(when.get("next") or "")
    if stands is not None:
        words |= {name: value for name in ("title", "place") if (value := _words(stands)[name])}
    document = {**words, "which": which, **when}
    try:
        return parse(InvitedEventV1, document)
    except ContractViolation:
        return parse(InvitedEventV1, {**words, "which": which, "unclear": "time"})


def _when(event: Given, whose: Any, written_at: datetime, single: Mapping[str, Given]) -> dict[str, Any]:
    """Return its time; for a series the next one, from the event that replaces that occurrence, if any."""
    try:
        start = _begin(event, whose)
    except Unsure:
        return {"unclear": "time"}
    if "RECURRENCE-ID" in event or not ("RRULE" in event or "RDATE" in event):
        return _timed(event, start, whose)
    try:
        return _next(event, start, whose, written_at, single)
    except Unsure:
        return _first(event, start, whose, written_at, single)


def _first(
    event: Given, start: Point, whose: Any, written_at: datetime, single: Mapping[str, Given]
) -> dict[str, Any]:
    """Return the start of a series that is not followed: it is an occurrence whatever the rule is."""
    try:
        if not single and "EXDATE" not in event and start.order >= written_at:
            return {**_timed(event, start, whose), "next": start.name}
    except Unsure:
        pass
    return {"unclear": "rule"}


def _next(
    event: Given, start: Point, whose: Any, written_at: datetime, single: Mapping[str, Given]
) -> dict[str, Any]:
    given = event.get("RRULE", [])
    if len(given) > 1:
        raise Unsure("two rules")
    rule, but = rule_of(given[0].value) if given else None, listed(event, "EXDATE", whose)
    series = Series(start, rule, listed(event, "RDATE", whose), but)
    for point in coming(series, written_at):
        stands = single.get(point.name)
        found = _timed(stands or event, _begin(stands, whose) if stands else point, whose)
        if stands is not None and (_is_cancelled(stands) or _begin(stands, whose).order < written_at):
            continue
        return {**found, "rule": rule, "next": point.name}
    return {"unclear": "over"}


def _begin(event: Given, whose: Any) -> Point:
    start = one(event, "DTSTART", whose)
    if start is None:
        raise Unsure("no time")
    return start


def _timed(event: Given, start: Point, whose: Any) -> dict[str, Any]:
    """Return the time of an occurrence that begins at `start`; its length is that of the event."""
    try:
        begins = _begin(event, whose)
        lasts = length_of(event, begins, whose)
        if lasts is not None and lasts > _LONGEST:
            raise Unsure("too long")
        if start.wall is None or _is_of_whole_days(event, start, lasts):
            last = start.whole + max(_DAY, lasts or _DAY) - _DAY
            return {"first_day": start.whole.isoformat(), "last_day": last.isoformat()}
        moment = start.moment
    except (Unsure, OverflowError):
        return {"unclear": "time"}
    return {
        "wall": start.wall.isoformat(),
        "starts": moment.isoformat() if moment is not None else None,
        "length_s": round(lasts.total_seconds()) if lasts is not None else None,
    }


def _is_of_whole_days(event: Given, start: Point, lasts: timedelta | None) -> bool:
    """Return whether it is an all-day event as Exchange writes it: midnight to midnight, with a marker."""
    marked = any(given.value.upper() == "TRUE" for given in event.get("X-MICROSOFT-CDO-ALLDAYEVENT", []))
    at_midnight = start.wall is not None and start.wall.time() == datetime.min.time()
    days = round(lasts / _DAY) if lasts is not None else 0
    # A clock change within the days takes an hour away or adds one.
    return marked and at_midnight and lasts is not None and days > 0 and abs(lasts - days * _DAY) <= _DAY / 12


def _words(event: Given) -> dict[str, Any]:
    """Return its fields besides its time."""
    organizer = event.get("ORGANIZER", [])[:1]
    answering = [given for given in event.get("ATTENDEE", []) if given.params.get("PARTSTAT")][:1]
    answer = answering[0].params["PARTSTAT"].lower() if answering else None
    who = answering[0] if answering else None
    return {
        "uid": _uid(event),
        "sequence": _sequence(event),
        "stamped_at": _stamp(event),
        "title": _line(event, "SUMMARY"),
        "place": _line(event, "LOCATION"),
        "organizer": _address(organizer[0].value) if organizer else None,
        "organizer_name": _shown(organizer[0].params.get("CN")) if organizer else None,
        "answered_by": (_shown(who.params.get("CN")) or _address(who.value)) if who is not None else None,
        "answered": answer if answer in _ANSWERS else None,
        "cancelled": _is_cancelled(event),
    }


def _uid(event: Given) -> str | None:
    """Return its id; one that is too long is replaced by its digest."""
    uid = storable(event["UID"][0].value) if event.get("UID") else ""
    if len(uid) > TEXT_MAX:
        return f"sha256:{hashlib.sha256(uid.encode()).hexdigest()}"
    return uid or None


def _sequence(event: Given) -> int:
    value = event["SEQUENCE"][0].value if event.get("SEQUENCE") else ""
    return min(int(value), SEQUENCE_MAX) if value.isascii() and value.isdecimal() and len(value) <= 10 else 0


def _stamp(event: Given) -> str | None:
    value = event["DTSTAMP"][0].value if event.get("DTSTAMP") else ""
    try:
        return (
            datetime.strptime(value, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).isoformat()
            if _STAMP.fullmatch(value) and value >= "1970"
            else None
        )
    except ValueError:
        return None


def _line(event: Given, name: str) -> str | None:
    return _shown(event[name][0].value) if event.get(name) else None


def _shown(value: str | None) -> str | None:
    return (plain_line(value, most=TEXT_MAX) or None) if value else None


def _address(value: str) -> str | None:
    found = _ADDRESS.fullmatch(value.strip())
    return plain_line(comparable_address(found[1]), most=TEXT_MAX) or None if found else None


def _is_cancelled(event: Given) -> bool:
    return any(given.value.upper() == "CANCELLED" for given in event.get("STATUS", []))
