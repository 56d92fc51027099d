"""A Google calendar through the Calendar API v3 (Google, "Calendar API: Events", "Handle API errors").

Invariants: an event of ours has an id that we choose, so that it is created once (409: it exists); nobody is mailed.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final
from urllib.parse import quote
from uuid import UUID

from butler_contracts.calendar import CalendarEvent
from butler_contracts.errors import ButlerError
from butler_contracts.text import plain_line
from butler_kit.calendar.exchange import Answer, Exchange
from butler_kit.calendar.google_account import GoogleTokens, json_of
from butler_kit.calendar.port import MOST_EVENTS, Span, misconfigured, refused, unreachable

__all__ = ["GOOGLE_API", "GoogleCalendar"]

GOOGLE_API: Final = "https://www.googleapis.com/calendar/v3"
_PAGE: Final = "250"
_FEW: Final = "10"
_TITLE: Final = 300
_DAY: Final = timedelta(days=1)
_TOO_MANY: Final = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded"})
_PAUSE_S: Final = 60.0
_NO_CALENDAR: Final = "Google has no such calendar; correct calendarId"
_QUIET: Final = {"sendUpdates": "none"}


class GoogleCalendar:
    """See `butler_kit.calendar.port.CalendarPort`; `calendar_id` is `primary` or what the calendar's settings say."""

    def __init__(
        self, calendar_id: str, tokens: GoogleTokens, exchange: Exchange, *, api: str = GOOGLE_API
    ) -> None:
        self._events = f"{api.rstrip('/')}/calendars/{quote(calendar_id, safe='')}/events"
        self._tokens = tokens
        self._exchange = exchange

    async def events(self, span: Span) -> Sequence[CalendarEvent]:
        found: list[CalendarEvent] = []
        async for item in self._items(span):
            event = _event(item)
            if event is not None:
                found.append(event)
            if len(found) > MOST_EVENTS:
                raise misconfigured(f"the calendar has more than {MOST_EVENTS} events in that time")
        return found

    async def check(self) -> None:
        answer = await self._ask("GET", "", query={"maxResults": "1"})
        if answer.status == 404:
            raise misconfigured(_NO_CALENDAR)
        if answer.status != 200:
            raise _refusal(answer)

    async def find(self, event_id: str) -> CalendarEvent | None:
        item = await self._item(event_id)
        return None if item is None else _event(item)

    async def by_uid(self, uid: str, span: Span) -> CalendarEvent | None:
        in_time = {
            "singleEvents": "true",
            "timeMin": span.start.isoformat(),
            "timeMax": span.end.isoformat(),
        }
        return await self._of_uid(uid, in_time) or await self._of_uid(uid, {})

    async def create(self, event: CalendarEvent) -> CalendarEvent:
        body = {"id": _wire_id(event.event_id), **_body(event)}
        answer = await self._ask("POST", "", body=body, query=_QUIET)
        if answer.status != 409:
            return self._stands(answer, event)
        there = await self.find(event.event_id)
        if there is not None:
            return there
        # A deleted event keeps its id: it still exists, and is restored.
        body = {"status": "confirmed", **_body(event)}
        return self._stands(await self._ask("PATCH", event.event_id, body=body, query=_QUIET), event)

    async def move(self, event: CalendarEvent) -> CalendarEvent | None:
        if await self.find(event.event_id) is None:
            return None
        answer = await self._ask("PATCH", event.event_id, body=_body(event), query=_QUIET)
        return None if answer.status in (404, 410) else self._stands(answer, event)

    async def delete(self, event_id: str) -> bool:
        answer = await self._ask("DELETE", event_id, query=_QUIET)
        if answer.status in (404, 410):
            return False
        if answer.status >= 300:
            raise _refusal(answer)
        return True

    async def aclose(self) -> None:
        await self._exchange.aclose()

    async def _of_uid(self, uid: str, more: Mapping[str, str]) -> CalendarEvent | None:
        answer = await self._ask("GET", "", query={"iCalUID": uid, "maxResults": _FEW, **more})
        if answer.status == 404:
            raise misconfigured(_NO_CALENDAR)
        if answer.status != 200:
            raise _refusal(answer)
        found = (_event(item) for item in json_of(answer).get("items") or ())
        return next((event for event in found if event is not None), None)

    async def _items(self, span: Span) -> AsyncIterator[Mapping[str, Any]]:
        query = {
            "singleEvents": "true",
            "orderBy": "startTime",
            "timeMin": span.start.isoformat(),
            "timeMax": span.end.isoformat(),
            "maxResults": _PAGE,
        }
        for _ in range(MOST_EVENTS // int(_PAGE) + 2):
            answer = await self._ask("GET", "", query=query)
            if answer.status == 404:
                raise misconfigured(_NO_CALENDAR)
            if answer.status != 200:
                raise _refusal(answer)
            page = json_of(answer)
            for item in page.get("items") or ():
                yield item
            if (following := page.get("nextPageToken")) is None:
                return
            query = {**query, "pageToken": str(following)}
        raise misconfigured("the calendar has more events in that time than can be read")

    async def _item(self, event_id: str) -> Mapping[str, Any] | None:
        answer = await self._ask("GET", event_id)
        if answer.status in (404, 410):
            return None
        if answer.status != 200:
            raise _refusal(answer)
        return json_of(answer)

    async def _ask(
        self,
        method: str,
        event_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send a request; if the access token is refused, nothing was done, so send it again with another."""
        url = f"{self._events}/{_wire_id(event_id)}" if event_id else self._events
        token = await self._tokens.token()
        answer = await self._sent(method, url, token, body, query)
        if answer.status == 401:
            answer = await self._sent(method, url, await self._tokens.token(refused=token), body, query)
        if answer.status == 401:
            raise misconfigured("Google refuses the account; correct the secret of secretRef")
        if answer.status == 403:
            raise _forbidden(answer)
        return answer

    async def _sent(
        self,
        method: str,
        url: str,
        token: str,
        body: Mapping[str, Any] | None,
        query: Mapping[str, str] | None,
    ) -> Answer:
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        return await self._exchange.ask(method, url, headers=headers, body=data, query=query)

    def _stands(self, answer: Answer, event: CalendarEvent) -> CalendarEvent:
        if answer.status == 404:
            raise misconfigured(_NO_CALENDAR)
        if answer.status >= 300:
            raise _refusal(answer)
        return event


def _forbidden(answer: Answer) -> ButlerError:
    if _reason(answer) in _TOO_MANY:
        return unreachable("Google takes no more calls for now", retry_after_s=_PAUSE_S)
    return misconfigured(
        f"Google does not let this account do that ({_reason(answer) or 'HTTP 403'}); "
        "its access needs the scope calendar.events, and the calendar has to be its own to change"
    )


def _refusal(answer: Answer) -> ButlerError:
    return refused(f"Google answers HTTP {answer.status} {_reason(answer)}".strip())


def _reason(answer: Answer) -> str:
    """Return Google's reason code, which is a word from a fixed list and not anybody's free text."""
    try:
        errors = json.loads(answer.body)["error"]["errors"]
        return plain_line(str(errors[0]["reason"]), most=60)
    except (ValueError, KeyError, IndexError, TypeError):
        return ""


def _wire_id(event_id: str) -> str:
    """Return the id in the characters that Google accepts: digits and the letters a to v."""
    return UUID(event_id).hex


def _own_id(wire_id: str) -> str:
    try:
        return str(UUID(wire_id)) if len(wire_id) == 32 else wire_id
    except ValueError:
        return wire_id


def _body(event: CalendarEvent) -> dict[str, Any]:
    """Return the request body; the unused one of date and time is null, because a patch would keep it."""
    if event.start is not None and event.end is not None:
        start: dict[str, Any] = {"dateTime": event.start.isoformat(), "date": None}
        end: dict[str, Any] = {"dateTime": event.end.isoformat(), "date": None}
    else:
        first = event.first_day
        last = event.last_day or first
        start = {"date": first.isoformat() if first else None, "dateTime": None}
        end = {"date": (last + _DAY).isoformat() if last else None, "dateTime": None}
    body: dict[str, Any] = {
        "summary": event.title,
        "start": start,
        "end": end,
        "transparency": "opaque" if event.busy else "transparent",
    }
    if event.place is not None:
        body["location"] = event.place
    return body


def _event(item: Mapping[str, Any]) -> CalendarEvent | None:
    """Parse an event; None for a cancelled one. Raises `TargetUnavailable` for one that cannot be read."""
    try:
        if item.get("status") == "cancelled":
            return None
        start, end = item["start"], item["end"]
        words: dict[str, Any] = {
            "event_id": _own_id(str(item["id"])),
            "title": plain_line(str(item.get("summary") or ""), most=_TITLE),
            "place": plain_line(str(item.get("location") or ""), most=_TITLE) or None,
            "busy": item.get("transparency") != "transparent" and not _declined(item),
        }
        if "dateTime" in start:
            moments = {"start": _moment(start), "end": _moment(end)}
            return CalendarEvent(**moments, **words)
        last = date.fromisoformat(end["date"]) - _DAY
        return CalendarEvent(first_day=date.fromisoformat(start["date"]), last_day=last, **words)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise unreachable("Google gave an event that cannot be read") from error


def _moment(given: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(given["dateTime"])


def _declined(item: Mapping[str, Any]) -> bool:
    """Return whether the owner of the calendar declined."""
    return any(
        one.get("self") and one.get("responseStatus") == "declined" for one in item.get("attendees") or ()
    )
