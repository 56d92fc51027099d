"""What this butler stores of requests and records, as JSON (interfaces, HTTP)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg

from butler_contracts.errors import NotFound
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.markup import said_by
from butler_specialist.store.visibility import Policy

__all__ = ["HoldingsReader"]

_SQL = NamedQueries("butler_specialist.sql", "ops.sql")
_ROUTES: Final = _SQL["request_routes"]
_REQUEST_RECORDS: Final = _SQL["request_records"]
_REQUEST_CHANGES: Final = _SQL["request_changes"]
_REQUEST_OUTSIDE: Final = _SQL["request_outside_calls"]
_REQUEST_HELD: Final = _SQL["request_held_calls"]
_NEWEST: Final = _SQL["newest_records"]
_WAITING: Final = _SQL["waiting_reminders"]
_ENDED: Final = _SQL["ended_reminders"]
_TOLD: Final = ("notify_request", "notify_response")
_WITHHELD: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("title", "occurred_at", "amount", "currency", "quantity", "quantity_second", "unit")),
    **dict.fromkeys(("party", "place", "code")),
    "text": "",
    "details": {},
}
"""What a record says, where it is not for the whole household."""


class HoldingsReader:
    """Reads the pool's schema, without changing it; `policy` says which kinds are their teller's (ADR 0122)."""

    def __init__(self, pool: Pool, policy: Policy) -> None:
        self._pool = pool
        self._policy = policy

    async def request(self, request_id: UUID) -> dict[str, Any]:
        """Return the subrequests of a request, the state of each answer, the records, changes and calls outside.

        Raises `NotFound`.
        """
        async with acquire(self._pool, doing="reading a request") as connection:
            routes = await connection.fetch(_ROUTES, request_id)
            records = await connection.fetch(_REQUEST_RECORDS, request_id)
            changes = await connection.fetch(_REQUEST_CHANGES, request_id)
            outside = await connection.fetch(_REQUEST_OUTSIDE, request_id)
            held = await connection.fetch(_REQUEST_HELD, request_id)
        if not routes and not records:
            raise NotFound(f"no request {request_id} is held here")
        return {
            "request_id": str(request_id),
            "subrequests": [_subrequest(row) for row in routes],
            "records": [_shown(_plain(row), self._policy) for row in records],
            "changes": [_changed(_plain(row), self._policy) for row in changes],
            "outside_calls": [_plain(row) for row in outside],
            "held_calls": [_plain(row) for row in held],
        }

    async def records(self, *, kind: str | None, since: datetime | None, limit: int) -> dict[str, Any]:
        """Return the records, newest first."""
        async with acquire(self._pool, doing="reading records") as connection:
            rows = await connection.fetch(_NEWEST, kind, since, limit)
        return {"records": [_shown(_plain(row), self._policy) for row in rows]}

    async def reminders(self, *, state: str, limit: int) -> dict[str, Any]:
        """Return the reminders of one state: waiting ones next first, ended ones latest first."""
        asked = (_WAITING, limit) if state == "waiting" else (_ENDED, state, limit)
        async with acquire(self._pool, doing="reading reminders") as connection:
            rows = await connection.fetch(*asked)
        return {"reminders": [_plain(row) for row in rows]}


def _answer_state(row: asyncpg.Record) -> str:
    """Return `pending`, `none`, `in_result`, or the notify's result: a delivery's state, or `refused`."""
    if row["outcome_at"] is None:
        return "pending"
    if row["notify_request"] is None:
        return "in_result" if "reply" in (row["result"] or {}) else "none"
    told = row["notify_response"]
    if told is None:
        return "pending" if row["finished_at"] is None else "unacknowledged"
    return str(told.get("state") or "refused")


def _subrequest(row: asyncpg.Record) -> dict[str, Any]:
    shown = {name: value for name, value in _plain(row).items() if name not in _TOLD}
    text = said_by((row["notify_request"] or {}).get("delivery", {})) or (row["result"] or {}).get("reply")
    return {
        **shown,
        "answer": {"state": _answer_state(row), "text": text, "notified": row["notify_response"]},
    }


def _changed(change: dict[str, Any], policy: Policy) -> dict[str, Any]:
    """Return a change as it is shown: of what is private now, or was, not what it said."""
    now = {**change["former"], "audience": change.pop("audience_now")}
    was = _shown(change["former"], policy)
    return {**change, "former": {**was, **_WITHHELD} if policy.withholds(now) else was}


def _shown(record: dict[str, Any], policy: Policy) -> dict[str, Any]:
    """Return a record as operators see it: what its teller alone may know is left out (ADR 0122)."""
    return {**record, **_WITHHELD} if policy.withholds(record) else record


def _plain(row: asyncpg.Record) -> dict[str, Any]:
    """Return the row as JSON: times in RFC 3339, numbers as they were written."""
    return {name: value if _is_json(value) else _text(value) for name, value in row.items()}


def _is_json(value: object) -> bool:
    return value is None or isinstance(value, str | int | list | dict)


def _text(value: object) -> str:
    return value.isoformat().replace("+00:00", "Z") if isinstance(value, datetime) else str(value)
