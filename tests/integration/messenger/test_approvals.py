"""What waits for an approval: who is asked, who decides, once, and what follows from it (MSR-03, D65, ADR 0072)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
import structlog

from butler_contracts.errors import ErrorClass
from butler_contracts.notify import NotifyResponseV1
from butler_messenger.approvals.approvers import UnknownApprover
from butler_messenger.approvals.gate import MOST_WAITING
from butler_messenger.contacts.sync import sync_contacts
from tests.integration.messenger.household import (
    ADA,
    BEN,
    CONTACTS,
    Client,
    Place,
    envelope,
    eventually,
    notify,
    request_context,
)

GATED: dict[str, Any] = {"modules": {"approvals": {}}}
OPERATOR = {"reason": "it is right", "requested_by": "ana"}


async def held(messenger: Client, text: str = "Dinner at eight", key: str = "x", **more: Any) -> str:
    """The id of a message to Ben that waits."""
    answer = await messenger.notify(wish(text, key), **more)
    assert state_of(answer) == "pending_approval"
    assert answer.delivery is not None
    return answer.delivery.delivery_id


def wish(text: str = "Dinner at eight", key: str = "x") -> dict[str, Any]:
    return notify(text, recipient=str(BEN), idempotency_key=key)


def state_of(answer: NotifyResponseV1) -> str | None:
    assert answer.delivery is not None
    return answer.delivery.state


async def decided(messenger: Client, delivery_id: str, choice: str) -> httpx.Response:
    return await messenger.post(f"/ops/v1/approvals/{delivery_id}/{choice}", OPERATOR)


def told(place: Place, chat: int) -> list[str]:
    return [sent["text"] for sent in place.telegram.sent if sent["chat_id"] == chat]


async def queued(place: Place, delivery_id: str) -> bool:
    return bool(await place.rows("SELECT 1 FROM delivery_work WHERE item_id = $1", UUID(delivery_id)))


async def used(place: Place) -> int:
    return len(await place.rows("SELECT 1 FROM rate_used"))


@pytest.mark.spec("MSG-5", "MSR-03.1")
@pytest.mark.parametrize("channel", ["telegram", "email"])
async def test_what_a_butler_sends_unasked_is_not_sent_before_somebody_approves_of_it(
    place: Place, channel: str
) -> None:
    recipient = str(BEN) if channel == "telegram" else "ben@example.org"
    message = notify("Dinner at eight", channel=channel, recipient=recipient, idempotency_key="x")
    async with place.messenger(spec=GATED) as messenger:
        answer = await messenger.notify(message)
        assert (answer.status, state_of(answer)) == ("ok", "pending_approval")
        assert await messenger.notify(message) == answer  # a repeat joins it
        assert answer.delivery is not None
        delivery_id = answer.delivery.delivery_id
        assert (await used(place), await queued(place, delivery_id)) == (0, False)
        assert (told(place, BEN), place.smtp.accepted) == ([], [])
        assert (await decided(messenger, delivery_id, "approve")).status_code == 200
        await place.until_status(delivery_id, "sent")
    assert await used(place) > 0
    assert len(told(place, BEN)) + len(place.smtp.accepted) == 1


@pytest.mark.spec("MSG-5", "MSR-03.1")
async def test_without_the_module_nothing_waits_and_an_answer_waits_only_where_its_tool_is_named(
    place: Place,
) -> None:
    answer = notify("It is 12 euro", intent="reply", context=request_context(), idempotency_key="r")
    async with place.messenger() as messenger:
        assert state_of(await messenger.notify(wish())) == "sent"
    async with place.messenger(spec=GATED) as messenger:
        assert state_of(await messenger.notify(answer)) == "sent"
    named = {"modules": {"approvals": {"gatedTools": ["telegram_reply_to_message"]}}}
    other = {**answer, "request_context": request_context()}
    async with place.messenger(spec=named) as messenger:
        assert state_of(await messenger.notify(wish(key="y"))) == "sent"
        assert state_of(await messenger.notify(other)) == "pending_approval"


@pytest.mark.spec("MSR-03.1")
@pytest.mark.parametrize("channel", ["telegram", "email"])
async def test_whatever_is_said_unasked_waits_where_notify_is_named_by_any_channel(
    place: Place, channel: str
) -> None:
    recipient = str(BEN) if channel == "telegram" else "ben@example.org"
    named = {"modules": {"approvals": {"gatedTools": ["notify"]}}}
    async with place.messenger(spec=named) as messenger:
        answer = await messenger.notify(notify(channel=channel, recipient=recipient, idempotency_key="x"))
    assert state_of(answer) == "pending_approval"
    assert (told(place, BEN), place.smtp.accepted) == ([], [])


async def test_a_list_of_tools_takes_the_place_of_the_usual_one(place: Place) -> None:
    mail = notify("hello", channel="email", recipient="ben@example.org", idempotency_key="m")
    async with place.messenger(
        spec={"modules": {"approvals": {"gatedTools": ["email_send_message"]}}}
    ) as messenger:
        assert state_of(await messenger.notify(wish())) == "sent"
        assert state_of(await messenger.notify(mail)) == "pending_approval"


async def test_the_owner_is_told_who_wants_to_say_what_to_whom_and_how_to_decide(place: Place) -> None:
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger)
        await place.telegram.until(lambda api: len(api.sent) == 1)
    [asked] = told(place, ADA)
    assert asked.startswith(
        f"[messenger] finance wants to write to Ben ({BEN} on telegram):\n\nDinner at eight\n"
    )
    assert f"butlers approve {delivery_id}" in asked
    assert told(place, BEN) == []


async def test_those_who_are_named_are_asked_in_place_of_the_owner(place: Place) -> None:
    async with place.messenger(spec={"modules": {"approvals": {"approvers": ["Ben"]}}}) as messenger:
        await messenger.notify(notify("To Ada", recipient=str(ADA), idempotency_key="x"))
        await place.telegram.until(lambda api: len(api.sent) == 1)
    assert (len(told(place, BEN)), told(place, ADA)) == (1, [])


async def test_what_asks_beyond_the_bound_is_one_message_that_names_each(place: Place) -> None:
    async with place.messenger(spec={**GATED, "delivery": {"strangersAtOnce": 1}}) as messenger:
        ids = [await held(messenger, f"message {n}", str(n)) for n in range(3)]
        async with asyncio.timeout(90):
            while len(await place.rows("SELECT 1 FROM delivery_requests WHERE collected_at IS NOT NULL")) < 2:
                await asyncio.sleep(0.05)
        await place.database.shift_clock(timedelta(minutes=11), disconnect=True)
        await place.telegram.until(lambda api: len(api.sent) == 2)
    _, digest = told(place, ADA)
    assert "2 more messages wait for an approval" in digest
    assert all(f"butlers approve {one}" in digest for one in ids[1:])


@pytest.mark.parametrize("name", ["Zoe", "Carl"])
async def test_an_approver_who_is_no_member_is_refused_at_the_start(place: Place, name: str) -> None:
    carl = {"name": "Carl", "role": "other", "identifiers": []}
    await sync_contacts(place.pool, place.write_contacts([*CONTACTS, carl]))
    with pytest.raises(UnknownApprover) as refused:
        async with place.messenger(spec={"modules": {"approvals": {"approvers": ["Ada", name]}}}):
            pass
    assert refused.value.message.startswith(f"modules.approvals.approvers: {name} is no owner and no adult")


async def test_an_approver_who_leaves_the_contacts_is_named_in_the_log_and_so_is_that_nobody_is_asked(
    place: Place,
) -> None:
    with structlog.testing.capture_logs() as logs:
        async with place.messenger(spec={"modules": {"approvals": {"approvers": ["Ben"]}}}) as messenger:
            place.write_contacts([CONTACTS[0], {**CONTACTS[1], "name": "Benjamin"}])
            async with asyncio.timeout(60):
                while not await place.rows("SELECT 1 FROM shared.contacts WHERE name = 'Benjamin'"):
                    await asyncio.sleep(0.05)
            answer = await messenger.notify(notify("To Ada", recipient=str(ADA), idempotency_key="x"))
            await eventually(lambda: any(log["event"] == "approvals_nobody_to_ask" for log in logs))
    assert state_of(answer) == "pending_approval"
    [missing] = [log for log in logs if log["event"] == "approvers_missing"]
    assert missing["names"] == ["Ben"]
    assert (told(place, ADA), told(place, BEN)) == ([], [])


async def test_what_is_denied_ends_unsent_and_its_asker_is_told_who_said_no_and_why(place: Place) -> None:
    subrequest_id = uuid4()
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger, subrequest_id=subrequest_id)
        assert (await decided(messenger, delivery_id, "deny")).json()["state"] == "denied"
        completion = await place.switchboard.completed(subrequest_id)
        again = await messenger.notify(wish())
    assert completion.error is not None
    assert completion.error.message == "it was not approved: ana said no (it is right)"
    assert not completion.error.retryable
    assert again.error == completion.error
    assert told(place, BEN) == []


async def test_what_nobody_decides_ends_unsent_after_its_time_and_says_so(place: Place) -> None:
    subrequest_id = uuid4()
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger, subrequest_id=subrequest_id)
        await place.database.shift_clock(timedelta(hours=73), disconnect=True)
        completion = await place.switchboard.completed(subrequest_id)
        late = await decided(messenger, delivery_id, "approve")
    assert completion.error is not None
    assert (completion.error.error_class.value, completion.error.message) == (
        "timeout",
        "nobody approved of it in time; it was not sent",
    )
    assert late.status_code == 409
    assert "its time was over" in late.json()["error"]["message"]
    assert told(place, BEN) == []


async def test_of_two_who_decide_at_once_one_does_over_replicas(place: Place) -> None:
    async with place.messenger(spec=GATED) as one, place.messenger(spec=GATED) as other:
        for number in range(5):
            delivery_id = await held(one, f"message {number}", str(number))
            answers = await asyncio.gather(
                decided(one, delivery_id, "approve"),
                decided(other, delivery_id, "deny"),
                decided(other, delivery_id, "approve"),
            )
            assert sorted(answer.status_code for answer in answers) == [200, 409, 409]
            row = await place.until_status(delivery_id, "sent", "failed")
            [approval] = await place.rows(
                "SELECT * FROM delivery_approval WHERE delivery_id = $1", UUID(delivery_id)
            )
            expected = {"sent": "approved", "failed": "denied"}[row["status"]]
            assert (approval["decision"], approval["decided_by"]) == (expected, "ana")
    sent = await place.rows(
        "SELECT 1 FROM delivery_requests WHERE status = 'sent' AND origin_butler = 'finance'"
    )
    assert len(told(place, BEN)) == len(sent)


async def test_an_approval_passes_no_budget_and_goes_out_when_there_is_room(place: Place) -> None:
    narrow = {"recipientPerMinute": 1}
    async with place.messenger(spec={**GATED, "delivery": {"limits": narrow}}) as messenger:
        first, second = [await held(messenger, f"message {n}", str(n)) for n in range(2)]
        for one in (first, second):
            assert (await decided(messenger, one, "approve")).status_code == 200
        await place.until_status(first, "sent")
        assert (await place.row(second))["status"] == "pending_approval"
        await place.database.shift_clock(timedelta(seconds=70), disconnect=True)
        await place.until_status(second, "sent")
    assert len(told(place, BEN)) == 2


async def test_who_was_put_on_the_list_of_the_forbidden_meanwhile_gets_nothing(place: Place) -> None:
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger)
    denied = {**GATED, "delivery": {"denyRecipients": [str(BEN)]}}
    async with place.messenger(spec=denied) as messenger:
        await decided(messenger, delivery_id, "approve")
        row = await place.until_status(delivery_id, "failed")
    assert "deny_recipients" in row["error_message"]
    assert told(place, BEN) == []


async def test_a_delivery_that_waited_for_an_address_waits_for_an_approval_next(place: Place) -> None:
    [row] = await place.rows("SELECT contact_id FROM shared.contacts WHERE name = 'Ben'")
    mail = notify("hello", channel="email", contact_id=str(row["contact_id"]), idempotency_key="x")
    async with place.messenger(spec=GATED) as messenger:
        answer = await messenger.notify(mail)
        assert state_of(answer) == "pending_missing_identifier"
    known = {"type": "email", "value": "ben@example.org"}
    place.write_contacts([CONTACTS[0], {**CONTACTS[1], "identifiers": [known]}])
    assert answer.delivery is not None
    async with place.messenger(spec=GATED) as messenger:
        await place.until_status(answer.delivery.delivery_id, "pending_approval")
        assert place.smtp.accepted == []
        await decided(messenger, answer.delivery.delivery_id, "approve")
        await place.until_status(answer.delivery.delivery_id, "sent")
    assert [sent.rcpt_to for sent in place.smtp.accepted] == [("ben@example.org",)]


async def test_operators_see_what_waits_with_its_text_and_decide_by_tool_once(place: Place) -> None:
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger)
        [waiting] = (await messenger.tool("messenger_approval_list", {}))["approvals"]
        whole = await messenger.tool("messenger_approval_inspect", {"approval_id": delivery_id})
        depth = await messenger.tool("messenger_queue_depth", {})
        verdict = {
            "approval_id": delivery_id,
            "decision": "deny",
            "reason": "not now",
            "idempotency_key": "k",
        }
        first = await messenger.tool("messenger_approval_decide", verdict)
        again = await messenger.tool("messenger_approval_decide", verdict)
        assert (await messenger.tool("messenger_approval_list", {}))["approvals"] == []
        [ended] = (await messenger.tool("messenger_approval_list", {"state": "denied"}))["approvals"]
    assert (waiting["approval_id"], waiting["tool"], waiting["person"], waiting["preview"]) == (
        delivery_id,
        "telegram_send_message",
        "Ben",
        "Dinner at eight",
    )
    assert (whole["message"], depth["awaiting_approval"]) == ("Dinner at eight", 1)
    assert (first["repeated"], again["repeated"]) == (False, True)
    assert (ended["decided_by"], ended["reason"], ended["decided_via"]) == ("operator", "not now", "operator")
    operations = await place.rows("SELECT action, reason FROM operation")
    assert [(one["action"], one["reason"]) for one in operations] == [("approval.deny", "not now")]


async def test_nobody_but_an_operator_decides(place: Place) -> None:
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger)
        butler = place.keys.other("finance", "butler")
        refused = await messenger.post(f"/ops/v1/approvals/{delivery_id}/approve", OPERATOR, token=butler)
    assert refused.status_code == 403
    assert (await place.row(delivery_id))["status"] == "pending_approval"


async def test_who_asks_beforehand_is_told_that_it_would_wait(place: Place) -> None:
    async with place.messenger(spec=GATED) as messenger:
        seen = await messenger.tool("messenger_dry_run", {"notify_request": wish()})
    assert (seen["decision"], seen["admitted"], seen["tool"]) == ("held", True, "telegram_send_message")


async def test_a_kill_between_decision_and_queue_is_made_good_at_the_next_start(place: Place) -> None:
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger)
    await place.pool.execute(
        "UPDATE delivery_approval SET decision = 'approved', decided_at = clock_now(), decided_by = 'ana',"
        " decided_via = 'operator', reason = 'x'"
    )
    async with place.messenger(spec=GATED), place.messenger(spec=GATED):
        await place.until_status(delivery_id, "sent")
    assert len(told(place, BEN)) == 1


async def test_an_approver_reads_what_the_person_would_read_and_that_is_what_is_sent(place: Place) -> None:
    marked = notify("**Dinner** at `eight`", recipient=str(BEN), idempotency_key="x", format="markdown")
    async with place.messenger(spec=GATED) as messenger:
        answer = await messenger.notify(marked)
        assert answer.delivery is not None
        delivery_id = answer.delivery.delivery_id
        whole = await messenger.tool("messenger_approval_inspect", {"approval_id": delivery_id})
        await decided(messenger, delivery_id, "approve")
        await place.until_status(delivery_id, "sent")
    assert (whole["preview"], whole["message"]) == ("Dinner at eight", "Dinner at eight")
    [sent] = [one for one in place.telegram.sent if one["chat_id"] == BEN]
    assert (sent["text"], [one["type"] for one in sent["entities"]]) == (
        "[finance] Dinner at eight",
        ["bold", "code"],
    )


@pytest.mark.spec("CON-5")
async def test_so_many_wait_for_an_approval_as_the_bound_says_and_the_next_comes_again(place: Place) -> None:
    """The bound as it is shipped."""
    more = wish(key="more")
    async with place.messenger(spec=GATED) as messenger:
        first = await held(messenger)
        await place.pool.execute(
            "WITH copies AS ("
            " INSERT INTO delivery_requests (delivery_id, idempotency_key, origin_butler, intent, channel,"
            " identity_scope, target_identity, notify_request, status, created_at, expires_at, updated_at)"
            " SELECT gen_random_uuid(), 'waits:' || n, origin_butler, intent, channel, identity_scope, target_identity,"
            " notify_request, status, created_at, expires_at, updated_at"
            " FROM delivery_requests CROSS JOIN generate_series(2, $1::int) AS n WHERE delivery_id = $2::uuid"
            " RETURNING delivery_id, expires_at)"
            " INSERT INTO delivery_approval (delivery_id, tool, requested_at, expires_at, asked_at)"
            " SELECT delivery_id, 'telegram_send_message', clock_now(), expires_at, clock_now() FROM copies",
            MOST_WAITING,
            UUID(first),
        )
        full = await messenger.execute(envelope(more, origin="finance"))
        assert full.error is not None
        assert (full.error.error_class, full.error.retryable) == (ErrorClass.OVERLOAD_REJECTED, True)
        assert full.error.retry_after_s is not None
        await place.pool.execute(
            "UPDATE delivery_approval SET decision = 'denied', decided_at = clock_now(), settled_at = clock_now()"
            " WHERE delivery_id = $1::uuid",
            UUID(first),
        )
        assert state_of(await messenger.notify(more)) == "pending_approval"
