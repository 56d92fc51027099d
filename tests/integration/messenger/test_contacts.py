"""Contacts in schema `shared`, and deliveries to people whose identifier is missing (MSG-6.2, D49)."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
import structlog

from butler_kit.telemetry import MESSENGER, Metrics
from butler_messenger.contacts.file import ContactsFileError
from butler_messenger.contacts.sync import sync_contacts
from butler_messenger.contacts.watch import ContactsWatch
from tests.integration.messenger.household import ADA, BEN, CONTACTS, Place, envelope, notify, request_context


async def contact_id(place: Place, name: str) -> str:
    return str(await place.pool.fetchval("SELECT contact_id FROM shared.contacts WHERE name = $1", name))


async def snapshot(place: Place) -> list[tuple[str, ...]]:
    rows = await place.rows(
        "SELECT c.contact_id, c.name, c.role, i.type, i.value, i.is_primary, i.created_at FROM shared.contacts c"
        " LEFT JOIN shared.contact_info i USING (contact_id) ORDER BY c.name, i.type, i.value"
    )
    return [tuple(str(value) for value in row.values()) for row in rows]


async def test_reading_the_same_file_again_changes_nothing(place: Place) -> None:
    before = await snapshot(place)
    result = await sync_contacts(place.pool, place.folder / "contacts.yaml")
    assert (result.contacts, result.identifiers) == (2, 3)
    assert await snapshot(place) == before


async def test_who_leaves_the_file_leaves_the_household_and_an_identifier_can_move(place: Place) -> None:
    chloe = {"name": "Chloe", "role": "owner", "identifiers": [{"type": "telegram", "value": str(ADA)}]}
    ada = {"name": "Ada", "role": "member", "identifiers": [{"type": "email", "value": "new@example.org"}]}
    await sync_contacts(place.pool, place.write_contacts([chloe, ada]))
    people = await place.rows("SELECT name, role FROM shared.contacts ORDER BY name")
    assert [(p["name"], p["role"]) for p in people] == [("Ada", "member"), ("Chloe", "owner")]
    values = await place.rows("SELECT value FROM shared.contact_info ORDER BY value")
    assert [v["value"] for v in values] == [str(ADA), "new@example.org"]


def person(name: str, *telegram: int, role: str = "member") -> dict[str, Any]:
    return {
        "name": name,
        "role": role,
        "identifiers": [{"type": "telegram", "value": str(value)} for value in telegram],
    }


async def test_who_is_renamed_stays_the_same_contact_and_the_name_is_free_again(place: Place) -> None:
    ada = await contact_id(place, "Ada")
    renamed = person("Ada Lovelace", ADA, role="owner")
    await sync_contacts(place.pool, place.write_contacts([renamed, person("Ben", BEN)]))
    await sync_contacts(place.pool, place.write_contacts([renamed, person("Ben", BEN)]))
    assert await contact_id(place, "Ada Lovelace") == ada
    await sync_contacts(place.pool, place.write_contacts([person("Ada", 4711), renamed, person("Ben", BEN)]))
    assert await contact_id(place, "Ada Lovelace") == ada
    another = await contact_id(place, "Ada")
    assert another != ada
    await sync_contacts(place.pool, place.write_contacts([renamed, person("Ada", 4711)]))
    assert await contact_id(place, "Ada") == another


async def test_who_gets_the_address_of_somebody_who_left_stays_who_they_were(place: Place) -> None:
    ada, ben = await contact_id(place, "Ada"), await contact_id(place, "Ben")
    await sync_contacts(place.pool, place.write_contacts([person("Ada", ADA, BEN, role="owner")]))
    assert await contact_id(place, "Ada") == ada
    await sync_contacts(
        place.pool, place.write_contacts([person("Ada", ADA, role="owner"), person("Zoe", BEN)])
    )
    assert await contact_id(place, "Zoe") not in (ada, ben)


async def test_a_household_without_exactly_one_owner_is_refused_and_nothing_changes(place: Place) -> None:
    before = await snapshot(place)
    path = place.write_contacts([{**person, "role": "member"} for person in CONTACTS])
    with pytest.raises(ContactsFileError, match="exactly one contact must have the role owner"):
        await sync_contacts(place.pool, path)
    assert await snapshot(place) == before
    config = place.folder / "butler.toml"
    config.write_text(place.config_text())
    command = [sys.executable, "-m", "butler_messenger", "--config", str(config)]
    for arguments in ([], ["--sync-contacts"]):
        run = await asyncio.to_thread(
            subprocess.run, [*command, *arguments], env=place.env, capture_output=True, text=True, timeout=300
        )
        assert run.returncode == 1
        assert "exactly one contact must have the role owner, found: none" in run.stderr


async def test_contacts_can_be_read_before_anything_starts(place: Place) -> None:
    await place.pool.execute("DELETE FROM shared.contacts")
    config = place.folder / "butler.toml"
    config.write_text(place.config_text())
    command = [sys.executable, "-m", "butler_messenger", "--config", str(config), "--sync-contacts"]
    run = await asyncio.to_thread(
        subprocess.run, command, env=place.env, capture_output=True, text=True, timeout=300
    )
    assert (run.returncode, run.stdout) == (0, "contacts: 2, identifiers: 3\n")
    assert len(await place.rows("SELECT 1 FROM shared.contacts")) == 2


@pytest.mark.spec("MSG-6.2")
async def test_a_send_goes_to_the_contact_else_the_recipient_else_the_owner(place: Place) -> None:
    ben = await contact_id(place, "Ben")
    async with place.messenger() as messenger:
        addresses: list[dict[str, Any]] = [
            {"contact_id": ben, "recipient": "666"},
            {"recipient": str(BEN)},
            {},
        ]
        for number, addressed in enumerate(addresses):
            await messenger.notify(notify(str(number), idempotency_key=str(number), **addressed))
    assert [(sent["chat_id"], sent["text"]) for sent in place.telegram.sent] == [
        (1002, "[finance] 0"),
        (BEN, "[finance] 1"),
        (ADA, "[finance] 2"),
    ]


@pytest.mark.spec("MSG-6.2")
async def test_the_primary_identifier_of_a_contact_is_preferred(place: Place) -> None:
    contacts = [
        CONTACTS[0],
        {
            "name": "Dana",
            "role": "member",
            "identifiers": [
                {"type": "email", "value": "old@example.org"},
                {"type": "email", "value": "best@example.org", "primary": True},
            ],
        },
    ]
    await sync_contacts(place.pool, place.write_contacts(contacts))
    async with place.messenger() as messenger:
        dana = await contact_id(place, "Dana")
        await messenger.notify(notify(channel="email", contact_id=dana, idempotency_key="x"))
    assert place.smtp.accepted[0].rcpt_to == ("best@example.org",)


@pytest.mark.spec("MSG-6.2")
async def test_a_reply_goes_back_and_an_override_only_where_it_is_consistent(place: Place) -> None:
    context = request_context()
    async with place.messenger() as messenger:
        consistent = notify("yes", intent="reply", context=context, recipient=str(ADA))
        assert (await messenger.notify(consistent)).status == "ok"
        elsewhere = await messenger.execute(
            envelope(notify("no", intent="reply", context=context, recipient="1002"))
        )
    assert elsewhere.error is not None
    assert elsewhere.error.error_class.value == "validation_error"
    assert [sent["chat_id"] for sent in place.telegram.sent] == [ADA]


@pytest.mark.spec("MSG-6.2", "MSG-13")
async def test_a_missing_target_is_refused_without_effect(place: Place) -> None:
    async with place.messenger() as messenger:
        await place.pool.execute("DELETE FROM shared.contacts")
        response = await messenger.execute(envelope(notify(idempotency_key="x")))
    assert response.error is not None
    assert response.error.error_class.value == "validation_error"
    assert await place.rows("SELECT 1 FROM delivery_requests") == []
    assert place.telegram.sent == []


@pytest.mark.spec("MSG-6.2", "MSR-02.2")
async def test_a_missing_identifier_parks_the_delivery_and_the_owner_is_told_once(place: Place) -> None:
    ben = await contact_id(place, "Ben")
    async with place.messenger() as messenger:
        for number in range(2):
            wish = notify(f"mail {number}", channel="email", contact_id=ben, idempotency_key=str(number))
            answer = await messenger.notify(wish)
            assert answer.status == "ok"
            assert answer.delivery is not None
            assert answer.delivery.state == "pending_missing_identifier"
            assert await messenger.notify(wish) == answer
        await place.telegram.until(lambda api: len(api.sent) == 1)
    # What Messenger itself has to say it sends itself: this Switchboard has no `notify` that could be asked.
    [notice] = place.telegram.sent
    assert notice["chat_id"] == ADA
    assert notice["text"].startswith("[messenger] finance has a message for Ben, but no e-mail address")
    actions = await place.rows("SELECT * FROM shared.pending_actions")
    assert [(a["kind"], a["status"], a["channel"]) for a in actions] == [
        ("missing_identifier", "open", "email")
    ] * 2
    assert place.smtp.accepted == []


async def test_a_parked_delivery_goes_out_once_the_identifier_is_known(place: Place) -> None:
    ben, subrequest_id = await contact_id(place, "Ben"), uuid4()
    async with place.messenger() as messenger:
        wish = notify("hello", channel="email", contact_id=ben, idempotency_key="x")
        await messenger.execute(envelope(wish, subrequest_id=subrequest_id))
    known = {**CONTACTS[1], "identifiers": [{"type": "email", "value": "ben@example.org"}]}
    place.write_contacts([CONTACTS[0], known])
    async with place.messenger():
        completion = await place.switchboard.completed(subrequest_id)
    assert completion.status == "ok"
    assert [mail.rcpt_to for mail in place.smtp.accepted] == [("ben@example.org",)]
    assert [a["status"] for a in await place.rows("SELECT status FROM shared.pending_actions")] == ["closed"]


async def test_a_repeat_after_the_contacts_changed_is_the_same_delivery(place: Place) -> None:
    ben, subrequest_id, context = await contact_id(place, "Ben"), uuid4(), request_context()
    wish = notify("hello", channel="email", contact_id=ben, context=context)
    async with place.messenger() as messenger:
        first = await messenger.notify(wish, subrequest_id=subrequest_id)
    for address in ("ben@example.org", "new@example.org"):
        known = {**CONTACTS[1], "identifiers": [{"type": "email", "value": address}]}
        place.write_contacts([CONTACTS[0], known])
        async with place.messenger() as messenger:
            await place.switchboard.completed(subrequest_id)
            again = await messenger.notify(wish, subrequest_id=subrequest_id)
        assert first.delivery is not None
        assert again.delivery is not None
        assert again.delivery.delivery_id == first.delivery.delivery_id
        assert again.delivery.state == "sent"
    assert [mail.rcpt_to for mail in place.smtp.accepted] == [("ben@example.org",)]


async def test_a_parked_delivery_that_was_said_on_another_channel_is_not_said_again(place: Place) -> None:
    ben, subrequest_id, context = await contact_id(place, "Ben"), uuid4(), request_context()
    same: dict[str, Any] = {"contact_id": ben, "context": context, "idempotency_key": "answer:1"}
    async with place.messenger() as messenger:
        await messenger.execute(
            envelope(notify("hello", channel="email", **same), subrequest_id=subrequest_id)
        )
        instead = await messenger.notify(notify("hello", **same))
        assert instead.delivery is not None
        assert instead.delivery.state == "sent"
    known = {
        **CONTACTS[1],
        "identifiers": [*CONTACTS[1]["identifiers"], {"type": "email", "value": "ben@example.org"}],
    }
    place.write_contacts([CONTACTS[0], known])
    async with place.messenger():
        completion = await place.switchboard.completed(subrequest_id)
    assert completion.error is not None
    assert "another channel" in completion.error.message
    assert place.smtp.accepted == []


async def test_a_parked_delivery_ends_when_its_time_is_over(place: Place) -> None:
    ben, subrequest_id = await contact_id(place, "Ben"), uuid4()
    async with place.messenger() as messenger:
        wish = notify("hello", channel="email", contact_id=ben, idempotency_key="x")
        await messenger.execute(envelope(wish, subrequest_id=subrequest_id))
    await place.database.shift_clock(timedelta(hours=25))
    async with place.messenger():
        completion = await place.switchboard.completed(subrequest_id)
    assert completion.error is not None
    assert completion.error.error_class.value == "timeout"


async def test_an_owner_who_cannot_be_reached_leaves_a_record_only(place: Place) -> None:
    unreachable = {"name": "Ada", "role": "owner", "identifiers": []}
    await sync_contacts(place.pool, place.write_contacts([unreachable]))
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify(idempotency_key="x"))
    assert answer.delivery is not None
    assert answer.delivery.state == "pending_missing_identifier"
    [action] = await place.rows("SELECT * FROM shared.pending_actions")
    assert action["notice_delivery_id"] is None
    assert action["delivery_id"] == UUID(answer.delivery.delivery_id)


async def named(place: Place) -> list[str]:
    return [row["name"] for row in await place.rows("SELECT name FROM shared.contacts ORDER BY name")]


async def test_who_is_added_while_messenger_runs_is_known_without_a_restart(place: Place) -> None:
    async with place.messenger(), asyncio.timeout(60):
        place.write_contacts([*CONTACTS, person("Zoe", 4711)])
        while await named(place) != ["Ada", "Ben", "Zoe"]:
            await asyncio.sleep(0.05)


async def test_contacts_that_cannot_be_used_leave_the_former_ones_and_are_told_once(place: Place) -> None:
    metrics = Metrics(MESSENGER)
    watch = ContactsWatch(place.pool, place.folder / "contacts.yaml", metrics)
    await watch.begin()
    before = await snapshot(place)
    with structlog.testing.capture_logs() as logs:
        for text in ("- name: [", "- name: [", "[]"):
            (place.folder / "contacts.yaml").write_text(text)
            await watch.look()
        (place.folder / "contacts.yaml").unlink()
        await watch.look()
    assert [log["event"] for log in logs] == ["contacts_refused"] * 3
    assert "not YAML" in logs[0]["problem"]
    assert await snapshot(place) == before
    assert metrics.value("butlers.messenger.contacts_current") == 0
    place.write_contacts(CONTACTS)
    await watch.look()
    assert await snapshot(place) == before
    assert metrics.value("butlers.messenger.contacts_current") == 1


async def test_a_persons_own_settings_are_taken_over_and_a_slip_in_them_leaves_the_former_ones(
    place: Place,
) -> None:
    def saying(**own: Any) -> list[dict[str, Any]]:
        return [one | (own if one["name"] == "Ben" else {}) for one in CONTACTS]

    async def settings() -> dict[str, Any]:
        rows = await place.rows("SELECT name, settings FROM shared.contacts")
        return {row["name"]: row["settings"] for row in rows}

    watch = ContactsWatch(place.pool, place.folder / "contacts.yaml", Metrics(MESSENGER))
    place.write_contacts(saying(timezone="America/New_York", quietHours={"start": "22:00", "end": "07:00"}))
    await watch.begin()
    kept = {"timezone": "America/New_York", "quietHours": {"start": "22:00", "end": "07:00"}}
    assert await settings() == {"Ada": {}, "Ben": kept}
    place.write_contacts(saying(timezone="America/NewYork"))
    with structlog.testing.capture_logs() as logs:
        await watch.look()
    assert "'America/NewYork' is no time zone" in logs[0]["problem"]
    assert await settings() == {"Ada": {}, "Ben": kept}
    place.write_contacts(saying(language="de"))
    await watch.look()
    assert await settings() == {"Ada": {}, "Ben": {"language": "de"}}
    place.write_contacts(CONTACTS)
    await watch.look()
    assert await settings() == {"Ada": {}, "Ben": {}}
