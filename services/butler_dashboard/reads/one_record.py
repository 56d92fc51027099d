"""One record with its last change (ADR 0037, 0042)."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import NotFound
from butler_contracts.record_orders import EDITABLE
from butler_dashboard.reads.model import Row
from butler_dashboard.reads.people import People, household_people
from butler_dashboard.reads.reader import Reader
from butler_dashboard.reads.record_models import LastChange, RecordDetail, RecordSummary
from butler_dashboard.reads.records import holders_of, specialists, summary_of
from butler_kit.db import NamedQueries, quote_identifier

__all__ = ["UnknownRecord", "record_detail"]

_SQL: Final = NamedQueries("butler_dashboard", "sql/records.sql")
_OPERATOR: Final = "operator"
_WITHHELD: Final = {**dict.fromkeys(name for name in EDITABLE if name != "occurred_on"), "text": ""}
"""A record's words and values where they are its teller's alone."""


class UnknownRecord(NotFound):
    """No such record, or no such butler whose records can be read (HTTP 404)."""


async def record_detail(reader: Reader, butler: str, record_id: UUID) -> RecordDetail:
    """Return one record. Raises `UnknownRecord`."""
    people = await household_people(reader)
    schemas = {name: schema for schema, name in (await specialists(reader)).items()}
    schema = schemas.get(butler, butler.replace("-", "_"))
    async with reader.moment("reading a record") as connection:
        row = None
        if schema in await holders_of(connection):
            row = await connection.fetchrow(_SQL.render("one", schema=quote_identifier(schema)), record_id)
    if row is None:
        raise UnknownRecord(f"Record {record_id} is not known, or cannot be read here")
    summary = summary_of(row, butler, people)
    return RecordDetail(
        **dict(summary), last_change=_last_change(row, summary, people), **_whose(row, people)
    )


def _whose(row: Row, people: People) -> dict[str, Any]:
    """Return who may be told of it; nothing if the butler's release does not show it."""
    if "audience" not in row:
        return {}
    shared = (people.called(teller) for teller in row["shared_with"])
    return {"audience": row["audience"], "shared_with": tuple(shared)}


def _last_change(row: Row, now: RecordSummary, people: People) -> LastChange | None:
    made: dict[str, Any] = dict(row)
    if made.get("changed_at") is None or made.get("former") is None:
        return None
    through, by = made["changed_through"], made["changed_by"]
    shown = RecordSummary.model_fields.keys() & made["former"].keys()
    was = {name: made["former"][name] for name in shown} or _WITHHELD
    former = RecordSummary.model_validate({**dict(now), **was})
    known = by if through == _OPERATOR else people.name(through, by) or by
    return LastChange(
        at=made["changed_at"], cause=made["change_cause"], through=through, by=known, former=former
    )
