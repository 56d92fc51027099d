"""Upcoming records and open lists, over all butlers whose records can be read (ADR 0037)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, time, timedelta
from functools import partial
from typing import Any, Final

from butler_dashboard.reads.model import Row
from butler_dashboard.reads.people import household_people
from butler_dashboard.reads.reader import Reader
from butler_dashboard.reads.record_models import Agenda, OpenList, RecordSummary
from butler_dashboard.reads.records import holders_of, specialists, summary_of
from butler_kit.db import Connection, NamedQueries, quote_identifier

__all__ = ["household_agenda", "open_lists"]

_SQL: Final = NamedQueries("butler_dashboard", "sql/records.sql")
_DAYS: Final = 7
_COMING: Final = ("appointment", "bill", "task")
_MOST_COMING: Final = 20
_LISTED: Final = ("list_item", "list_removal", "task")
_MOST_LISTED: Final = 1_000
_TO_DO: Final = "to-do"


async def household_agenda(reader: Reader, today: date) -> Agenda:
    """Return appointments, bills and tasks for a week from `today`, and every list that is not empty."""
    people, named = await household_people(reader), await specialists(reader)
    week = (list(_COMING), today, today + timedelta(days=_DAYS), _MOST_COMING)
    coming: list[RecordSummary] = []
    listed: list[RecordSummary] = []
    async with reader.moment("reading what comes") as connection:
        for schema in await holders_of(connection):
            named_so = partial(summary_of, butler=named.get(schema, schema), people=people)
            coming += map(named_so, await _rows(connection, schema, "coming", *week))
            listed += map(named_so, await _rows(connection, schema, "listed", list(_LISTED), _MOST_LISTED))
    coming.sort(key=lambda record: (record.occurred_on, record.occurred_at or time.min))
    return Agenda(coming=tuple(coming[:_MOST_COMING]), lists=open_lists(listed))


async def _rows(connection: Connection, schema: str, query: str, *asked: Any) -> Sequence[Row]:
    return await connection.fetch(_SQL.render(query, schema=quote_identifier(schema)), *asked)


def open_lists(records: Iterable[RecordSummary]) -> tuple[OpenList, ...]:
    """Return what is on each list and was not taken off later; `records` come in the order learned."""
    lists: dict[str, dict[str, RecordSummary]] = {}
    for record in records:
        name = record.code or _TO_DO
        item = (record.title or record.text).casefold()
        if record.kind == "list_removal":
            lists.get(name, {}).pop(item, None)
        else:
            lists.setdefault(name, {}).setdefault(item, record)
    return tuple(
        OpenList(name=name, items=tuple(items.values())) for name, items in sorted(lists.items()) if items
    )
