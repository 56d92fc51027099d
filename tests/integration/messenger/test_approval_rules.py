"""What somebody allowed for a while is sent without asking, that and nothing else, until it ends (ADR 0076)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx

from tests.integration.messenger.household import ADA, BEN, Client, Place, notify
from tests.integration.messenger.test_approvals import (
    GATED,
    OPERATOR,
    held,
    queued,
    state_of,
    told,
    used,
    wish,
)

DAY_S = 86_400.0


async def allowed(messenger: Client, delivery_id: str, seconds: float = 30 * DAY_S, **more: Any) -> str:
    """The id of the rule that is made with the approval of this delivery."""
    body = {**OPERATOR, "always_for_s": seconds, **more}
    answer = await messenger.post(f"/ops/v1/approvals/{delivery_id}/approve", body)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["rule"]["rule_id"])


async def ended(messenger: Client, rule_id: str) -> httpx.Response:
    return await messenger.post(f"/ops/v1/approval-rules/{rule_id}/end", {**OPERATOR, "reason": "no more"})


async def rules(messenger: Client, state: str = "in_force") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await messenger.get(f"/ops/v1/approval-rules?state={state}")).json()[
        "rules"
    ]
    return found


async def test_what_is_always_allowed_is_sent_without_asking_until_the_rule_is_over_and_then_asked_again(
    place: Place,
) -> None:
    async with place.messenger(spec=GATED) as messenger:
        rule_id = await allowed(messenger, await held(messenger))
        second = await messenger.notify(wish("And bring wine", "y"))
        assert (second.status, state_of(second)) == ("ok", "sent")
        assert second.delivery is not None
        [approval] = await place.rows(
            "SELECT * FROM delivery_approval WHERE delivery_id = $1", UUID(second.delivery.delivery_id)
        )
        seen = await messenger.tool("messenger_dry_run", {"notify_request": wish("x", "z")})
        await place.database.shift_clock(timedelta(days=31), disconnect=True)
        assert await rules(messenger) == []
        await held(messenger, "And bread", "w")
    assert seen["decision"] == "admitted"
    assert (approval["decision"], approval["decided_by"], approval["decided_via"]) == (
        "approved",
        "ana",
        "rule",
    )
    assert (str(approval["rule_id"]), approval["reason"]) == (rule_id, "it is right")
    assert [text.partition("] ")[2] for text in told(place, BEN)] == ["Dinner at eight", "And bring wine"]


async def test_a_rule_that_was_ended_asks_again_and_says_who_allowed_and_who_ended_it(place: Place) -> None:
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger)
        rule_id = await allowed(messenger, delivery_id)
        [rule] = await rules(messenger)
        assert (await ended(messenger, rule_id)).status_code == 200
        await held(messenger, "And bring wine", "y")
        late, unknown = await ended(messenger, rule_id), await ended(messenger, str(uuid4()))
        [over] = await rules(messenger, "all")
    assert (
        rule["origin_butler"],
        rule["tool"],
        rule["channel"],
        rule["target_identity"],
        rule["person"],
    ) == (
        "finance",
        "telegram_send_message",
        "telegram",
        str(BEN),
        "Ben",
    )
    assert (rule["created_by"], rule["reason"], rule["approval_id"]) == ("ana", "it is right", delivery_id)
    assert (over["state"], over["ended_by"], over["end_reason"]) == ("ended", "ana", "no more")
    assert (late.status_code, unknown.status_code) == (409, 404)
    assert "was ended by ana at" in late.json()["error"]["message"]
    acts = await place.rows("SELECT action, params FROM operation WHERE state = 'done' ORDER BY created_at")
    assert [(one["action"], one["params"]) for one in acts] == [
        ("approval.approve", {"always_for_s": 30 * DAY_S}),
        ("approval_rule.end", {}),
    ]


async def test_a_rule_is_of_one_butler_recipient_channel_and_tool(place: Place) -> None:
    every = {"modules": {"approvals": {"gatedTools": ["notify", "telegram_reply_to_message"]}}}
    others = [
        notify("x", recipient=str(BEN), idempotency_key="o", origin="travel"),
        notify("x", recipient=str(ADA), idempotency_key="r"),
        notify("x", recipient="ben@example.org", channel="email", idempotency_key="c"),
    ]
    async with place.messenger(spec=every) as messenger:
        await allowed(messenger, await held(messenger))
        await place.pool.execute(  # the same but for the tool
            "INSERT INTO approval_rule SELECT gen_random_uuid(), origin_butler, channel, $1, 'email_send_message',"
            " approval_id, created_at, created_by, reason, expires_at FROM approval_rule",
            str(ADA),
        )
        for other in others:
            assert state_of(await messenger.notify(other)) == "pending_approval"
        assert state_of(await messenger.notify(wish("y", "y"))) == "sent"


async def test_a_rule_lasts_ninety_days_at_most_goes_with_an_approval_and_is_made_once(place: Place) -> None:
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger)
        path = f"/ops/v1/approvals/{delivery_id}"
        long = await messenger.post(f"{path}/approve", {**OPERATOR, "always_for_s": 91 * DAY_S})
        denied = await messenger.post(f"{path}/deny", {**OPERATOR, "always_for_s": DAY_S})
        assert await rules(messenger, "all") == []
        assert (await place.row(delivery_id))["status"] == "pending_approval"
        verdict = {
            "approval_id": delivery_id,
            "decision": "approve",
            "reason": "always",
            "idempotency_key": "k",
            "always_for_s": DAY_S,
        }
        first = await messenger.tool("messenger_approval_decide", verdict)
        again = await messenger.tool("messenger_approval_decide", verdict)
        [rule] = (await messenger.tool("messenger_approval_rule_list", {}))["rules"]
        end = {"rule_id": rule["rule_id"], "reason": "enough", "idempotency_key": "e"}
        await messenger.tool("messenger_approval_rule_end", end)
        assert (await messenger.tool("messenger_approval_rule_end", end))["repeated"]
    assert (long.status_code, denied.status_code) == (400, 400)
    assert first["rule"] == again["rule"] == {"rule_id": rule["rule_id"], "expires_at": rule["expires_at"]}


async def test_a_rule_passes_no_budget_and_what_it_allows_goes_out_when_there_is_room(place: Place) -> None:
    narrow = {**GATED, "delivery": {"limits": {"recipientPerMinute": 1}}}
    async with place.messenger(spec=narrow) as messenger:
        first = await held(messenger)
        await allowed(messenger, first)
        await place.until_status(first, "sent")
        waits = await messenger.notify(wish("And bring wine", "y"))
        assert state_of(waits) == "pending_approval"
        assert waits.delivery is not None
        assert not await queued(place, waits.delivery.delivery_id)
        before = await used(place)
        await place.database.shift_clock(timedelta(seconds=70), disconnect=True)
        await place.until_status(waits.delivery.delivery_id, "sent")
    assert before > 0
    assert len(told(place, BEN)) == 2


async def test_what_is_wished_while_a_rule_ends_is_asked_about_or_sent_and_never_both(place: Place) -> None:
    async with place.messenger(spec=GATED) as one, place.messenger(spec=GATED) as other:
        rule_id = await allowed(one, await held(one))
        answers = await asyncio.gather(
            *(messenger.notify(wish(f"n{n}", str(n))) for n in range(4) for messenger in (one, other)),
            ended(other, rule_id),
            *(messenger.notify(wish(f"m{n}", f"m{n}")) for n in range(4) for messenger in (one, other)),
        )
        after = await one.notify(wish("after", "after"))
        await asyncio.gather(
            *(
                place.until_status(str(row["delivery_id"]), "sent")
                for row in await place.rows(
                    "SELECT delivery_id FROM delivery_approval WHERE decision = 'approved'"
                )
            )
        )
    assert len(answers) == 17
    assert state_of(after) == "pending_approval"
    rows = await place.rows(
        "SELECT a.rule_id, a.asked_at, d.status FROM delivery_approval AS a"
        " JOIN delivery_requests AS d USING (delivery_id) WHERE a.decided_via IS DISTINCT FROM 'operator'"
    )
    assert {(row["rule_id"] is None, row["status"]) for row in rows} <= {
        (True, "pending_approval"),
        (False, "sent"),
    }
    assert all(row["asked_at"] is None for row in rows if row["rule_id"] is not None)
