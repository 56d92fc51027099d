"""How a delivery is doing, as tools and ops API tell it (MSG-5.1.1, MSG-12, MSR-09)."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_kit.mcp import ToolError
from butler_messenger.tracking import reader
from tests.integration.messenger.household import ADA, Place, notify, request_context
from tests.integration.messenger.test_retries import paused
from tests.support.telegram_api import Fault


@pytest.mark.spec("MSR-09.1", "MSG-5.1.1")
async def test_the_status_says_state_times_latest_attempt_and_the_providers_id(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "status", count=1, status=409))
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify(idempotency_key="x"))
        assert answer.delivery is not None
        await place.until_status(answer.delivery.delivery_id, "sent")
        status = await messenger.tool(
            "messenger_delivery_status", {"delivery_id": answer.delivery.delivery_id}
        )
        refused = await messenger.notify(notify(recipient="424242", idempotency_key="y"))
        assert refused.delivery is not None
        failed = await messenger.tool(
            "messenger_delivery_status", {"delivery_id": refused.delivery.delivery_id}
        )
        with pytest.raises(ToolError, match="no delivery"):
            await messenger.tool("messenger_delivery_status", {"delivery_id": str(uuid4())})
    assert status["status"] == "sent"
    assert status["provider_delivery_id"] == f"{ADA}:1"
    for time in ("created_at", "first_attempt_at", "updated_at", "terminal_at"):
        assert status[time].endswith("Z")
    latest = status["latest_attempt"]
    assert (latest["attempt"], latest["outcome"], latest["error"]) == (2, "sent", None)
    assert latest["latency_ms"] > 0
    assert failed["status"] == "failed"
    assert failed["latest_attempt"]["error"]["class"] == "validation_error"
    assert failed["provider_delivery_id"] is None


@pytest.mark.spec("MSG-7", "MSR-04.2", "MSR-09.1", "MSG-5.1.1")
async def test_a_repeat_of_a_message_that_waits_is_answered_with_its_state_of_now(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "status", count=1, status=429, retry_after_s=600))
    wish = notify("12 euro", intent="reply", context=request_context())
    async with place.messenger("answer_wait_s = 0.2") as messenger:
        first = await messenger.notify(wish)
        await paused(place, whole=True)
        again = await messenger.notify(wish, subrequest_id=uuid4())
        assert first.delivery is not None
        status = await messenger.tool(
            "messenger_delivery_status", {"delivery_id": first.delivery.delivery_id}
        )
    assert again == first
    assert first.delivery.state == "queued"
    assert status["status"] in ("pending", "in_progress")
    assert (status["terminal_at"], status["provider_delivery_id"]) == (None, None)
    assert status["latest_attempt"]["outcome"] == "throttled"
    assert len(await place.rows("SELECT 1 FROM delivery_requests")) == 1


async def some_deliveries(messenger: Any) -> None:
    await messenger.notify(notify("one", idempotency_key="1"))
    await messenger.notify(notify("two", channel="email", idempotency_key="2"))
    await messenger.notify(notify("three", origin="health", idempotency_key="3"))
    await messenger.notify(notify("four", intent="reply", context=request_context()))
    await messenger.notify(notify("five", recipient="424242", idempotency_key="5"))


@pytest.mark.spec("MSR-09.2", "MSG-5.1.1")
async def test_the_search_filters_by_every_field_and_goes_on_page_by_page(place: Place) -> None:
    async with place.messenger() as messenger:
        await some_deliveries(messenger)

        async def found(**filters: Any) -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = (await messenger.tool("messenger_delivery_search", filters))[
                "deliveries"
            ]
            return found

        everything = await found()
        assert [d["created_at"] for d in everything] == sorted(
            (d["created_at"] for d in everything), reverse=True
        )
        assert len(everything) == 5
        assert len(await found(origin_butler="health")) == 1
        assert len(await found(channel="email")) == 1
        assert len(await found(intent="reply")) == 1
        assert len(await found(status="failed")) == 1
        middle = everything[2]["created_at"]
        assert len(await found(since=middle)) == 3
        assert len(await found(until=middle)) == 2
        [both] = await found(origin_butler="finance", status="sent", channel="telegram", intent="send")
        assert both["delivery_id"] == everything[4]["delivery_id"]
        seen: list[dict[str, Any]] = []
        cursor = None
        for _ in range(3):
            page = await messenger.tool("messenger_delivery_search", {"limit": 2, "cursor": cursor})
            seen, cursor = seen + page["deliveries"], page["next_cursor"]
        assert [d["delivery_id"] for d in seen] == [d["delivery_id"] for d in everything]
        assert cursor is None
        with pytest.raises(ToolError, match="status"):
            await found(status="lost")
        with pytest.raises(ToolError, match="cursor"):
            await found(cursor="nonsense")


@pytest.mark.spec("MSR-09.3", "MSG-5.1.1", "MSG-12")
async def test_the_attempt_log_has_every_attempt_in_order(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "status", count=1, status=409))
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify(idempotency_key="x"))
        assert answer.delivery is not None
        await place.until_status(answer.delivery.delivery_id, "sent")
        log = await messenger.tool(
            "messenger_delivery_attempts", {"delivery_id": answer.delivery.delivery_id}
        )
    first, second = log["attempts"]
    assert (first["attempt"], first["outcome"], first["error_class"], first["retryable"]) == (
        1,
        "failed",
        "target_unavailable",
        True,
    )
    assert (second["attempt"], second["outcome"], second["error_class"]) == (2, "sent", None)
    assert second["provider_response"]["message_id"] == 1
    assert second["retryable"] is None
    assert all(a["latency_ms"] > 0 and a["started_at"] <= a["finished_at"] for a in (first, second))


@pytest.mark.spec("MSR-09.4", "MSG-5.1.1", "MSG-12", "MSG-18")
async def test_a_trace_joins_everything_of_a_request_from_the_wish_to_the_receipt(place: Place) -> None:
    context = request_context()
    async with place.messenger() as messenger:
        await messenger.notify(notify("12 euro", intent="reply", context=context))
        await messenger.notify(notify("Ben paid", context=context, origin="relationship"))
        await messenger.notify(notify("other", idempotency_key="other"))
        trace = await messenger.tool("messenger_delivery_trace", {"request_id": context["request_id"]})
        nothing = await messenger.tool("messenger_delivery_trace", {"request_id": str(uuid4())})
    assert nothing["deliveries"] == []
    reply, send = trace["deliveries"]
    assert (reply["origin_butler"], send["origin_butler"]) == ("finance", "relationship")
    for delivery in (reply, send):
        assert delivery["request_id"] == context["request_id"]
        assert delivery["notify_request"]["schema_version"] == "notify.v1"
        assert delivery["resolved"]["target_identity"] == str(ADA)
        assert (delivery["channel"], delivery["status"], delivery["delivery_id"]) == (
            "telegram",
            "sent",
            delivery["delivery_id"],
        )
        assert delivery["intent"] in ("reply", "send")
        assert delivery["created_at"] <= delivery["first_attempt_at"] <= delivery["terminal_at"]
        assert UUID(delivery["subrequest_id"])
        assert delivery["idempotency_key"]
        [attempt] = delivery["attempts"]
        [receipt] = delivery["receipts"]
        assert attempt["outcome"] == "sent"
        assert receipt["provider_delivery_id"] == delivery["provider_delivery_id"]
    # The text itself stays in the database.
    assert "12 euro" not in str(trace)


@pytest.mark.spec("MSG-12", "MSG-18")
async def test_a_failed_delivery_keeps_its_lineage_and_why_it_failed(place: Place) -> None:
    context = request_context()
    place.telegram.script(Fault("sendMessage", "status", count=9, status=409))
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify("12 euro", intent="reply", context=context))
        assert answer.delivery is not None
        row = await place.until_status(answer.delivery.delivery_id, "dead_lettered")
    # Nothing of it depends on the process that is gone by now.
    assert (row["error_class"], bool(row["error_message"]), row["terminal_at"] is not None) == (
        "target_unavailable",
        True,
        True,
    )
    attempts = await place.rows("SELECT * FROM delivery_attempts ORDER BY attempt")
    assert [(a["outcome"], a["error_class"], a["retryable"], a["latency_ms"] > 0) for a in attempts] == [
        ("failed", "target_unavailable", True, True)
    ] * 3
    [letter] = await place.rows("SELECT * FROM delivery_dead_letter")
    assert (str(letter["request_id"]), letter["origin_butler"], letter["channel"], letter["intent"]) == (
        context["request_id"],
        "finance",
        "telegram",
        "reply",
    )
    assert (letter["target_identity"], letter["replay_count"], letter["replay_eligible"]) == (
        str(ADA),
        0,
        True,
    )
    assert letter["delivery_id"] == row["delivery_id"]


DOMAIN_TOOLS = {
    "messenger_delivery_status",
    "messenger_delivery_search",
    "messenger_delivery_attempts",
    "messenger_delivery_trace",
    "messenger_dead_letter_list",
    "messenger_dead_letter_inspect",
    "messenger_dead_letter_replay",
    "messenger_dead_letter_discard",
    "messenger_validate_notify",
    "messenger_dry_run",
    "messenger_circuit_status",
    "messenger_rate_limit_status",
    "messenger_queue_depth",
    "messenger_delivery_stats",
}
NO_MODULES = '[butler]\nrole = "messenger"\nport = 0\n'


@pytest.mark.spec("MSG-5.1")
async def test_the_tools_of_its_domain_are_messengers_own_and_there_without_any_module(place: Place) -> None:
    async with place.messenger(text=NO_MODULES) as messenger:
        assert await messenger.listed_tools(messenger.operator()) >= DOMAIN_TOOLS
        assert (await messenger.tool("messenger_delivery_search", {}))["deliveries"] == []


async def test_only_operator_and_switchboard_see_the_tracking_tools(place: Place) -> None:
    async with place.messenger() as messenger:
        tracking = {
            "messenger_delivery_status",
            "messenger_delivery_search",
            "messenger_delivery_attempts",
            "messenger_delivery_trace",
        }
        assert tracking <= await messenger.listed_tools(messenger.operator())
        assert tracking <= await messenger.listed_tools(place.keys.switchboard())
        assert not tracking & await messenger.listed_tools(place.keys.other("finance", "butler"))


async def test_the_ops_api_lists_and_shows_deliveries_to_operators_only(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with place.messenger() as messenger:
        await some_deliveries(messenger)
        listed = (await messenger.get("/ops/v1/deliveries?channel=telegram&limit=2")).json()
        assert len(listed["deliveries"]) == 2
        assert listed["next_cursor"]
        one = listed["deliveries"][0]["delivery_id"]
        shown = await messenger.get(f"/ops/v1/deliveries/{one}")
        assert shown.status_code == 200
        assert len(shown.json()["attempts"]) == 1
        assert (await messenger.get(f"/ops/v1/deliveries/{uuid4()}")).status_code == 404
        # It is told by what it is, not by how it is worded.
        monkeypatch.setattr(reader, "unknown_delivery", lambda _: reader.UnknownDelivery("it is gone"))
        assert (await messenger.get(f"/ops/v1/deliveries/{uuid4()}")).status_code == 404
        assert (await messenger.get("/ops/v1/deliveries/nonsense")).status_code == 400
        assert (await messenger.get("/ops/v1/deliveries?colour=red")).status_code == 400
        butler = place.keys.other("finance", "butler")
        assert (await messenger.get("/ops/v1/deliveries", token=butler)).status_code == 403
        assert (await messenger.get("/ops/v1/deliveries", token="nobody")).status_code == 401
        document = (await messenger.get("/ops/v1/openapi.json")).json()
        assert set(document["paths"]) == {
            f"/ops/v1/{path}"
            for path in (
                "channels",
                "channels/{channel}/suppress",
                "suppressions",
                "suppressions/{suppression_id}/end",
                "limits",
                "queue",
                "stats",
                "notify/validate",
                "notify/dry-run",
                "circuits",
                "circuits/{channel}/reset",
                "slo",
                "slo/{channel}/reset",
                "calendar",
                "approvals",
                "approvals/{approval_id}",
                "approvals/{approval_id}/{choice}",
                "approval-rules",
                "approval-rules/{rule_id}/end",
                "deliveries",
                "deliveries/{delivery_id}",
                "deliveries/{delivery_id}/replay",
                "deliveries/{delivery_id}/discard",
                "dead-letters",
                "dead-letters/{dead_letter_id}",
                "dead-letters/{dead_letter_id}/replay",
                "dead-letters/{dead_letter_id}/discard",
            )
        }


async def channels_of(messenger: Any) -> dict[str, Any]:
    answer = (await messenger.get("/ops/v1/channels")).json()["channels"]
    return {one["channel"]: one["fault"] for one in answer}


async def test_a_channel_whose_account_is_refused_says_so_until_a_call_goes_through(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "status", count=1, status=401))
    async with place.messenger() as messenger:
        assert await channels_of(messenger) == {}
        await messenger.notify(notify("one", idempotency_key="1"))
        told = await channels_of(messenger)
        assert told == {
            "telegram": {"kind": "unauthorized", "message": "Telegram does not know the bot's token"}
        }
        await messenger.notify(notify("two", channel="email", idempotency_key="2"))
        await messenger.notify(notify("three", idempotency_key="3"))
        assert await channels_of(messenger) == {"telegram": None, "email": None}


async def test_a_refused_recipient_says_nothing_against_its_channel(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "status", count=1, status=403))
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify(idempotency_key="x"))
        assert answer.delivery is not None
        assert await channels_of(messenger) == {"telegram": None}
        butler = place.keys.other("finance", "butler")
        assert (await messenger.get("/ops/v1/channels", token=butler)).status_code == 403


async def test_health_metrics_and_readiness_are_told(place: Place) -> None:
    async with place.messenger() as messenger:
        await messenger.notify(notify(idempotency_key="x"))
        await messenger.notify(notify(idempotency_key="x"))
        await messenger.notify(notify(recipient="424242", idempotency_key="y"))
        assert (await messenger.get("/healthz")).status_code == 200
        ready = await messenger.get("/readyz")
        assert ready.json() == {"ready": True, "checks": {"database": "ok", "queue": "ok"}}
        text = (await messenger.get("/metrics")).text
    labels = (
        'channel="telegram",error_class="",identity_scope="bot",'
        'intent="send",origin_butler="finance",outcome="sent"'
    )
    assert f"butlers_messenger_delivery_sent_total{{{labels}}} 1.0" in text
    for name in (
        "delivery_requested_total",
        "delivery_deduplicated_total",
        "delivery_failed_total",
        "delivery_latency_ms_count",
        "provider_latency_ms_count",
        "queue_wait_ms_count",
    ):
        assert f"butlers_messenger_{name}{{" in text
    # Among a sample's digits the number may stand by chance.
    assert f'"{ADA}"' not in text
