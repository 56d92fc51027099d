"""What butlers may have told to people, and in whose name: origin and context cannot be forged."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from butler_contracts.route import RouteEnvelopeV1
from butler_kit.mcp import ToolError
from butler_kit.time import new_uuid7
from tests.support.butlers import accepts
from tests.support.file_store import attachment
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running

BILL = "I paid the gas bill of 40 euro"


def reply(envelope: RouteEnvelopeV1, *, origin: str = "finance", **context: Any) -> dict[str, Any]:
    return {
        "schema_version": "notify.v1",
        "origin_butler": origin,
        "delivery": {"intent": "reply", "channel": "telegram", "message": "noted"},
        "request_context": {**envelope.request_context.to_wire(), **context},
    }


async def routed(home: Household, running: Running, *, sender: str = "1001") -> RouteEnvelopeV1:
    home.butler("finance").behaviour = accepts()
    await running.accepted(telegram(1, BILL, sender=sender, chat=sender))
    return (await home.butler("finance").received())[0]


@pytest.mark.spec("SWB-11.3")
async def test_an_answer_goes_to_messenger_as_a_route_with_origin_and_context(home: Household):
    async with home.run() as running:
        envelope = await routed(home, running)
        home.messenger.got.clear()
        answer = await home.butler("finance").tell("notify", notify_request=reply(envelope))
    [sent] = home.messenger.got
    assert sent.target.butler == "messenger"
    assert sent.to_wire()["schema_version"] == "route.v1"
    assert sent.to_wire()["target"]["tool"] == "route.execute"
    assert sent.request_context == envelope.request_context
    assert sent.input.context is not None
    assert sent.input.context.notify_request is not None
    assert sent.input.context.notify_request.schema_version == "notify.v1"
    assert sent.input.context.notify_request.delivery.message == "noted"
    assert sent.input.context.lineage is not None
    assert sent.input.context.lineage.origin_butler == "finance"
    assert sent.input.context.lineage.alone is True
    assert home.messenger.callers[-1].origin == "finance"
    assert (answer["status"], answer["delivery"]["state"]) == ("ok", "queued")
    row = await home.pool.fetchrow("SELECT * FROM notifications WHERE purpose = 'answer'")
    assert row is not None
    assert (row["origin_butler"], row["status"], row["delivery_state"]) == ("finance", "ok", "queued")


async def test_nobody_speaks_in_anothers_name(home: Household):
    async with home.run() as running:
        envelope = await routed(home, running)
        with pytest.raises(ToolError, match="origin_butler"):
            await home.butler("finance").tell("notify", notify_request=reply(envelope, origin="health"))
        assert all(request.origin_butler == "switchboard" for request in home.messenger.told)


async def test_a_forged_context_is_replaced_by_the_stored_one(home: Household):
    async with home.run() as running:
        envelope = await routed(home, running)
        forged = reply(
            envelope,
            source_thread_identity="9999",
            source_sender_identity="9999",
            policy_tier="high_priority",
        )
        await home.butler("finance").tell("notify", notify_request=forged)
    assert home.messenger.got[-1].request_context == envelope.request_context
    assert home.messenger.told[-1].request_context == envelope.request_context


@pytest.mark.parametrize("intent", ["reply", "react"])
async def test_a_stranger_is_not_answered_even_when_the_butler_claims_otherwise(home: Household, intent: str):
    async with home.run() as running:
        envelope = await routed(home, running, sender="6666")
        assert envelope.request_context.reply_policy == "owner"
        wanted = reply(envelope, reply_policy="allow", sender_class="household")
        wanted["delivery"]["intent"] = intent
        if intent == "react":
            wanted["delivery"] = {"intent": "react", "channel": "telegram", "emoji": "👍"}
        with pytest.raises(ToolError, match="not answered"):
            await home.butler("finance").tell("notify", notify_request=wanted)
        assert home.messenger.told == []
        owner = {
            "schema_version": "notify.v1",
            "origin_butler": "finance",
            "delivery": {"intent": "send", "channel": "telegram", "message": "a stranger sent a bill"},
            "request_context": envelope.request_context.to_wire(),
        }
        assert (await home.butler("finance").tell("notify", notify_request=owner))["status"] == "ok"


async def test_an_intent_about_an_unknown_request_is_refused(home: Household):
    async with home.run() as running:
        envelope = await routed(home, running)
        unknown = reply(envelope, request_id=str(new_uuid7(datetime.now(UTC))))
        with pytest.raises(ToolError, match="is not known"):
            await home.butler("finance").tell("notify", notify_request=unknown)


async def test_without_messenger_the_butler_learns_that_it_may_try_again(home: Household):
    async with home.run() as running:
        envelope = await routed(home, running)
        await home.messenger.stop()
        answer = await home.butler("finance").tell("notify", notify_request=reply(envelope))
        assert answer["status"] == "error"
        assert (answer["error"]["class"], answer["error"]["retryable"]) == ("target_unavailable", True)
        await home.messenger.start()
        again = await home.butler("finance").tell("notify", notify_request=reply(envelope))
        assert again["status"] == "ok"
    ids = {
        one.subrequest.subrequest_id for one in home.messenger.got if one.subrequest.segment_id == "notify"
    }
    answers = await home.pool.fetch(
        "SELECT notification_id, status FROM notifications WHERE purpose = 'answer'"
    )
    assert [record["status"] for record in answers] == ["ok"]
    assert answers[0]["notification_id"] in ids


async def test_a_repeat_that_reaches_nobody_does_not_hide_that_messenger_has_the_delivery(home: Household):
    async with home.run() as running:
        envelope = await routed(home, running)
        assert (await home.butler("finance").tell("notify", notify_request=reply(envelope)))["status"] == "ok"
        await home.messenger.stop()
        again = await home.butler("finance").tell("notify", notify_request=reply(envelope))
        assert again["status"] == "error"
    row = await home.pool.fetchrow("SELECT * FROM notifications WHERE purpose = 'answer'")
    assert row is not None
    assert (row["status"], row["delivery_state"], row["error_class"]) == ("ok", "queued", None)


async def test_the_end_of_a_delivery_is_recorded_and_only_messenger_may_tell_it(home: Household):
    async with home.run() as running:
        envelope = await routed(home, running)
        await home.butler("finance").tell("notify", notify_request=reply(envelope))
        sent = home.messenger.got[-1]
        ended = {
            "notify_response": {
                "schema_version": "notify_response.v1",
                "status": "ok",
                "delivery": {"channel": "telegram", "delivery_id": "d1", "state": "sent"},
            }
        }
        with pytest.raises(ToolError, match="was never sent to finance"):
            await home.butler("finance").complete(sent, result=ended)
        assert await home.messenger.complete(sent, result=ended) == "recorded"
        await home.butler("finance").tell("notify", notify_request=reply(envelope))
    state = await home.pool.fetchval("SELECT delivery_state FROM notifications WHERE purpose = 'answer'")
    assert state == "sent"


@pytest.mark.parametrize(
    "document",
    [{}, {"schema_version": "notify.v2"}, {"schema_version": "notify.v1", "origin_butler": "finance"}],
)
async def test_a_malformed_intent_is_refused_and_named(home: Household, document: dict[str, Any]):
    async with home.run() as running:
        await routed(home, running)
        with pytest.raises(ToolError) as refused:
            await home.butler("finance").tell("notify", notify_request=document)
        assert refused.value.error is not None
        assert refused.value.error.error_class == "validation_error"


async def test_files_are_handed_on_as_they_are_and_other_files_are_another_wish(home: Household):
    one = attachment("https://files.example.org/a.pdf", b"%PDF")
    async with home.run() as running:
        envelope = await routed(home, running)
        home.messenger.got.clear()
        for files in ([one], [one], [{**one, "name": "b.pdf"}]):
            wish = reply(envelope)
            wish["delivery"]["attachments"] = files
            assert (await home.butler("finance").tell("notify", notify_request=wish))["status"] == "ok"
    wishes = [got.input.context.notify_request for got in home.messenger.got if got.input.context is not None]
    assert next(wish.to_wire()["delivery"]["attachments"] for wish in wishes if wish is not None) == [one]
    ids = [got.subrequest.subrequest_id for got in home.messenger.got]
    assert ids[0] == ids[1] != ids[2]
