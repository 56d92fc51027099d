"""PURE: other people's records by the clock of the reader (ADR 0059).

A record keeps the hour that its teller said, which is theirs wherever they are now. Invariant: a person sees
another's hour as the same moment by their own clock, and their changes to it are stored by the teller's clock again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Final, Protocol, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

from butler_specialist.store.model import Record, RecordChange, RecordDraft
from butler_specialist.store.visibility import Viewer

__all__ = ["Eyes", "OfPersons", "SeenRecords"]

_OF_THE_PLACE: Final = frozenset({"flight", "train", "bus", "delay", "stay"})
"""Kinds whose hour is that of the place, as a ticket states it."""
_DAY: Final = timedelta(days=1)
_FIRST, _LAST = date.min + _DAY, date.max - _DAY

Told = TypeVar("Told", bound=RecordDraft)


class Eyes:
    """One person's view for one message; it knows by whose clock each record they saw is."""

    def __init__(self, contact_id: UUID | None, zone_of: Callable[[UUID | None], ZoneInfo]) -> None:
        self._contact_id = contact_id
        self._zone_of = zone_of
        self._told_in: dict[UUID, ZoneInfo] = {}

    def seen(self, record: Record) -> Record:
        """Return the record by the reader's clock."""
        told_in, own = self._zone_of(record.contact_id), self._zone_of(self._contact_id)
        hers = record.contact_id == self._contact_id
        if told_in == own or hers or record.kind in _OF_THE_PLACE or "rule" in record.details:
            return record
        self._told_in[record.record_id] = told_in
        return _by(record, told_in, own)

    def kept(self, change: RecordChange) -> RecordChange:
        """Return the change by the clock of the record's teller."""
        told_in = self._told_in.get(change.record_id)
        if told_in is None or change.after is None:
            return change
        return replace(change, after=_by(change.after, self._zone_of(self._contact_id), told_in))


class OfPersons(Protocol):
    """A `RecordReader` with a viewer: there is no other way to ask."""

    async def find(
        self,
        kinds: Collection[str],
        *,
        start: date | None = None,
        end: date | None = None,
        all_senders: bool = False,
        viewer: Viewer,
    ) -> Sequence[Record]: ...


class SeenRecords:
    """Records that the `viewer` may see, through `eyes`; a period is meant by the viewer's clock."""

    def __init__(self, records: OfPersons, eyes: Eyes, viewer: Viewer) -> None:
        self._records = records
        self._eyes = eyes
        self._viewer = viewer

    async def find(
        self,
        kinds: Collection[str],
        *,
        start: date | None = None,
        end: date | None = None,
        all_senders: bool = False,
    ) -> Sequence[Record]:
        """Return records as `RecordReader.find` does."""
        rows = await self._records.find(
            kinds,
            start=max(start, _FIRST) - _DAY if start is not None else None,
            end=min(end, _LAST) + _DAY if end is not None else None,
            all_senders=all_senders,
            viewer=self._viewer,
        )
        seen = [one for row in rows if _lies_in(one := self._eyes.seen(row), start, end)]
        return sorted(seen, key=lambda one: one.occurred_on, reverse=True)


def _lies_in(record: Record, start: date | None, end: date | None) -> bool:
    day = record.occurred_on
    return (start is None or start <= day) and (end is None or day < end)


def _by(told: Told, before: ZoneInfo, zone: ZoneInfo) -> Told:
    if told.occurred_at is None:
        return told
    wall = datetime.combine(told.occurred_on, told.occurred_at, before).astimezone(zone)
    return replace(told, occurred_on=wall.date(), occurred_at=wall.time())
