"""What could not be delivered is kept, shown, sent again once, or closed (MSR-04.3, MSR-08, MSG-5.1.2, D41)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from butler_contracts.errors import ErrorClass
from butler_kit.mcp import ToolError
from butler_messenger.delivery.outcomes import Ambiguous, Failure, Sent
from tests.integration.messenger.household import ADA, BEN, Client, Place, notify, request_context
from tests.support.mail.smtp_server import SmtpFault
from tests.support.telegram_api import Fault

TEXT = "You spent 12 euro."
WHY = {"reason": "the provider is mended"}


def blocked(place: Place, count: int = 1) -> None:
    place.telegram.script(Fault("sendMessage", "status", count=count, status=403))


async def refused(place: Place, messenger: Client, text: str = TEXT, **more: Any) -> dict[str, Any]:
    """A delivery that the provider refused for good: its dead letter."""
    blocked(place)
    answer = await messenger.notify(notify(text, idempotency_key=str(uuid4()), **more))
    assert answer.delivery is not None
    assert answer.delivery.state == "failed"
    return await letter_of(place, answer.delivery.delivery_id)


async def refused_soon(place: Place, messenger: Client, text: str) -> dict[str, Any]:
    """As `refused`, by a Messenger that does not wait for ends."""
    blocked(place)
    answer = await messenger.notify(notify(text, idempotency_key=str(uuid4())))
    assert answer.delivery is not None
    await place.until_status(answer.delivery.delivery_id, "failed")
    return await letter_of(place, answer.delivery.delivery_id)


async def letter_of(place: Place, delivery_id: str) -> dict[str, Any]:
    [row] = await place.rows("SELECT * FROM delivery_dead_letter WHERE delivery_id = $1", UUID(delivery_id))
    return row


async def post(
    messenger: Client, path: str, body: dict[str, Any], *, key: str | None = None, subject: str = "operator"
) -> httpx.Response:
    token = messenger.place.keys.other(subject, "operator")
    headers = {"Authorization": f"Bearer {token}", **({"Idempotency-Key": key} if key else {})}
    async with httpx.AsyncClient(timeout=20) as http:
        return await http.post(f"{messenger.base}/ops/v1{path}", json=body, headers=headers)


@pytest.mark.spec("MSR-08.1", "MSR-08.2", "MSG-5.1.2")
async def test_dead_letters_are_listed_newest_first_and_inspected_whole(place: Place) -> None:
    place.smtp.script(SmtpFault("rcpt", "drop", count=3))
    context = request_context()
    async with place.messenger() as messenger:
        mail = await messenger.notify(notify(TEXT, channel="email", idempotency_key="m"))
        assert mail.delivery is not None
        await place.until_status(mail.delivery.delivery_id, "dead_lettered")
        told = await refused(place, messenger, origin="health", intent="reply", context=context)
        everything = await messenger.tool("messenger_dead_letter_list", {})
        first = await messenger.tool("messenger_dead_letter_list", {"limit": 1})
        rest = await messenger.tool(
            "messenger_dead_letter_list", {"limit": 1, "cursor": first["next_cursor"]}
        )
        by = {
            name: [
                entry["channel"]
                for entry in (await messenger.tool("messenger_dead_letter_list", {name: value}))[
                    "dead_letters"
                ]
            ]
            for name, value in (
                ("channel", "email"),
                ("origin_butler", "health"),
                ("error_class", "target_unavailable"),
                ("since", "2100-01-01T00:00:00Z"),
            )
        }
        nothing = await messenger.tool("messenger_dead_letter_list", {"error_class": "timeout"})
        shown = await messenger.tool(
            "messenger_dead_letter_inspect", {"dead_letter_id": str(told["dead_letter_id"])}
        )
        exhausted = everything["dead_letters"][1]
        switchboard = place.keys.switchboard(origin=None)
        same = await messenger.tool("messenger_dead_letter_list", {}, token=switchboard)
        with pytest.raises(ToolError, match="no dead letter"):
            await messenger.tool("messenger_dead_letter_inspect", {"dead_letter_id": str(uuid4())})
        butler = place.keys.other("finance", "butler")
        assert not [name for name in await messenger.listed_tools(butler) if "dead_letter" in name]
    assert [entry["channel"] for entry in everything["dead_letters"]] == ["telegram", "email"]
    assert first["dead_letters"] + rest["dead_letters"] == everything["dead_letters"]
    assert rest["next_cursor"] is None
    assert by["channel"] == ["email"]
    assert by["origin_butler"] == ["telegram"]
    assert by["error_class"] == ["telegram", "email"]
    assert nothing["dead_letters"] == []
    assert by["since"] == []
    assert same == everything
    assert (exhausted["quarantine_reason"], exhausted["attempts_count"], exhausted["replay_eligible"]) == (
        "retries exhausted",
        3,
        True,
    )
    assert (exhausted["origin_butler"], exhausted["error_class"]) == ("finance", "target_unavailable")
    assert exhausted["error_message"]
    assert shown["quarantine_reason"] == "refused for good"
    assert shown["notify_request"]["delivery"]["message"] == TEXT
    assert [attempt["outcome"] for attempt in shown["attempts"]] == ["failed"]
    assert shown["assessment"] == {
        "eligible": True,
        "because": None,
        "uncertain": False,
        "evidence": None,
        "needs": None,
    }


@pytest.mark.spec("MSR-04.3", "MSR-08.3", "MSG-5.1.2")
async def test_a_replay_is_a_new_delivery_of_the_same_wish_and_happens_once(place: Place) -> None:
    async with place.messenger() as messenger:
        letter = await refused(place, messenger)
        which = {"dead_letter_id": str(letter["dead_letter_id"])}
        answer = await messenger.tool("messenger_dead_letter_replay", which)
        with pytest.raises(ToolError, match="it was replayed by operator"):
            await messenger.tool("messenger_dead_letter_replay", which)
        shown = await messenger.tool("messenger_dead_letter_inspect", which)
        status = await messenger.tool("messenger_delivery_status", {"delivery_id": answer["delivery_id"]})
        await place.until_reported(answer["delivery_id"])
    new, old = await place.row(answer["delivery_id"]), await place.row(str(letter["delivery_id"]))
    assert new["idempotency_key"] == f"{old['idempotency_key']}::replay-1"
    assert (new["replay_of"], new["request_id"], new["subrequest_id"]) == (
        letter["dead_letter_id"],
        old["request_id"],
        old["subrequest_id"],
    )
    assert (old["status"], new["status"], answer["status"]) == ("failed", "sent", "sent")
    [first] = await place.rows("SELECT result FROM operation WHERE state = 'done'")
    assert first["result"]["status"] == "pending", "it begins as every delivery does"
    assert answer["notify_response"]["status"] == "ok"
    assert (shown["replay_count"], shown["replay_eligible"]) == (1, False)
    assert (shown["replayed_as"], shown["replay_status"]) == (answer["delivery_id"], "sent")
    assert status["replay_of"] == str(letter["dead_letter_id"])
    assert [message["text"] for message in place.telegram.sent] == [f"[finance] {TEXT}"]
    assert [one.status for one in place.switchboard.completions][-1] == "ok"
    attempts = "SELECT attempt, outcome FROM delivery_attempts WHERE delivery_id = $1"
    assert await place.rows(attempts, old["delivery_id"]) == [{"attempt": 1, "outcome": "failed"}]
    assert await place.rows(attempts, new["delivery_id"]) == [{"attempt": 1, "outcome": "sent"}]


@pytest.mark.spec("MSR-04.3")
async def test_a_replay_that_fails_is_a_dead_letter_of_its_own_with_the_lineage(place: Place) -> None:
    async with place.messenger() as messenger:
        first = await refused(place, messenger)
        blocked(place)
        failed = await messenger.tool(
            "messenger_dead_letter_replay", {"dead_letter_id": str(first["dead_letter_id"])}
        )
        second = await letter_of(place, failed["delivery_id"])
        sent = await messenger.tool(
            "messenger_dead_letter_replay", {"dead_letter_id": str(second["dead_letter_id"])}
        )
    assert failed["status"] == "failed"
    assert (second["replay_of"], second["replay_count"]) == (first["dead_letter_id"], 1)
    assert (sent["status"], sent["replay_count"]) == ("sent", 2)
    keys = [
        row["idempotency_key"]
        for row in await place.rows("SELECT * FROM delivery_requests ORDER BY created_at")
    ]
    assert keys[1:] == [f"{keys[0]}::replay-1", f"{keys[0]}::replay-2"]
    assert len(place.telegram.sent) == 1


@pytest.mark.spec("MSR-08.3")
async def test_two_replays_at_once_over_two_replicas_send_once(place: Place) -> None:
    async with place.messenger() as one, place.messenger() as other:
        letter = await refused(place, one)
        path = f"/dead-letters/{letter['dead_letter_id']}/replay"
        key = str(uuid4())
        answers = await asyncio.gather(
            *(post(messenger, path, WHY) for messenger in (one, other, one, other)),
            *(post(messenger, path, WHY, key=key) for messenger in (one, other)),
        )
        again = await post(other, path, WHY, key=key)
        clash = await post(one, path, {"reason": "another"}, key=key)
    statuses = [answer.status_code for answer in answers]
    won = [answer.json()["delivery_id"] for answer in answers if answer.status_code == 200]
    assert len(set(won)) == 1
    assert set(statuses) == {200, 409}
    assert again.status_code == statuses[4] == statuses[5]
    assert clash.status_code == 422
    assert len(place.telegram.sent) == 1
    kept = await place.rows("SELECT state, actor, reason FROM operation")
    assert sorted(row["state"] for row in kept) == ["done", *["refused"] * 4]


@pytest.mark.spec("MSR-08.3", "MSR-08.4", "MSG-5.1.2")
async def test_a_discarded_one_is_out_of_the_list_and_never_replayed(place: Place) -> None:
    async with place.messenger() as messenger:
        letter = await refused(place, messenger)
        which = {"dead_letter_id": str(letter["dead_letter_id"])}
        with pytest.raises(ToolError, match="reason"):
            await messenger.tool("messenger_dead_letter_discard", which)
        await messenger.tool("messenger_dead_letter_discard", {**which, "reason": "no longer needed"})
        with pytest.raises(ToolError, match=r"discarded by operator .*no longer needed"):
            await messenger.tool("messenger_dead_letter_replay", which)
        listed = await messenger.tool("messenger_dead_letter_list", {})
        kept = await messenger.tool("messenger_dead_letter_list", {"state": "discarded"})
    assert listed["dead_letters"] == []
    [entry] = kept["dead_letters"]
    assert (entry["replay_eligible"], entry["closed_reason"]) == (False, "no longer needed")
    assert place.telegram.sent == []


async def test_what_may_have_arrived_goes_again_only_by_an_operators_word(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "drop", count=1, applied=True))
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify(TEXT, idempotency_key="x"))
        assert answer.delivery is not None
        assert answer.delivery.state == "uncertain"
        path = f"/deliveries/{answer.delivery.delivery_id}/replay"
        blindly = await post(messenger, path, WHY)
        assert await place.rows("SELECT 1 FROM delivery_dead_letter") == []
        knowingly = await post(messenger, path, {**WHY, "resend_uncertain": True}, subject="ada")
        again = await messenger.notify(notify(TEXT, idempotency_key="x"))
    assert blindly.status_code == 409
    said = blindly.json()["error"]["message"]
    assert "may have arrived (1 attempts; the last provider call began at 20" in said
    assert "say resend_uncertain" in said
    assert knowingly.json()["status"] == "sent"
    assert len(place.telegram.sent) == 2
    [letter] = await place.rows("SELECT * FROM delivery_dead_letter")
    assert (letter["quarantined_by"], letter["replayed_by"]) == ("ada", "ada")
    assert again == answer, "asking again still tells what is known of the first"


class AskedChannel:
    """A mail account with records: whoever asks them may find out here who holds a lock or a transaction."""

    name = "email"
    keeps_records = True
    autofile = False
    carries_files = False

    def __init__(self, place: Place) -> None:
        self._place = place
        self.held: list[int] = []
        self.lost = True

    def tool_for(self, outgoing):
        return "email_send_message"

    def part_count(self, outgoing):
        return 1

    def enclosed(self, outgoing, part):
        return ()

    async def send(self, outgoing, *, part, mark):
        await mark()
        if self.lost:
            return Ambiguous(Failure(ErrorClass.TIMEOUT, "no answer", retryable=True))
        return Sent("<m@butlers.test>")

    async def evidence(self, outgoing):
        self.held.append(
            await self._place.pool.fetchval(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'"
            )
        )
        return "not_found"

    async def records_problem(self):
        return None

    def record_id(self, outgoing):
        return "<m@butlers.test>"

    async def aclose(self):
        return None


async def test_the_mailbox_is_asked_before_the_transaction_of_a_replay_begins(place: Place) -> None:
    channel = AskedChannel(place)
    async with place.messenger(channels={"email": channel}) as messenger:
        answer = await messenger.notify(notify(TEXT, channel="email", idempotency_key="x"))
        assert answer.delivery is not None
        await place.until_status(answer.delivery.delivery_id, "uncertain")
        channel.lost, path = False, f"/deliveries/{answer.delivery.delivery_id}/replay"
        blindly = await post(messenger, path, WHY)
        knowingly = await post(messenger, path, {**WHY, "resend_uncertain": True})
    assert "the provider's records: not_found" in blindly.json()["error"]["message"]
    assert knowingly.json()["status"] == "sent"
    assert channel.held[-2:] == [0, 0]


async def test_many_replays_at_once_need_no_second_connection_each(place: Place) -> None:
    """More of them than the pool has connections: each holds one for its transaction and asks for no other."""
    async with place.messenger("worker_count = 1\nanswer_wait_s = 0.0") as messenger:
        letters = [await refused_soon(place, messenger, f"{TEXT} {number}") for number in range(24)]
        answers = await asyncio.gather(
            *(post(messenger, f"/dead-letters/{letter['dead_letter_id']}/replay", WHY) for letter in letters)
        )
    assert [answer.status_code for answer in answers] == [200] * 24


async def test_a_tool_may_name_the_delivery_instead_of_its_dead_letter_but_not_both(place: Place) -> None:
    async with place.messenger() as messenger:
        letter = await refused(place, messenger)
        delivery = {"delivery_id": str(letter["delivery_id"])}
        both = {**delivery, "dead_letter_id": str(letter["dead_letter_id"]), **WHY}
        for named in (both, WHY):
            with pytest.raises(ToolError, match="either dead_letter_id or delivery_id"):
                await messenger.tool("messenger_dead_letter_discard", named)
        await messenger.tool("messenger_dead_letter_discard", {**delivery, **WHY})
        kept = await messenger.tool("messenger_dead_letter_list", {"state": "discarded"})
    assert [entry["dead_letter_id"] for entry in kept["dead_letters"]] == [str(letter["dead_letter_id"])]


@pytest.mark.parametrize("state", ["sent", "pending", "reaction"])
async def test_only_what_ended_unsent_can_be_quarantined(place: Place, state: str) -> None:
    if state == "pending":
        place.telegram.script(Fault("sendMessage", "status", count=1, status=429, retry_after_s=60))
    if state == "reaction":
        place.telegram.script(Fault("setMessageReaction", "status", count=1, status=500))
    wish = (
        notify(None, intent="react", emoji="👀", context=request_context())
        if state == "reaction"
        else notify(TEXT, idempotency_key="x")
    )
    async with place.messenger("answer_wait_s = 1.0") as messenger:
        answer = await messenger.notify(wish)
        assert answer.delivery is not None
        done = await post(messenger, f"/deliveries/{answer.delivery.delivery_id}/discard", WHY)
        unknown = await post(messenger, f"/deliveries/{uuid4()}/discard", WHY)
    assert (done.status_code, unknown.status_code) == (409, 404)
    assert await place.rows("SELECT 1 FROM delivery_dead_letter") == []


async def test_parts_that_arrived_are_not_sent_again(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "slow", count=1, delay_s=0.0))
    async with place.messenger() as messenger:
        letter = await refused(place, messenger, "long " * 1000)
        before = [message["text"] for message in place.telegram.sent]
        await post(messenger, f"/dead-letters/{letter['dead_letter_id']}/replay", WHY)
    texts = [message["text"] for message in place.telegram.sent]
    assert len(before) == 1
    assert len(texts) == len(set(texts)) == 2


async def test_a_replay_of_which_every_part_has_arrived_ends_without_a_call(place: Place) -> None:
    async with place.messenger() as messenger:
        letter = await refused(place, messenger)
        await place.rows(
            "UPDATE delivery_dead_letter SET kept = jsonb_set(kept, '{receipts}', $1) RETURNING 1",
            [{"part": 0, "provider_delivery_id": f"{ADA}:7", "received_at": "2026-01-01T00:00:00Z"}],
        )
        answer = await post(messenger, f"/dead-letters/{letter['dead_letter_id']}/replay", WHY)
        row = await place.until_status(answer.json()["delivery_id"], "sent")
    assert (row["provider_delivery_id"], row["attempts_used"]) == (f"{ADA}:7", 0)
    assert place.telegram.sent == []
    assert await place.rows("SELECT 1 FROM delivery_work") == []


async def test_a_replayed_mail_keeps_its_message_id(place: Place) -> None:
    place.smtp.script(SmtpFault("rcpt", "drop", count=3))
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify(TEXT, channel="email", idempotency_key="m"))
        assert answer.delivery is not None
        await place.until_status(answer.delivery.delivery_id, "dead_lettered")
        letter = await letter_of(place, answer.delivery.delivery_id)
        sent = await post(messenger, f"/dead-letters/{letter['dead_letter_id']}/replay", WHY)
        await place.until_status(sent.json()["delivery_id"], "sent")
        await messenger.notify(notify(TEXT, channel="email", idempotency_key="other"))
    first, other = place.smtp.accepted
    [row] = await place.rows("SELECT * FROM delivery_requests WHERE replay_of IS NOT NULL")
    assert first.message_id == row["provider_delivery_id"] != other.message_id
    assert "replay" not in first.message_id


@pytest.mark.spec("MSG-5.1.2")
async def test_a_replay_passes_todays_checks_and_leaves_nothing_when_it_does_not(place: Place) -> None:
    async with place.messenger() as messenger:
        letter = await refused(place, messenger, recipient=str(BEN))
    path = f"/dead-letters/{letter['dead_letter_id']}/replay"
    async with place.messenger(f'deny_recipients = ["{BEN}"]') as messenger:
        denied = await post(messenger, path, WHY, key="k")
        gone = await post(messenger, path, {**WHY, "resend_uncertain": True})
    await place.pool.execute(
        "INSERT INTO provider_throttle VALUES ('telegram', 'bot', clock_now() + interval '1 h', clock_now())"
    )
    async with place.messenger() as messenger:
        paused = await post(messenger, path, WHY, key="k")
        await place.pool.execute("DELETE FROM provider_throttle")
        sent = await post(messenger, path, WHY, key="k")
    assert (denied.status_code, gone.status_code, paused.status_code) == (400, 400, 503)
    assert "deny_recipients" in denied.json()["error"]["message"]
    assert int(paused.headers["Retry-After"]) > 0
    assert sent.json()["status"] == "sent"
    assert len(await place.rows("SELECT 1 FROM operation")) == 1
    [row] = await place.rows("SELECT * FROM delivery_requests WHERE replay_of IS NOT NULL")
    assert row["expires_at"] - row["created_at"] == timedelta(hours=24)


async def test_what_expired_is_a_dead_letter_too(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "status", count=1, status=429, retry_after_s=1))
    async with place.messenger("expires_after_s = 1.0\nanswer_wait_s = 0.0") as messenger:
        answer = await messenger.notify(notify(TEXT, idempotency_key="x"))
        assert answer.delivery is not None
        await place.until_status(answer.delivery.delivery_id, "failed")
        letter = await letter_of(place, answer.delivery.delivery_id)
        page = (await messenger.get("/ops/v1/dead-letters")).json()
        one = await messenger.get(f"/ops/v1/dead-letters/{letter['dead_letter_id']}")
        nobody = await messenger.get("/ops/v1/dead-letters", token=place.keys.other("finance", "butler"))
    assert letter["reason"] == "expired"
    assert [entry["dead_letter_id"] for entry in page["dead_letters"]] == [str(letter["dead_letter_id"])]
    assert one.json()["target_identity"] == str(ADA)
    assert nobody.status_code == 403
