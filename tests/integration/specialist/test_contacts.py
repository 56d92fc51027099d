"""Records belong to contacts: what is told now, what the release before wrote, and what stays a stranger's."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from butler_contracts.parse import parse
from butler_contracts.people import PeopleV1
from butler_kit.db import MigrationSource, load_migrations, provision
from butler_kit.db.migration_files import Definition, Migration, load_definitions
from butler_specialist.store import records as store
from butler_specialist.store.records import RecordStore
from tests.integration.specialist.household import (
    Place,
    envelope,
    id_of,
    plan_for,
    request_context,
    stranger_context,
)
from tests.support.database import Database

MARA, TOM = uuid4(), uuid4()
ADDRESSES = {MARA: {"telegram": "777001", "email": "mara@example.com"}, TOM: {"telegram": "777002"}}
NAMES = {MARA: "Mara", TOM: "Tom"}
OLD_INSERT = """
INSERT INTO records (
    record_id, request_id, segment_id, ordinal, subrequest_id, kind, code, occurred_on, quantity, quantity_second,
    unit, text, source_channel, sender, sender_class, recorded_at
)
SELECT gen_random_uuid(), gen_random_uuid(), 's1', 0, gen_random_uuid(), 'measurement', 'blood_pressure',
    DATE '2026-11-20', 141, 91, 'mmHg', 'Blood pressure 141/91', $1, $2, $3, now()
FROM generate_series(1, $4)
"""
"""What the release before writes."""
health = pytest.mark.parametrize("place", ["health"], indirect=True)


def people(sender: UUID | None = None) -> dict[str, Any]:
    members = [
        {
            "contact_id": str(contact),
            "name": NAMES[contact],
            "addresses": [{"channel": kind, "value": value} for kind, value in addresses.items()],
        }
        for contact, addresses in ADDRESSES.items()
    ]
    return {"sender": str(sender) if sender else None, "members": members}


def told(text: str, contact: UUID, channel: str, *, butler: str = "health") -> dict[str, Any]:
    """The work that Switchboard sends for a member's message."""
    context = request_context(channel, source_sender_identity=ADDRESSES[contact].get(channel, "x"))
    document = envelope(text, butler=butler, context=context)
    document["input"]["context"] = {"people": people(contact)}
    return document


async def said(place: Place) -> str:
    answer = place.switchboard.notifies[-1].delivery.message
    assert answer is not None
    return answer


async def old_rows(
    pool: Any, channel: str, sender: str, *, sender_class: str = "household", many: int = 1
) -> None:
    await pool.execute(OLD_INSERT, channel, sender, sender_class, many)


@health
async def test_a_value_by_mail_is_the_same_persons_on_telegram_and_nobody_elses(place: Place) -> None:
    async with place.specialist() as specialist:
        await specialist.done(told("Blood pressure 141/91 just now", MARA, "email"))
        await specialist.done(told("What was my last blood pressure?", MARA, "telegram"))
        assert (await said(place)).startswith("Your last blood pressure was 141/91 mmHg")
        await specialist.done(told("What was my last blood pressure?", TOM, "telegram"))
        assert await said(place) == "No blood pressure of yours is recorded yet."
        await specialist.done(told("What is Mara's blood pressure?", TOM, "telegram"))
        assert await said(place) == "No blood pressure of Mara is recorded yet."
    assert [row["contact_id"] for row in await place.records()] == [MARA]


@health
async def test_a_strangers_record_has_no_contact_and_answers_nobody(place: Place) -> None:
    stranger = stranger_context(source_sender_identity="mara@example.com")
    async with place.specialist() as specialist:
        await specialist.done(envelope("Blood pressure 199/99", butler="health", context=stranger))
        await specialist.done(told("What was my last blood pressure?", MARA, "telegram"))
        assert await said(place) == "No blood pressure of yours is recorded yet."
    assert [row["contact_id"] for row in await place.records()] == [None]


@health
async def test_work_that_names_a_contact_for_a_strangers_message_is_not_believed(place: Place) -> None:
    document = told("Blood pressure 199/99", MARA, "email")
    document["request_context"] |= {"sender_class": "other", "reply_policy": "none"}
    async with place.specialist() as specialist:
        await specialist.done(document)
    assert [row["contact_id"] for row in await place.records()] == [None]


@health
async def test_rows_of_the_release_before_are_their_contacts_with_the_first_message(place: Place) -> None:
    await old_rows(place.pool, "email", "Mara@Example.com")
    await old_rows(place.pool, "telegram", "777002")
    await old_rows(place.pool, "api", "home-assistant")
    await old_rows(place.pool, "email", "mara@example.com", sender_class="other")
    async with place.specialist() as specialist:
        await specialist.done(told("What was my last blood pressure?", MARA, "telegram"))
        assert (await said(place)).startswith("Your last blood pressure was 141/91 mmHg")
        await specialist.done(told("What is Tom's blood pressure?", MARA, "telegram"))
        assert await said(place) == "No blood pressure of Tom is recorded yet."
        await specialist.done(told("What was my last blood pressure?", TOM, "telegram"))
        assert (await said(place)).startswith("Your last blood pressure was 141/91 mmHg")
    owners = {(row["sender"], row["sender_class"]): row["contact_id"] for row in await place.records()}
    assert owners == {
        ("Mara@Example.com", "household"): MARA,
        ("777002", "household"): TOM,
        ("home-assistant", "household"): None,
        ("mara@example.com", "other"): None,
    }


