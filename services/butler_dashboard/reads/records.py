"""The records of all specialists as one list, most recently learned first (ADR 0037).

Each butler's records are walked in the order in which it learned them, and the lists merged; the cursor has one
position for each butler, so the hundredth page costs as much as the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from butler_dashboard.reads.butlers import ButlerFilter, list_butlers
from butler_dashboard.reads.model import Row
from butler_dashboard.reads.page import SCANNED_MAX, read_cursor, write_cursor
from butler_dashboard.reads.patterns import anywhere
from butler_dashboard.reads.people import People, household_people
from butler_dashboard.reads.reader import Reader
from butler_dashboard.reads.record_models import RecordList, RecordSummary
from butler_kit.db import Connection, NamedQueries, quote_identifier

__all__ = [
    "RecordFilter",
    "holders_of",
    "known_kinds",
    "list_records",
    "specialists",
    "summary_of",
    "withheld_requests",
]

_SQL: Final = NamedQueries("butler_dashboard", "sql/records.sql")
_NEWEST: Final = 2**63 - 1
_PLACE: Final = re.compile(r"([a-z_][a-z0-9_]{0,62}):([0-9]{1,19})")
_BUTLERS: Final = 100
_MADE: Final = frozenset({"butler", "person"})


@dataclass(frozen=True, slots=True)
class RecordFilter:
    """What to look for; None leaves a field open. `q` matches anywhere, in any case; `person` told it."""

    q: str | None = None
    butler: str | None = None
    kind: str | None = None
    person: UUID | None = None
    withdrawn: bool | None = None


@dataclass(frozen=True, slots=True)
class _Part:
    """One butler's share of a page: its matching rows, and where the walk ended before its first record."""

    schema: str
    begin: int
    rows: Sequence[Row]
    edge: int | None

    def place(self, taken: int) -> int:
        """Return where the next page begins if this one takes `taken` rows; 0 when nothing is left."""
        if taken < len(self.rows):
            return int(self.rows[taken - 1]["seq"]) if taken else self.begin
        return self.edge or 0


async def list_records(
    reader: Reader,
    wanted: RecordFilter,
    *,
    limit: int,
    cursor: str | None = None,
    scanned_max: int = SCANNED_MAX,
) -> RecordList:
    """Return one page of records, including a butler's that is away, as far as its database can be read."""
    [places] = read_cursor(cursor, _places) if cursor else ({},)
    people = await household_people(reader)
    named = await specialists(reader)
    asked = (wanted.kind, anywhere(wanted.q), *_person(wanted.person, people), limit + 1, wanted.withdrawn)
    async with reader.moment("reading records") as connection:
        holders = await holders_of(connection)
        parts = [
            await _part(connection, schema, places.get(schema, _NEWEST), scanned_max, asked)
            for schema in holders
            if wanted.butler in (None, named.get(schema, schema))
        ]
    page = _newest(parts, limit)
    return RecordList(
        records=tuple(summary_of(row, named.get(schema, schema), people) for schema, row in page),
        unread=tuple(name for schema, name in named.items() if schema not in holders),
        next=_next(parts, [schema for schema, _ in page]),
    )


async def known_kinds(reader: Reader) -> list[str]:
    """Return every kind of record that is kept, by name."""
    found: set[str] = set()
    async with reader.moment("reading the kinds of records") as connection:
        for schema in await holders_of(connection):
            rows = await connection.fetch(_SQL.render("kinds", schema=quote_identifier(schema)))
            found |= {row["kind"] for row in rows}
    return sorted(found)


async def withheld_requests(connection: Connection, ids: Sequence[UUID]) -> set[UUID]:
    """Return those of the requests from which a butler kept something private (ADR 0122)."""
    found: set[UUID] = set()
    for schema in await holders_of(connection):
        rows = await connection.fetch(_SQL.render("withheld", schema=quote_identifier(schema)), ids)
        found |= {row["request_id"] for row in rows}
    return found


async def specialists(reader: Reader) -> dict[str, str]:
    """Return the names of the registered specialists, keyed by schema."""
    found = await list_butlers(reader, ButlerFilter(role="specialist"), limit=_BUTLERS)
    return {butler.name.replace("-", "_"): butler.name for butler in found.butlers}


async def holders_of(connection: Connection) -> list[str]:
    """Return the schemas whose records can be read."""
    return [row["schema"] for row in await connection.fetch(_SQL["holders"])]


async def _part(
    connection: Connection, schema: str, begin: int, scanned_max: int, asked: tuple[Any, ...]
) -> _Part:
    quoted = quote_identifier(schema)
    rows = await connection.fetch(_SQL.render("page", schema=quoted), begin, scanned_max, *asked)
    edge = await connection.fetchval(_SQL.render("edge", schema=quoted), begin, scanned_max)
    return _Part(schema, begin, rows, edge)


def _newest(parts: Iterable[_Part], limit: int) -> list[tuple[str, Row]]:
    """Return the newest rows of all parts."""
    found = [(part.schema, row) for part in parts for row in part.rows]
    found.sort(key=lambda one: (one[1]["recorded_at"], one[1]["seq"]), reverse=True)
    return found[:limit]


def _next(parts: Sequence[_Part], taken: Sequence[str]) -> str | None:
    places = {part.schema: part.place(taken.count(part.schema)) for part in parts}
    if not any(places.values()):
        return None
    return write_cursor(",".join(f"{schema}:{place}" for schema, place in places.items()))


def _places(part: Any) -> dict[str, int]:
    found = [_PLACE.fullmatch(place) for place in part.split(",")]
    places = {place[1]: int(place[2]) for place in found if place is not None}
    if None in found or any(place > _NEWEST for place in places.values()):
        raise ValueError
    return places


def _person(contact_id: UUID | None, people: People) -> tuple[Any, ...]:
    channels, values = people.addresses_of(contact_id) if contact_id is not None else ([], [])
    return contact_id, channels, values


def summary_of(row: Row, butler: str, people: People) -> RecordSummary:
    """Return the summary of a row of the view, with the names that pages show."""
    shown = {name: row[name] for name in RecordSummary.model_fields if name not in _MADE}
    person = people.name(row["channel"], row["sender_identity"], row["contact_id"])
    return RecordSummary(**shown, butler=butler, person=person)
