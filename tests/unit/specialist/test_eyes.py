"""Whose clock a record's hour is by: its teller's own words stay, others see the same moment by their own."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, time
from typing import Any
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo

import pytest

from butler_specialist.people.eyes import Eyes, SeenRecords
from butler_specialist.store.model import Record, RecordChange, as_draft
from butler_specialist.store.visibility import ALL_HOUSEHOLD, Viewer
from tests.golden.specialist.conversations import MemoryRecords

MARA, TOM = UUID(int=1), UUID(int=2)
BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
TUESDAY, WEDNESDAY = date(2026, 12, 1), date(2026, 12, 2)


def zone_of(contact_id: UUID | None) -> ZoneInfo:
    return NEW_YORK if contact_id == MARA else BERLIN


def record(seq: int = 1, at: time | None = time(10), **said: Any) -> Record:
    base: dict[str, Any] = {
        "kind": "appointment",
        "occurred_on": TUESDAY,
        "text": "dentist",
        "contact_id": MARA,
    }
    return Record(occurred_at=at, record_id=uuid5(MARA, str(seq)), seq=seq, **base | said)


def wall(one: Any) -> tuple[date, time | None]:
    return one.occurred_on, one.occurred_at


def test_the_hour_of_another_is_the_same_moment_by_the_clock_of_who_asks() -> None:
    assert wall(Eyes(TOM, zone_of).seen(record())) == (TUESDAY, time(16))
    assert wall(Eyes(TOM, zone_of).seen(record(at=time(20)))) == (WEDNESDAY, time(2))
    assert wall(Eyes(MARA, zone_of).seen(record(contact_id=None))) == (TUESDAY, time(4))


@pytest.mark.parametrize(
    "row",
    [
        record(contact_id=TOM),
        record(at=None),
        record(kind="flight"),
        record(kind="medication", details={"rule": "FREQ=DAILY", "begins": "2026-12-01T10:00"}),
    ],
    ids=["their own", "a day alone", "of a ticket", "hours that come again"],
)
def test_what_is_theirs_or_has_no_moment_is_as_it_was_told(row: Record) -> None:
    assert Eyes(TOM, zone_of).seen(row) == row


@pytest.mark.parametrize("at", [time(17), time(1), None])
def test_what_another_changes_is_kept_by_the_clock_of_who_told_it(at: time | None) -> None:
    eyes, row = Eyes(TOM, zone_of), record()
    seen = eyes.seen(row)
    kept = eyes.kept(RecordChange(row.record_id, 1, "moved", replace(as_draft(seen), occurred_at=at)))
    assert kept.after is not None
    assert wall(
        eyes.seen(replace(row, occurred_on=kept.after.occurred_on, occurred_at=at and kept.after.occurred_at))
    ) == (
        TUESDAY,
        at,
    )
    own = RecordChange(uuid5(TOM, "other"), 1, "moved", as_draft(record()))
    assert eyes.kept(own) == own


async def test_a_day_is_the_day_of_who_asks() -> None:
    kept = MemoryRecords()
    kept.add([as_draft(record(at=time(20)))], sender="mara")
    eyes = Eyes(TOM, lambda contact_id: BERLIN if contact_id == TOM else NEW_YORK)
    seen = SeenRecords(kept, eyes, Viewer(None, ALL_HOUSEHOLD))
    assert await seen.find(["appointment"], start=TUESDAY, end=WEDNESDAY) == []
    [one] = await seen.find(["appointment"], start=WEDNESDAY, end=date(2026, 12, 3))
    assert wall(one) == (WEDNESDAY, time(2))
    assert len(await seen.find(["appointment"], start=date.min, end=date.max)) == 1