async def test_moving_goes_on_where_it_stopped_and_takes_nothing_from_a_contact(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    await old_rows(place.pool, "telegram", "777001", many=25)
    await place.pool.execute("UPDATE records SET contact_id = $1 WHERE seq = 1", TOM)
    monkeypatch.setattr(store, "_BATCH", 4)
    monkeypatch.setattr(store, "_MOST_BATCHES", 3)
    records, known = RecordStore(place.pool), parse_people(people())
    assert [await records.move_to_contacts(known) for _ in range(3)] == [12, 12, 0]
    owners = [row["contact_id"] for row in await place.records()]
    assert owners == [TOM, *[MARA] * 24]


@health
async def test_who_wrote_is_kept_with_the_work_over_a_restart_and_beside_the_envelope(place: Place) -> None:
    data = told("Blood pressure 141/91", MARA, "email")
    async with place.specialist() as specialist:
        await specialist.done(data)
        row = await place.route(id_of(data))
        # The release before reads the envelope too, and refuses what it does not know.
        assert "people" not in str(row["envelope"])
        await place.pool.execute(
            "WITH gone AS (DELETE FROM records) UPDATE route_inbox SET outcome_at = NULL, finished_at = NULL, "
            "lifecycle_state = 'accepted', result = NULL, notify_request = NULL, notify_response = NULL"
        )
    await place.pool.execute(
        "INSERT INTO route_work (item_id, lane, source, available_at, enqueued_at) "
        "SELECT subrequest_id, 'default', 'email', now(), now() FROM route_inbox"
    )
    async with place.specialist():
        await place.until_state(id_of(data), "processed")
    assert [row["contact_id"] for row in await place.records()] == [MARA]


@health
async def test_work_of_a_switchboard_of_the_release_before_is_filed_by_address_and_moved_later(
    place: Place,
) -> None:
    before = told("Blood pressure 141/91", MARA, "email")
    del before["input"]["context"]
    async with place.specialist() as specialist:
        await specialist.done(before)
        assert [row["contact_id"] for row in await place.records()] == [None]
        await specialist.done(told("What was my last blood pressure?", MARA, "telegram"))
        assert (await said(place)).startswith("Your last blood pressure was 141/91 mmHg")


async def test_the_upgrade_keeps_every_row_and_may_run_again(
    fresh_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_for("health")
    with monkeypatch.context() as before:
        migrate = import_module("butler_kit.db.migrate")
        before.setattr(migrate, "load_migrations", of_the_release_before)
        before.setattr(migrate, "load_definitions", no_views_of_specialists)
        await provision(fresh_database.admin_dsn, (plan,))
    admin = await asyncpg.connect(fresh_database.admin_dsn)
    try:
        await admin.execute("SET search_path TO health")
        await admin.execute(OLD_INSERT, "telegram", "777001", "household", 3)
        for _ in range(2):
            await provision(fresh_database.admin_dsn, (plan,))
        # A replica of the release before may still write.
        await admin.execute(OLD_INSERT, "telegram", "777001", "household", 1)
        rows = await admin.fetch("SELECT contact_id, quantity FROM records")
    finally:
        await admin.close()
    assert [(row["contact_id"], int(row["quantity"])) for row in rows] == [(None, 141)] * 4


def of_the_release_before(source: MigrationSource) -> tuple[Migration, ...]:
    return tuple(one for one in load_migrations(source) if source.name != "specialist" or one.number < 7)


def no_views_of_specialists(source: MigrationSource) -> tuple[Definition, ...]:
    return load_definitions(source) if source.name != "specialist" else ()


def parse_people(data: Mapping[str, Any]) -> PeopleV1:
    return parse(PeopleV1, data)


@health
async def test_an_edit_that_comes_while_the_contacts_are_away_still_takes_its_message_s_place(
    place: Place,
) -> None:
    first = told("Blood pressure 141/91", MARA, "telegram")
    part = {"request_id": first["request_context"]["request_id"], "segment_id": "s1"}
    later = told("Blood pressure 131/81", MARA, "telegram")
    later["input"]["context"] = {"supersedes": {"parts": [part]}}
    async with place.specialist() as specialist:
        await specialist.done(first)
        await specialist.done(later)
    [row] = await place.records()
    assert (int(row["quantity"]), row["contact_id"], row["audience"]) == (131, MARA, "private")
