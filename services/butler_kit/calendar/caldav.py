"""A calendar at a CalDAV server (RFC 4791): Nextcloud, iCloud, Fastmail, Radicale.

Invariants: an event of ours is the resource named by its id, created only if absent and changed only if still as it
was read (RFC 7232). Recurring events are expanded here: the servers' expansion is wrong after a clock change
(Radicale 3.9).
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote
from xml.sax.saxutils import escape
from zoneinfo import ZoneInfo

from lxml import etree

from butler_contracts.calendar import CalendarEvent
from butler_kit.calendar.exchange import Answer, Exchange
from butler_kit.calendar.ical import UnreadableCalendar, changed, composed, events_in, first_in
from butler_kit.calendar.port import MOST_EVENTS, Span, misconfigured, refused, unreachable
from butler_kit.time import Clock

__all__ = ["CalDav", "CalDavAccount"]

_ICAL: Final = "text/calendar; charset=utf-8"
_DATA: Final = "{urn:ietf:params:xml:ns:caldav}calendar-data"
_CALENDAR: Final = "{urn:ietf:params:xml:ns:caldav}calendar"
_WHAT: Final = """<?xml version="1.0" encoding="utf-8"?>
<D:propfind xmlns:D="DAV:"><D:prop><D:resourcetype/></D:prop></D:propfind>"""
_NO_CALENDAR: Final = (
    "there is no CalDAV calendar at the url (HTTP {status}); it has to be that of one calendar"
)
_QUERY: Final = """<?xml version="1.0" encoding="utf-8"?>
<C:calendar-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">
<D:prop><C:calendar-data/></D:prop>
<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT">
{which}
</C:comp-filter></C:comp-filter></C:filter></C:calendar-query>"""
_IN_TIME: Final = '<C:time-range start="{start}" end="{end}"/>'
_BY_UID: Final = (
    '<C:prop-filter name="UID"><C:text-match collation="i;octet">{uid}</C:text-match></C:prop-filter>'
)


@dataclass(frozen=True, slots=True)
class CalDavAccount:
    """`url` is that of the calendar itself; times without a zone are in `zone`."""

    url: str
    username: str
    password: str
    zone: ZoneInfo


class CalDav:
    """See `butler_kit.calendar.port.CalendarPort`."""

    def __init__(self, account: CalDavAccount, exchange: Exchange, clock: Clock) -> None:
        self._url = f"{account.url.rstrip('/')}/"
        self._zone = account.zone
        self._exchange = exchange
        self._clock = clock
        login = b64encode(f"{account.username}:{account.password}".encode()).decode()
        self._headers = {"Authorization": f"Basic {login}"}

    async def events(self, span: Span) -> Sequence[CalendarEvent]:
        body = await self._queried(_IN_TIME.format(start=_utc(span.start), end=_utc(span.end)))
        try:
            # In a thread: expanding years of a large calendar takes a while.
            found = await asyncio.to_thread(self._read, body, span)
        except UnreadableCalendar as error:
            raise unreachable("its server gave an answer that cannot be read") from error
        return found

    async def by_uid(self, uid: str, span: Span) -> CalendarEvent | None:
        body = await self._queried(_BY_UID.format(uid=escape(uid)))
        try:
            return await asyncio.to_thread(self._of_uid, body, uid, span)
        except UnreadableCalendar as error:
            raise unreachable("its server gave an answer that cannot be read") from error

    async def check(self) -> None:
        headers = {"Depth": "0", "Content-Type": "application/xml; charset=utf-8"}
        answer = await self._ask("PROPFIND", self._url, _WHAT.encode(), headers)
        if answer.status != 207 or not _is_calendar(answer.body):
            raise misconfigured(_NO_CALENDAR.format(status=answer.status))

    async def find(self, event_id: str) -> CalendarEvent | None:
        answer = await self._get(event_id)
        return None if answer is None else await asyncio.to_thread(self._one, _text(answer))

    async def create(self, event: CalendarEvent) -> CalendarEvent:
        body = composed(event, self._clock.now())
        answer = await self._put(event.event_id, body, {"If-None-Match": "*"})
        if answer.status == 412:
            return await self._there(event)
        self._taken(answer)
        return event

    async def _there(self, event: CalendarEvent) -> CalendarEvent:
        """Return the event of this id as it stands; one that was called off is restored as `event`."""
        there = await self.find(event.event_id) or await self.move(event)
        if there is None:
            raise unreachable("an event was made and deleted at the same time")
        return there

    async def move(self, event: CalendarEvent) -> CalendarEvent | None:
        answer = await self._get(event.event_id)
        if answer is None:
            return None
        try:
            body = await asyncio.to_thread(changed, _text(answer), event, self._clock.now())
        except UnreadableCalendar as error:
            raise refused("the event there cannot be read") from error
        etag = answer.headers.get("etag")
        written = await self._put(event.event_id, body, {"If-Match": etag} if etag else {})
        if written.status == 412:
            raise unreachable("the event was changed at the same time")
        self._taken(written)
        return event

    async def delete(self, event_id: str) -> bool:
        answer = await self._ask("DELETE", self._resource(event_id))
        if answer.status in (404, 410):
            return False
        self._taken(answer)
        return True

    async def aclose(self) -> None:
        await self._exchange.aclose()

    async def _get(self, event_id: str) -> Answer | None:
        answer = await self._ask("GET", self._resource(event_id))
        if answer.status in (404, 410):
            return None
        self._taken(answer)
        return answer

    async def _put(self, event_id: str, body: bytes, headers: dict[str, str]) -> Answer:
        return await self._ask("PUT", self._resource(event_id), body, {"Content-Type": _ICAL, **headers})

    async def _ask(
        self, method: str, url: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        answer = await self._exchange.ask(
            method, url, headers={**self._headers, **(headers or {})}, body=body
        )
        if answer.status in (401, 403):
            raise misconfigured(
                f"the calendar's server refuses the account (HTTP {answer.status}); "
                "correct username and the secret of secretRef"
            )
        return answer

    def _one(self, text: str) -> CalendarEvent | None:
        """Parse an event of ours, which does not recur unless its owner made it so."""
        try:
            return first_in(text, self._zone)
        except UnreadableCalendar as error:
            raise refused("the event there cannot be read") from error

    async def _queried(self, which: str) -> bytes:
        """Return the multistatus of the objects that match."""
        headers = {"Depth": "1", "Content-Type": "application/xml; charset=utf-8"}
        answer = await self._ask("REPORT", self._url, _QUERY.format(which=which).encode(), headers)
        if answer.status != 207:
            raise misconfigured(_NO_CALENDAR.format(status=answer.status))
        return answer.body

    def _of_uid(self, body: bytes, uid: str, span: Span) -> CalendarEvent | None:
        """Return the event with exactly this id: the server also returns ids that merely contain it."""
        for text in _objects(body):
            first = first_in(text, self._zone)
            if first is not None and first.event_id == uid:
                return next(events_in(text, span, self._zone), first)
        return None

    def _read(self, body: bytes, span: Span) -> list[CalendarEvent]:
        found: list[CalendarEvent] = []
        for text in _objects(body):
            found.extend(events_in(text, span, self._zone))
            if len(found) > MOST_EVENTS:
                raise misconfigured(f"the calendar has more than {MOST_EVENTS} events in that time")
        return found

    def _taken(self, answer: Answer) -> None:
        if answer.status in (404, 409):
            raise misconfigured(f"there is no calendar at the url (HTTP {answer.status}); correct it")
        if answer.status >= 300:
            raise refused(f"its server answers HTTP {answer.status}")

    def _resource(self, event_id: str) -> str:
        return f"{self._url}{quote(event_id, safe='')}.ics"


def _objects(body: bytes) -> Iterator[str]:
    """Yield the calendar objects of a multistatus. Raises `UnreadableCalendar`."""
    for element in _tree(body).iter(_DATA):
        yield element.text or ""


def _is_calendar(body: bytes) -> bool:
    try:
        return next(_tree(body).iter(_CALENDAR), None) is not None
    except UnreadableCalendar:
        return False


def _tree(body: bytes) -> Any:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        return etree.fromstring(body, parser)
    except etree.XMLSyntaxError as error:
        raise UnreadableCalendar("not XML") from error


def _text(answer: Answer) -> str:
    return answer.body.decode("utf-8", "replace")


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
