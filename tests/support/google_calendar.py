"""Google's Calendar API v3 and its token endpoint, as far as its documents say what is asked of them.

From "Calendar API: Events" (insert, get, list, patch, delete), "Handle API errors" and "Using OAuth 2.0 for web server
applications": ids are of base32hex and kept for good, a deleted event is `cancelled` where it is asked for by its id,
deleting it once more is 410, inserting it once more 409; `list` gives no cancelled event and pages; the bounds of time
are exclusive; an access token ends, and a refresh token can be revoked.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.support.loopback import LoopbackServer, abort_connection

__all__ = ["GoogleDouble"]

_ID = re.compile(r"[0-9a-v]{5,1024}")
_REASONS = {
    400: "invalid",
    401: "authError",
    403: "rateLimitExceeded",
    404: "notFound",
    409: "duplicate",
    410: "deleted",
    429: "rateLimitExceeded",
    500: "backendError",
}


class GoogleDouble:
    """`script` holds what becomes of the next calls: a status, or `cut` after it was done, or `reset` before it.

    While it is `down` every call is answered 500.
    """

    def __init__(self, *, calendar_id: str = "primary", page: int = 250, port: int = 0) -> None:
        self.calendar_id = calendar_id
        self.page = page
        self.events: dict[str, dict[str, Any]] = {}
        self.script: list[int | str] = []
        self.asked: list[str] = []
        self.queries: list[dict[str, str]] = []
        self.refresh_token = "refresh-1"
        self.access: set[str] = set()
        self.tokens = 0
        self.reason: str | None = None
        self.down = False
        self._server = LoopbackServer(
            Starlette(
                routes=[
                    Route("/token", self._token, methods=["POST"]),
                    Route("/calendar/v3/calendars/{calendar}/events", self._insert, methods=["POST"]),
                    Route("/calendar/v3/calendars/{calendar}/events", self._list, methods=["GET"]),
                    Route("/calendar/v3/calendars/{calendar}/events/{event}", self._get, methods=["GET"]),
                    Route("/calendar/v3/calendars/{calendar}/events/{event}", self._patch, methods=["PATCH"]),
                    Route(
                        "/calendar/v3/calendars/{calendar}/events/{event}", self._delete, methods=["DELETE"]
                    ),
                ]
            ),
            port=port,
        )

    @property
    def api(self) -> str:
        return f"{self._server.url}/calendar/v3"

    @property
    def secret(self) -> str:
        """What the household keeps, as Google's tools write it for an authorized user."""
        return json.dumps(
            {
                "client_id": "butlers.apps.googleusercontent.com",
                "client_secret": "client-secret-1",
                "refresh_token": "refresh-1",
                "token_uri": f"{self._server.url}/token",
                "type": "authorized_user",
            }
        )

    async def __aenter__(self) -> Self:
        await self._server.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._server.stop()

    @property
    def there(self) -> list[dict[str, Any]]:
        """What the calendar shows."""
        return [event for event in self.events.values() if event["status"] != "cancelled"]

    def add(self, event_id: str, summary: str, start: str, end: str, *, uid: str | None = None) -> None:
        """What a person puts into the calendar with a program of their own; `uid` is that of an invitation."""
        self.events[event_id] = {
            "id": event_id,
            "iCalUID": uid or f"{event_id}@google.com",
            "summary": summary,
            "status": "confirmed",
            "start": {"dateTime": start},
            "end": {"dateTime": end},
        }

    async def _token(self, request: Request) -> Response:
        form = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        if form.get("grant_type") != "refresh_token" or form.get("client_secret") != "client-secret-1":
            return JSONResponse({"error": "invalid_client"}, 401)
        if form.get("refresh_token") != self.refresh_token:
            body = {"error": "invalid_grant", "error_description": "Token has been expired or revoked."}
            return JSONResponse(body, 400)
        self.tokens += 1
        token = f"access-{self.tokens}"
        self.access = {token}
        return JSONResponse({"access_token": token, "expires_in": 3599, "token_type": "Bearer"})

    async def _refused(self, request: Request) -> Response | None:
        """What keeps a call from being made."""
        self.asked.append(f"{request.method} {request.path_params.get('event', '')}".strip())
        self.queries.append(dict(request.query_params))
        if self.down:
            return _error(500)
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        if bearer not in self.access:
            return _error(401)
        if request.path_params["calendar"] != self.calendar_id:
            return _error(404)
        if self.script and self.script[0] != "cut":
            said = self.script.pop(0)
            if said == "reset":
                await abort_connection(request.scope, request.receive)
                return Response()
            return _error(int(said), self.reason)
        return None

    async def _done(self, request: Request, response: Response) -> Response:
        """What was done is told, unless the connection is cut before."""
        if self.script and self.script[0] == "cut":
            self.script.pop(0)
            await abort_connection(request.scope, request.receive)
        return response

    async def _insert(self, request: Request) -> Response:
        if (refusal := await self._refused(request)) is not None:
            return refusal
        body = await request.json()
        if not _ID.fullmatch(body.get("id", "")) or not _timed(body):
            return _error(400)
        if body["id"] in self.events:
            return _error(409)
        known = {"status": "confirmed", "transparency": "opaque", "iCalUID": f"{body['id']}@google.com"}
        self.events[body["id"]] = _without_nulls({**known, **body})
        return await self._done(request, JSONResponse(self.events[body["id"]]))

    async def _list(self, request: Request) -> Response:
        if (refusal := await self._refused(request)) is not None:
            return refusal
        query = request.query_params
        since = datetime.fromisoformat(query.get("timeMin", "1970-01-01T00:00:00+00:00"))
        until = datetime.fromisoformat(query.get("timeMax", "9998-01-01T00:00:00+00:00"))
        if since >= until:
            return _error(400, "timeRangeEmpty")
        found = [
            event for event in self.there if _moment(event["end"]) > since and _moment(event["start"]) < until
        ]
        if (uid := query.get("iCalUID")) is not None:
            found = [event for event in found if event["iCalUID"] == uid]
        found.sort(key=lambda event: _moment(event["start"]))
        first, most = int(query.get("pageToken", 0)), min(self.page, int(query.get("maxResults", 250)))
        body: dict[str, Any] = {"kind": "calendar#events", "items": found[first : first + most]}
        if first + most < len(found):
            body["nextPageToken"] = str(first + most)
        return await self._done(request, JSONResponse(body))

    async def _get(self, request: Request) -> Response:
        if (refusal := await self._refused(request)) is not None:
            return refusal
        event = self.events.get(request.path_params["event"])
        return await self._done(request, _error(404) if event is None else JSONResponse(event))

    async def _patch(self, request: Request) -> Response:
        if (refusal := await self._refused(request)) is not None:
            return refusal
        event = self.events.get(request.path_params["event"])
        if event is None:
            return _error(404)
        body = await request.json()
        for name in ("start", "end"):
            body[name] = {**event[name], **body.get(name, {})}
        self.events[event["id"]] = changed = _without_nulls({**event, **body})
        if not _timed(changed):
            self.events[event["id"]] = event
            return _error(400)
        return await self._done(request, JSONResponse(changed))

    async def _delete(self, request: Request) -> Response:
        if (refusal := await self._refused(request)) is not None:
            return refusal
        event = self.events.get(request.path_params["event"])
        if event is None:
            return _error(404)
        if event["status"] == "cancelled":
            return _error(410)
        event["status"] = "cancelled"
        return await self._done(request, Response(status_code=204))


def _error(status: int, reason: str | None = None) -> Response:
    reason = reason or _REASONS.get(status, "backendError")
    detail = {"domain": "global", "reason": reason, "message": reason}
    return JSONResponse({"error": {"errors": [detail], "code": status, "message": reason}}, status)


def _without_nulls(event: dict[str, Any]) -> dict[str, Any]:
    for name in ("start", "end"):
        event[name] = {key: value for key, value in event[name].items() if value is not None}
    return event


def _timed(event: dict[str, Any]) -> bool:
    """Both ends are days or both are moments."""
    given = [
        {key for key, value in event.get(name, {}).items() if value is not None} for name in ("start", "end")
    ]
    return given[0] == given[1] and given[0] in ({"date"}, {"dateTime"})


def _moment(at: dict[str, str]) -> datetime:
    if "date" in at:
        return datetime.fromisoformat(at["date"]).replace(tzinfo=UTC)
    return datetime.fromisoformat(at["dateTime"])
