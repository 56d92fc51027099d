"""A call of a tool outside that waits: shown whole to who decides, decided once, by whichever road (D61, ADR 0101)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.call_approvals import digest_of, written_arguments
from butler_kit.mcp import ToolError
from butler_messenger.approvals.gate import MOST_WAITING
from butler_messenger.contacts.sync import sync_contacts
from butler_messenger.retention import RetentionLimits, prune
from tests.integration.messenger.household import ADA, BEN, CONTACTS, Client, Place
from tests.integration.messenger.test_approval_buttons import ZOE, asked, press
from tests.integration.messenger.test_approvals import GATED, OPERATOR, decided, held, told

DOOR = {"door": "front", "for_s": 30}
HIDDEN = "front\u202e\u200b\nApproved by Ada"


def call(args: dict[str, Any] = DOOR, **more: Any) -> dict[str, Any]:
    return {
        "call_id": str(uuid4()),
        "request_id": str(uuid4()),
        "server": "door",
        "tool": "unlock",
        "arguments": written_arguments(args),
        "origin_butler": "home",
        "channel": "telegram",
        "sender": str(BEN),
        **more,
    }


async def ask(messenger: Client, wanted: dict[str, Any]) -> dict[str, Any]:
    """As Switchboard does for a butler."""
    token = messenger.place.keys.switchboard(origin="home")
    return await messenger.tool("messenger_approval_ask", wanted, token=token)


@pytest.mark.spec("MSR-03.1")
async def test_who_decides_reads_the_whole_call_and_the_button_decides_it_once(place: Place) -> None:
    async with place.messenger() as messenger:
        wanted = call()
        first = await ask(messenger, wanted)
        buttons = await asked(place)
        [question] = told(place, ADA)
        await press(messenger, buttons["Approve"])
        [said] = await answered_calls(place, 1)
        after = await ask(messenger, wanted)
        await press(messenger, buttons["Approve"])
        await press(messenger, buttons["Deny"], number=2)
        _, late = await answered_calls(place, 2)
        assert (await ask(messenger, wanted))["state"] == "approved"
    assert (first["state"], first["decided_by"]) == ("waiting", None)
    assert question.startswith(
        '[messenger] home wants to call door.unlock for Ben:\n\n| door: "front"\n| for_s: 30\n\n'
    )
    assert f"butlers approve {wanted['call_id']}" in question
    assert said == "[messenger] Approved: door.unlock is called, once."
    assert (after["state"], after["decided_by"]) == ("approved", "Ada")
    assert after["arguments_digest"] == digest_of(wanted["arguments"])
    assert after["decided_ago_s"] >= 0
    assert "it was approved by Ada at" in late
    operations = await place.rows("SELECT action, actor, state FROM operation ORDER BY created_at")
    assert [tuple(one.values()) for one in operations] == [
        ("approval.approve", "Ada", "done"),
        ("approval.deny", "Ada", "refused"),
    ]
    assert await place.rows("SELECT 1 FROM delivery_approval") == []


async def answered_calls(place: Place, count: int) -> list[str]:
    """What Ada was told, the question aside."""

    def of() -> list[str]:
        return [text for text in told(place, ADA) if "wants to call" not in text]

    await place.telegram.until(lambda api: len(of()) >= count)
    return of()


async def test_what_cannot_be_seen_is_written_out_and_nothing_leaves_its_line(place: Place) -> None:
    async with place.messenger() as messenger:
        wanted = call({"door": HIDDEN, "note": "x" * 1_000})
        await ask(messenger, wanted)
        await asked(place)
        shown = (await messenger.get(f"/ops/v1/approvals/{wanted['call_id']}")).json()
    [question] = told(place, ADA)
    lines = question.splitlines()
    assert '| door: "front\\u{202e}\\u{200b}\\nApproved by Ada"' in lines
    assert f'| note: "{"x" * 1_000}"' in lines
    assert (shown["kind"], shown["channel"], shown["person"]) == ("call", "tool", "Ben")
    assert shown["message"] in question


async def test_the_same_id_with_other_arguments_is_refused_and_nothing_is_changed(place: Place) -> None:
    async with place.messenger() as messenger:
        wanted = call()
        await ask(messenger, wanted)
        await decided(messenger, wanted["call_id"], "approve")
        for other in (
            {"arguments": written_arguments({**DOOR, "for_s": 3_000})},
            {"tool": "open"},
            {"origin_butler": "finance"},
            {"request_id": str(uuid4())},
        ):
            with pytest.raises(ToolError, match="with other arguments"):
                await ask(messenger, {**wanted, **other})
        assert (await ask(messenger, wanted))["state"] == "approved"
        for bad in ('{"door": "front"}', "[1]", "no json", written_arguments({"x": "y" * 1_500})):
            with pytest.raises(ToolError):
                await ask(messenger, call(arguments=bad))


async def test_two_replicas_that_are_asked_at_once_ask_the_approver_once(place: Place) -> None:
    async with place.messenger() as one, place.messenger() as two:
        wanted = call()
        heard = await asyncio.gather(*(ask(replica, wanted) for replica in (one, two) * 4))
        await asked(place)
        verdicts = await asyncio.gather(
            decided(one, wanted["call_id"], "approve"), decided(two, wanted["call_id"], "deny")
        )
        after = await ask(two, wanted)
    assert {one["state"] for one in heard} == {"waiting"}
    assert len(await place.rows("SELECT 1 FROM call_approval")) == 1
    assert len([text for text in told(place, ADA) if "wants to call" in text]) == 1
    assert sorted(verdict.status_code for verdict in verdicts) == [200, 409]
    assert after["state"] in ("approved", "denied")


async def test_nobody_but_switchboard_asks(place: Place) -> None:
    async with place.messenger() as messenger:
        butler = messenger.place.keys.other("home", "butler")
        for token in (butler, messenger.operator()):
            with pytest.raises(ToolError):
                await messenger.tool("messenger_approval_ask", call(), token=token)
    assert await place.rows("SELECT 1 FROM call_approval") == []


async def test_what_nobody_decides_in_time_expires_and_is_decided_by_nobody_after_that(place: Place) -> None:
    spec = {"modules": {"approvals": {"expiresAfterSeconds": 600}}}
    async with place.messenger(spec=spec) as messenger:
        wanted = call()
        await ask(messenger, wanted)
        buttons = await asked(place)
        await place.database.shift_clock(timedelta(minutes=11), disconnect=True)
        assert (await ask(messenger, wanted))["state"] == "expired"
        await press(messenger, buttons["Approve"])
        [said] = await answered_calls(place, 1)
        answer = await decided(messenger, wanted["call_id"], "approve")
        assert (await ask(messenger, wanted))["state"] == "expired"
    assert "its time was over at" in said
    assert answer.status_code == 409
    assert f"call {wanted['call_id']} is not decided on: its time was over" in answer.text


async def test_two_approvers_at_once_have_one_effect_and_a_stranger_none(place: Place) -> None:
    zoe = {"name": "Zoe", "role": "member", "identifiers": [{"type": "telegram", "value": str(ZOE)}]}
    place.telegram.add_chat({"id": ZOE, "type": "private", "first_name": "Zoe"})
    await sync_contacts(place.pool, place.write_contacts([*CONTACTS, zoe]))
    async with place.messenger(spec={"modules": {"approvals": {"approvers": ["Ada", "Zoe"]}}}) as messenger:
        wanted = call()
        await ask(messenger, wanted)
        adas, zoes = await asked(place), await asked(place, ZOE)
        await press(messenger, adas["Approve"], sender=BEN, number=1)
        await press(messenger, adas["Approve"], sender=6666, number=2)
        assert (await ask(messenger, wanted))["state"] == "waiting"
        await asyncio.gather(
            press(messenger, adas["Approve"], sender=ADA, number=3),
            press(messenger, zoes["Deny"], sender=ZOE, number=4),
        )
        after = await ask(messenger, wanted)
    assert (after["state"], after["decided_by"]) in (("approved", "Ada"), ("denied", "Zoe"))
    operations = await place.rows("SELECT state FROM operation ORDER BY created_at")
    assert sorted(one["state"] for one in operations) == ["done", "refused"]


async def test_a_rule_allows_this_very_call_and_no_other_until_it_ends(place: Place) -> None:
    async with place.messenger() as messenger:
        wanted = call()
        await ask(messenger, wanted)
        body = {**OPERATOR, "always_for_s": 86_400}
        answer = await messenger.post(f"/ops/v1/approvals/{wanted['call_id']}/approve", body)
        rule = (await messenger.get("/ops/v1/approval-rules")).json()["rules"][0]
        again, other = await ask(messenger, call()), await ask(messenger, call({**DOOR, "for_s": 31}))
        elsewhere = await ask(messenger, call(origin_butler="finance"))
        await messenger.post(f"/ops/v1/approval-rules/{rule['rule_id']}/end", {**OPERATOR, "reason": "no"})
        ended = await ask(messenger, call())
    assert answer.status_code == 200, answer.text
    assert (rule["tool"], rule["channel"], rule["arguments"]) == (
        "door.unlock",
        "tool",
        '| door: "front"\n| for_s: 30',
    )
    assert (again["state"], again["decided_by"]) == ("approved", "ana")
    assert [one["state"] for one in (other, elsewhere, ended)] == ["waiting", "waiting", "waiting"]


async def test_calls_and_messages_stand_in_one_list_a_page_at_a_time(place: Place) -> None:
    async with place.messenger(spec=GATED) as messenger:
        ids = []
        for number in range(3):
            ids.append(await held(messenger, f"Dinner {number}", str(number)))
            wanted = call({"door": str(number)})
            await ask(messenger, wanted)
            ids.append(wanted["call_id"])
        seen: list[str] = []
        cursor = ""
        while len(seen) < 6:
            page = (await messenger.get(f"/ops/v1/approvals?limit=2{cursor}")).json()
            seen += [one["approval_id"] for one in page["approvals"]]
            cursor = f"&cursor={page['next_cursor']}"
        assert page["next_cursor"] is None
    assert seen == ids[::-1]


async def test_a_cancelled_request_has_its_calls_denied(place: Place) -> None:
    async with place.messenger() as messenger:
        wanted, other = call(), call()
        for one in (wanted, other):
            await ask(messenger, one)
        token = messenger.place.keys.switchboard(origin=None)
        await messenger.tool("messenger_request_withdraw", {"request_id": wanted["request_id"]}, token=token)
        states = [(await ask(messenger, one))["state"] for one in (wanted, other)]
    assert states == ["denied", "waiting"]


async def test_retention_takes_what_was_decided_long_ago(place: Place) -> None:
    async with place.messenger() as messenger:
        wanted, open_ = call(), call()
        for one in (wanted, open_):
            await ask(messenger, one)
        await decided(messenger, wanted["call_id"], "deny")
    await place.database.shift_clock(timedelta(days=400), disconnect=True)
    await prune(place.pool, RetentionLimits())
    left = await place.rows("SELECT approval_id FROM call_approval")
    assert [one["approval_id"] for one in left] == [UUID(open_["call_id"])]


@pytest.mark.spec("CON-5")
async def test_so_many_calls_wait_as_the_bound_says_and_the_next_is_asked_about_again(place: Place) -> None:
    """The bound as it is shipped."""
    wanted = call()
    async with place.messenger() as messenger:
        await place.pool.execute(
            "INSERT INTO call_approval (approval_id, origin_butler, request_id, server, tool, arguments,"
            " arguments_digest, requested_at, expires_at, asked_at)"
            " SELECT gen_random_uuid(), 'home', gen_random_uuid(), 'door', 'unlock', '{}', repeat('0', 64),"
            " clock_now(), clock_now() + interval '1 day', clock_now() FROM generate_series(1, $1::int)",
            MOST_WAITING,
        )
        with pytest.raises(ToolError, match=f"{MOST_WAITING} calls wait for an approval"):
            await ask(messenger, wanted)
        assert not await place.rows(
            "SELECT 1 FROM call_approval WHERE approval_id = $1", UUID(wanted["call_id"])
        )
        await place.pool.execute(
            "UPDATE call_approval SET decision = 'denied', decided_at = clock_now()"
            " WHERE approval_id = (SELECT approval_id FROM call_approval LIMIT 1)"
        )
        assert (await ask(messenger, wanted))["state"] == "waiting"
